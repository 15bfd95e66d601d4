//! A sans-IO state machine that decides when an HTTP request is sent again.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

mod backoff;
mod bounds;
mod budget;
mod builder;
mod drive;
mod end;
mod hint;
mod jitter;
mod machine;
mod outcome;
mod policy;
mod policy_error;
mod record;
mod replay;
mod status;
mod time;
mod verdict;

pub mod date;
pub mod retry_after;

pub use budget::{Budget, Judged, Tally, Unlimited};
pub use builder::PolicyBuilder;
pub use drive::{DRAIN_BYTES, DRAIN_TIME, Finished, Io, Timer, Try, drive};
pub use end::{End, Reason};
pub use hint::{Mode, OverCap, RetryAfter};
pub use jitter::Jitter;
pub use machine::{Action, Attempt, Pause, WaitSource};
pub use outcome::{Advice, Cause, ErrorKind, Event, Failure, Outcome, Reached};
pub use policy::{NonIdempotent, Policy};
pub use policy_error::PolicyError;
pub use record::{Entry, Record};
pub use replay::{Replay, Why, is_idempotent};
pub use status::StatusSet;
pub use time::{Instant, UnixTime};
pub use verdict::Verdict;
