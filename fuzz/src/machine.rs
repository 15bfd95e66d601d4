//! Calls: the core's machine by hand and its loop against the naive model, and all of them against the laws.
//!
//! The bytes are a policy, a request, a script of replies with hints, advice and proxies not yet tried, the words of the
//! generator, and what becomes of the clocks: they stand, go back, jump, or sleep.

use conformance::Subject;
use conformance::json::Span;
use conformance::model::Model;
use conformance::properties::broken;
use conformance::rules::Rules;
use conformance::scenario::{Change, ClockStep, Jitter, RetryAfter, Scenario, Settings, Step};
use conformance::sim::{ByHand, Core, Drive};

use crate::bytes::Bytes;

/// More than any rule needs; each costs time.
const MOST_RETRIES: u32 = 60;

/// Fails if the core and the model do not do the same.
pub fn run(data: &[u8]) {
    let mut scenario: Scenario = Bytes::new(data).read();
    for settings in [scenario.policy.clone(), scenario.settings()] {
        assert_eq!(Core.refused(&settings), Model.refused(&settings), "{settings:?}");
    }
    accept(&mut scenario);
    let right = Model.run(&scenario);
    for subject in [&ByHand as &dyn Subject, &Drive] {
        let trace = subject.run(&scenario);
        assert_eq!(trace, right, "{}: {scenario:#?}", subject.name());
    }
    if let Ok(trace) = right {
        assert_eq!(broken(&scenario, &trace), [], "{scenario:#?}\n{trace}");
    }
    assert_eq!(Core.again(&scenario), Model.again(&scenario), "{scenario:#?}");
}

/// Brings the settings into their bounds, so that most byte strings are a call.
fn accept(scenario: &mut Scenario) {
    let Scenario { policy, request, script, clock, .. } = scenario;
    let Settings { base_delay, factor, max_delay, jitter, retry_after, statuses, .. } = policy;
    *base_delay = (*base_delay).min(Span::from_secs(1800));
    if !(*factor == 1.0 || (1.01..=10.0).contains(factor)) {
        *factor = 2.0;
    }
    *max_delay = (*max_delay).clamp(*base_delay, DAY);
    if let Jitter::Proportional(share) = jitter {
        *share = of_one(*share);
    }
    statuses.retain(|status| (400..=599).contains(status));
    policy.max_retries %= MOST_RETRIES;
    request.max_retries = request.max_retries.map(|count| count % MOST_RETRIES);
    for hints in [retry_after].into_iter().chain(&mut request.retry_after) {
        let RetryAfter { cap, spread, .. } = hints;
        *cap = (*cap).clamp(Span::from_nanos(1), DAY);
        *spread = of_one(*spread);
    }
    let limits = [&mut policy.total_timeout, &mut policy.attempt_timeout];
    for limit in limits.into_iter().chain([&mut request.total_timeout, &mut request.attempt_timeout]) {
        *limit = limit.filter(|limit| *limit > Span::ZERO);
    }
    if script.is_empty() {
        script.push(Step::status(503));
    }
    let stands = |step: &ClockStep| matches!(step.change, Change::Stand(_) | Change::Back(_));
    if clock.iter().any(stands) {
        // Draining takes time that such a clock does not show, so the rest of the wait cannot be told.
        script.iter_mut().for_each(|step| step.drain = Span::ZERO);
    }
    assert_eq!(Core.refused(&scenario.settings()), None, "{:?}", scenario.settings());
}

const DAY: Span = Span::from_secs(24 * 3600);

/// A share of one, made of any number.
fn of_one(number: f64) -> f64 {
    if number.is_finite() { number.abs().fract() } else { 1.0 }
}
