//! A sans-IO state machine that decides when an HTTP request is sent again.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

mod outcome;
mod time;

pub mod date;
pub mod retry_after;

pub use outcome::{Advice, Cause, ErrorKind, Event, Failure, Outcome, Reached};
pub use time::{Instant, UnixTime};
