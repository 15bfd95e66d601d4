//! async-std's timer.

use core::time::Duration;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use async_std::task;
use retry_core::{Instant, Timer, UnixTime};

/// async-std's timer. Its moments count from one epoch for the whole process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsyncStdTimer;

impl AsyncStdTimer {
    /// `moment` as the core counts it; a moment before the process's first look at the clock counts as that one.
    pub fn instant(moment: std::time::Instant) -> Instant {
        static EPOCH: OnceLock<std::time::Instant> = OnceLock::new();
        let epoch = *EPOCH.get_or_init(std::time::Instant::now);
        Instant::EPOCH.saturating_add(moment.saturating_duration_since(epoch))
    }
}

impl Timer for AsyncStdTimer {
    fn now(&self) -> Instant {
        Self::instant(std::time::Instant::now())
    }

    fn wall(&self) -> Option<UnixTime> {
        Some(unix_time(SystemTime::now()))
    }

    async fn sleep(&self, duration: Duration) {
        task::sleep(duration).await;
    }
}

/// `time` as the core counts it; a clock set before 1970 counts as 1970.
fn unix_time(time: SystemTime) -> UnixTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixTime::new(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
}
