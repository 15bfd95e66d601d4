//! The worst cases of a policy, known before it runs. All of it is `const`.

use core::time::Duration;

use crate::backoff::Backoff;
use crate::jitter::{Kind, longest};
use crate::policy::Policy;

/// Worst cases.
///
/// A window of jitter that is half open counts with its open end, and a wait on a hint with the cap and the whole
/// spread. A custom policy's own delays and a proxy pool's additional retries are not in these numbers. Sums saturate
/// at [`Duration::MAX`], and their cost does not depend on `max_retries`.
///
/// ```
/// use core::time::Duration;
/// use retry_core::Policy;
///
/// assert_eq!(Policy::API.max_sends(), 4);
/// assert_eq!(Policy::API.max_waits(), Duration::from_millis(7_700));
/// assert_eq!(Policy::API.time_needed(Duration::from_secs(2)), Duration::from_millis(15_700));
/// ```
///
/// # Proofs at compile time
///
/// Whoever has a time budget of their own proves that a policy fits it, and the proof is repeated whenever a setting
/// changes:
///
/// ```
/// use core::time::Duration;
/// use retry_core::Policy;
///
/// /// Our own caller hangs up after ten seconds.
/// const BUDGET: Duration = Duration::from_secs(10);
/// /// The slowest answer that is worth waiting for.
/// const SEND: Duration = Duration::from_millis(1_500);
///
/// const POLICY: Policy = Policy::MICROSERVICE
///     .edit()
///     .attempt_timeout(Some(SEND))
///     .total_timeout(Some(Duration::from_secs(9)))
///     .build_const();
///
/// // Even if the server is as slow as it may be, and asks for long waits, we answer in time ...
/// const _: () = assert!(POLICY.max_total().unwrap().as_nanos() <= BUDGET.as_nanos());
/// // ... and if it does not ask for waits, no retry is lost to the limit.
/// const _: () = assert!(POLICY.time_needed(SEND).as_nanos() <= POLICY.total_timeout().unwrap().as_nanos());
/// ```
///
/// A policy that does not fit does not compile:
///
/// ```compile_fail,E0080
/// # use core::time::Duration;
/// # use retry_core::Policy;
/// # const BUDGET: Duration = Duration::from_secs(10);
/// const _: () = assert!(Policy::API.max_total().unwrap().as_nanos() <= BUDGET.as_nanos()); // 180 s
/// ```
impl Policy {
    /// The most sends of one call.
    pub const fn max_sends(&self) -> u32 {
        self.max_retries.saturating_add(1)
    }

    /// The sum of the computed delays of all retries, without jitter and without hints.
    pub const fn nominal_waits(&self) -> Duration {
        // Decorrelated jitter has no computed delay of its own: the exponential one stands in for it.
        Self { jitter: Kind::None, ..*self }.max_waits()
    }

    /// The longest sum of waits if the server gives no hints.
    pub const fn max_waits(&self) -> Duration {
        self.sum(0)
    }

    /// The longest sum of waits if the server may give hints.
    pub const fn max_waits_with_hints(&self) -> Duration {
        self.sum(self.hints.longest())
    }

    /// The longest time from start to end: the total limit, or all sends at `attempt_timeout` and all waits with hints,
    /// whichever is shorter. `None` if neither limit is set.
    pub const fn max_total(&self) -> Option<Duration> {
        let sends = match self.attempt_timeout() {
            Some(limit) => Some(self.all_sends(limit).saturating_add(self.max_waits_with_hints())),
            None => None,
        };
        match (self.total_timeout(), sends) {
            (Some(total), Some(sends)) if sends.as_nanos() < total.as_nanos() => Some(sends),
            (Some(total), _) => Some(total),
            (None, sends) => sends,
        }
    }

    /// The time that lets every retry happen when each send takes `send` and the server gives no hints.
    ///
    /// A total limit below it ends some calls before their retries are used. For a `send` of zero the limit must be one
    /// nanosecond above it, because a wait that would end at the limit is not begun.
    pub const fn time_needed(&self, send: Duration) -> Duration {
        self.all_sends(send).saturating_add(self.max_waits())
    }

    const fn all_sends(&self, send: Duration) -> Duration {
        send.saturating_mul(self.max_sends())
    }

    /// The sum over all retries of the longest wait, but at least `floor` nanoseconds each.
    const fn sum(&self, floor: u64) -> Duration {
        let mut backoff = Backoff::start(self);
        let mut sum = Duration::ZERO;
        let mut left = self.max_retries;
        while let Some(others) = left.checked_sub(1) {
            let (delay, next) = backoff.step(self);
            let wait = longest(self, delay);
            let wait = Duration::from_nanos(if wait > floor { wait } else { floor });
            if next.same(backoff) {
                // At the ceiling (or with a factor of 1) all that is left is the same.
                return sum.saturating_add(wait.saturating_mul(left));
            }
            sum = sum.saturating_add(wait);
            backoff = next;
            left = others;
        }
        sum
    }
}
