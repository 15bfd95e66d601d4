//! What a user holds: the shared settings of many calls, and the word that adds them to a request.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use http::HeaderName;
use retry_core::{Advice, Policy, Ratio, Timer};

use crate::advise::{Advise, Retrying, Seen};
use crate::budgets::Budgets;
use crate::call::Call;
use crate::rng::random;
use crate::timer::TokioTimer;

/// A policy and what belongs to it, shared by many calls. Clones share everything.
///
/// A [`Policy`] alone does for a single call. A `Retry` adds a seed, so that the waits of a program can be repeated,
/// and a timer of one's own.
///
/// ```
/// use retry_core::Policy;
/// use runtime_tokio::{Retry, RetryExt};
///
/// # async fn example() -> Result<(), runtime_tokio::Error> {
/// let retry = Retry::new(Policy::API);
/// let client = runtime_tokio::client_builder().build().unwrap();
/// let page = client.get("http://localhost/page").with_retry(&retry).max_retries(5).fetch().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Retry<T = TokioTimer> {
    pub(crate) policy: Policy,
    pub(crate) timer: T,
    /// `None` where a policy is all there is: then nobody has to be asked about a reply.
    pub(crate) extras: Option<Arc<Extras>>,
    /// `None` for a call that shares nothing.
    shared: Option<Arc<Shared>>,
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
    /// Whether the headers of `vendor.rs` are read.
    pub(crate) vendor_headers: bool,
    /// The header that tells the number of earlier sends.
    pub(crate) retry_count: Option<Arc<HeaderName>>,
}

#[derive(Debug)]
struct Shared {
    seed: u64,
    /// Calls begun so far.
    calls: AtomicU64,
}

impl Retry {
    /// Calls under `policy`, on tokio's timer, with a seed from the operating system.
    pub fn new(policy: Policy) -> Self {
        Self::with_timer(policy, TokioTimer)
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
    /// use runtime_tokio::{Budgets, Retry};
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

    #[inline(always)]
    pub(crate) fn once(policy: Policy) -> Self {
        Self { policy, timer: TokioTimer, extras: None, shared: None }
    }
}

impl<T: Timer> Retry<T> {
    /// Calls under `policy`, on a timer of one's own: one that skips waits in a test, or a runtime's other than tokio's.
    pub fn with_timer(policy: Policy, timer: T) -> Self {
        Self { policy, timer, extras: None, shared: Some(Arc::new(Shared::new(random()))) }
    }

    /// The same calls with a seed of one's own: the same seed and the same replies give the same waits, on every
    /// machine. Call number k (from 0, in the order in which they are first polled) on this `Retry` and its clones takes its
    /// random words from `Xoshiro256PlusPlus::seed_from_u64(seed + k)`, wrapping.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { shared: Some(Arc::new(Shared::new(seed))), ..self }
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
        self.extras_mut().advise = Some(Arc::new(policy));
        self
    }

    /// Calls `hook` before each wait. It runs inside the call, so it should be quick.
    #[must_use]
    pub fn on_retry(mut self, hook: impl Fn(&Retrying<'_>) + Send + Sync + 'static) -> Self {
        self.extras_mut().on_retry = Some(Arc::new(hook));
        self
    }

    /// Whether a call that fails with a response in hand gives that response as `Ok`, as reqwest alone does. Default
    /// no.
    #[must_use]
    pub fn return_last_response(mut self, yes: bool) -> Self {
        self.extras_mut().return_last_response = yes;
        self
    }

    /// Whether a report has a [`trace`](crate::Report::trace) of its call, to be replayed later: the policy, the seed, and
    /// each reply with its times, but no URL, header or body. Default no, and then it costs nothing.
    #[must_use]
    pub fn trace(mut self, yes: bool) -> Self {
        self.extras_mut().trace = yes;
        self
    }

    /// A budget for the retries of these calls. Default none.
    #[must_use]
    pub fn budget(mut self, budgets: Budgets) -> Self {
        self.extras_mut().budgets = Some(budgets);
        self
    }

    /// The policy of these calls.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    #[cfg(feature = "reqwest")]
    pub(crate) fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Begins a call: the seed of its random words, unless the operating system is to give one when it is needed.
    pub(crate) fn begin(&self) -> Option<u64> {
        let shared = self.shared.as_ref()?;
        Some(shared.seed.wrapping_add(shared.calls.fetch_add(1, Ordering::Relaxed)))
    }
}

impl<T> Retry<T> {
    /// The same on another timer.
    #[cfg(any(feature = "middleware", feature = "tower"))]
    pub(crate) fn on<U>(self, timer: U) -> Retry<U> {
        Retry { policy: self.policy, timer, extras: self.extras, shared: self.shared }
    }

    /// What is changed here is this handle's alone.
    pub(crate) fn extras_mut(&mut self) -> &mut Extras {
        Arc::make_mut(self.extras.get_or_insert_default())
    }
}

impl<T: Timer + Clone> Retry<T> {
    /// A call without a request: settings for it, and then a closure that makes its sends ([`run`](Call::run)), or a request
    /// that they are put on (`attach`).
    #[inline(always)]
    pub fn call(&self) -> Call<(), T> {
        Call::new((), self.clone())
    }
}

impl<T> fmt::Debug for Retry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Shared {
    const fn new(seed: u64) -> Self {
        Self { seed, calls: AtomicU64::new(0) }
    }
}

/// What `RetryExt::with_retry` takes: a [`Policy`] or a [`Retry`], owned or borrowed.
pub trait IntoRetry {
    /// The timer of the calls.
    type Timer: Timer;

    /// The settings as a `Retry`.
    fn into_retry(self) -> Retry<Self::Timer>;
}

impl IntoRetry for Policy {
    type Timer = TokioTimer;

    #[inline(always)]
    fn into_retry(self) -> Retry {
        Retry::once(self)
    }
}

impl IntoRetry for &Policy {
    type Timer = TokioTimer;

    #[inline(always)]
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

    #[inline(always)]
    fn into_retry(self) -> Retry<T> {
        self.clone()
    }
}
