//! All that only a call over reqwest needs.

mod buffer;
pub(crate) mod call;
mod classify;
mod closure;
pub(crate) mod fault;
mod fetched;
mod go;
mod kept;
#[cfg(feature = "middleware")]
mod middleware;
mod pool_builder;
mod proxies;
mod reading;
mod redact;
mod redirects;
mod response;
mod sender;

pub use call::{MAX_BODY, RetryExt};
pub(crate) use classify::{is_without_tls, judge};
pub use fault::{BodyTooLarge, BufferTooSmall};
pub use fetched::{BodyError, BrokenOff, Fetched};
pub use pool_builder::{PoolBuilder, PoolError};
pub use proxies::{ProxyPool, ProxyStatus};

/// reqwest's client builder with its own, hidden retries turned off, so that one attempt is one send.
///
/// By default reqwest may send a request up to three times where an HTTP/2 server refuses it, a POST too. A client that
/// was built otherwise cannot be changed: give it `retry(reqwest::retry::never())` where it is built.
///
/// Its redirect policy is reqwest's default, and tells us that a redirect was followed: a POST that a server answered with
/// one has arrived, even if the next server cannot be reached. With another policy or another client that cannot be seen,
/// so turn redirects off there if you use [`NonIdempotent::WhenUnsent`](crate::NonIdempotent::WhenUnsent).
///
/// ```no_run
/// let client = runtime_tokio::client_builder().user_agent("example").build().unwrap();
/// ```
pub fn client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().retry(reqwest::retry::never()).redirect(redirects::policy())
}
