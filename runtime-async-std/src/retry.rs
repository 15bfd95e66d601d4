//! What a user holds: the shared settings of many calls, and the word that adds them to a request.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use retry_core::{Advice, Policy, Ratio, Timer};
use surf::RequestBuilder;
use surf::http::headers::HeaderName;

use crate::advise::{Advise, Retrying, Seen};
use crate::budgets::Budgets;
use crate::call::Call;
use crate::dns::LookUp;
use crate::rng::random;
use crate::timer::AsyncStdTimer;

/// A policy and what belongs to it, shared by many calls. Clones share everything.
///
/// A [`Policy`] alone does for a single call. A `Retry` adds a seed, so that the waits of a program can be repeated,
/// and a timer of one's own.
///
/// ```
/// use retry_core::Policy;
/// use runtime_async_std::{Retry, RetryExt};
///
/// # async fn example(client: surf::Client) -> Result<(), runtime_async_std::Error> {
/// let retry = Retry::new(Policy::API);
/// let page = client.get("http://localhost/page").with_retry(&retry).max_retries(5).fetch().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Retry<T = AsyncStdTimer> {
    pub(crate) policy: Policy,
    pub(crate) timer: T,
    pub(crate) extras: Extras,
    pub(crate) seeds: Seeds,
}

/// What is told of each retry.
type Hook = dyn Fn(&Retrying<'_>) + Send + Sync;

/// What a caller may add to a policy.
#[derive(Clone, Default)]
pub(crate) struct Extras {
    pub(crate) advise: Option<Arc<dyn Advise>>,
    pub(crate) on_retry: Option<Arc<Hook>>,
    pub(crate) return_last_response: bool,
    pub(crate) budgets: Option<Budgets>,
    /// Whether each call is recorded.
    pub(crate) trace: bool,
    pub(crate) look_up_first: LookUp,
    /// Whether the headers of `vendor.rs` are read.
    pub(crate) vendor_headers: bool,
    /// The header that tells the number of earlier sends.
    pub(crate) retry_count: Option<Arc<HeaderName>>,
}

/// Where calls have their seeds from.
#[derive(Clone)]
pub(crate) enum Seeds {
    /// The operating system, when a seed is needed: a call that shares nothing.
    System,
    /// One seed, and how many calls have begun.
    Shared(Arc<(u64, AtomicU64)>),
}

impl Seeds {
    fn shared(seed: u64) -> Self {
        Self::Shared(Arc::new((seed, AtomicU64::new(0))))
    }

    /// Begins a call: the seed of its random words, unless the operating system is to give one.
    pub(crate) fn begin(&self) -> Option<u64> {
        match self {
            Self::System => None,
            Self::Shared(shared) => Some(shared.0.wrapping_add(shared.1.fetch_add(1, Ordering::Relaxed))),
        }
    }
}

impl Retry {
    /// Calls under `policy`, on async-std's timer, with a seed from the operating system.
    pub fn new(policy: Policy) -> Self {
        Self::with_timer(policy, AsyncStdTimer)
    }

    /// For clients in a few processes that must not bring a server down by retrying: [`Policy::API`], and for each origin a
    /// budget of 20 % of the last ten seconds' requests, with a reserve of 100.
    ///
    /// With four sends a call, an outage would otherwise quadruple the load in the moment in which the server can least
    /// bear it, and hold it there. Of this budget the share adds at most a fifth to what is sent anyway. **The reserve
    /// comes on top, once for each process and origin** (for each `Retry` made so; clones share it): up to 100 retries in
    /// 10 s, so that a client with little traffic is not refused the few retries that it needs. In a fleet of n processes
    /// that is up to n × 10 sends a second beyond the fifth, which can by itself keep a server down. For more than a few
    /// processes divide the reserve by their number, or have none:
    ///
    /// ```
    /// use retry_core::{Policy, Ratio};
    /// use runtime_async_std::{Budgets, Retry};
    ///
    /// let few = Retry::fleet();
    /// // The same for many processes.
    /// let share = Ratio::new(0.2, 0)?;
    /// let many = Retry::new(Policy::API).budget(Budgets::per_origin(move || share.clone()));
    /// # Ok::<(), retry_core::PolicyError>(())
    /// ```
    pub fn fleet() -> Self {
        Self::new(Policy::API).budget(Budgets::per_origin(Ratio::default))
    }

    pub(crate) fn once(policy: Policy) -> Self {
        Self { policy, timer: AsyncStdTimer, extras: Extras::default(), seeds: Seeds::System }
    }
}

impl<T: Timer> Retry<T> {
    /// Calls under `policy`, on a timer of one's own: one that skips waits in a test, or a runtime's other than async-std's.
    pub fn with_timer(policy: Policy, timer: T) -> Self {
        Self { policy, timer, extras: Extras::default(), seeds: Seeds::shared(random()) }
    }

    /// The same calls with a seed of one's own: the same seed and the same replies give the same waits, on every
    /// machine. Call number k (from 0, in the order in which they are first polled) on this `Retry` and its clones takes its
    /// random words from `Xoshiro256PlusPlus::seed_from_u64(seed + k)`, wrapping.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seeds: Seeds::shared(seed), ..self }
    }

    /// A custom policy: the caller's own word on each reply that could be sent again.
    #[must_use]
    pub fn advise<F>(self, policy: F) -> Self
    where
        F: Fn(&Seen<'_>) -> Advice + Send + Sync + 'static,
    {
        self.custom_policy(policy)
    }

    /// [`advise`](Self::advise) with a type of one's own.
    #[must_use]
    pub fn custom_policy(mut self, policy: impl Advise + 'static) -> Self {
        self.extras.advise = Some(Arc::new(policy));
        self
    }

    /// Calls `hook` before each wait. It runs inside the call, so it should be quick.
    #[must_use]
    pub fn on_retry(mut self, hook: impl Fn(&Retrying<'_>) + Send + Sync + 'static) -> Self {
        self.extras.on_retry = Some(Arc::new(hook));
        self
    }

    /// Whether a call that fails with a response in hand gives that response as `Ok`, as surf alone does. Default
    /// no.
    #[must_use]
    pub fn return_last_response(mut self, yes: bool) -> Self {
        self.extras.return_last_response = yes;
        self
    }

    /// Whether a report has a [`trace`](crate::Report::trace) of its call, to be replayed later: the policy, the seed, and
    /// each reply with its times, but no URL, header or body. Default no, and then it costs nothing.
    #[must_use]
    pub fn trace(mut self, yes: bool) -> Self {
        self.extras.trace = yes;
        self
    }

    /// A budget for the retries of these calls. Default none.
    #[must_use]
    pub fn budget(mut self, budgets: Budgets) -> Self {
        self.extras.budgets = Some(budgets);
        self
    }

    /// Whether a host's name is looked up before the request is given to the client. Default: where the send may be ended
    /// early, by a limit, a deadline or a `cancel_on`, and surf's own default client is HTTP/1 in Rust, that is with the
    /// feature `h1` or `h1-tls` and without `curl`.
    ///
    /// That client blocks a thread of async-std while it looks a name up; when all are blocked, no limit is kept. So the
    /// name is looked up before, by a thread that is there for it, and a send whose limit passes meanwhile is
    /// [`Unsent`](retry_core::Reached::Unsent). What comes of the lookup does not matter: the client is asked anyway.
    /// Turn this off for a client that does not resolve names itself (one behind a proxy, a mock), to save it the time;
    /// turn it on, and names are looked up before every send, so that calls without limits do not block a thread either,
    /// unless the client's own lookup takes longer than ours did.
    #[must_use]
    pub fn look_up_first(mut self, yes: bool) -> Self {
        self.extras.look_up_first = if yes { LookUp::Always } else { LookUp::Never };
        self
    }

    /// The policy of these calls.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }
}

impl<T: Timer + Clone> Retry<T> {
    /// A call whose sends are made by a closure: settings for it, and then [`Call::run`].
    pub fn call(&self) -> Call<(), T> {
        Call::new((), self.clone())
    }
}

impl<T> fmt::Debug for Retry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// What [`RetryExt::with_retry`] takes: a [`Policy`] or a [`Retry`], owned or borrowed.
pub trait IntoRetry {
    /// The timer of the calls.
    type Timer: Timer;

    /// The settings as a `Retry`.
    fn into_retry(self) -> Retry<Self::Timer>;
}

impl IntoRetry for Policy {
    type Timer = AsyncStdTimer;

    fn into_retry(self) -> Retry {
        Retry::once(self)
    }
}

impl IntoRetry for &Policy {
    type Timer = AsyncStdTimer;

    fn into_retry(self) -> Retry {
        Retry::once(*self)
    }
}

impl<T: Timer> IntoRetry for Retry<T> {
    type Timer = T;

    fn into_retry(self) -> Self {
        self
    }
}

impl<T: Timer + Clone> IntoRetry for &Retry<T> {
    type Timer = T;

    fn into_retry(self) -> Retry<T> {
        self.clone()
    }
}

/// Adds retries to surf's own request builder.
pub trait RetryExt: Sized {
    /// This request, sent again as `retry` says. Everything else about it stays surf's.
    ///
    /// ```
    /// use retry_core::Policy;
    /// use runtime_async_std::RetryExt;
    ///
    /// # async fn example(client: surf::Client) -> Result<(), runtime_async_std::Error> {
    /// let response = client.get("http://localhost/").with_retry(Policy::API).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn with_retry<R: IntoRetry>(self, retry: R) -> Call<Self, R::Timer>;
}

impl RetryExt for RequestBuilder {
    fn with_retry<R: IntoRetry>(self, retry: R) -> Call<Self, R::Timer> {
        Call::new(self, retry.into_retry())
    }
}
