//! A timer whose waits take no time: a counter for a clock. Limits are real ones.

use core::future::Future;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use retry_core::{Instant, Timer, UnixTime};

/// Sleeping moves its clock, and nothing else does.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkipTimer(Arc<AtomicU64>);

impl SkipTimer {
    /// How long was waited so far.
    pub(crate) fn waited(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::SeqCst))
    }
}

impl Timer for SkipTimer {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.0.load(Ordering::SeqCst))
    }

    fn wall(&self) -> Option<UnixTime> {
        // 2026-03-01T12:00:00Z, and later as waits go by.
        let waited = self.waited();
        Some(UnixTime::new(1_772_366_400 + waited.as_secs() as i64, waited.subsec_nanos()))
    }

    async fn sleep(&self, duration: Duration) {
        self.0.fetch_add(duration.as_nanos() as u64, Ordering::SeqCst);
    }

    fn limit(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(duration)
    }
}

/// A guard of many seconds: a test that hangs says so.
pub(crate) async fn guarded<F: Future>(work: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(30), work).await.expect("the call hangs")
}
