//! The adapter as a subject of the conformance suite: real sends over loopback, in virtual time, in each way to send.
//!
//! Every scenario of the vectors that a client can be put into has the trace that the simulator has, wait for wait, with
//! the same seed. `CONFORMANCE_RESULTS` names a file to write the results to, for `cargo run -p conformance -- diff`;
//! with several ways, name one of them after `cargo test`.
// Without hyper's types a connection that ends without an answer is no fault of the network.
#![cfg(all(feature = "hyper", feature = "reqwest"))]

#[path = "subject/agree.rs"]
mod agree;
mod common;
#[path = "subject/host.rs"]
mod host;
#[cfg(feature = "middleware")]
#[path = "subject/middleware.rs"]
mod middleware;
#[path = "subject/script.rs"]
mod script;
#[path = "subject/stage.rs"]
mod stage;
#[path = "subject/timer.rs"]
mod timer;
#[cfg(all(feature = "hyper-util", feature = "tower"))]
#[path = "subject/tower.rs"]
mod tower;
#[path = "subject/way.rs"]
mod way;
#[path = "subject/with_retry.rs"]
mod with_retry;
