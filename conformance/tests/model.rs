//! A hundred thousand scenarios at random: the machine by hand, its loop and the model agree, all laws hold, and
//! no call is worse than its policy's worst case.
//!
//! `CONFORMANCE_CASES` is how many in place of that, `CONFORMANCE_SEED` repeats those of a run that failed.

mod common;

use core::hash::BuildHasher;
use core::time::Duration;
use std::env;
use std::hash::RandomState;

use common::generate::{Share, scenarios};
use conformance::json::Span;
use conformance::model::Model;
use conformance::properties::broken;
use conformance::rules::Rules as _;
use conformance::scenario::{Advice, Change, Scenario, Step};
use conformance::sim::{Core, by_hand, simulate};
use conformance::trace::{Source, Trace};
use conformance::vectors::{self, Run, paste};
use conformance::{Subject, check};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

const CASES: u32 = 100_000;

const SHARE: Share = Share { clocks: 0.05, hints: 0.2, limits: 0.3, advice: 0.1 };

/// One test each, so that they run side by side.
const KINDS: u32 = 4;

#[test]
fn agreed_on_calls() {
    agreed("calls", Share { limits: 0.1, ..SHARE });
}

#[test]
fn agreed_on_limits() {
    agreed("limits", Share { limits: 0.8, advice: 0.2, ..SHARE });
}

#[test]
fn agreed_on_hints() {
    agreed("hints", Share { hints: 0.9, ..SHARE });
}

#[test]
fn agreed_on_clocks_that_go_wrong() {
    agreed("clocks", Share { clocks: 0.9, ..SHARE });
}

/// A found case can be put into a file of vectors as it is printed.
#[test]
fn a_case_survives_being_pasted() {
    let folder = env::temp_dir().join(format!("conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("scenarios-pasted.json");
    let cases = vectors::load::<Run>().unwrap();
    let pasted: Vec<_> = cases
        .iter()
        .map(|case| {
            let scenario = &case.body.scenario;
            paste(&format!("{}/{}", case.file, case.id), "why", scenario, &simulate(scenario))
        })
        .collect();
    std::fs::write(&file, format!(r#"{{"about": "", "cases": [{}]}}"#, pasted.join(","))).unwrap();
    let read = vectors::read::<Run>(&file);
    let report = check::file(&file, &Model, &Model);
    std::fs::remove_dir_all(&folder).unwrap();
    for (case, right) in read.unwrap().iter().zip(&cases) {
        assert_eq!(case.body.scenario, right.body.scenario, "{}", case.id);
    }
    let report = report.unwrap();
    assert!(report.wrong.is_empty(), "{report:#?}");
    assert_eq!(report.passed, cases.len());
}

fn agreed(kind: &str, share: Share) {
    let cases = number("CONFORMANCE_CASES").map_or(CASES, |cases| u32::try_from(cases).unwrap_or(u32::MAX));
    assert!(cases > 0, "CONFORMANCE_CASES is 0: nothing would be compared");
    let seed = number("CONFORMANCE_SEED").unwrap_or_else(|| RandomState::new().hash_one(kind));
    let config = Config {
        cases: cases.div_ceil(KINDS),
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_iters: 100_000,
        // The seed and the case are printed instead.
        failure_persistence: None,
        ..Config::default()
    };
    let mut seen = Seen::default();
    let found = {
        let seen = core::cell::RefCell::new(&mut seen);
        TestRunner::new(config).run(&scenarios(share), |scenario| {
            let trace = judge(&scenario)?;
            seen.borrow_mut().see(&trace);
            Ok(())
        })
    };
    println!("{kind}: {seen:?}, CONFORMANCE_SEED={seed}");
    match found {
        Ok(()) => seen.is_worth_something(),
        Err(TestError::Fail(what, scenario)) => panic!("{what}\n{}", case(seed, &scenario)),
        Err(TestError::Abort(what)) => panic!("{what}"),
    }
}

/// What all agree on.
fn judge(scenario: &Scenario) -> Result<Trace, TestCaseError> {
    let trace = by_hand(scenario);
    let others = [("the loop", Ok(simulate(scenario))), ("the model", Model.run(scenario))];
    for (name, other) in others {
        if other.as_ref() != Ok(&trace) {
            let other = other.map_or_else(|skipped| skipped.to_string(), |other| other.to_string());
            return Err(TestCaseError::fail(format!("by hand\n{trace}{name}\n{other}")));
        }
    }
    match broken(scenario, &trace).first() {
        Some(broken) => Err(TestCaseError::fail(format!("{broken}\n{trace}"))),
        None => bounded(scenario, &trace).map(|()| trace),
    }
}

/// No call is worse than the worst case of its policy, if nobody but the policy and the server decides about it.
fn bounded(scenario: &Scenario, trace: &Trace) -> Result<(), TestCaseError> {
    let is_custom = |step: &Step| step.untried.is_some() || matches!(step.advice, Advice::RetryAfter(_));
    let is_steady = scenario.clock.iter().all(|step| matches!(step.change, Change::WallAhead(_) | Change::WallBack(_)));
    if scenario.script.iter().any(is_custom) || !is_steady {
        return Ok(());
    }
    let slowest = trace.sends.iter().map(|send| send.took).max().unwrap_or_default();
    let worst = Core.worst(&scenario.settings(), slowest);
    let waits: Span = trace.waits.iter().map(|wait| Duration::from(wait.lasts)).sum::<Duration>().into();
    let has_hints = trace.waits.iter().any(|wait| wait.source == Source::RetryAfter);
    let time = trace.end.at;
    let within = trace.sends.len() <= worst.sends as usize
        && waits <= worst.waits_with_hints
        && (has_hints || waits <= worst.waits && time <= worst.needed)
        && worst.total.is_none_or(|most| time <= most);
    if within { Ok(()) } else { Err(TestCaseError::fail(format!("a bound is passed: {worst:?}\n{trace}"))) }
}

/// The shrunk scenario with what the model makes of it, and how to see it again.
fn case(seed: u64, scenario: &Scenario) -> String {
    let expected = Model.run(scenario).map(|trace| paste(&format!("found-{seed}"), "", scenario, &trace));
    let expected = expected.unwrap_or_else(|skipped| skipped.to_string());
    format!("again with CONFORMANCE_SEED={seed}; as a case, expected as the model has it:\n{expected}")
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// What the scenarios led to, so that a generator that makes nothing of interest is noticed.
#[derive(Debug, Default)]
struct Seen {
    calls: u32,
    retried: u32,
    reasons: std::collections::BTreeMap<String, u32>,
    sources: std::collections::BTreeMap<String, u32>,
}

impl Seen {
    fn see(&mut self, trace: &Trace) {
        self.calls += 1;
        self.retried += u32::from(trace.sends.len() > 1);
        *self.reasons.entry(format!("{:?}", trace.end.reason)).or_default() += 1;
        for wait in &trace.waits {
            *self.sources.entry(format!("{:?}", wait.source)).or_default() += 1;
        }
    }

    fn is_worth_something(&self) {
        if self.calls >= 1_000 {
            assert!(self.retried > self.calls / 8, "{self:?}");
            assert!(self.reasons.len() == 10 && self.sources.len() == 4, "{self:?}");
        }
    }
}
