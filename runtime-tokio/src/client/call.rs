//! A call over reqwest: the word that adds retries to a request, and the settings that only such a call has.

use std::sync::Arc;

use reqwest::RequestBuilder;
use retry_core::Timer;

use crate::call::{Call, Settings};
use crate::client::proxies::Clients;
use crate::key::IdempotencyKey;
use crate::retry::IntoRetry;

/// The largest body that [`fetch`](Call::fetch) reads unless told otherwise: 10 MiB.
pub const MAX_BODY: usize = 10 * 1024 * 1024;

/// Adds retries to reqwest's own request builder.
pub trait RetryExt: Sized {
    /// This request, sent again as `retry` says. Everything else about it stays reqwest's.
    ///
    /// ```
    /// use retry_core::Policy;
    /// use runtime_tokio::RetryExt;
    ///
    /// # async fn example() -> Result<(), runtime_tokio::Error> {
    /// # let client = reqwest::Client::new();
    /// let response = client.get("http://localhost/").with_retry(Policy::API).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn with_retry<R: IntoRetry>(self, retry: R) -> Call<Self, R::Timer>;
}

impl RetryExt for RequestBuilder {
    #[inline(always)]
    fn with_retry<R: IntoRetry>(self, retry: R) -> Call<Self, R::Timer> {
        Call::new(self, retry.into_retry())
    }
}

impl<T: Timer, C> Call<RequestBuilder, T, C> {
    /// Changes reqwest's request: headers, body, query and the rest. For a call that came from a
    /// [`ProxyPool`](crate::ProxyPool), which has no builder of its own before.
    pub fn with(mut self, change: impl FnOnce(RequestBuilder) -> RequestBuilder) -> Self {
        self.request = change(self.request);
        self
    }

    /// The largest body that [`fetch`](Call::fetch) reads, in bytes. Default [`MAX_BODY`].
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.own().client.max_body = Some(bytes);
        self
    }

    /// Reads a body that can be produced once only (a stream, a multipart form) into memory before the first send, at
    /// most `bytes` of it, so that it can be sent again. A larger one is an error, and nothing is sent.
    pub fn buffer_body(mut self, bytes: usize) -> Self {
        self.settings.own().client.buffer_body = Some(bytes);
        self
    }

    /// Sends this `Idempotency-Key` with every send, unless the request has one already, and with it makes a request
    /// repeatable whose method is not idempotent: only [`NonIdempotent::Never`](crate::NonIdempotent::Never) on this call beats it.
    ///
    /// The key is one or more characters of printable ASCII; another is an error, and nothing is sent. A header that
    /// the client adds by default is replaced.
    pub fn idempotency_key(mut self, key: impl Into<IdempotencyKey>) -> Self {
        self.settings.own().key = Some(key.into());
        self
    }
}

/// What few calls set.
#[derive(Clone, Default)]
pub(crate) struct ClientSettings {
    max_body: Option<usize>,
    pub(crate) buffer_body: Option<usize>,
    /// The pool that the call goes through.
    pub(crate) clients: Option<Arc<Clients>>,
}

impl Settings {
    /// How much of a body `fetch` reads.
    pub(crate) fn max_body(&self) -> usize {
        self.get(|own| own.client.max_body).unwrap_or(MAX_BODY)
    }
}
