//! The core's budgets, without a machine.

use retry_core::{Budget, Instant, Judged, PolicyError, Ratio, Throttle, TokenBucket};

use super::convert;
use crate::rules::Spent;
use crate::vectors::{self, Bucket, Limit, Tally};

/// What the budget of `case` makes of its replies.
pub(super) fn spent(case: &vectors::Budget) -> Result<Vec<Spent>, PolicyError> {
    let mut budget = budget(case.budget)?;
    let spent = case.replies().map(|step| {
        let reply = Judged {
            event: convert::event(step.reply.event),
            tally: tally(step.tally),
            attempt: step.attempt.get(),
            paid: step.paid,
        };
        let now = Instant::EPOCH.saturating_add(step.at.into());
        budget.reply(reply, now);
        let cost = if step.granted.is_some() { budget.withdraw(reply, now) } else { None };
        let level = budget.level();
        Spent { cost, left: level.left.unwrap_or(u64::MAX), refused: level.refused }
    });
    Ok(spent.collect())
}

fn budget(limit: Limit) -> Result<Box<dyn Budget>, PolicyError> {
    Ok(match limit {
        Limit::Aws20(has) => Box::new(bucket(TokenBucket::aws_2_0(), has)),
        Limit::Aws21(has) => Box::new(bucket(TokenBucket::aws_2_1(), has)),
        Limit::Ratio { share, reserve } => Box::new(Ratio::new(share, reserve)?),
        Limit::Throttle { max, ratio } => Box::new(Throttle::new(max, ratio)?),
    })
}

fn bucket(bucket: TokenBucket, Bucket { capacity, filled }: Bucket) -> TokenBucket {
    let full = bucket.capacity(capacity);
    match filled {
        Some(tokens) => full.filled(tokens),
        None => full,
    }
}

const fn tally(tally: Tally) -> retry_core::Tally {
    match tally {
        Tally::Success => retry_core::Tally::Success,
        Tally::Failure => retry_core::Tally::Failure,
        Tally::Neutral => retry_core::Tally::Neutral,
    }
}
