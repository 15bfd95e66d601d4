//! Settings as numbers, and policies at random.

use core::time::Duration;

use proptest::prelude::*;
use retry_core::{Jitter, Mode, Policy, RetryAfter};

pub(crate) const HALF_HOUR: u64 = 1_800_000_000_000;
pub(crate) const DAY: u64 = 86_400_000_000_000;
pub(crate) const YEAR: u64 = 365 * DAY;

/// Settings as numbers, so that one of them can be raised.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) retries: u32,
    pub(crate) base: u64,
    pub(crate) factor: f64,
    pub(crate) max: u64,
    pub(crate) jitter: u8,
    pub(crate) share: f64,
    pub(crate) hard_cap: bool,
    pub(crate) mode: Mode,
    pub(crate) cap: u64,
    pub(crate) spread: f64,
    pub(crate) total: Option<u64>,
    pub(crate) attempt: Option<u64>,
}

impl Settings {
    pub(crate) fn policy(&self) -> Policy {
        let jitter = match self.jitter {
            0 => Jitter::None,
            1 => Jitter::Proportional(self.share),
            2 => Jitter::Full,
            3 => Jitter::Equal,
            _ => Jitter::Decorrelated,
        };
        let retry_after = match self.mode {
            Mode::Replace => RetryAfter::replace(),
            Mode::AtLeast => RetryAfter::at_least(),
            Mode::Ignore => RetryAfter::ignore(),
        };
        let builder = Policy::builder()
            .max_retries(self.retries)
            .base_delay(Duration::from_nanos(self.base))
            .factor(self.factor)
            .max_delay(Duration::from_nanos(self.max))
            .jitter(jitter)
            .hard_cap(self.hard_cap)
            .retry_after(retry_after.cap(Duration::from_nanos(self.cap)).spread(self.spread))
            .total_timeout(self.total.map(Duration::from_nanos))
            .attempt_timeout(self.attempt.map(Duration::from_nanos));
        builder.build().expect("a policy within the bounds")
    }
}

/// From a nanosecond to `most`, short ones as often as long ones.
pub(crate) fn nanos(most: u64) -> impl Strategy<Value = u64> {
    prop_oneof![0..=100_u64, 0..=10_000_000_000_u64, 0..=most].prop_map(move |nanos| nanos.min(most))
}

fn retries() -> impl Strategy<Value = u32> {
    prop_oneof![0..=20_u32, 0..u32::MAX, Just(u32::MAX - 1)]
}

fn factor() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(1.01), 1.01..=10.0_f64, Just(10.0)]
}

prop_compose! {
    pub(crate) fn settings()(
        (retries, base, factor, max) in (retries(), nanos(HALF_HOUR), factor(), nanos(DAY)),
        (jitter, share, hard_cap) in (0..5_u8, 0.0..=1.0_f64, any::<bool>()),
        mode in prop_oneof![Just(Mode::Replace), Just(Mode::AtLeast), Just(Mode::Ignore)],
        (cap, spread) in (nanos(DAY), 0.0..=1.0_f64),
        total in proptest::option::of(nanos(YEAR)),
        attempt in proptest::option::of(nanos(YEAR)),
    ) -> Settings {
        let (total, attempt) = (total.map(|limit| limit.max(1)), attempt.map(|limit| limit.max(1)));
        Settings {
            retries, base, factor, max: max.max(base), jitter, share, hard_cap, mode, cap: cap.max(1), spread, total,
            attempt,
        }
    }
}
