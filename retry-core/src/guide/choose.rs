//! Which policy do I choose, and how long will a call take?
//!
//! Take the preset for the situation, change what differs, and let the compiler prove that a call is over in time.
//!
//! | situation | start from | what to add |
//! |---|---|---|
//! | [somebody else's API](#somebody-elses-api) | [`Policy::API`](crate::Policy::API) | a limit of one send |
//! | [between one's own services](#between-services) | [`Policy::MICROSERVICE`](crate::Policy::MICROSERVICE) | full jitter, tight limits, a budget |
//! | [downloads](#downloads) | [`Policy::DOWNLOAD`](crate::Policy::DOWNLOAD) | a longer total limit |
//! | [idempotent requests](#idempotent-requests) | any preset | as many retries as there is time for |
//! | [non-idempotent requests](#non-idempotent-requests) | any preset | [`NonIdempotent`](crate::NonIdempotent), or an idempotency key |
//! | [a server with a rate limit](#a-rate-limit) | `Policy::API` | a cap for its hints, and a spread |
//! | [a pool of proxies](#a-pool-of-proxies) | `Policy::API` | a [`Rotation`](crate::Rotation) |
//!
//! [`Policy::HIGH_THROUGHPUT`](crate::Policy::HIGH_THROUGHPUT) is for many short calls, and
//! [`Policy::NONE`](crate::Policy::NONE) turns retries off.
//!
//! # Somebody else's API
//!
//! 4 sends, with waits of 1, 2 and 4 s, each up to 10 % shorter or longer: enough for a short outage, and not too much for
//! somebody who waits. Where a reply names a wait in `Retry-After`, that one is followed.
//!
//! ```
//! use core::time::Duration;
//! use retry_core::Policy;
//!
//! const SEND: Duration = Duration::from_secs(10);
//! const API: Policy = Policy::API.edit().attempt_timeout(Some(SEND)).build_const();
//!
//! assert_eq!(API.max_sends(), 4);
//! assert_eq!(API.nominal_waits(), Duration::from_secs(1 + 2 + 4));
//! assert_eq!(API.max_waits(), Duration::from_millis(7_700));
//! // Each send may take its 10 s, and no retry is lost to the total limit of 180 s.
//! const _: () = assert!(API.time_needed(SEND).as_secs() < 180);
//! ```
//!
//! `cargo run -p conformance --bin plan -- api --svg plan.svg` draws it:
//!
#![doc = include_str!("api.svg")]
//!
//! Of the clients that fail in one instant, half are back within the same 100 ms (the first box, 50 %). That is fine for
//! a few clients, and too much for a fleet.
//!
//! # Between services
//!
//! Somebody waits for the answer, and the callers are many. So there are few retries, limits that are shorter than the
//! caller's own, and [full jitter](crate::Jitter::Full). Retry in one layer only, or give each layer a
//! [budget](super::storms): the sends of layers multiply.
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Jitter, Policy};
//!
//! const SEND: Duration = Duration::from_millis(300);
//! const SERVICE: Policy = Policy::MICROSERVICE
//!     .edit()
//!     .jitter(Jitter::Full)
//!     .attempt_timeout(Some(SEND))
//!     .total_timeout(Some(Duration::from_secs(3)))
//!     .build_const();
//!
//! assert_eq!(SERVICE.max_sends(), 3);
//! assert_eq!(SERVICE.max_waits(), Duration::from_millis(500 + 1_000));
//! const _: () = assert!(SERVICE.time_needed(SEND).as_millis() == 2_400);
//! ```
//!
//! Full jitter waits anything from nothing to the whole delay, half of it in the mean:
//!
#![doc = include_str!("service.svg")]
//!
//! # Downloads
//!
//! 6 sends that are far apart, for a body that is read inside the attempt (`fetch` of the adapters): one that breaks off
//! is read again from its start. The 180 s of the preset are for small files. Give a large one time for each send and for
//! all of them:
//!
//! ```
//! use core::time::Duration;
//! use retry_core::Policy;
//!
//! const SEND: Duration = Duration::from_secs(4 * 60);
//! const LARGE: Policy = Policy::DOWNLOAD
//!     .edit()
//!     .attempt_timeout(Some(SEND))
//!     .total_timeout(Some(Duration::from_secs(30 * 60)))
//!     .build_const();
//!
//! assert_eq!((LARGE.max_sends(), LARGE.max_waits()), (6, Duration::from_secs(66)));
//! assert_eq!(LARGE.time_needed(SEND), Duration::from_secs(6 * 240 + 66));
//! const _: () = assert!(LARGE.time_needed(SEND).as_secs() < 30 * 60);
//! ```
//!
//! # Idempotent requests
//!
//! GET, HEAD, OPTIONS, TRACE, PUT and DELETE mean the same once or twice
//! ([RFC 9110 9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)), so only time and load speak against another
//! send. A job in the background has time:
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Policy, Replay};
//!
//! const SEND: Duration = Duration::from_secs(5);
//! const JOB: Policy =
//!     Policy::API.edit().max_retries(8).attempt_timeout(Some(SEND)).build_const();
//!
//! assert_eq!(Replay::new("DELETE", true, JOB.non_idempotent()), Replay::Always);
//! // 1, 2, 4, 8, 16, 30, 30, 30 s and a tenth, and nine sends.
//! assert_eq!(JOB.max_waits(), Duration::from_millis(133_100));
//! const _: () = assert!(JOB.time_needed(SEND).as_millis() == 178_100); // of 180 s
//! ```
//!
//! # Non-idempotent requests
//!
//! A POST may have had its effect although its answer got lost. By default it goes out once, and its reply is handed over
//! as it is. Choose by what the server can do:
//!
//! | the server | setting | sent again |
//! |---|---|---|
//! | knows idempotency keys | the adapters' `idempotency_key` | like a GET |
//! | does the work twice | [`WhenUnsent`](crate::NonIdempotent::WhenUnsent) | only after a failure that cannot have reached it, such as a refused connection |
//! | only reads, or a second time does no harm | [`Always`](crate::NonIdempotent::Always) | like a GET |
//! | nobody knows | [`Never`](crate::NonIdempotent::Never), the default | never |
//!
//! ```
//! use retry_core::{Action, Attempt, Cause, Instant, NonIdempotent, Outcome, Policy};
//! use retry_core::{Reached, Reason, Replay, Unlimited, Why};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
//!
//! const ORDER: Policy =
//!     Policy::API.edit().non_idempotent(NonIdempotent::WhenUnsent).build_const();
//!
//! let replay = |policy: Policy| Replay::new("POST", true, policy.non_idempotent());
//! assert_eq!(replay(Policy::API), Replay::Once(Why::Method));
//! assert_eq!(replay(ORDER), Replay::IfUnsent);
//!
//! let now = Instant::EPOCH;
//! let mut after = |reached| match Attempt::start(ORDER, replay(ORDER), None, now) {
//!     Action::Send(attempt) => {
//!         let outcome = Outcome::failure(Cause::Network, reached);
//!         attempt.finish(outcome, now, &mut Unlimited, &mut rng)
//!     }
//!     other => other,
//! };
//! assert!(matches!(after(Reached::Unsent), Action::Wait(_)));
//! let Action::GiveUp(end) = after(Reached::MaybeSent) else { panic!("it is sent once") };
//! assert_eq!(end.reason, Reason::NotRepeatable(Why::Method));
//! ```
//!
//! # A rate limit
//!
//! A server that answers 429 usually says in `Retry-After` when to come back. The hint replaces the delay, and no retry
//! goes out before it. Three settings matter: the cap, which should be as long as the server's window; a spread, without
//! which all clients that were told the same come back in one instant; and a total limit that has room for it. With the
//! defaults, a server that asks for a minute or more each time is asked 3 times within 120 s: a third wait would end at
//! the limit of 180 s, and is not begun.
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{OverCap, Policy, RetryAfter};
//!
//! const SEND: Duration = Duration::from_secs(5);
//! const LIMITED: Policy = Policy::API
//!     .edit()
//!     .retry_after(RetryAfter::replace().cap(Duration::from_secs(90)).spread(0.2))
//!     .attempt_timeout(Some(SEND))
//!     .total_timeout(Some(Duration::from_secs(6 * 60)))
//!     .build_const();
//!
//! // Three waits of 90 s and a fifth, and four sends.
//! assert_eq!(LIMITED.max_waits_with_hints(), Duration::from_secs(3 * 108));
//! const _: () = assert!(LIMITED.max_total().unwrap().as_secs() == 4 * 5 + 3 * 108);
//!
//! // Where a person waits: rather no answer than one after more than 2 s of waiting.
//! const HASTY: Policy = Policy::API
//!     .edit()
//!     .retry_after(RetryAfter::replace().cap(Duration::from_secs(2)).over_cap(OverCap::GiveUp))
//!     .build_const();
//! assert_eq!(HASTY.max_waits_with_hints(), Duration::from_millis(2_000 + 2_200 + 4_400));
//! ```
//!
//! Retries answer a limit that was passed; they do not keep one. Where the limit is known, space your first sends, too.
//!
//! # A pool of proxies
//!
//! A pool that moves on by itself raises the retries so that each proxy can be tried, up to 10, and adds its statuses to
//! those that are retried. After a proxy's own failure the next one that was not tried is used without a wait.
//!
//! ```
//! use retry_core::{Policy, Rotation};
//!
//! let rotation = Rotation::new().on_status(&[403])?;
//! let retries = |own: u32, proxies: usize| {
//!     rotation.policy(Policy::API.edit().max_retries(own).build_const(), proxies).max_retries()
//! };
//! assert_eq!([retries(3, 5), retries(3, 2), retries(1, 12), retries(0, 5)], [4, 3, 10, 0]);
//! assert!(rotation.policy(Policy::API, 5).statuses().contains(403));
//! # Ok::<(), retry_core::PolicyError>(())
//! ```
//!
//! # Five ways to shorten a call
//!
//! Each is shown on [`Policy::API`](crate::Policy::API) with sends that take 2 s, which needs 15.7 s for all of its
//! retries:
//!
//! | way | setting | all retries then need | what it costs |
//! |---|---|---|---|
//! | fewer retries | `max_retries(1)` | 5.1 s | a longer outage is not got over |
//! | shorter waits | `base_delay(200 ms)`, or a smaller `factor` or `max_delay` | 9.54 s | the server has less time to recover |
//! | a limit for each send | `attempt_timeout(1 s)` | 11.7 s | slow answers are cut, and asked for again |
//! | a limit for the call | `total_timeout(5 s)`, or a deadline | it is over after 5 s, at the latest | the last retries may not be made |
//! | a limit for hints | `retry_after` with a cap of 2 s, `OverCap::GiveUp`, or `ignore()` | waits of 8.6 s at most, where 180 s were possible | a server that asks for more is asked too early, or the call ends |
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Policy, PolicyBuilder, RetryAfter};
//!
//! let (secs, millis) = (Duration::from_secs, Duration::from_millis);
//! let api =
//!     |change: fn(PolicyBuilder) -> PolicyBuilder| change(Policy::API.edit()).build_const();
//!
//! assert_eq!(api(|it| it).time_needed(secs(2)), millis(15_700));
//! assert_eq!(api(|it| it.max_retries(1)).time_needed(secs(2)), millis(5_100));
//!
//! let shorter = api(|it| it.base_delay(Duration::from_millis(200)));
//! assert_eq!(shorter.time_needed(secs(2)), millis(9_540));
//!
//! let cut = api(|it| it.attempt_timeout(Some(Duration::from_secs(1))));
//! assert_eq!(cut.time_needed(secs(1)), millis(11_700));
//!
//! let limited = api(|it| it.total_timeout(Some(Duration::from_secs(5))));
//! assert_eq!(limited.max_total(), Some(secs(5)));
//!
//! let capped = api(|it| it.retry_after(RetryAfter::replace().cap(Duration::from_secs(2))));
//! assert_eq!(capped.max_waits_with_hints(), millis(8_600));
//! assert_eq!(api(|it| it).max_waits_with_hints(), secs(180));
//! ```
//!
//! A call can be canceled at any time, too; that is the caller's decision and not the policy's.
//!
//! # How much time to reserve
//!
//! [`time_needed`](crate::Policy::time_needed) is the time that lets every retry happen: all sends, and the longest waits.
//! Give it the slowest answer that is worth waiting for, and reserve at least that much as the total limit:
//!
//! | preset | sends of 100 ms | of 1 s | of 5 s | of 30 s |
//! |---|---|---|---|---|
//! | `API` | 8.1 s | 11.7 s | 27.7 s | 127.7 s |
//! | `MICROSERVICE` | 1.95 s | 4.65 s | 16.65 s | 91.65 s |
//! | `DOWNLOAD` | 66.6 s | 72 s | 96 s | **246 s** |
//! | `HIGH_THROUGHPUT` | 3.0125 s | 6.6125 s | 22.6125 s | 122.6125 s |
//!
//! (Bold: more than the 180 s that the presets have in all.)
//!
//! ```
//! use core::time::Duration;
//! use retry_core::Policy;
//!
//! let table = [
//!     (Policy::API, [8_100, 11_700, 27_700, 127_700]),
//!     (Policy::MICROSERVICE, [1_950, 4_650, 16_650, 91_650]),
//!     (Policy::DOWNLOAD, [66_600, 72_000, 96_000, 246_000]),
//!     (Policy::HIGH_THROUGHPUT, [3_012, 6_612, 22_612, 122_612]),
//! ];
//! for (policy, needed) in table {
//!     let sends = [100, 1_000, 5_000, 30_000].map(Duration::from_millis);
//!     assert_eq!(sends.map(|send| policy.time_needed(send).as_millis()), needed);
//! }
//! ```
//!
//! A server's hints are not in it. [`max_total`](crate::Policy::max_total) is the longest that a call can take with them,
//! and what your own caller must be able to wait. Prove both where the policy stands, as
//! [its docs](crate::Policy#proofs-at-compile-time) show. Keep a part of your own caller's time for what comes after the
//! call; a service that was given a deadline hands it on as the call's deadline, and the earlier limit holds.
