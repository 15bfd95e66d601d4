//! How do I drive the core with a client of my own?
//!
//! The core makes the decisions and does nothing else, so it fits any client and any way to wait:
//!
//! | what you have | what you write | an example that runs |
//! |---|---|---|
//! | a client of futures, on any executor | [`Timer`](crate::Timer) and [`Io`](crate::Io) for [`drive`](crate::drive()) | `cargo run -p conformance --example smol`: hyper on smol |
//! | a blocking client | the loop below | `cargo run -p conformance --example blocking`: ureq |
//! | an event loop | the loop, taken apart at [`Action::wake_at`](crate::Action::wake_at) | `cargo run -p conformance --example event_loop`: ten thousand calls on one thread |
//! | no std, no heap | the loop | `cargo run --release --manifest-path conformance/examples/no_std/Cargo.toml` |
//! | no HTTP at all | [`Policy::delays`](crate::Policy::delays), the waits as an iterator | in its docs |
//!
//! Their sources are in `conformance/examples`.
//!
//! # The loop by hand
//!
//! Each [`Action`](crate::Action) offers only the legal next step, so the loop cannot be put together wrongly:
//!
//! ```
//! use core::time::Duration;
//! use std::thread;
//! use rand_core::{Rng, SeedableRng};
//! use rand_xoshiro::Xoshiro256PlusPlus;
//! use retry_core::{Action, Attempt, End, Instant, NonIdempotent, Outcome};
//! use retry_core::{Policy, Reason, Replay, Unlimited};
//!
//! /// One call. `send` sends once, within the time it is given, and says what came back.
//! fn call<R: Rng>(
//!     policy: &Policy,
//!     replay: Replay,
//!     rng: &mut R,
//!     mut send: impl FnMut(Option<Duration>) -> Outcome,
//! ) -> End {
//!     let started = std::time::Instant::now();
//!     let now = || Instant::EPOCH.saturating_add(started.elapsed());
//!     let mut action = Attempt::start(policy, replay, None, now());
//!     loop {
//!         action = match action {
//!             Action::Send(attempt) => {
//!                 let outcome = send(attempt.left(now()));
//!                 attempt.finish(outcome, now(), &mut Unlimited, rng)
//!             }
//!             Action::Wait(pause) => {
//!                 thread::sleep(pause.left(now()));
//!                 pause.resume(now())
//!             }
//!             Action::Done(end) | Action::GiveUp(end) => return end,
//!         };
//!     }
//! }
//!
//! const POLICY: Policy = Policy::builder().base_delay(Duration::from_millis(1)).build_const();
//! let replay = Replay::new("GET", true, NonIdempotent::Never);
//! let mut rng = Xoshiro256PlusPlus::seed_from_u64(1); // from the system, outside of tests
//!
//! let mut statuses = [503, 503, 200].into_iter();
//! let send = |_limit| Outcome::status(statuses.next().unwrap());
//! let end = call(&POLICY, replay, &mut rng, send);
//! assert_eq!((end.attempts, end.reason), (3, Reason::Answer));
//! ```
//!
//! # What you bring
//!
//! | | what it is | what to mind |
//! |---|---|---|
//! | time | [`Instant`](crate::Instant): nanoseconds of a monotonic clock since a moment of your choice | budgets and circuits outlive a call: with them, choose one moment for the whole process |
//! | randomness | any generator of `rand_core` | one for each call, seeded from the system; a fixed seed in tests |
//! | [`Replay`](crate::Replay) | from the method, whether the body can be produced again, and the caller's consent | a body that is gone makes the request single-send: it still goes out once |
//! | [`Outcome`](crate::Outcome) | a status, or a failure with its [`Cause`](crate::Cause) and whether it can have reached the server | in doubt `MaybeSent`: `Unsent` lets a POST go out again |
//! | the hint | [`retry_after`](crate::retry_after) reads it from the headers | it is the one place for a wall clock |
//! | [`Budget`](crate::Budget) | [`Unlimited`](crate::Unlimited), or one that calls share | keep its lock no longer than [`finish`](crate::Attempt::finish) takes |
//!
//! # What the loop owes
//!
//! - **Cut a send at [`Attempt::deadline`](crate::Attempt::deadline)**, the earlier of its own limit and the call's, and
//!   finish it as [`Cause::Timeout`](crate::Cause::Timeout), `MaybeSent` unless you know better. A reply that is there at
//!   that very moment counts.
//! - **Let a reply go before the wait**, so that its connection is free; keep the one that the call ends on.
//! - **A status is not an error.** Clients that make one of it must be told not to.
//! - **One attempt is one send**: turn the client's own hidden retries off.
//! - Nothing else. Woken too early, [`Pause::resume`](crate::Pause::resume) gives the same wait again; too late, the end of
//!   the call.
//!
//! [`drive`](crate::drive()) does all of this for futures, and cuts, drains and wakes up as the adapters do.
//!
//! # Prove it
//!
//! `conformance` has the cases and the laws that the adapters of this project are held to. Implement its trait `Subject`
//! for your loop, and hand it each file of vectors; loops in other languages read the vectors as plain JSON.
