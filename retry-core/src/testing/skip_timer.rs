//! A timer that skips waits, and notes them.

use core::future::{Future, pending, poll_fn};
use core::pin::pin;
use core::task::{Poll, Waker, ready};
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::drive::Timer;
use crate::time::{Instant, UnixTime};

/// When the wall clock starts: Sun, 01 Mar 2026 12:00:00 GMT.
const NOON: UnixTime = UnixTime::new(1_772_366_400, 0);

/// A timer for tests. Waits take no real time: its clock moves on by as much, and the test can read which were asked for.
///
/// Limits are not skipped, or every send would be cut: they are those of the timer that it is made from, in real time, and
/// so never reached by a test server that answers. A send that is to be cut awaits [`stall`](Self::stall): then its
/// limit passes at once.
///
/// Between waits the clock stands still; [`advance`](Self::advance) moves it. Clones share it. It belongs to one call at
/// a time: of two at once, each would see the other's waits pass. The wall clock, for `Retry-After` dates in responses
/// without a `Date`, starts at Sun, 01 Mar 2026 12:00:00 GMT.
///
/// ```
/// use core::time::Duration;
/// use retry_core::testing::SkipTimer;
/// use retry_core::Timer;
/// # use retry_core::{Instant, UnixTime};
/// # struct Real;
/// # impl Timer for Real {
/// #     fn now(&self) -> Instant { Instant::EPOCH }
/// #     fn wall(&self) -> Option<UnixTime> { None }
/// #     async fn sleep(&self, _: Duration) {}
/// # }
/// # let mut context = core::task::Context::from_waker(core::task::Waker::noop());
///
/// let timer = SkipTimer::over(Real); // the runtime's own timer
/// let mut wait = core::pin::pin!(timer.sleep(Duration::from_secs(3600)));
/// assert!(wait.as_mut().poll(&mut context).is_ready());
/// assert_eq!(timer.waits(), [Duration::from_secs(3600)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SkipTimer<T> {
    real: T,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    now: Instant,
    waits: Vec<Duration>,
    limits_set: usize,
    limits_passed: usize,
    /// How many sends hang at the moment.
    stalled: usize,
    /// Whoever waits for the limit of a send.
    waker: Option<Waker>,
}

impl<T> SkipTimer<T> {
    /// A timer that skips waits, and takes its limits from `real`.
    pub fn over(real: T) -> Self {
        Self { real, state: Arc::default() }
    }

    /// The waits so far, in order.
    pub fn waits(&self) -> Vec<Duration> {
        self.state().waits.clone()
    }

    /// Their sum.
    pub fn waited(&self) -> Duration {
        self.state().waits.iter().fold(Duration::ZERO, |sum, wait| sum.saturating_add(*wait))
    }

    /// How many limits were set. One that a reply came before without being waited for is not.
    pub fn limits_set(&self) -> usize {
        self.state().limits_set
    }

    /// How many limits passed.
    pub fn limits_passed(&self) -> usize {
        self.state().limits_passed
    }

    /// Moves the clock on, as if what happens at the moment took so long.
    ///
    /// It cuts nothing: a reply that is there counts as in time. Use [`stall`](Self::stall) for one that comes too late.
    pub fn advance(&self, duration: Duration) {
        let mut state = self.state();
        state.now = state.now.saturating_add(duration);
    }

    /// What a send awaits that never gets a reply: it hangs until its limit, and that passes at once. Without a limit it
    /// hangs for ever.
    pub async fn stall<R>(&self) -> R {
        let _stalled = Stalled::begin(&self.state);
        pending().await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl<T: Timer + Sync> Timer for SkipTimer<T> {
    fn now(&self) -> Instant {
        self.state().now
    }

    fn wall(&self) -> Option<UnixTime> {
        let passed = self.now().saturating_since(Instant::EPOCH);
        let secs = i64::try_from(passed.as_secs()).unwrap_or(i64::MAX);
        Some(UnixTime::new(NOON.secs().saturating_add(secs), passed.subsec_nanos()))
    }

    async fn sleep(&self, duration: Duration) {
        let mut state = self.state();
        state.now = state.now.saturating_add(duration);
        state.waits.push(duration);
    }

    fn limit(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        let end = {
            let mut state = self.state();
            state.limits_set = state.limits_set.saturating_add(1);
            state.now.saturating_add(duration)
        };
        async move {
            let mut real = pin!(self.real.limit(duration));
            poll_fn(|cx| {
                let is_stalled = {
                    let mut state = self.state();
                    state.waker = Some(cx.waker().clone());
                    state.stalled > 0
                };
                if !is_stalled {
                    ready!(real.as_mut().poll(cx));
                }
                let mut state = self.state();
                state.now = state.now.max(end);
                state.limits_passed = state.limits_passed.saturating_add(1);
                Poll::Ready(())
            })
            .await;
        }
    }
}

/// A send that hangs, until it is dropped.
struct Stalled<'a>(&'a Mutex<State>);

impl<'a> Stalled<'a> {
    fn begin(state: &'a Mutex<State>) -> Self {
        let waker = {
            let mut state = lock(state);
            state.stalled = state.stalled.saturating_add(1);
            state.waker.take()
        };
        // The limit may be waited for in another task than the one that hangs.
        if let Some(waker) = waker {
            waker.wake();
        }
        Self(state)
    }
}

impl Drop for Stalled<'_> {
    fn drop(&mut self) {
        let mut state = lock(self.0);
        state.stalled = state.stalled.saturating_sub(1);
    }
}

/// A test that panicked elsewhere has left nothing half done in here.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
