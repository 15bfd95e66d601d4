//! Settings of one request, for the layers that see a request but not its call.

use core::fmt;

use http::Extensions;
use retry_core::Timer;

use crate::call::{Call, Settings};
use crate::retry::Retry;

/// Settings of one request, as a value among its extensions.
///
/// They come from [`Call::settings`], hold in place of all that the client's [`Retry`] has but for its timer, and for
/// each request that has them: a clone of the request, or of its builder, has them as well. Where several layers of ours
/// are around each other, they hold in each.
///
/// ```
/// use retry_core::Policy;
/// use runtime_tokio::Retry;
///
/// let retry = Retry::new(Policy::API);
/// let mut request = http::Request::get("http://localhost/").body(()).unwrap();
/// retry.call().max_retries(5).settings().attach(request.extensions_mut());
/// ```
#[derive(Clone)]
pub struct RequestSettings {
    retry: Retry<()>,
    settings: Settings,
}

impl RequestSettings {
    /// Puts them among the extensions of a request.
    pub fn attach(self, extensions: &mut Extensions) {
        extensions.insert(self);
    }

    /// Those of the request with these extensions, or else those of `retry`.
    pub(crate) fn of<T: Clone>(extensions: &Extensions, retry: &Retry<T>) -> (Retry<T>, Settings) {
        match extensions.get::<Self>() {
            None => (retry.clone(), Settings::default()),
            Some(own) => (own.retry.clone().on(retry.timer.clone()), own.settings.clone()),
        }
    }
}

impl RequestSettings {
    /// As [`Call::idempotency_key`] does for one call: sends this `Idempotency-Key`, and with it makes the request
    /// repeatable.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<crate::IdempotencyKey>) -> Self {
        self.settings.own().key = Some(key.into());
        self
    }
}

#[cfg(feature = "reqwest")]
impl RequestSettings {
    /// As [`Call::buffer_body`] does for one call: reads a body that can be produced once only into memory before the
    /// first send, at most `bytes` of it.
    #[must_use]
    pub fn buffer_body(mut self, bytes: usize) -> Self {
        self.settings.own().client.buffer_body = Some(bytes);
        self
    }
}

impl<T: Timer> Call<(), T> {
    /// These settings as a value that can be put on a request, for the [`Retry`] of the client that is going to send it.
    ///
    /// ```
    /// use reqwest_middleware::ClientWithMiddleware;
    /// use runtime_tokio::Retry;
    ///
    /// # async fn example(client: ClientWithMiddleware, retry: Retry) -> reqwest_middleware::Result<()> {
    /// let settings = retry.call().max_retries(5).settings().idempotency_key("order-7");
    /// let response = client.post("http://localhost/orders").with_extension(settings).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn settings(self) -> RequestSettings {
        RequestSettings { retry: self.retry.on(()), settings: self.settings }
    }

    /// Puts these settings on a request: [`settings`](Self::settings) and [`attach`](RequestSettings::attach) in one.
    ///
    /// ```
    /// use reqwest_middleware::ClientWithMiddleware;
    /// use runtime_tokio::Retry;
    ///
    /// # async fn example(client: ClientWithMiddleware, retry: Retry) -> reqwest_middleware::Result<()> {
    /// let mut request = client.get("http://localhost/");
    /// retry.call().max_retries(5).attach(request.extensions());
    /// let response = request.send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn attach(self, extensions: &mut Extensions) {
        self.settings().attach(extensions);
    }
}

impl fmt::Debug for RequestSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A key may be a secret.
        let policy = self.settings.get(|own| own.wrong).map_or(Ok(self.retry.policy), Err);
        f.debug_struct("RequestSettings").field("policy", &policy).finish_non_exhaustive()
    }
}
