//! One call's own settings. Carrying it out is `go.rs`.

use core::fmt;
use core::future::{Future, Pending};
use core::time::Duration;
use std::sync::Arc;

use retry_core::{Advice, Instant, NonIdempotent, Policy, PolicyBuilder, PolicyError, RetryAfter, Timer};
use surf::http::url::ParseError;
use surf::{Request, RequestBuilder};

use crate::advise::{Advise, Seen};
use crate::fault::Fault;
use crate::key::{self, IdempotencyKey};
use crate::proxies::Clients;
use crate::retry::{Extras, Retry, Seeds};
use crate::timer::AsyncStdTimer;

/// The largest body that [`fetch`](Call::fetch) reads unless told otherwise: 10 MiB.
pub const MAX_BODY: usize = 10 * 1024 * 1024;

/// A request together with its retries. The settings made here hold for this call only, for all of its sends.
///
/// It comes from [`RetryExt::with_retry`](crate::RetryExt::with_retry), or, to make each send oneself, from
/// [`Retry::call`].
#[must_use = "a call does nothing until it is sent"]
pub struct Call<R, T = AsyncStdTimer, C = Pending<()>> {
    pub(crate) request: R,
    pub(crate) timer: T,
    pub(crate) seeds: Seeds,
    pub(crate) cancel: C,
    pub(crate) settings: Settings,
}

pub(crate) struct Settings {
    pub(crate) policy: Result<Policy, PolicyError>,
    pub(crate) consent: Option<NonIdempotent>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) max_body: usize,
    pub(crate) buffer_body: Option<usize>,
    pub(crate) key: Option<IdempotencyKey>,
    /// The pool that the call goes through.
    pub(crate) clients: Option<Arc<Clients>>,
    /// Whether a future of the caller's may end the call.
    pub(crate) cancels: bool,
    /// What is wrong with the URL, where surf would not say so.
    pub(crate) url: Option<ParseError>,
    pub(crate) extras: Extras,
}

impl<R, T: Timer> Call<R, T> {
    pub(crate) fn new(request: R, retry: Retry<T>) -> Self {
        let Retry { policy, timer, extras, seeds } = retry;
        let settings = Settings {
            policy: Ok(policy),
            consent: None,
            deadline: None,
            max_body: MAX_BODY,
            buffer_body: None,
            key: None,
            clients: None,
            cancels: false,
            url: None,
            extras,
        };
        Self { request, timer, seeds, cancel: core::future::pending(), settings }
    }
}

impl<R, T: Timer, C> Call<R, T, C> {
    fn edit(mut self, change: impl FnOnce(PolicyBuilder) -> PolicyBuilder) -> Self {
        self.settings.policy = self.settings.policy.and_then(|policy| change(policy.edit()).build());
        self
    }

    /// A whole policy in place of the one before.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.settings.policy = Ok(policy);
        self
    }

    /// How often this request is sent again at most: 0 ..= u32::MAX - 1. 0 is one send.
    pub fn max_retries(self, count: u32) -> Self {
        self.edit(|policy| policy.max_retries(count))
    }

    /// The limit of this call, every send and every wait together: none, or above zero and at most 1 year.
    ///
    /// It replaces the policy's, whether it is longer or shorter.
    pub fn total_timeout(self, limit: impl Into<Option<Duration>>) -> Self {
        self.edit(|policy| policy.total_timeout(limit.into()))
    }

    /// The limit of each send: none, or above zero and at most 1 year.
    pub fn attempt_timeout(self, limit: impl Into<Option<Duration>>) -> Self {
        self.edit(|policy| policy.attempt_timeout(limit.into()))
    }

    /// How `Retry-After` is treated.
    pub fn retry_after(self, retry_after: RetryAfter) -> Self {
        self.edit(|policy| policy.retry_after(retry_after))
    }

    /// Whether this request may be sent again though its method is not idempotent. It wins over the policy's word in
    /// both directions.
    pub fn non_idempotent(mut self, when: NonIdempotent) -> Self {
        self.settings.consent = Some(when);
        self
    }

    /// A moment at which the call must have ended, on the timer's own clock. It applies together with the total limit:
    /// the earlier one holds.
    pub fn deadline_at(mut self, moment: Instant) -> Self {
        self.settings.deadline = Some(moment);
        self
    }

    /// A custom policy for this call, in place of the [`Retry`]'s.
    pub fn advise<F>(self, policy: F) -> Self
    where
        F: Fn(&Seen<'_>) -> Advice + Send + Sync + 'static,
    {
        self.custom_policy(policy)
    }

    /// [`advise`](Self::advise) with a type of one's own.
    pub fn custom_policy(mut self, policy: impl Advise + 'static) -> Self {
        self.settings.extras.advise = Some(Arc::new(policy));
        self
    }

    /// Whether a call that fails with a response in hand gives that response as `Ok`, as surf alone does.
    pub fn return_last_response(mut self, yes: bool) -> Self {
        self.settings.extras.return_last_response = yes;
        self
    }

    /// Whether the report has a [`trace`](crate::Report::trace) of this call, to be replayed later: the policy, the seed, and
    /// each reply with its times, but no URL, header or body.
    pub fn trace(mut self, yes: bool) -> Self {
        self.settings.extras.trace = yes;
        self
    }

    /// Ends the call as soon as `future` completes: no later send, and an error of kind
    /// [`Canceled`](retry_core::ErrorKind::Canceled) that tells how many sends there were.
    ///
    /// ```
    /// # async fn example(client: surf::Client, stop: async_std::channel::Receiver<()>) {
    /// use retry_core::{ErrorKind, Policy};
    /// use runtime_async_std::RetryExt;
    ///
    /// let result = client.get("http://localhost/").with_retry(Policy::API).cancel_on(stop.recv()).send().await;
    /// if let Err(error) = result {
    ///     if error.kind() == ErrorKind::Canceled {
    ///         println!("stopped after {} sends", error.attempts());
    ///     }
    /// }
    /// # }
    /// ```
    pub fn cancel_on<F: Future>(self, future: F) -> Call<R, T, F> {
        let Self { request, timer, seeds, settings, .. } = self;
        Call { request, timer, seeds, cancel: future, settings: Settings { cancels: true, ..settings } }
    }
}

impl<R, C> Call<R, AsyncStdTimer, C> {
    /// A moment at which the call must have ended. It applies together with the total limit: the earlier one holds.
    pub fn deadline(self, moment: std::time::Instant) -> Self {
        self.deadline_at(AsyncStdTimer::instant(moment))
    }
}

impl<T: Timer, C> Call<RequestBuilder, T, C> {
    /// Changes surf's request: headers, body, middlewares and the rest, for a call that came from a
    /// [`ProxyPool`](crate::ProxyPool).
    pub fn with(mut self, change: impl FnOnce(RequestBuilder) -> RequestBuilder) -> Self {
        self.request = change(self.request);
        self
    }

    /// The largest body that [`fetch`](Call::fetch) reads, in bytes. Default [`MAX_BODY`].
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.max_body = bytes;
        self
    }

    /// How much of a request's body of unknown length is read into memory before the first send, in bytes, so that it
    /// can be sent again. A larger one is an error, and nothing is sent.
    ///
    /// Every body is a stream in surf. One of a known length, at most [`MAX_BODY`], is read so without being asked for
    /// if the request may be repeated; this raises that bound, too. Any other goes out once.
    pub fn buffer_body(mut self, bytes: usize) -> Self {
        self.settings.buffer_body = Some(bytes);
        self
    }

    /// Sends this `Idempotency-Key` with every send, unless the request has one already, and with it makes a request
    /// repeatable whose method is not idempotent: only [`NonIdempotent::Never`] on this call beats it.
    ///
    /// The key is one or more characters of printable ASCII; another is an error, and nothing is sent. A header that
    /// the client adds by default counts as the request's.
    pub fn idempotency_key(mut self, key: impl Into<IdempotencyKey>) -> Self {
        self.settings.key = Some(key.into());
        self
    }
}

impl Settings {
    /// Adds the idempotency key, unless the request has one.
    pub(crate) fn add_key(&self, request: &mut Request) -> Result<(), Fault> {
        let Some(key) = &self.key else { return Ok(()) };
        let value = key.header().map_err(Fault::Key)?;
        if request.header(key::HEADER).is_none() {
            request.insert_header(key::HEADER, value);
        }
        Ok(())
    }

    /// What is wrong with these settings for any request.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let policy = self.policy.as_ref().err().map(|error| Fault::Policy(Box::new(*error)));
        let key = || self.key.as_ref()?.header().err().map(Fault::Key);
        policy.or_else(key).or_else(|| self.url.map(Fault::Url))
    }
}

impl<R, T, C> fmt::Debug for Call<R, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The request is left out: its URL and headers may hold secrets.
        f.debug_struct("Call").field("policy", &self.settings.policy).finish_non_exhaustive()
    }
}
