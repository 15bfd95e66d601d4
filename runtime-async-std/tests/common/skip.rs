//! Timers for tests, and the guard of real time that every test send has.
#![allow(dead_code, reason = "each test takes what it needs")]

use core::future::Future;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use conformance::server::Server;
use retry_core::{Instant, Timer, UnixTime};
use runtime_async_std::AsyncStdTimer;

/// Waits take no time, limits are the runtime's.
pub(crate) type SkipTimer = retry_core::testing::SkipTimer<AsyncStdTimer>;

/// A [`SkipTimer`] whose limits pass when the server has stalled, and at no other time: once for each stall.
#[derive(Clone)]
#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) struct StallTimer {
    timer: SkipTimer,
    server: Arc<Server>,
    passed: Arc<AtomicU64>,
}

#[allow(dead_code, reason = "not every test file needs each of these")]
impl StallTimer {
    pub(crate) fn new(server: &Arc<Server>) -> Self {
        Self { timer: SkipTimer::default(), server: Arc::clone(server), passed: Arc::default() }
    }
}

impl Timer for StallTimer {
    fn now(&self) -> Instant {
        self.timer.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.timer.wall()
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.timer.sleep(duration)
    }

    async fn limit(&self, duration: Duration) {
        let end = self.now().saturating_add(duration);
        while self.server.stalls() as u64 <= self.passed.load(Ordering::Relaxed) {
            async_std::task::sleep(Duration::from_millis(1)).await;
        }
        self.passed.fetch_add(1, Ordering::Relaxed);
        self.timer.advance(end.saturating_since(self.now()));
    }
}

/// What `work` gives; a panic if the client hangs.
pub(crate) async fn guarded<F: Future>(work: F) -> F::Output {
    let guard = Duration::from_secs(20);
    async_std::future::timeout(guard, work).await.expect("the client hangs: the guard of real time has fired")
}

/// A client with a connection for each send.
pub(crate) fn client() -> surf::Client {
    runtime_async_std::client_config().try_into().expect("a client")
}

#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) fn millis(times: &[u64]) -> Vec<Duration> {
    times.iter().map(|time| Duration::from_millis(*time)).collect()
}
