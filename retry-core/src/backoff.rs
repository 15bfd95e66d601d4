//! The computed delay, retry after retry, as one word of state. No generator in sight.

use crate::jitter::{Kind, window};
use crate::policy::Policy;

/// Where a call stands on its way up to `max_delay`.
///
/// The word is the running product `base_delay * factor^n` as the bits of an f64, or, for decorrelated jitter, the
/// wait drawn last. State instead of a function of n makes one delay cost the same for any n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff(u64);

impl Backoff {
    pub(crate) const fn start(policy: &Policy) -> Self {
        match policy.jitter {
            Kind::Decorrelated => Self(policy.base_delay),
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal => Self((policy.base_delay as f64).to_bits()),
        }
    }

    /// The delay of the next retry in nanoseconds: at most `max_delay`, and before jitter. For decorrelated jitter the
    /// upper end of its window.
    pub(crate) const fn delay(self, policy: &Policy) -> u64 {
        match policy.jitter {
            Kind::Decorrelated => {
                let delay = self.0.saturating_mul(3);
                if delay < policy.max_delay { delay } else { policy.max_delay }
            }
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal if self.is_at_ceiling(policy) => policy.max_delay,
            // Casting truncates to whole nanoseconds; below the ceiling they fit the signed type, which is the fast one.
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal => f64::from_bits(self.0) as i64 as u64,
        }
    }

    /// The state after a retry whose window gave `drawn`.
    pub(crate) const fn next(self, policy: &Policy, drawn: u64) -> Self {
        match policy.jitter {
            Kind::Decorrelated => Self(drawn),
            // Once at the ceiling the product has done its work; growing on would only end at infinity.
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal if self.is_at_ceiling(policy) => self,
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal => {
                Self((f64::from_bits(self.0) * policy.factor).to_bits())
            }
        }
    }

    /// Whether the product has reached `max_delay`, which is below 2^53 and so an f64 without loss.
    const fn is_at_ceiling(self, policy: &Policy) -> bool {
        f64::from_bits(self.0) >= policy.max_delay as i64 as f64
    }

    /// The wait that `word` draws for the next retry, and the step to the state after it.
    #[inline]
    pub(crate) const fn draw(&mut self, policy: &Policy, word: u64) -> u64 {
        let drawn = window(policy, self.delay(policy)).pick(word);
        *self = self.next(policy, drawn);
        drawn
    }

    /// Whether two states are the same one; `==`, for `const`.
    pub(crate) const fn same(self, other: Self) -> bool {
        self.0 == other.0
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::jitter::Jitter;

    /// So the delay of retry number u32::MAX is known without counting up to it.
    #[test]
    fn at_the_ceiling_the_state_stands_still() {
        for factor in [1.01, 1.1, 2.0, 3.3, 10.0] {
            for base in [1, 9, 1_000_000, 30 * 60 * 1_000_000_000] {
                for max_delay in [base, base + 1, 24 * 60 * 60 * 1_000_000_000] {
                    let (base, max_delay) = (Duration::from_nanos(base), Duration::from_nanos(max_delay));
                    let policy = Policy::builder().base_delay(base).max_delay(max_delay).factor(factor);
                    let policy = policy.jitter(Jitter::None).build().unwrap();
                    let (mut state, mut before) = (Backoff::start(&policy), 0);
                    while !state.next(&policy, 0).same(state) {
                        let delay = state.delay(&policy);
                        assert!(before <= delay && delay <= policy.max_delay);
                        (before, state) = (delay, state.next(&policy, 0));
                    }
                    assert_eq!(state.delay(&policy), policy.max_delay, "{policy:?}");
                }
            }
        }
    }
}
