//! reqwest on tokio, with retries that keep their limits.
//!
//! One word more than before, and reqwest's own types in and out:
//!
//! ```
//! use retry_core::Policy;
//! use runtime_tokio::RetryExt;
//!
//! # async fn example(client: reqwest::Client) -> Result<(), runtime_tokio::Error> {
//! let response = client.get("http://localhost/").with_retry(Policy::API).send().await?;
//! # Ok(())
//! # }
//! ```
//!
//! What to do is decided by [`retry_core`], and its [`drive`](retry_core::drive) is the only loop. This crate sends, names
//! what came back, and hands over the result.
//!
//! - [`RetryExt::with_retry`]: retries for one request. [`Retry`]: for many, with a seed, hooks and a custom policy.
//! - [`Call`]: settings of one request. `send()` hands the response over at its head, `fetch()` reads the body inside the
//!   attempt.
//! - [`Retry::run`]: a closure of your own makes each send.
//! - [`faults`]: what each failure is called.
//! - [`guide`]: is it safe to retry, what limits my call, what do I get back, how do I test it?
//!
//! # Features
//!
//! `hyper`, `h2`, `rustls` (all on by default) let failures be told apart by the types of those libraries. None of them
//! chooses anything for reqwest: TLS, DNS and HTTP versions are its features and yours. Without one of them coarser rules
//! hold, which are as safe, but retry less and tell fewer kinds apart.
//!
//! `serde`: a [`Policy`] as TOML, JSON and the like, as [`retry_core`] tells.
#![forbid(unsafe_code)]

mod advise;
mod budgets;
mod buffer;
mod call;
mod classify;
mod dns;
mod error;
mod fault;
#[doc = include_str!("faults.md")]
pub mod faults {}
mod fetched;
mod go;
pub mod guide;
mod io;
mod key;
mod pool_builder;
mod proxies;
mod redact;
mod redirects;
mod reply;
mod report;
mod retry;
mod rng;
mod sender;
mod settled;
#[cfg(feature = "tracing")]
mod spans;
#[cfg(not(feature = "tracing"))]
#[path = "no_spans.rs"]
mod spans;
mod target;
mod timer;
mod vendor;

pub use advise::{Advise, Retrying, Seen};
pub use budgets::Budgets;
pub use call::{Call, MAX_BODY};
pub use dns::DnsFailure;
pub use error::Error;
pub use fault::{BodyTooLarge, BufferTooSmall, StatusError, TimedOut};
pub use fetched::{BodyError, BrokenOff, Fetched};
pub use key::{IdempotencyKey, KeyError};
pub use pool_builder::{PoolBuilder, PoolError};
pub use proxies::{ProxyPool, ProxyStatus};
pub use report::Report;
pub use retry::{IntoRetry, Retry, RetryExt};
pub use retry_core;
pub use retry_core::{
    Advice, Budget, Cause, End, Entry, ErrorKind, Event, Failure, Instant, Jitter, Level, Mode, NonIdempotent, OverCap,
    Policy, PolicyBuilder, PolicyError, Ratio, Reached, Reason, RetryAfter, StatusSet, Throttle, Timer, TokenBucket,
    Try, UnixTime, Verdict, WaitSource, Why,
};
pub use timer::TokioTimer;
pub use vendor::RetryCountError;

/// reqwest's client builder with its own, hidden retries turned off, so that one attempt is one send.
///
/// By default reqwest may send a request up to three times where an HTTP/2 server refuses it, a POST too. A client that
/// was built otherwise cannot be changed: give it `retry(reqwest::retry::never())` where it is built.
///
/// Its redirect policy is reqwest's default, and tells us that a redirect was followed: a POST that a server answered with
/// one has arrived, even if the next server cannot be reached. With another policy or another client that cannot be seen,
/// so turn redirects off there if you use [`NonIdempotent::WhenUnsent`].
///
/// ```no_run
/// let client = runtime_tokio::client_builder().user_agent("example").build().unwrap();
/// ```
pub fn client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().retry(reqwest::retry::never()).redirect(redirects::policy())
}

/// The README's examples.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
