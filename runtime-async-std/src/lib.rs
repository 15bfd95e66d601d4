//! surf on async-std, with retries that keep their limits.
//!
//! One word more than before, and surf's own types in and out:
//!
//! ```
//! use retry_core::Policy;
//! use runtime_async_std::RetryExt;
//!
//! # async fn example(client: surf::Client) -> Result<(), runtime_async_std::Error> {
//! let response = client.get("http://localhost/").with_retry(Policy::API).send().await?;
//! # Ok(())
//! # }
//! ```
//!
//! What to do is decided by [`retry_core`], and its [`drive`](retry_core::drive) is the only loop. This crate sends, names
//! what came back, and hands over the result. It has the words of `runtime-tokio`, which does the same for reqwest.
//!
//! - [`RetryExt::with_retry`]: retries for one request. [`Retry`]: for many, with a seed, hooks and a custom policy.
//! - [`Retry`] as a [`Middleware`](surf::middleware::Middleware): retries for every request of a client, as is surf's habit.
//! - [`Call`]: settings of one request. `send()` hands the response over at its head, `fetch()` reads the body inside the
//!   attempt.
//! - [`Retry::run`]: a closure of your own makes each send.
//! - [`client_config`]: a client that does not mix responses up.
//! - [`Retry::proxies`]: a pool of proxies, with the feature `curl`.
//! - [`faults`]: what each failure is called.
//! - [`guide`]: is it safe to retry, what limits my call, what do I get back, how do I test it?
//!
//! surf, async-std and http-types are unmaintained, and so are parts of what they stand on. This crate is for programs that
//! use them already; a new one is better off with reqwest.
//!
//! # Features
//!
//! Those of surf's backends: `h1` (default) is HTTP/1 without TLS and without any C library, `h1-tls` adds the TLS of the
//! system, `curl` is libcurl, and alone knows proxies. A [`HttpClient`](surf::HttpClient) of your own needs none of them. Where several are on,
//! surf's own default client is curl's.
//!
//! `serde`: a [`Policy`] as TOML, JSON and the like, as [`retry_core`] tells.
//!
//! `testing`: `retry_core::testing`, time that takes none for tests of code that retries.
//!
//! `tracing`: spans of calls and sends, through the crate `tracing`, under OpenTelemetry's names for HTTP clients. They are
//! those of `runtime-tokio`, whose guide tells of each field, with the target `runtime_async_std`. Where a middleware
//! outside of ours sends a request anew, or in several parts, each of its runs has a span as a call has. surf's HTTP/1 client
//! does not tell the version that a response came by, so that field is missing with `h1`.
//!
//! # How a send is made
//!
//! A request builder's client cannot be had, so what `with_retry` adds to a request is a middleware, the innermost one: the
//! client's middlewares are around all attempts. For those to be in each attempt, give the client a `Retry` before them.
//!
//! The limits hold on every backend for name lookup, connection, TLS, head and (with `fetch`) body. surf's HTTP/1 client
//! blocks its thread while it looks a name up, and its own timeout begins after the TLS handshake. So a send that may be ended
//! early runs in a task of async-std, which is canceled when the send is cut or dropped, as does what we read of its body;
//! and names are looked up [before](Retry::look_up_first) it. One thing is left: where a name server answers the first
//! lookup and not the second, a thread of async-std is held up until the system gives up. The call itself ends in time. It
//! is the same where a server never ends a header line, or the size of a chunk: `h1` reads on while there is something to
//! read, and its thread and the memory for that line are free again when the server pauses or stops.
//!
//! Where a call has no limit, no deadline and no `cancel_on`, there is nothing to keep: its sends are polled where the call
//! is, as surf's own are, and cost less. A timeout of yours around such a call is [worth what it is around
//! surf](guide::limits#a-call-without-limits).
//!
//! A backend's panic is an error of the send ([`Panicked`], `TRANSPORT_ERROR`, maybe sent): all of surf's panic at headers
//! that are not ASCII, and curl's at statuses that http-types does not know (299, 520, 529), which are errors with the
//! others. In a program that is built with `panic = "abort"`, such a response ends the process. What panics when it is
//! dropped is not held.
//!
//! # What is different from reqwest, and why
//!
//! - There is no URL in a [`Fetched`] and no redirect in an error: surf's responses do not know where they came from, and
//!   redirects are a middleware.
//! - [`Error::source`](core::error::Error::source) is what is inside surf's error, [`Error::surf`] is surf's: that one is
//!   not an error of std.
//! - Every body of a request is a stream. One of a known length up to [`MAX_BODY`] is read into memory before the first
//!   send, if the request may be repeated; another goes out once, unless [`buffer_body`](Call::buffer_body) is asked for.
//! - What middlewares have put among a request's extensions is there at the first send only: surf cannot copy it.
//! - Statuses that http-types does not know are failures. So are responses of HTTP/1.0, with `h1`.
//! - With `h1`, a body that breaks off looks whole to whoever reads it alone; `fetch` compares lengths. A body that has no
//!   length and ends with the connection is thrown away by `h1`: `fetch` makes a failure of it. `send` cannot.
//! - With `h1`, compressed bodies stay compressed. With `curl` they are unpacked, and one that was cut before it was
//!   wrapped into a response of the right length is not noticed: libcurl does not look for the end.
//! - With `curl`, a HEAD whose answer has a Content-Length ends with the connection or a limit: http-client gives it a body,
//!   and libcurl then waits for one in return.
//! - With `curl`, all failed lookups count as temporary, and all failed TLS handshakes but those of a server's certificate
//!   as refusals: isahc does not say more.
//! - A network that is unreachable is known to be unsent by reqwest, and by `h1` only where it keeps connections.
//! - A method is one of http-types' list. `surf::get` and the like panic at a wrong URL before this crate sees it.
//! - Pools of proxies need `curl`: surf's other clients know no proxies, and [`PoolBuilder::build`] says so with
//!   [`PoolError::NeedsCurl`]. A client is configured by isahc's builder, and keeps no connections unless told to. Each has a
//!   thread of its own.
//! - libcurl says less of a proxy than reqwest. Passwords that a proxy refuses (407 to CONNECT, SOCKS) count as any refusal
//!   of its, and are sent again. A refused CONNECT may look like a connection that broke behind it, see [`ProxyPool`]. A
//!   proxy that does not answer at all is cut at a limit, and a limit trips no circuit, a `connect_timeout` of isahc's
//!   neither.
//! - What a request of a pool is sent to may be no URL: that is an error of the call.
//! - At its level `trace`, isahc logs what goes over the wire, a proxy's password with it.
//! - Bytes of HTTP/2 or TLS where a response of HTTP/1 should begin are a malformed response to reqwest, and to `h1` a
//!   connection that broke: both are sent again. A client's own timeout may fire before a slow server has counted the send.
//! - There is no HTTP/2 with `h1`; with `curl`, what fails there is never known to be unsent.
//!
//! The two tables of faults side by side: run the test `faults` of each crate with `CONFORMANCE_RESULTS=FILE`, and then
//! `cargo run -p conformance -- diff FILE FILE`.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod advise;
mod backend;
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
mod header;
mod io;
mod key;
mod lane;
mod layer;
mod panicked;
mod pool_builder;
mod proxies;
mod proxy_client;
mod redact;
mod reply;
mod report;
mod retry;
mod rng;
mod run;
mod sender;
mod settled;
#[cfg(feature = "tracing")]
mod spans;
#[cfg(not(feature = "tracing"))]
#[path = "no_spans.rs"]
mod spans;
mod target;
mod task;
mod timer;
mod vendor;

pub use advise::{Advise, Retrying, Seen};
pub use budgets::Budgets;
pub use call::{Call, MAX_BODY};
pub use dns::DnsFailure;
pub use error::Error;
pub use fault::{BodyTooLarge, BufferTooSmall, ShortBody, StatusError, TimedOut};
pub use fetched::{BodyError, BrokenOff, Fetched};
pub use header::HeaderError;
/// The version of isahc that surf stands on, for the clients of a pool.
#[cfg(feature = "curl")]
pub use isahc;
pub use key::{IdempotencyKey, KeyError};
pub use panicked::Panicked;
pub use pool_builder::{PoolBuilder, PoolError};
pub use proxies::{ProxyPool, ProxyStatus};
pub use proxy_client::ProxyClientBuilder;
pub use report::Report;
pub use retry::{IntoRetry, Retry, RetryExt};
pub use retry_core;
pub use retry_core::{
    Advice, Budget, Cause, End, Entry, ErrorKind, Event, Failure, Instant, Jitter, Level, Mode, NonIdempotent, OverCap,
    Policy, PolicyBuilder, PolicyError, Ratio, Reached, Reason, RetryAfter, StatusSet, Throttle, Timer, TokenBucket,
    Try, UnixTime, Verdict, WaitSource, Why,
};
pub use timer::AsyncStdTimer;
pub use vendor::RetryCountError;

/// surf's configuration without kept connections, so that one attempt is one send on a connection of its own.
///
/// surf's HTTP/1 client puts a connection back into its pool also where a response is still on its way: after a send
/// that was cut, by us or by its own timeout, and after a body that was not read to its end. The next request then takes
/// the rest of that response for its own. And libcurl sends a request again by itself where a kept connection turns out
/// to be closed. Neither can be mended from outside.
///
/// ```no_run
/// let client: surf::Client = runtime_async_std::client_config().try_into().unwrap();
/// ```
pub fn client_config() -> surf::Config {
    surf::Config::new().set_http_keep_alive(false)
}
