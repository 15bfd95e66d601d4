//! The laws hold for what is right, and each is broken by what is wrong, alone.

use std::collections::BTreeSet;

use conformance::properties::{LAWS, RELATIONS, broken_by};
use conformance::scenario::Scenario;
use conformance::sim::{ByHand, Drive};
use conformance::vectors::{self, Run};
use conformance::wrong::WRONG;
use conformance::{Subject, model::Model};

/// All scenarios of the vectors, and those that show a mistake.
fn scenarios() -> Vec<Scenario> {
    let cases = vectors::load::<Run>().expect("they can be read").into_iter().map(|case| case.body.scenario);
    cases.chain(WRONG.iter().map(|wrong| (wrong.shown_by)())).collect()
}

#[test]
fn the_laws_hold_for_the_core_and_the_model() {
    let scenarios = scenarios();
    assert!(scenarios.len() > 290, "{} scenarios", scenarios.len());
    for subject in [&ByHand as &dyn Subject, &Drive, &Model] {
        for scenario in &scenarios {
            let broken = broken_by(subject, scenario);
            assert!(broken.is_empty(), "{}: {broken:#?}\n{}", subject.name(), json(scenario));
        }
    }
}

#[test]
fn every_law_is_broken_by_a_mistake_of_its_own() {
    let laws = LAWS.iter().map(|law| law.name).chain(RELATIONS);
    let unbroken: Vec<_> = laws.filter(|law| !WRONG.iter().any(|wrong| wrong.law == *law)).collect();
    assert!(unbroken.is_empty(), "{unbroken:#?}");
}

#[test]
fn every_mistake_breaks_its_law_and_no_other() {
    let scenarios = scenarios();
    let mut unexpected = Vec::new();
    for wrong in WRONG {
        let shown: BTreeSet<_> = broken_by(wrong, &(wrong.shown_by)()).iter().map(|broken| broken.law).collect();
        if shown != [wrong.law].into() {
            unexpected.push(format!("{}: its own scenario breaks {shown:?}, not {}", wrong.mistake, wrong.law));
        }
        let mut count = 0;
        for scenario in &scenarios {
            let broken = broken_by(wrong, scenario);
            count += usize::from(!broken.is_empty());
            let others = broken.into_iter().filter(|broken| broken.law != wrong.law);
            unexpected.extend(others.map(|broken| format!("{}: {broken}\n{}", wrong.mistake, json(scenario))));
        }
        println!("{:<56} {:<50} {count:>3} scenarios", wrong.mistake, wrong.law);
    }
    assert!(unexpected.is_empty(), "{}\n{}", unexpected.len(), unexpected.join("\n"));
}

fn json(scenario: &Scenario) -> String {
    serde_json::to_string(scenario).expect("a scenario can be written")
}
