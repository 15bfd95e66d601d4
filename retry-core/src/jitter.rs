//! From a computed delay and one random word to a wait. Integers only, and no generator in sight.

use crate::policy::Policy;

/// How the computed delay d is spread, so that clients that failed together do not come back together.
///
/// Shares are given as a fraction, 0.0 ..= 1.0, and kept in millionths. Windows are whole nanoseconds; within one, each
/// value is as likely as any other to one part in 2^64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jitter {
    /// Exactly d. **For tests only**: without jitter, clients that one outage hit retry in step and cause the next.
    None,
    /// From d - r up to, not including, d + r, where r is this share of d, rounded down; d itself if r is 0.
    ///
    /// It applies after the ceiling, so waits at the ceiling lie around `max_delay`, not below it; see
    /// [`hard_cap`](crate::PolicyBuilder::hard_cap).
    Proportional(f64),
    /// From 0 to d, both included.
    Full,
    /// From d - floor(d / 2) to d, both included.
    Equal,
    /// From `base_delay` to three times the wait drawn before (at first `base_delay`), at most `max_delay`; both
    /// included. The factor is not used.
    Decorrelated,
}

/// A share in millionths, at most one million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share(u32);

impl Share {
    const ONE: u64 = 1_000_000;

    /// The share nearest to `fraction`, unless that is not a number from 0 to 1.
    pub(crate) const fn new(fraction: f64) -> Option<Self> {
        if fraction >= 0.0 && fraction <= 1.0 { Some(Self((fraction * 1e6 + 0.5) as u32)) } else { None }
    }

    pub(crate) const fn millionths(self) -> u32 {
        self.0
    }

    pub(crate) const fn fraction(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This share of `nanos`, rounded down; exact for every delay that a policy accepts.
    pub(crate) const fn of(self, nanos: u64) -> u64 {
        let share = self.0 as u64;
        match nanos.checked_mul(share) {
            Some(product) => product / Self::ONE,
            // From five hours on: split so that no product leaves 64 bits.
            None => {
                let whole = (nanos / Self::ONE).saturating_mul(share);
                whole.saturating_add((nanos % Self::ONE).saturating_mul(share) / Self::ONE)
            }
        }
    }
}

/// A checked [`Jitter`], in 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    None,
    Proportional(Share),
    Full,
    Equal,
    Decorrelated,
}

impl Kind {
    /// The kind of `jitter`, or its share if that is none.
    pub(crate) const fn checked(jitter: Jitter) -> Result<Self, f64> {
        Ok(match jitter {
            Jitter::None => Self::None,
            Jitter::Proportional(fraction) => match Share::new(fraction) {
                Some(share) => Self::Proportional(share),
                None => return Err(fraction),
            },
            Jitter::Full => Self::Full,
            Jitter::Equal => Self::Equal,
            Jitter::Decorrelated => Self::Decorrelated,
        })
    }

    pub(crate) const fn public(self) -> Jitter {
        match self {
            Self::None => Jitter::None,
            Self::Proportional(share) => Jitter::Proportional(share.fraction()),
            Self::Full => Jitter::Full,
            Self::Equal => Jitter::Equal,
            Self::Decorrelated => Jitter::Decorrelated,
        }
    }
}

/// The whole nanoseconds from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Window {
    /// `floor` and the share of it above.
    pub(crate) const fn above(floor: u64, share: Share) -> Self {
        Self { low: floor, high: floor.saturating_add(share.of(floor)) }
    }

    /// The value that `word` stands for: each of the n values has floor(2^64 / n) words, or one more.
    pub(crate) const fn pick(self, word: u64) -> u64 {
        // No window is upside down, or anywhere near all of u64: none of these wraps.
        let values = self.high.wrapping_sub(self.low).wrapping_add(1);
        let offset = (word as u128).wrapping_mul(values as u128) >> 64;
        self.low.wrapping_add(offset as u64)
    }
}

/// The window around `delay`.
#[inline]
pub(crate) const fn window(policy: &Policy, delay: u64) -> Window {
    let (low, high) = match policy.jitter {
        Kind::None => (delay, delay),
        Kind::Proportional(share) => match share.of(delay) {
            0 => (delay, delay),
            // A share is at most one, and no delay that a policy accepts is near the end of u64: none of these wraps.
            r => (delay.wrapping_sub(r), delay.wrapping_add(r).wrapping_sub(1)),
        },
        Kind::Full => (0, delay),
        Kind::Equal => (delay.saturating_sub(delay / 2), delay),
        Kind::Decorrelated => (policy.base_delay, delay),
    };
    // The window is cut, not the value drawn: a clamp would give the ceiling the share of all that lies above it.
    let high = if policy.hard_cap && high > policy.max_delay { policy.max_delay } else { high };
    Window { low, high }
}

/// The end of the window around `delay`; where the window is half open, its open end.
pub(crate) const fn longest(policy: &Policy, delay: u64) -> u64 {
    let end = match policy.jitter {
        Kind::Proportional(share) => delay.saturating_add(share.of(delay)),
        Kind::None | Kind::Full | Kind::Equal | Kind::Decorrelated => delay,
    };
    if policy.hard_cap && end > policy.max_delay { policy.max_delay } else { end }
}
