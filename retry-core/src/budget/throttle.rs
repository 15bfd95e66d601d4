//! The retry throttling of gRPC (proposal A6).

use super::{Budget, Judged, Level, Tally};
use crate::policy_error::{PolicyError, Value, rule};
use crate::time::Instant;

/// What one failure takes, in thousandths of tokens.
const FAILURE: u32 = 1000;

/// Failures take a token each, successes give back a part of one, and there are retries only while more than half of
/// the tokens are there.
///
/// It begins full. Unlike a bucket that retries are paid from, it reacts to how the server does, not to how much is
/// retried. Time plays no part.
///
/// ```
/// use retry_core::{Budget, Throttle};
///
/// let throttle = Throttle::new(10, 0.1)?;
/// assert_eq!(throttle.level().left, Some(10_000)); // in thousandths
/// assert_eq!(Throttle::new(0, 0.1).unwrap_err().to_string(), "throttle.max is 0, accepted: 1 ..= 1000");
/// # Ok::<(), retry_core::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throttle {
    tokens: u32,
    max: u32,
    ratio: u32,
    refused: u64,
}

impl Throttle {
    /// `max` tokens (1 ..= 1000), and `ratio` of one (0.001 ..= 1000.0, decimals beyond three are ignored) for each success.
    ///
    /// # Errors
    ///
    /// A [`PolicyError`] for a number out of its bounds.
    pub const fn new(max: u32, ratio: f64) -> Result<Self, PolicyError> {
        if max < 1 || max > 1000 {
            return Err(PolicyError { rule: rule::THROTTLE_MAX, value: Value::Number(max as f64) });
        }
        if !(ratio >= 0.001 && ratio <= 1000.0) {
            return Err(PolicyError { rule: rule::THROTTLE_RATIO, value: Value::Number(ratio) });
        }
        let max = max.saturating_mul(FAILURE);
        Ok(Self {
            tokens: max,
            max, // Further decimals are ignored; the millionth undoes the error of the product.
            ratio: (ratio * 1000.0 + 1e-6) as u32,
            refused: 0,
        })
    }
}

impl Budget for Throttle {
    fn reply(&mut self, reply: Judged, _: Instant) {
        self.tokens = match reply.tally {
            Tally::Success => self.tokens.saturating_add(self.ratio).min(self.max),
            Tally::Failure => self.tokens.saturating_sub(FAILURE),
            Tally::Neutral => self.tokens,
        };
    }

    fn withdraw(&mut self, _: Judged, _: Instant) -> Option<u32> {
        if self.tokens > self.max / 2 {
            return Some(0);
        }
        self.refused = self.refused.saturating_add(1);
        None
    }

    fn level(&self) -> Level {
        Level { left: Some(self.tokens.into()), refused: self.refused }
    }
}
