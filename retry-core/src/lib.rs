//! A sans-IO state machine that decides when an HTTP request is sent again.
//!
//! It does no I/O, reads no clock, takes no memory and cannot panic. It is told what came back from each send and what
//! time it is, and says what to do next:
//!
//! ```text
//!   Attempt::start ──► Send(Attempt) ── finish(outcome, now) ──► Done(End)      the reply is the answer
//!        │                  ▲                    ├─────────────► GiveUp(End)    the call failed
//!        │                  │                    ▼
//!        │                  └── resume(now) ── Wait(Pause) ────► GiveUp(End)    the total limit passed meanwhile
//!        └─► GiveUp(End)    the deadline had passed before the first send
//! ```
//!
//! Each [`Action`] owns the state of the call and offers only the legal next step, so there is no order to get wrong.
//!
//! # The law
//!
//! - Sends are at most `max_retries + 1`; a request that may not be repeated ([`Replay`]) goes out once.
//! - No send starts at or after the total limit, and no wait is begun that would end there: the call ends at once, with
//!   the reply in hand.
//! - No wait is shorter than a server's hint that the policy follows.
//! - After the last send there is no wait.
//! - The same policy, the same replies at the same times and the same random words give the same actions, on every
//!   machine.
//! - A clock that stands still or goes back shortens no wait, and the wall clock moves none: only
//!   [`retry_after`] ever sees it.
//!
//! # The loop
//!
//! Whoever has a `Future` based client implements [`Timer`] and [`Io`], and lets [`drive`] do the rest. Without futures
//! the loop is this:
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Action, Attempt, Cause, Instant, Outcome, Policy, Reached, Replay, Unlimited};
//! # struct Zero;
//! # impl rand_core::TryRng for Zero {
//! #     type Error = core::convert::Infallible;
//! #     fn try_next_u32(&mut self) -> Result<u32, Self::Error> { Ok(0) }
//! #     fn try_next_u64(&mut self) -> Result<u64, Self::Error> { Ok(0) }
//! #     fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Self::Error> { dst.fill(0); Ok(()) }
//! # }
//! # let mut rng = Zero;
//! # let mut now = Instant::EPOCH;
//! # let mut replies = [Outcome::failure(Cause::Network, Reached::Unsent), Outcome::status(200)].into_iter();
//! # let mut send = || replies.next().unwrap();
//! let mut action = Attempt::start(Policy::API, Replay::Always, None, now);
//! let end = loop {
//!     action = match action {
//!         Action::Send(attempt) => {
//!             let outcome = send(); // within attempt.deadline()
//!             attempt.finish(outcome, now, &mut Unlimited, &mut rng)
//!         }
//!         Action::Wait(pause) => {
//!             now = pause.until(); // a real loop sleeps here, and looks at its clock
//!             pause.resume(now)
//!         }
//!         Action::Done(end) => break Ok(end),
//!         Action::GiveUp(end) => break Err(end),
//!     };
//! };
//! assert_eq!(end.unwrap().attempts, 2);
//! ```
//!
//! # Guide
//!
//! [`guide`]: which policy to choose and how long a call takes, what a call did, what many retries do to a server that is
//! down, and how to drive the core with a client of one's own.
//!
//! # Features
//!
//! `http`: helpers for the types of the `http` crate. They need std and change no decision.
//!
//! `serde`: a [`Policy`] as TOML, JSON and the like. It needs neither std nor a heap.
//!
//! `trace`: a record of a call, and its replay, decision by decision. It needs std.
//!
//! `testing`: time that takes none, for tests of code that retries. It needs std, and is for dev-dependencies.
#![cfg_attr(feature = "serde", doc = include_str!("config.md"))]
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

#[cfg(any(feature = "testing", feature = "trace"))]
extern crate std;

mod backoff;
mod bounds;
mod budget;
mod builder;
#[cfg(feature = "serde")]
mod config;
mod delays;
mod drive;
mod end;
mod hint;
mod jitter;
mod machine;
mod outcome;
mod policy;
mod policy_error;
mod proxy;
mod record;
mod replay;
mod status;
mod time;
mod verdict;

pub mod date;
pub mod guide;
pub mod retry_after;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "trace")]
pub mod trace;
pub mod vendor;

pub use budget::{Budget, Judged, Level, Ratio, Tally, Throttle, TokenBucket, Unlimited};
pub use builder::PolicyBuilder;
pub use delays::Delays;
pub use drive::{DRAIN_BYTES, DRAIN_TIME, Finished, Io, Timer, Try, drive, within};
pub use end::{End, Reason};
pub use hint::{Mode, OverCap, RetryAfter};
pub use jitter::Jitter;
pub use machine::{Action, Attempt, Pause, WaitSource};
pub use outcome::{Advice, Cause, ErrorKind, Event, Failure, Outcome, Reached};
pub use policy::{NonIdempotent, Policy};
pub use policy_error::PolicyError;
pub use proxy::{Circuit, Pool, Rotation, Ticket, Trail};
pub use record::{Entry, Record};
pub use replay::{Replay, Why, is_idempotent};
pub use status::StatusSet;
pub use time::{Instant, UnixTime};
pub use verdict::Verdict;
