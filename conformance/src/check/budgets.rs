//! What a budget granted, against what it must grant.

use super::{Came, equal};
use crate::rules::Rules;
use crate::vectors::Budget;

pub(super) fn budget(case: &Budget, rules: &dyn Rules) -> Came {
    let spent = match rules.budget(case) {
        Ok(spent) => spent,
        Err(field) => return equal("refused field", Some(field), case.refused.clone()).map(|()| None),
    };
    equal("refused field", None, case.refused.clone())?;
    if case.steps.is_empty() {
        return Err("no steps".into());
    }
    let (mut spent, mut refused) = (spent.into_iter(), 0);
    for (number, step) in (1..).zip(&case.steps) {
        let mut left = 0;
        for time in 1..=step.times.get() {
            let what = |what| format!("step {number}, time {time}: {what}");
            let got = spent.next().ok_or_else(|| what("nothing came of it"))?;
            equal(&what("granted"), step.granted.map(|_| got.cost.is_some()), step.granted)?;
            if let Some(cost) = step.cost {
                equal(&what("cost"), got.cost, Some(cost))?;
            }
            // Refusals are not in the data: they add up.
            refused += u64::from(step.granted == Some(false));
            equal(&what("refusals"), got.refused, refused)?;
            left = got.left;
        }
        if let Some(right) = step.left {
            equal(&format!("step {number}: left"), left, right)?;
        }
    }
    equal("replies too many", spent.count(), 0)?;
    Ok(None)
}
