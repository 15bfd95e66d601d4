//! tokio's clock and timer.

use core::future::Future;
use core::time::Duration;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use retry_core::{Instant, Timer, UnixTime};

/// tokio's timer. Its moments count from one epoch for the whole process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokioTimer;

/// The process's first look at the clock.
const FIRST: Instant = Instant::from_nanos(1 << 62);

impl TokioTimer {
    /// `moment` as the core counts it: from 146 years before the process's first look at the clock, so that moments before
    /// it can be told, which a test with a paused clock may meet.
    pub fn instant(moment: tokio::time::Instant) -> Instant {
        let first = first();
        match moment.checked_duration_since(first) {
            Some(after) => FIRST.saturating_add(after),
            None => Instant::EPOCH.saturating_add(FIRST.saturating_since(Instant::EPOCH) - (first - moment)),
        }
    }
}

fn first() -> tokio::time::Instant {
    static EPOCH: OnceLock<tokio::time::Instant> = OnceLock::new();
    *EPOCH.get_or_init(tokio::time::Instant::now)
}

impl Timer for TokioTimer {
    fn now(&self) -> Instant {
        Self::instant(tokio::time::Instant::now())
    }

    fn wall(&self) -> Option<UnixTime> {
        Some(unix_time(SystemTime::now()))
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(duration)
    }

    fn limit_until(&self, since: Instant, deadline: Instant) -> Option<impl Future<Output = ()> + Send> {
        // tokio waits for a moment as well as for a time, and its clock never falls back: a look at it is saved. What
        // lies before the first one, or beyond what tokio can count, is left to `sleep`.
        let after = deadline.as_nanos().checked_sub(FIRST.as_nanos()).map(Duration::from_nanos);
        let moment = after.and_then(|after| first().checked_add(after));
        Some(match moment {
            Some(moment) => tokio::time::sleep_until(moment),
            None => tokio::time::sleep(deadline.saturating_since(self.now().max(since))),
        })
    }
}

/// `time` as the core counts it; a clock set before 1970 counts as 1970.
fn unix_time(time: SystemTime) -> UnixTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixTime::new(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a limit until `deadline` takes.
    async fn taken(deadline: Instant) -> Duration {
        let begun = tokio::time::Instant::now();
        if let Some(limit) = TokioTimer.limit_until(TokioTimer.now(), deadline) {
            limit.await;
        }
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_ends_at_its_moment() {
        let now = TokioTimer.now();
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(taken(now.saturating_add(Duration::from_secs(7))).await, Duration::from_secs(5));
        for passed in [TokioTimer.now(), now, FIRST, Instant::from_nanos(FIRST.as_nanos() - 1), Instant::EPOCH] {
            assert_eq!(taken(passed).await, Duration::ZERO, "{passed:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_beyond_what_can_be_counted_is_none_that_ends() {
        const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
        assert!(tokio::time::timeout(YEAR, taken(Instant::from_nanos(u64::MAX))).await.is_err());
    }
}
