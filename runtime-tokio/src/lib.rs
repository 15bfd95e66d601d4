//! reqwest on tokio, with retries that keep their limits.
#![forbid(unsafe_code)]

mod advise;
mod buffer;
mod call;
mod classify;
mod dns;
mod error;
mod fetched;
mod go;
mod io;
mod key;
mod redact;
mod reply;
mod report;
mod retry;
mod rng;
mod sender;
mod settled;
mod target;
mod timer;

pub use advise::{Advise, Retrying, Seen};
pub use call::{Call, MAX_BODY};
pub use dns::DnsFailure;
pub use error::{BodyTooLarge, BufferTooSmall, Error, StatusError, TimedOut};
pub use fetched::{BodyError, BrokenOff, Fetched};
pub use key::{IdempotencyKey, KeyError};
pub use report::Report;
pub use retry::{IntoRetry, Retry, RetryExt};
pub use retry_core::{
    Entry, ErrorKind, Event, Failure, Jitter, NonIdempotent, OverCap, Policy, PolicyError, Reached, Reason, RetryAfter,
    Timer, WaitSource, Why,
};
pub use timer::TokioTimer;

/// reqwest's client builder with its own, hidden retries turned off, so that one attempt is one send.
///
/// By default reqwest may send a request up to three times where an HTTP/2 server refuses it, a POST too. A client that
/// was built otherwise cannot be changed: give it `retry(reqwest::retry::never())` where it is built.
///
/// ```no_run
/// let client = runtime_tokio::client_builder().user_agent("example").build().unwrap();
/// ```
pub fn client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().retry(reqwest::retry::never())
}

/// The README's examples.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
