//! The token bucket of the AWS SDKs' standard retry mode.

use super::{Budget, Judged, Level, Tally};
use crate::outcome::{Cause, Event};
use crate::time::Instant;

/// Tokens that every retry costs, and that successes give back.
///
/// A bucket holds at most its capacity, 500 unless told otherwise, and begins full. A success after retries gives back
/// what the last retry cost, a success at the first try one token, a call that fails in the end nothing. Time plays no
/// part.
///
/// ```
/// use retry_core::{Budget, TokenBucket};
///
/// assert_eq!(TokenBucket::aws_2_1().level().left, Some(500));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    tokens: u32,
    capacity: u32,
    costs: Costs,
    refused: u64,
}

/// What a retry costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Costs {
    /// By whether the reply was a timeout.
    Aws20,
    /// By whether the server throttled.
    Aws21,
}

impl Costs {
    const fn of(self, event: Event) -> u32 {
        match (self, event) {
            (Self::Aws20, Event::Failure(failure)) if matches!(failure.cause, Cause::Timeout) => 10,
            (Self::Aws20, Event::Failure(_) | Event::Status(_)) => 5,
            (Self::Aws21, Event::Status(429)) => 5,
            (Self::Aws21, Event::Status(_) | Event::Failure(_)) => 14,
        }
    }
}

impl TokenBucket {
    const CAPACITY: u32 = 500;

    const fn new(costs: Costs) -> Self {
        Self { tokens: Self::CAPACITY, capacity: Self::CAPACITY, costs, refused: 0 }
    }

    /// A retry costs 5 tokens, after a timeout 10.
    pub const fn aws_2_0() -> Self {
        Self::new(Costs::Aws20)
    }

    /// A retry costs 14 tokens, after a 429 only 5.
    pub const fn aws_2_1() -> Self {
        Self::new(Costs::Aws21)
    }

    /// The same with another capacity, and full. A capacity below the cost of a retry allows none.
    #[must_use]
    pub const fn capacity(self, tokens: u32) -> Self {
        Self { tokens, capacity: tokens, ..self }
    }

    /// The same with `tokens` in it, at most its capacity.
    #[must_use]
    pub const fn filled(self, tokens: u32) -> Self {
        let tokens = if tokens < self.capacity { tokens } else { self.capacity };
        Self { tokens, ..self }
    }

    /// The tokens in it.
    pub const fn tokens(&self) -> u32 {
        self.tokens
    }
}

impl Budget for TokenBucket {
    fn reply(&mut self, reply: Judged, _: Instant) {
        let back = match (reply.tally, reply.attempt) {
            (Tally::Success, 1) => 1,
            (Tally::Success, _) => reply.paid,
            (Tally::Failure | Tally::Neutral, _) => 0,
        };
        self.tokens = self.tokens.saturating_add(back).min(self.capacity);
    }

    fn withdraw(&mut self, reply: Judged, _: Instant) -> Option<u32> {
        let cost = self.costs.of(reply.event);
        match self.tokens.checked_sub(cost) {
            Some(left) => {
                self.tokens = left;
                Some(cost)
            }
            None => {
                self.refused = self.refused.saturating_add(1);
                None
            }
        }
    }

    fn level(&self) -> Level {
        Level { left: Some(self.tokens.into()), refused: self.refused }
    }
}
