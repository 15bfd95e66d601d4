//! A page for each question about policies and what comes of them. It holds for every adapter.
//!
//! - [Which policy do I choose, and how long will a call take?](choose)
//! - [What did my call do?](report)
//! - [What do many retries do to a server that is down?](storms)
//! - [How do I drive the core with a client of my own?](embed)
//! - [Which versions do these crates need?](versions)
//!
//! Each adapter has a guide in its client's words: is it safe to retry, what limits my call, what do I get back, how do I
//! test it. The pictures are drawn by `conformance`'s programs `plan` and `storm`, which can be had for any policy.

pub mod choose;
pub mod embed;
pub mod report;
pub mod storms;
pub mod versions;
