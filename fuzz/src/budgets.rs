//! Budgets: the core's against the naive model's, reply by reply.
//!
//! The bytes are a budget, maybe one that cannot be, and replies at moments that may go back.

use conformance::model::Model;
use conformance::rules::Rules;
use conformance::sim::Core;
use conformance::vectors::{Budget, Limit};

use crate::bytes::Bytes;

/// The model adds all up anew for each reply.
const MOST_STEPS: usize = 48;

/// Fails if the core and the model do not grant the same retries, at the same cost, and have the same left.
pub fn run(data: &[u8]) {
    let mut case: Budget = Bytes::new(data).read();
    case.steps.truncate(MOST_STEPS);
    // A throttle's ratio has three decimals; what becomes of more is not in its rules.
    if let Limit::Throttle { ratio, .. } = &mut case.budget
        && (0.001..=1000.0).contains(ratio)
    {
        *ratio = (*ratio * 1000.0).round() / 1000.0;
    }
    assert_eq!(Core.budget(&case), Model.budget(&case), "{case:#?}");
}
