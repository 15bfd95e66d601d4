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
//! - [`guide`]: is it safe to retry, what limits my call, what do I get back, how do I test it, how do I trace it?
//!
//! # Features
//!
//! `reqwest` (on by default): all that is over reqwest. Without it there are the policy, the [`Retry`] and its parts.
//!
//! `tower`: a [`Retry`] as a layer of tower, around any service of [`http::Request`]s. With it the [`guide`] has a page on
//! where it belongs in a stack. It needs no `reqwest`.
//!
//! `hyper`, `hyper-util`, `h2`, `rustls` (all on by default) let failures be told apart by the types of those libraries. None of them
//! chooses anything for reqwest: TLS, DNS and HTTP versions are its features and yours. Without one of them coarser rules
//! hold, which are as safe, but retry less and tell fewer kinds apart.
//!
//! `middleware`: a [`Retry`] as a middleware of `reqwest-middleware`, in place of `reqwest-retry`'s. With it the [`guide`] has
//! a page on moving over.
//!
//! `serde`: a [`Policy`] as TOML, JSON and the like, as [`retry_core`] tells.
//!
//! `testing`: `retry_core::testing`, time that takes none for tests of code that retries.
//!
//! `tracing`: spans of calls and sends under OpenTelemetry's names, as the [guide](guide::tracing) tells.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without a client there is nobody to carry a call out.
#![cfg_attr(not(any(feature = "reqwest", feature = "tower")), allow(dead_code))]

mod advise;
#[cfg(any(feature = "middleware", feature = "tower"))]
mod attach;
mod budgets;
mod call;
mod classify;
#[cfg(feature = "reqwest")]
mod client;
#[cfg(any(feature = "reqwest", feature = "tower"))]
mod dns;
mod error;
mod fault;
#[doc = include_str!("faults.md")]
pub mod faults {}
pub mod guide;
#[cfg(any(feature = "reqwest", feature = "tower"))]
mod headers;
mod io;
#[cfg(any(feature = "reqwest", feature = "tower"))]
mod key;
mod redact;
mod reply;
mod report;
mod retry;
mod rng;
mod run;
mod sender;
#[cfg(feature = "tower")]
mod service;
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
#[cfg(any(feature = "middleware", feature = "tower"))]
pub use attach::RequestSettings;
pub use budgets::Budgets;
pub use call::Call;
#[cfg(feature = "reqwest")]
pub use client::{
    BodyError, BodyTooLarge, BrokenOff, BufferTooSmall, Fetched, MAX_BODY, PoolBuilder, PoolError, ProxyPool,
    ProxyStatus, RetryExt, client_builder,
};
#[cfg(any(feature = "reqwest", feature = "tower"))]
pub use dns::DnsFailure;
pub use error::Error;
pub use fault::{StatusError, TimedOut};
#[cfg(any(feature = "reqwest", feature = "tower"))]
pub use key::{IdempotencyKey, KeyError};
pub use report::Report;
pub use retry::{IntoRetry, Retry};
pub use retry_core;
pub use retry_core::{
    Advice, Budget, Cause, End, Entry, ErrorKind, Event, Failure, Instant, Jitter, Level, Mode, NonIdempotent, OverCap,
    Policy, PolicyBuilder, PolicyError, Ratio, Reached, Reason, RetryAfter, StatusSet, Throttle, Timer, TokenBucket,
    Try, UnixTime, Verdict, WaitSource, Why,
};
#[cfg(feature = "tower")]
pub use service::{RetryFuture, RetryService};
pub use timer::TokioTimer;
pub use vendor::RetryCountError;

/// The README's examples.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
