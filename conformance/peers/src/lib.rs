//! What retries cost here, and what they cost with other crates, all in one run on one machine.
//!
//! - Measuring: `count.rs` (instructions), `alloc.rs` (heap), `pair.rs` and `rounds.rs` (times, interleaved),
//!   `server.rs` (the other end).
//! - `subjects/`: each way to make a request, a file a crate.
//! - `scenarios/`: each question, a file a question. A scenario has two halves: one runs in a process of its own and
//!   measures one subject, the other asks for that and makes rows of the answers.
//! - `report.rs`, `table.rs`, `chart.rs`: what is written.

pub mod alloc;
pub mod chart;
pub mod count;
pub mod lab;
pub mod notes;
pub mod pair;
pub mod report;
mod rounds;
pub mod scenarios;
pub mod server;
pub mod subjects;
pub mod table;
pub mod versions;
