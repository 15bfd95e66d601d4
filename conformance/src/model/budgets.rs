//! Retry budgets as their rules read: sums of tokens, and a list of all that a ratio was told.

use super::{SECOND, nanos};
use crate::rules::Spent;
use crate::scenario::{Cause, Event};
use crate::vectors::{Bucket, Budget, BudgetStep, Limit, Tally};

/// What the budget of `case` makes of its replies, or the setting that it cannot have.
pub(super) fn spent(case: &Budget) -> Result<Vec<Spent>, String> {
    match case.budget {
        Limit::Aws20(has) => Ok(bucket(case, has, |event| match event {
            Event::Failure(Cause::Timeout, _) => 10,
            _ => 5,
        })),
        Limit::Aws21(has) => Ok(bucket(case, has, |event| if event == Event::Status(429) { 5 } else { 14 })),
        Limit::Ratio { share, .. } if !(0.0..=1.0).contains(&share) => Err("ratio.share".into()),
        Limit::Ratio { share, reserve } => Ok(ratio(case, share, reserve)),
        Limit::Throttle { max, .. } if !(1..=1000).contains(&max) => Err("throttle.max".into()),
        Limit::Throttle { ratio, .. } if !(0.001..=1000.0).contains(&ratio) => Err("throttle.ratio".into()),
        Limit::Throttle { max, ratio } => Ok(throttle(case, max, ratio)),
    }
}

/// AWS: every retry costs tokens, every success gives some back.
fn bucket(case: &Budget, Bucket { capacity, filled }: Bucket, cost_after: impl Fn(Event) -> u32) -> Vec<Spent> {
    let capacity = i128::from(capacity);
    let mut tokens = filled.map_or(capacity, |tokens| capacity.min(tokens.into()));
    told(case, |step| {
        if step.tally == Tally::Success {
            let back = if step.attempt.get() == 1 { 1 } else { i128::from(step.paid) };
            tokens = capacity.min(tokens + back);
        }
        let cost = cost_after(step.reply.event);
        if step.granted.is_none() || tokens < i128::from(cost) {
            return (None, tokens);
        }
        tokens -= i128::from(cost);
        (Some(cost), tokens)
    })
}

/// Finagle: what was told in the last ten seconds, the one begun included, is added up anew each time.
///
/// Amounts are millionths of retries. What comes with a time before one that was already seen came at that one.
fn ratio(case: &Budget, share: f64, reserve: u32) -> Vec<Spent> {
    let retry = 1_000_000;
    let share = (share * 1e6).round() as i128;
    let mut seen = 0;
    let mut happened: Vec<(i128, i128)> = Vec::new();
    told(case, |step| {
        let first = step.attempt.get() == 1;
        // A reply that neither counts nor asks for a retry does not move the window.
        if first || step.granted.is_some() {
            seen = seen.max(nanos(step.at) / SECOND);
        }
        if first {
            happened.push((seen, share));
        }
        let left = |happened: &[(i128, i128)]| {
            let inside = happened.iter().filter(|(second, _)| *second > seen - 10);
            i128::from(reserve) * retry + inside.map(|(_, amount)| amount).sum::<i128>()
        };
        if step.granted.is_none() || left(&happened) < retry {
            return (None, left(&happened));
        }
        happened.push((seen, -retry));
        (Some(0), left(&happened))
    })
}

/// gRPC: a failure takes a token, a success gives a part of one, and retries need more than half of all. In thousandths.
fn throttle(case: &Budget, max: u32, ratio: f64) -> Vec<Spent> {
    let max = i128::from(max) * 1000;
    let part = (ratio * 1000.0).round() as i128;
    let mut tokens = max;
    told(case, |step| {
        tokens = match step.tally {
            Tally::Success => max.min(tokens + part),
            Tally::Failure => 0.max(tokens - 1000),
            Tally::Neutral => tokens,
        };
        let granted = step.granted.is_some() && tokens * 2 > max;
        (granted.then_some(0), tokens)
    })
}

/// Tells `one` each reply: it gives the cost of a granted retry, and what is left, which is shown as 0 below that.
fn told(case: &Budget, mut one: impl FnMut(&BudgetStep) -> (Option<u32>, i128)) -> Vec<Spent> {
    let mut refused = 0;
    let spent = case.replies().map(|step| {
        let (cost, left) = one(step);
        refused += u64::from(step.granted.is_some() && cost.is_none());
        Spent { cost, left: u64::try_from(left.max(0)).unwrap_or(u64::MAX), refused }
    });
    spent.collect()
}
