//! Timers for tests, and the guard of real time that every test send has.
#![allow(dead_code, reason = "each test takes what it needs")]

use core::future::Future;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use conformance::server::Server;
use retry_core::{Instant, Policy, Timer, UnixTime};
use runtime_tokio::TokioTimer;

/// Waits take no time, limits are the runtime's.
pub(crate) type SkipTimer = retry_core::testing::SkipTimer<TokioTimer>;

/// Skips waits, but leaves the client's tasks their turn, as a real wait does: a connection goes back to its pool.
#[derive(Clone, Debug, Default)]
#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) struct Turns(pub(crate) SkipTimer);

impl Timer for Turns {
    fn now(&self) -> Instant {
        self.0.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.0.wall()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.sleep(duration).await;
        for _ in 0..256 {
            tokio::task::yield_now().await;
        }
    }

    async fn limit(&self, duration: Duration) {
        self.0.limit(duration).await;
    }
}

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
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.passed.fetch_add(1, Ordering::Relaxed);
        self.timer.advance(end.saturating_since(self.now()));
    }
}

#[allow(dead_code, reason = "not every test file needs each of these")]
/// A policy whose waits are zero.
pub(crate) fn instant(max_retries: u32) -> Policy {
    let policy = Policy::API.edit().base_delay(Duration::ZERO).max_retries(max_retries).build();
    policy.expect("the policy is valid")
}

/// What `work` gives; a panic if the client hangs.
pub(crate) async fn guarded<F: Future>(work: F) -> F::Output {
    let guard = Duration::from_secs(20);
    tokio::time::timeout(guard, work).await.expect("the client hangs: the guard of real time has fired")
}

/// A client with its own retries off.
#[cfg(feature = "reqwest")]
#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    runtime_tokio::client_builder().build().expect("a client")
}

#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) fn millis(times: &[u64]) -> Vec<Duration> {
    times.iter().map(|time| Duration::from_millis(*time)).collect()
}
