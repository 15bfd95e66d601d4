//! The set of statuses that are worth another send, as one bit each.

use core::fmt;

/// The lowest status a set can hold.
const FIRST: u16 = 400;
/// The highest status a set can hold.
const LAST: u16 = 599;
/// 200 bits in bytes.
const BYTES: usize = 25;

/// A set of statuses from 400 to 599 (RFC 9110 15.5 and 15.6).
///
/// ```
/// use retry_core::StatusSet;
///
/// let set = StatusSet::DEFAULT.with(520).unwrap().without(500);
/// assert!(set.contains(520) && set.contains(503) && !set.contains(500));
/// assert_eq!(StatusSet::EMPTY.with(200), None); // a success cannot be retried by its status
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatusSet([u8; BYTES]);

impl StatusSet {
    /// No status at all.
    pub const EMPTY: Self = Self([0; BYTES]);

    /// 408, 429, 500, 502, 503 and 504.
    pub const DEFAULT: Self = {
        let mut set = Self::EMPTY;
        let statuses = [408, 429, 500, 502, 503, 504];
        let mut rest: &[u16] = &statuses;
        while let [status, tail @ ..] = rest {
            set = match set.with(*status) {
                Some(larger) => larger,
                None => panic!("the default statuses lie between 400 and 599"),
            };
            rest = tail;
        }
        set
    };

    /// This set and `status`, or `None` if that is not from 400 to 599.
    #[must_use]
    pub const fn with(mut self, status: u16) -> Option<Self> {
        let Some((byte, bit)) = place(status) else { return None };
        let (_, from) = self.0.split_at_mut(byte);
        if let [first, ..] = from {
            *first |= bit;
        }
        Some(self)
    }

    /// This set without `status`.
    #[must_use]
    pub const fn without(mut self, status: u16) -> Self {
        if let Some((byte, bit)) = place(status) {
            let (_, from) = self.0.split_at_mut(byte);
            if let [first, ..] = from {
                *first &= !bit;
            }
        }
        self
    }

    /// The statuses of both sets.
    #[must_use]
    pub const fn union(mut self, other: Self) -> Self {
        let (mut ours, mut theirs): (&mut [u8], &[u8]) = (&mut self.0, &other.0);
        while let ([mine, rest @ ..], [its, others @ ..]) = (ours, theirs) {
            *mine |= *its;
            (ours, theirs) = (rest, others);
        }
        self
    }

    /// Whether the set has no status.
    pub const fn is_empty(&self) -> bool {
        let mut rest: &[u8] = &self.0;
        while let [byte, tail @ ..] = rest {
            if *byte != 0 {
                return false;
            }
            rest = tail;
        }
        true
    }

    /// Whether `status` is in the set.
    #[inline]
    pub const fn contains(&self, status: u16) -> bool {
        match place(status) {
            Some((byte, bit)) => match self.0.split_at(byte).1 {
                [first, ..] => *first & bit != 0,
                [] => false,
            },
            None => false,
        }
    }

    /// The statuses of the set, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (FIRST..=LAST).filter(|status| self.contains(*status))
    }
}

impl fmt::Debug for StatusSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Which bit of which byte stands for `status`.
const fn place(status: u16) -> Option<(usize, u8)> {
    if status < FIRST || status > LAST {
        return None;
    }
    let index = status.wrapping_sub(FIRST);
    Some(((index >> 3) as usize, 1 << (index & 7)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_turns_on_only_itself() {
        for status in FIRST..=LAST {
            let set = StatusSet::EMPTY.with(status).unwrap();
            assert!(set.iter().eq([status]));
            assert_eq!(set.without(status), StatusSet::EMPTY);
        }
    }

    #[test]
    fn a_union_has_what_either_has_and_only_the_empty_set_is_empty() {
        let (low, high) = (StatusSet::EMPTY.with(FIRST).unwrap(), StatusSet::EMPTY.with(LAST).unwrap());
        assert!(low.union(high).iter().eq([FIRST, LAST]));
        assert_eq!(low.union(low).union(StatusSet::EMPTY), low);
        assert!(StatusSet::EMPTY.is_empty() && !low.is_empty() && !high.is_empty());
    }

    #[test]
    fn statuses_outside_are_refused_and_never_contained() {
        for status in [0, 99, 100, 200, 399, 600, 999, u16::MAX] {
            assert_eq!(StatusSet::EMPTY.with(status), None, "{status}");
            assert!(!StatusSet::DEFAULT.contains(status), "{status}");
            assert_eq!(StatusSet::DEFAULT.without(status), StatusSet::DEFAULT, "{status}");
        }
    }

    #[test]
    fn the_default_set_is_the_documented_one() {
        assert!(StatusSet::DEFAULT.iter().eq([408, 429, 500, 502, 503, 504]));
    }
}
