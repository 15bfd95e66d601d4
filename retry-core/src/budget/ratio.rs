//! The ratio of retries to first sends, as in Finagle.

use super::{Budget, Judged, Level};
use crate::jitter::Share;
use crate::policy_error::{PolicyError, Value, rule};
use crate::time::{Instant, NANOS_PER_SEC};

/// One-second buckets of the window.
const BUCKETS: u64 = 10;
/// What one retry costs, in millionths of retries.
const RETRY: i64 = 1_000_000;

/// Of the first sends of the last 10 s, a share may be retried, and a reserve on top of it in any 10 s.
///
/// The default is 20 % and a reserve of 100, which can be used at once: a client with little traffic is not kept from
/// its few retries. The window moves in steps of one second. A first send counts when its reply comes, so a canceled
/// one never does.
///
/// ```
/// use retry_core::{Budget, Ratio};
///
/// let strict = Ratio::new(0.1, 0)?;
/// assert_eq!(strict.level().left, Some(0));
/// assert_eq!(Ratio::new(1.5, 0).unwrap_err().field(), "ratio.share");
/// # Ok::<(), retry_core::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    share: Share,
    reserve: u32,
    /// What each second deposited less what it withdrew, in millionths of retries; the newest second last written.
    seconds: [i64; BUCKETS as usize],
    newest: u64,
    refused: u64,
}

impl Ratio {
    /// A budget of `share` (0.0 ..= 1.0, kept in millionths) of the first sends, and `reserve` retries in any 10 s.
    ///
    /// # Errors
    ///
    /// A [`PolicyError`] for a share that is none.
    pub const fn new(share: f64, reserve: u32) -> Result<Self, PolicyError> {
        match Share::new(share) {
            Some(share) => Ok(Self { share, reserve, seconds: [0; BUCKETS as usize], newest: 0, refused: 0 }),
            None => Err(PolicyError { rule: rule::RATIO_SHARE, value: Value::Number(share) }),
        }
    }

    /// What is left at the last moment seen. It is below zero where deposits left the window before the retries that
    /// were taken from them.
    fn balance(&self) -> i64 {
        let window = self.seconds.iter().fold(0_i64, |sum, second| sum.saturating_add(*second));
        i64::from(self.reserve).saturating_mul(RETRY).saturating_add(window)
    }

    /// Moves the window on to `now`, and adds to its newest second. Time never goes back.
    fn add(&mut self, amount: i64, now: Instant) {
        let second = (now.as_nanos() / NANOS_PER_SEC).max(self.newest);
        let passed = second.saturating_sub(self.newest).min(BUCKETS);
        for step in 1..=passed {
            if let Some(old) = self.seconds.get_mut(place(self.newest.wrapping_add(step))) {
                *old = 0;
            }
        }
        // Where more than the whole window passed, all of it was cleared, whichever second it was for.
        self.newest = second;
        if let Some(bucket) = self.seconds.get_mut(place(second)) {
            *bucket = bucket.saturating_add(amount);
        }
    }
}

impl Default for Ratio {
    fn default() -> Self {
        const DEFAULT: Ratio = match Ratio::new(0.2, 100) {
            Ok(budget) => budget,
            Err(_) => panic!("20 % is a share"),
        };
        DEFAULT
    }
}

const fn place(second: u64) -> usize {
    (second % BUCKETS) as usize
}

impl Budget for Ratio {
    fn reply(&mut self, reply: Judged, now: Instant) {
        if reply.attempt == 1 {
            self.add(self.share.millionths().into(), now);
        }
    }

    fn withdraw(&mut self, _: Judged, now: Instant) -> Option<u32> {
        self.add(0, now);
        if self.balance() < RETRY {
            self.refused = self.refused.saturating_add(1);
            return None;
        }
        self.add(RETRY.saturating_neg(), now);
        Some(0)
    }

    fn level(&self) -> Level {
        Level { left: Some(u64::try_from(self.balance()).unwrap_or(0)), refused: self.refused }
    }
}
