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

    /// The wait that `word` draws for the next retry, and the step to the state after it.
    #[inline]
    pub(crate) const fn draw(&mut self, policy: &Policy, word: u64) -> u64 {
        let (delay, next) = self.step(policy);
        let drawn = window(policy, delay).pick(word);
        *self = match policy.jitter {
            Kind::Decorrelated => Self(drawn),
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal => next,
        };
        drawn
    }

    /// The delay of the next retry in nanoseconds, and the state after it: at most `max_delay`, and before jitter. For
    /// decorrelated jitter the upper end of its window, and the state after the longest wait.
    pub(crate) const fn step(self, policy: &Policy) -> (u64, Self) {
        let ceiling = policy.max_delay;
        match policy.jitter {
            Kind::Decorrelated => {
                let delay = self.0.saturating_mul(3);
                let delay = if delay < ceiling { delay } else { ceiling };
                (delay, Self(delay))
            }
            Kind::None | Kind::Proportional(_) | Kind::Full | Kind::Equal => {
                // A day in nanoseconds is below 2^53: all conversions here are exact but for the fraction that is cut
                // off, and signed ones are the fast ones.
                let product = f64::from_bits(self.0);
                if product < ceiling as i64 as f64 {
                    (product as i64 as u64, Self((product * policy.factor).to_bits()))
                } else {
                    // The product has done its work; growing on would only end at infinity.
                    (ceiling, self)
                }
            }
        }
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
                    let last = loop {
                        let (delay, next) = state.step(&policy);
                        assert!(before <= delay && delay <= policy.max_delay);
                        if next.same(state) {
                            break delay;
                        }
                        (before, state) = (delay, next);
                    };
                    assert_eq!(last, policy.max_delay, "{policy:?}");
                }
            }
        }
    }
}
