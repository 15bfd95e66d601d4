//! The core's small simulator, which is for its users' tests, agrees with this suite's.

mod common;

use common::generate::{Share, scenarios};
use conformance::scenario::{Random, Scenario, Step};
use conformance::sim::{by_hand, convert};
use conformance::trace::{Send, Wait};
use proptest::prelude::*;
use retry_core::testing::{Reply, simulate};
use retry_core::{Entry, Outcome};

const SHARE: Share = Share { clocks: 0.1, hints: 0.1, limits: 0.5, advice: 0.1 };

/// What the small one knows: replies that take their time, and the policy's limits. The rest is left out.
fn plain(mut scenario: Scenario) -> Scenario {
    scenario.clock.clear();
    scenario.cancel_at = None;
    scenario.request.deadline = None;
    for step in &mut scenario.script {
        *step = Step { event: step.event, takes: step.takes, ..Step::status(200) };
    }
    scenario.seeded()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn both_simulators_agree(scenario in scenarios(SHARE).prop_map(plain)) {
        let Random::Seed(seed) = scenario.random else { unreachable!("it is seeded") };
        let policy = convert::builder(&scenario.settings()).build().expect("the settings are valid");
        let replies = (1..).map(|number| {
            let step = scenario.step(number);
            Reply::from(Outcome::new(convert::event(step.event))).after(step.takes.into())
        });
        let call = simulate(&policy, convert::replay(&scenario), seed, replies);

        let trace = by_hand(&scenario);
        let sends = call.sends.iter().map(|Entry { event, start, took, .. }| Send {
            at: (*start).into(),
            took: (*took).into(),
            event: Some(convert::told(*event)),
        });
        prop_assert_eq!(sends.collect::<Vec<_>>(), &trace.sends[..]);
        let waits = call.sends.iter().filter_map(|send| {
            let (wait, source) = send.wait?;
            Some(Wait { at: (send.start + send.took).into(), lasts: wait.into(), source: convert::source(source) })
        });
        prop_assert_eq!(waits.collect::<Vec<_>>(), &trace.waits[..]);
        let end = call.end.expect("the replies do not run out");
        prop_assert_eq!(
            (end.attempts, end.elapsed.into(), convert::reason(end.reason), end.kind().map(|kind| kind.code())),
            (trace.end.attempts, trace.end.elapsed, trace.end.reason, trace.end.code)
        );
    }
}
