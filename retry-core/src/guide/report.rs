//! What did my call do?
//!
//! Every call ends with an [`End`](crate::End): how many sends, how long, why. A [`Record`](crate::Record) beside it has the
//! last 8 attempts. The adapters hand out both as one `Report`: of a failed call with the error, of any call by the
//! `..._with_report` of each way to send.
//!
//! # Why it stopped
//!
//! | [`Reason`](crate::Reason) | what happened | look at |
//! |---|---|---|
//! | `Answer` | the last reply is the answer | `attempts`: 1 if all was well |
//! | `NotRetryable` | a failure that no other send can mend: a certificate, a wrong URL | the event |
//! | `NotRepeatable(Method)` | worth another send, but a POST or the like | [`NonIdempotent`](crate::NonIdempotent), idempotency keys |
//! | `NotRepeatable(Body)` | worth another send, but its body can be produced once only | the adapters' `buffer_body` |
//! | `NotRepeatable(RetriesOff)` | worth another send, but `max_retries` is 0 | the policy, the call's own settings |
//! | `Advised` | a custom policy said stop | that policy |
//! | `RetriesExhausted` | all sends were made | the record: the same event each time, or several? |
//! | `TotalTimeout` | the limit passed, or the next wait would have ended after it | where the time went, below |
//! | `RetryAfterTooLong` | the server asked for more than the cap | `asked`: what it asked for |
//! | `BudgetSpent` | too many calls of this process fail | the budget's level: what is left, what was refused |
//! | `Canceled` | the caller gave up | |
//!
//! # Where the time went
//!
//! An [`Entry`](crate::Entry) of the record is one attempt: when its send began, counted from the start of the call; how long
//! its reply took; and the wait that followed, with its source:
//!
//! | [`WaitSource`](crate::WaitSource) | the length came from |
//! |---|---|
//! | `policy` | the policy's delays and jitter |
//! | `Retry-After` | the server, cut to the cap |
//! | `custom policy` | your own decision |
//! | `next proxy` | the move to a proxy that was not tried before |
//!
//! Here is a call that is given 38 s, and is over after 35:
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Action, Attempt, Cause, Entry, Instant, Jitter, Outcome, Policy};
//! use retry_core::{Reached, Reason, Record, Replay, Unlimited};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
//!
//! const LIMIT: Duration = Duration::from_secs(38);
//! const POLICY: Policy =
//!     Policy::API.edit().jitter(Jitter::None).total_timeout(Some(LIMIT)).build_const();
//!
//! let secs = Duration::from_secs;
//! let mut replies = [
//!     (secs(2), Outcome::failure(Cause::Network, Reached::MaybeSent)),
//!     (secs(1), Outcome::status(429).with_hint(Some(secs(30)))),
//!     (secs(1), Outcome::status(503)),
//! ].into_iter();
//!
//! // The adapters keep the record; this is how.
//! let mut record = Record::default();
//! let mut now = Instant::EPOCH;
//! let mut action = Attempt::start(&POLICY, Replay::Always, None, now);
//! let end = loop {
//!     action = match action {
//!         Action::Send(attempt) => {
//!             let (took, outcome) = replies.next().unwrap();
//!             now = now.saturating_add(took);
//!             record.reply(&attempt, outcome.event, now, None);
//!             attempt.finish(outcome, now, &mut Unlimited, &mut rng)
//!         }
//!         Action::Wait(pause) => {
//!             record.pause(&pause);
//!             now = pause.until();
//!             pause.resume(now)
//!         }
//!         Action::Done(end) | Action::GiveUp(end) => break end,
//!     };
//! };
//!
//! // And this is how to read it.
//! let line = |entry: Entry| {
//!     let Entry { number, start, event, took, wait, .. } = entry;
//!     let wait = wait.map(|(wait, source)| format!(", waits {wait:?} ({source})"));
//!     format!("send {number} at {start:?}: {event} in {took:?}{}", wait.unwrap_or_default())
//! };
//! assert_eq!(record.entries().map(line).collect::<Vec<_>>(), [
//!     "send 1 at 0ns: NETWORK_ERROR in 2s, waits 1s (policy)",
//!     "send 2 at 3s: 429 in 1s, waits 30s (Retry-After)",
//!     "send 3 at 34s: 503 in 1s",
//! ]);
//! assert_eq!((end.attempts, end.elapsed, end.reason), (3, secs(35), Reason::TotalTimeout));
//! assert_eq!(end.reason.to_string(), "time limit reached");
//!
//! // All of the time is in the record, as long as it has all attempts.
//! assert_eq!(record.earlier(), 0);
//! let time = |entry: Entry| entry.took + entry.wait.map_or(Duration::ZERO, |(wait, _)| wait);
//! assert_eq!(record.entries().map(time).sum::<Duration>(), end.elapsed);
//! ```
//!
//! Read from the last line upwards. The call ended on a 503, so the server was back but not well. The next wait would have
//! been 4 s, and have ended after the limit of 38 s: it was not begun, and the 503 is in hand after 35 s. Most of the time,
//! 30 s, is the server's own wish. Whoever has no 38 s to give lowers the cap of [`RetryAfter`](crate::RetryAfter), or lets
//! the call end there ([`OverCap::GiveUp`](crate::OverCap::GiveUp)); a total limit of 34 s or less would have ended it at
//! send 2, too. [The ways to shorten a call](super::choose#five-ways-to-shorten-a-call) tell what each of them costs.
//!
//! The feature `trace` of this crate has a record that can be kept and replayed; `cargo run -p conformance --bin replay --
//! TRACE` prints each of its decisions with the rule and the numbers behind it.
//!
//! # What else is in it
//!
//! - `attempts` counts sends that were begun. It is 0 where the deadline had passed before the first one.
//! - `earlier`: how many attempts came before those of the record.
//! - [`Event`](crate::Event) is a status, or a failure with its cause and whether it can have reached the server
//!   ([`Reached`](crate::Reached)): after `MaybeSent` a POST may have had its effect.
//! - A gap between the end of one attempt's wait and the start of the next is time that the machine slept or was too busy.
//!
//! # All of it, to be replayed
//!
//! A record tells what happened, not why a wait was as long as it was. With the feature `trace` a `Recorder` keeps all that
//! the decisions of a call depended on, as text: the policy, the seed, each reply with its times and hint, what the budget
//! said. The adapters do that where it is asked for, by `trace(true)` on their `Retry` or on one call, and hand the trace
//! out with the report. `cargo run -p conformance --bin replay -- call.trace` then tells each decision with its rule and
//! its numbers, and where today's machine would decide otherwise; `Trace::replay` does so in a program.
