//! A page for each question that a caller has.
//!
//! - [Is it safe to retry?](safe)
//! - [What limits my call?](limits)
//! - [What do I get back?](result)
//! - [How do I test my code, without its waits?](testing)
//! - [How do I follow calls in traces and logs?](tracing)
#![cfg_attr(feature = "middleware", doc = "- [How do I move over from reqwest-retry?](moving)")]
#![cfg_attr(feature = "tower", doc = "- [How do I put retries into a stack of tower's services?](tower)")]
//!
//! What holds for every client is in [`retry_core::guide`]:
//!
//! - [Which policy do I choose, and how long will a call take?](retry_core::guide::choose)
//! - [What did my call do?](retry_core::guide::report)
//! - [What do many retries do to a server that is down?](retry_core::guide::storms)
//! - [How do I drive the core with a client of my own?](retry_core::guide::embed)
//! - [Which versions do these crates need?](retry_core::guide::versions)

#[doc = include_str!("guide/safe.md")]
pub mod safe {}

#[doc = include_str!("guide/limits.md")]
pub mod limits {}

#[doc = include_str!("guide/result.md")]
pub mod result {}

#[doc = include_str!("guide/testing.md")]
pub mod testing {}

#[doc = include_str!("guide/tracing.md")]
pub mod tracing {}

#[cfg(feature = "middleware")]
// Its code runs in tests/moving, where the other crate is.
#[cfg_attr(not(doctest), doc = include_str!("guide/moving.md"))]
pub mod moving {}

#[cfg(feature = "tower")]
#[doc = include_str!("guide/tower.md")]
pub mod tower {}
