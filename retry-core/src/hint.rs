//! What a policy makes of a server's Retry-After: cap, mode, spread. Reading the header is `retry_after.rs`.

use core::time::Duration;

use crate::jitter::{Share, Window};
use crate::time::nanos;

/// How a policy treats `Retry-After` (RFC 9110 10.2.3).
///
/// The default replaces the computed delay, cuts at 60 s, and adds no spread.
///
/// ```
/// use core::time::Duration;
/// use retry_core::{OverCap, Policy, RetryAfter};
///
/// let patient = RetryAfter::at_least().cap(Duration::from_secs(300)).spread(0.1).over_cap(OverCap::GiveUp);
/// let policy = Policy::builder().retry_after(patient).build()?;
/// assert_eq!(policy.retry_after(), patient);
/// assert_eq!(policy.retry_after().cap, Duration::from_secs(300));
/// # Ok::<(), retry_core::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetryAfter {
    /// Which wait counts.
    pub mode: Mode,
    /// The longest hint that is followed.
    pub cap: Duration,
    /// What happens to a longer one.
    pub over_cap: OverCap,
    /// The share by which a wait on a hint is lengthened at most.
    pub spread: f64,
}

/// Which wait counts when the server names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The server's, above or below the computed one.
    Replace,
    /// The longer of the server's and the computed one after jitter.
    AtLeast,
    /// The computed one; the header is not used.
    Ignore,
}

/// What to do when the server asks for more than the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OverCap {
    /// Wait for the cap.
    Clamp,
    /// End the call with [`ErrorKind::RetryAfterTooLong`](crate::ErrorKind::RetryAfterTooLong).
    GiveUp,
}

impl RetryAfter {
    const fn new(mode: Mode) -> Self {
        Self { mode, cap: Duration::from_secs(60), over_cap: OverCap::Clamp, spread: 0.0 }
    }

    /// The server's wait instead of the computed one.
    pub const fn replace() -> Self {
        Self::new(Mode::Replace)
    }

    /// The longer of the server's wait and the computed one.
    pub const fn at_least() -> Self {
        Self::new(Mode::AtLeast)
    }

    /// The computed wait, whatever the server says.
    pub const fn ignore() -> Self {
        Self::new(Mode::Ignore)
    }

    /// The longest hint that is followed: more than zero, at most 24 h. Default 60 s.
    #[must_use]
    pub const fn cap(mut self, cap: Duration) -> Self {
        self.cap = cap;
        self
    }

    /// What happens to a longer hint. Default [`OverCap::Clamp`].
    #[must_use]
    pub const fn over_cap(mut self, over_cap: OverCap) -> Self {
        self.over_cap = over_cap;
        self
    }

    /// Lengthens each wait by a random part of this share of it, 0.0 ..= 1.0, so that clients that were all told the
    /// same do not return together. A hint is never shortened. Default 0.
    #[must_use]
    pub const fn spread(mut self, share: f64) -> Self {
        self.spread = share;
        self
    }
}

impl Default for RetryAfter {
    fn default() -> Self {
        Self::replace()
    }
}

/// A checked [`RetryAfter`], in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) cap: u64,
    pub(crate) spread: Share,
    pub(crate) mode: Mode,
    pub(crate) over_cap: OverCap,
}

impl Hints {
    pub(crate) const fn public(self) -> RetryAfter {
        RetryAfter {
            mode: self.mode,
            cap: Duration::from_nanos(self.cap),
            over_cap: self.over_cap,
            spread: self.spread.fraction(),
        }
    }

    /// Whether a server that asks for `hint` ends the call.
    pub(crate) const fn refuses(self, hint: Duration) -> bool {
        match (self.mode, self.over_cap) {
            (Mode::Replace | Mode::AtLeast, OverCap::GiveUp) => nanos(hint) > self.cap,
            (Mode::Replace | Mode::AtLeast, OverCap::Clamp) | (Mode::Ignore, OverCap::Clamp | OverCap::GiveUp) => false,
        }
    }

    /// The wait that `hint` leads to, or `None` where the `computed` one applies.
    pub(crate) const fn wait(self, hint: Duration, computed: u64, word: u64) -> Option<u64> {
        let asked = nanos(hint);
        let wait = Window::above(self.capped(asked), self.spread).pick(word);
        match self.mode {
            // Zero is no hint: it would make a loop without pauses.
            _ if asked == 0 => None,
            Mode::Ignore => None,
            Mode::AtLeast if wait < computed => None,
            Mode::Replace | Mode::AtLeast => Some(wait),
        }
    }

    const fn capped(self, asked: u64) -> u64 {
        if asked < self.cap { asked } else { self.cap }
    }

    /// The longest wait that any hint can lead to, if hints are followed at all.
    pub(crate) const fn longest(self) -> u64 {
        match self.mode {
            Mode::Ignore => 0,
            Mode::Replace | Mode::AtLeast => self.cap.saturating_add(self.spread.of(self.cap)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_no_hint_and_a_longer_computed_wait_wins_only_under_at_least() {
        let hints = |mode| Hints { cap: 60, spread: Share::new(0.0).unwrap(), mode, over_cap: OverCap::Clamp };
        let wait = |mode, asked, computed| hints(mode).wait(Duration::from_nanos(asked), computed, 0);
        for mode in [Mode::Replace, Mode::AtLeast, Mode::Ignore] {
            assert_eq!(wait(mode, 0, 5), None);
            assert_eq!(wait(mode, 0, 0), None);
        }
        assert_eq!((wait(Mode::Replace, 3, 5), wait(Mode::Replace, 99, 5)), (Some(3), Some(60)));
        assert_eq!((wait(Mode::AtLeast, 3, 5), wait(Mode::AtLeast, 5, 5)), (None, Some(5)));
        assert_eq!(wait(Mode::Ignore, 3, 5), None);
    }
}
