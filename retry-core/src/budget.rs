//! What a fleet may spend on retries: pure state that the machine asks before each one.

mod ratio;
mod throttle;
mod token_bucket;

pub use ratio::Ratio;
pub use throttle::Throttle;
pub use token_bucket::TokenBucket;

use crate::outcome::Event;
use crate::time::Instant;

/// A limit on retries over many calls.
///
/// The machine hands every reply to [`reply`](Self::reply), and then, if it means to send again, asks
/// [`withdraw`](Self::withdraw). A call whose retry is refused ends at once, with its reply in hand, and the kind
/// [`BudgetSpent`](crate::ErrorKind::BudgetSpent).
///
/// [`TokenBucket`], [`Ratio`] and [`Throttle`] are the three that are widely used; [`Unlimited`] is none.
pub trait Budget {
    /// One reply was judged. `reply.paid` is what this call paid for the send that produced it.
    fn reply(&mut self, reply: Judged, now: Instant);

    /// Asks for one retry after `reply`: what it costs, or `None` if it is refused.
    fn withdraw(&mut self, reply: Judged, now: Instant) -> Option<u32>;

    /// What is left and what was refused, to be read.
    fn level(&self) -> Level {
        Level::default()
    }
}

/// What is left of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Level {
    /// What is left, in the budget's own unit: tokens, thousandths of tokens, or millionths of retries. `None`: there
    /// is no limit.
    pub left: Option<u64>,
    /// How many retries were refused so far.
    pub refused: u64,
}

/// A reply as a [`Budget`] sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Judged {
    /// What came back.
    pub event: Event,
    /// How it counts.
    pub tally: Tally,
    /// The number of the send, from 1.
    pub attempt: u32,
    /// What the budget took for this send; 0 for the first.
    pub paid: u32,
}

/// How a reply counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Tally {
    /// An answer.
    Success,
    /// A reply that the verdict or a custom policy would send again, whether or not that happens.
    Failure,
    /// Neither.
    Neutral,
}

/// No budget: every retry is granted, and costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unlimited;

impl Budget for Unlimited {
    fn reply(&mut self, _: Judged, _: Instant) {}

    fn withdraw(&mut self, _: Judged, _: Instant) -> Option<u32> {
        Some(0)
    }
}

impl<B: Budget + ?Sized> Budget for &mut B {
    fn reply(&mut self, reply: Judged, now: Instant) {
        (**self).reply(reply, now);
    }

    fn withdraw(&mut self, reply: Judged, now: Instant) -> Option<u32> {
        (**self).withdraw(reply, now)
    }

    fn level(&self) -> Level {
        (**self).level()
    }
}
