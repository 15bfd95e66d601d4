//! A timer that skips waits, and the guard of real time that every test send has.
#![allow(dead_code, reason = "each test takes what it needs")]

use core::future::Future;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};

use conformance::server::Server;
use retry_core::{Instant, Timer, UnixTime};

/// When the clock starts: Sun, 01 Mar 2026 12:00:00 GMT, in seconds since 1970.
const NOON: i64 = 1_772_366_400;

/// A clock that stands still but for the waits, which take no real time, and the limits that pass, which are real.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkipTimer(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    now: AtomicU64,
    limits_set: AtomicU64,
    limits_passed: AtomicU64,
    waits: Mutex<Vec<Duration>>,
}

impl SkipTimer {
    /// The waits so far.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.0.waits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Their sum.
    pub(crate) fn waited(&self) -> Duration {
        self.waits().iter().sum()
    }

    /// How many limits were set.
    pub(crate) fn limits_set(&self) -> u64 {
        self.0.limits_set.load(Ordering::Relaxed)
    }

    /// How many limits have passed.
    pub(crate) fn limits_passed(&self) -> u64 {
        self.0.limits_passed.load(Ordering::Relaxed)
    }
}

impl Timer for SkipTimer {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.0.now.load(Ordering::Relaxed))
    }

    fn wall(&self) -> Option<UnixTime> {
        let now = Duration::from_nanos(self.0.now.load(Ordering::Relaxed));
        Some(UnixTime::new(NOON + i64::try_from(now.as_secs()).unwrap_or(i64::MAX - NOON), now.subsec_nanos()))
    }

    async fn sleep(&self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.0.now.fetch_add(nanos, Ordering::Relaxed);
        self.0.waits.lock().unwrap_or_else(PoisonError::into_inner).push(duration);
    }

    async fn limit(&self, duration: Duration) {
        self.0.limits_set.fetch_add(1, Ordering::Relaxed);
        let end = self.now().saturating_add(duration).as_nanos();
        tokio::time::sleep(duration).await;
        self.0.now.fetch_max(end, Ordering::Relaxed);
        self.0.limits_passed.fetch_add(1, Ordering::Relaxed);
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
        let end = self.now().saturating_add(duration).as_nanos();
        while self.server.stalls() as u64 <= self.passed.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.passed.fetch_add(1, Ordering::Relaxed);
        self.timer.0.now.fetch_max(end, Ordering::Relaxed);
    }
}

/// What `work` gives; a panic if the client hangs.
pub(crate) async fn guarded<F: Future>(work: F) -> F::Output {
    let guard = Duration::from_secs(20);
    tokio::time::timeout(guard, work).await.expect("the client hangs: the guard of real time has fired")
}

/// A client with its own retries off.
#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    runtime_tokio::client_builder().build().expect("a client")
}

#[allow(dead_code, reason = "not every test file needs each of these")]
pub(crate) fn millis(times: &[u64]) -> Vec<Duration> {
    times.iter().map(|time| Duration::from_millis(*time)).collect()
}
