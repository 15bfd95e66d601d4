//! What do many retries do to a server that is down?
//!
//! They can keep it down. The numbers on this page come from `conformance`'s `storm`, which plays fleets of clients on this
//! crate's machine and budgets, in virtual time, against a server that serves each request in turn, also those that
//! nobody waits for any more:
//!
//! ```sh
//! cargo run -p conformance --bin storm -- metastable --jitter 10% --step 2s --svg storm.svg
//! ```
//!
//! draws the first picture, with the flags that fit the page; `layers --jitter 10%` draws the second, and
//! `herd --clients 10000 --jitter none,10%,full --budget none` the third.
//!
//! # A server that does not come back
//!
//! A server can serve 300 sends a second and gets 240. It hangs for 10 s. Each client gives a send up after 1 s, and sends
//! once more. When the server is back, the requests of 10 s wait in its queue, and it works on them although their clients
//! are gone. Whatever is sent now is given up before its turn, and sent again: 480 sends a second for a server of 300. The
//! outage is over, its cause is gone, and the retries alone keep every call failing. That is a **metastable failure**: it
//! ends only when somebody takes the load away.
//!
#![doc = include_str!("metastable.svg")]
//!
//! A budget bounds the share of retries among the sends. With a share b, 240 calls a second are at most 240 × (1 + b)
//! sends, and the queue shrinks by what the server can serve beyond that:
//!
//! | calls a second | budget | sends a second | the queue | back after |
//! |---|---|---|---|---|
//! | 240 | none | 480 | + 180/s | never |
//! | 240 | 20 % | 288 | - 12/s | 210 s |
//! | 240 | 10 % | 264 | - 36/s | 67 s |
//! | 240 | no retries | 240 | - 60/s | 36 s |
//! | 280 | 20 % | 336 | + 36/s | never |
//! | 280 | 10 % | 308 | + 8/s | never |
//!
//! So at 280 calls a second a budget of 20 % saves nobody: the server has 7 % to spare, and 20 % more are asked of it.
//! **A share helps only if it is smaller than the server's headroom**, `capacity / load at peak - 1`. Even then the calls
//! of the time until the queue is short again fail. Jitter changes nothing here: it moves retries by seconds, and the
//! overload lasts for minutes.
//!
//! ```
//! let headroom = |capacity: f64, load: f64| capacity / load - 1.0;
//! assert!(headroom(300.0, 240.0) > 0.20);
//! assert!((0.07..0.08).contains(&headroom(300.0, 280.0)));
//! ```
//!
//! # What a budget does, and what it does not
//!
//! [`Ratio`](crate::Ratio) is such a share, [`TokenBucket`](crate::TokenBucket) and [`Throttle`](crate::Throttle) are
//! others. A call whose retry is refused ends at once, with its reply in hand. A budget is shared by the calls of one
//! process. Two things are to be known:
//!
//! - **A reserve undoes the share.** The default [`Ratio`](crate::Ratio) grants 100 retries in 10 s beside its 20 %, so that
//!   a client with little traffic has its few retries. Each process has that reserve. In ten of them it is 100 sends a
//!   second, and the fleet of 240 calls a second stays down: 240 × 1.2 + 100 is above 300. Divide it by the number of
//!   processes, or set it to 0.
//! - **Saved-up retries come in a burst.** What was not used in the last 10 s is granted in the first second of an outage.
//!   It is debt for the next 10 s, in which next to nothing is granted, and then comes the next burst. A bound such as
//!   "at most 1.5 times the load" is therefore one of the mean.
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Budget, Event, Instant, Judged, Ratio, Tally};
//!
//! let mut budget = Ratio::new(0.1, 0)?;
//! // A hundred calls in each second; after 10 s all of them fail, and each asks for a retry.
//! let mut granted = [0; 24];
//! for second in 0..34 {
//!     let now = Instant::EPOCH.saturating_add(Duration::from_secs(second));
//!     for _ in 0..100 {
//!         let (status, tally) =
//!             if second < 10 { (200, Tally::Success) } else { (503, Tally::Failure) };
//!         let reply = Judged { event: Event::Status(status), tally, attempt: 1, paid: 0 };
//!         budget.reply(reply, now);
//!         if second >= 10 && budget.withdraw(reply, now).is_some() {
//!             granted[second as usize - 10] += 1;
//!         }
//!     }
//! }
//! // In each tenth second all of them are sent again, and none in between.
//! let bursts = |second| if second % 10 == 0 { 100 } else { 0 };
//! assert_eq!(granted, core::array::from_fn(bursts));
//! # Ok::<(), retry_core::PolicyError>(())
//! ```
//!
//! # Layers multiply
//!
//! A call goes through three layers, each of which sends up to 4 times, to a server that is down: 4 × 4 × 4 = 64 sends for
//! one call: about 60 in the mean of an outage of 60 s, 64 where the server is down throughout. With a budget of 10 % in each layer it is at most 1.1 × 1.1 × 1.1 = 1.33 in the mean. But the bursts of three
//! layers meet: in one second of ten the server gets about four times the load.
//!
#![doc = include_str!("layers.svg")]
//!
//! So retry in one layer, best in the one that is nearest to the client; or give every layer a budget, and the server room
//! for the bursts. The adapters pass on what an inner layer of the same kind has already worked on, in one process; over
//! the network nobody can tell.
//!
//! # A herd
//!
//! All clients are cut off in one instant, and come back together. Only jitter spreads them. Of 10,000 clients with 4 sends
//! each, after an outage of 3 s:
//!
//! | jitter | busiest 100 ms, of all sends | of the retries | calls that fail |
//! |---|---|---|---|
//! | none | 29 % | 40 % | none |
//! | 10 % | 15 % | 21 % | none |
//! | equal | 6.2 % | 8.9 % | none |
//! | full | 4.1 % | 5.6 % | 14 % |
//! | decorrelated | 4.3 % | 4.5 % | none |
//!
#![doc = include_str!("herd.svg")]
//!
//! Without jitter each round of retries is in one instant. 10 % around 1 s is a window of 200 ms: half of the first round
//! is in the busiest 100 ms. Full jitter spreads well, and **gives up earlier**: its waits are half as long in the mean,
//! so that some calls have used their retries up before the server is back. Decorrelated jitter spreads as well, and never
//! waits less than the base delay.
//!
//! # What to do
//!
//! 1. Retry in one layer.
//! 2. Full or decorrelated jitter wherever many clients call one server.
//! 3. A budget for each server that is called, with a share below its headroom, and a reserve divided by the number of
//!    processes. The adapters take it as `.budget(Budgets::per_origin(|| ...))`, which makes one for each origin, or as
//!    `.budget(Budgets::shared(...))` for all that is called. Their preset `Retry::fleet()` has the default
//!    [`Ratio`](crate::Ratio) for each origin, with its whole reserve in each process: it is for a few processes.
//! 4. Play it: `cargo run -p conformance --bin storm -- --help` tells the flags.
