//! One call's own settings. Carrying it out is `run.rs`.

use core::fmt;
use core::future::{Future, Pending};
use core::time::Duration;
use std::sync::{Arc, OnceLock};

use retry_core::trace::Recorder;
use retry_core::{Advice, Instant, NonIdempotent, Policy, PolicyBuilder, PolicyError, RetryAfter, Timer};

use crate::advise::{Advise, Seen};
#[cfg(feature = "reqwest")]
use crate::client::call::ClientSettings;
#[cfg(any(feature = "reqwest", feature = "tower"))]
use crate::key::IdempotencyKey;
use crate::retry::Retry;
use crate::timer::TokioTimer;

/// A request together with its retries. The settings made here hold for this call only, for all of its sends.
///
/// It comes from [`RetryExt::with_retry`](crate::RetryExt::with_retry), or, to make each send oneself, from
/// [`Retry::call`]. The first setting that is out of its bounds is the error that the call ends with; nothing is sent.
#[must_use = "a call does nothing until it is sent"]
pub struct Call<R, T = TokioTimer, C = Pending<()>> {
    pub(crate) request: R,
    pub(crate) retry: Retry<T>,
    /// Only a call over reqwest can be told of it: others are dropped.
    #[cfg_attr(not(feature = "reqwest"), allow(dead_code))]
    pub(crate) cancel: C,
    pub(crate) settings: Settings,
}

/// What few calls set, apart from the call, so that the others need not carry it along.
#[derive(Clone, Default)]
pub(crate) struct Settings(Option<Box<Own>>);

#[derive(Clone, Default)]
pub(crate) struct Own {
    /// The first setting that is out of its bounds.
    pub(crate) wrong: Option<PolicyError>,
    pub(crate) consent: Option<NonIdempotent>,
    pub(crate) deadline: Option<Instant>,
    /// Who records the call. It is here so that the others need no room for it.
    pub(crate) recorder: OnceLock<Recorder>,
    #[cfg(any(feature = "reqwest", feature = "tower"))]
    pub(crate) key: Option<IdempotencyKey>,
    #[cfg(feature = "reqwest")]
    pub(crate) client: ClientSettings,
}

impl Settings {
    /// A setting, if there are any.
    pub(crate) fn get<'a, O>(&'a self, read: impl FnOnce(&'a Own) -> Option<O>) -> Option<O> {
        self.0.as_deref().and_then(read)
    }

    pub(crate) fn own(&mut self) -> &mut Own {
        self.0.get_or_insert_default()
    }

    /// Whether the server is told by a key that all sends are the same request.
    pub(crate) fn has_key(&self) -> bool {
        #[cfg(any(feature = "reqwest", feature = "tower"))]
        return self.get(|own| own.key.as_ref()).is_some();
        #[cfg(not(any(feature = "reqwest", feature = "tower")))]
        return false;
    }
}

impl<R, T: Timer> Call<R, T> {
    #[inline(always)]
    pub(crate) fn new(request: R, retry: Retry<T>) -> Self {
        Self { request, retry, cancel: core::future::pending(), settings: Settings::default() }
    }
}

impl<R, T: Timer, C> Call<R, T, C> {
    fn edit(mut self, change: impl FnOnce(PolicyBuilder) -> PolicyBuilder) -> Self {
        if self.settings.get(|own| own.wrong).is_none() {
            match change(self.retry.policy.edit()).build() {
                Ok(policy) => self.retry.policy = policy,
                Err(error) => self.settings.own().wrong = Some(error),
            }
        }
        self
    }

    /// A whole policy in place of the one before, and of what was set here before, right or wrong.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.retry.policy = policy;
        if self.settings.get(|own| own.wrong).is_some() {
            self.settings.own().wrong = None;
        }
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
        self.settings.own().consent = Some(when);
        self
    }

    /// A moment at which the call must have ended, on the timer's own clock. It applies together with the total limit:
    /// the earlier one holds.
    pub fn deadline_at(mut self, moment: Instant) -> Self {
        self.settings.own().deadline = Some(moment);
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
        self.retry.extras_mut().advise = Some(Arc::new(policy));
        self
    }

    /// Whether a call that fails with a response in hand gives that response as `Ok`, as reqwest alone does.
    pub fn return_last_response(mut self, yes: bool) -> Self {
        self.retry.extras_mut().return_last_response = yes;
        self
    }

    /// Whether the report has a [`trace`](crate::Report::trace) of this call, to be replayed later: the policy, the seed, and
    /// each reply with its times, but no URL, header or body.
    pub fn trace(mut self, yes: bool) -> Self {
        self.retry.extras_mut().trace = yes;
        self
    }

    /// Ends the call as soon as `future` completes: no later send, and an error of kind
    /// [`Canceled`](retry_core::ErrorKind::Canceled) that tells how many sends there were.
    ///
    /// ```
    /// # async fn example(client: reqwest::Client, stop: tokio::sync::oneshot::Receiver<()>) {
    /// use retry_core::{ErrorKind, Policy};
    /// use runtime_tokio::RetryExt;
    ///
    /// let result = client.get("http://localhost/").with_retry(Policy::API).cancel_on(stop).send().await;
    /// if let Err(error) = result {
    ///     if error.kind() == ErrorKind::Canceled {
    ///         println!("stopped after {} sends", error.attempts());
    ///     }
    /// }
    /// # }
    /// ```
    pub fn cancel_on<F: Future>(self, future: F) -> Call<R, T, F> {
        Call { request: self.request, retry: self.retry, cancel: future, settings: self.settings }
    }
}

impl<R, C> Call<R, TokioTimer, C> {
    /// A moment at which the call must have ended. It applies together with the total limit: the earlier one holds.
    pub fn deadline(self, moment: impl Into<tokio::time::Instant>) -> Self {
        self.deadline_at(TokioTimer::instant(moment.into()))
    }
}

impl<R, T, C> fmt::Debug for Call<R, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The request is left out: its URL and headers may hold secrets.
        let policy = self.settings.get(|own| own.wrong).map_or(Ok(self.retry.policy), Err);
        f.debug_struct("Call").field("policy", &policy).finish_non_exhaustive()
    }
}
