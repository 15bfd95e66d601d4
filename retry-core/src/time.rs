//! Moments as numbers. No clock is read here: whoever drives the machine says what time it is.

use core::time::Duration;

/// Nanoseconds in one second.
pub(crate) const NANOS_PER_SEC: u64 = 1_000_000_000;

/// `duration` in whole nanoseconds, saturating at `u64::MAX` (about 584 years).
pub(crate) const fn nanos(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(NANOS_PER_SEC).saturating_add(duration.subsec_nanos() as u64)
}

/// A moment of a monotonic clock: nanoseconds since an epoch of the caller's choice.
///
/// The epoch must be the same for every moment that meets another one: a call, a budget and a proxy pool that are
/// used together share it. One epoch per process is the simple choice. All arithmetic saturates.
///
/// ```
/// use core::time::Duration;
/// use retry_core::Instant;
///
/// let start = Instant::from_nanos(5);
/// let later = start.saturating_add(Duration::from_secs(1));
/// assert_eq!(later.saturating_since(start), Duration::from_secs(1));
/// assert_eq!(start.saturating_since(later), Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The epoch itself.
    pub const EPOCH: Self = Self(0);

    /// The moment `nanos` nanoseconds after the epoch.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the epoch.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The moment `duration` later, or the last one that can be told (584 years after the epoch).
    #[must_use]
    pub const fn saturating_add(self, duration: Duration) -> Self {
        self.after(nanos(duration))
    }

    /// The same in nanoseconds.
    pub(crate) const fn after(self, nanos: u64) -> Self {
        Self(self.0.saturating_add(nanos))
    }

    /// The time from `earlier` to `self`; zero if `earlier` is not earlier.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// A moment of civil time (UTC, without leap seconds), as HTTP-dates name it. It may lie before 1970.
///
/// It exists for [`retry_after`](crate::retry_after) alone: nothing converts it into an [`Instant`] or back, so that a
/// wall clock that jumps cannot move a wait.
///
/// ```
/// use retry_core::UnixTime;
///
/// let moment = UnixTime::new(1_772_366_400, 5);
/// assert_eq!((moment.secs(), moment.subsec_nanos()), (1_772_366_400, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime {
    secs: i64,
    nanos: u32,
}

impl UnixTime {
    /// `secs` seconds after (or, negative, before) 1970-01-01T00:00:00Z, plus `nanos` nanoseconds.
    ///
    /// More than 999 999 999 nanoseconds count as 999 999 999.
    pub const fn new(secs: i64, nanos: u32) -> Self {
        let nanos = if nanos > 999_999_999 { 999_999_999 } else { nanos };
        Self { secs, nanos }
    }

    /// Whole seconds since 1970, rounded down.
    pub const fn secs(self) -> i64 {
        self.secs
    }

    /// Nanoseconds above [`secs`](Self::secs), below one second.
    pub const fn subsec_nanos(self) -> u32 {
        self.nanos
    }

    /// The nanoseconds from `earlier` to `self`, saturating; zero if `earlier` is not earlier.
    pub(crate) fn nanos_since(self, earlier: Self) -> u64 {
        let total =
            |t: Self| i128::from(t.secs).saturating_mul(NANOS_PER_SEC as i128).saturating_add(i128::from(t.nanos));
        let nanos = total(self).saturating_sub(total(earlier)).max(0);
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nanoseconds_of_a_moment_stay_below_a_second() {
        let nanos = [(0, 0), (5, 5), (999_999_999, 999_999_999), (1_000_000_000, 999_999_999), (u32::MAX, 999_999_999)];
        for (given, kept) in nanos {
            for secs in [i64::MIN, -1, 0, i64::MAX] {
                let moment = UnixTime::new(secs, given);
                assert_eq!((moment.secs(), moment.subsec_nanos()), (secs, kept));
            }
        }
    }
}
