//! A server of 300 sends a second, an outage of 10 s, and one retry at a limit of 1 s.

use core::time::Duration;

use conformance::storm::{Preset, Recovery, Scenario, Variant};

use crate::{played, read};

const JITTERS: [&str; 3] = ["none", "10%", "full"];

/// The preset at so many calls a second, for so many seconds, with these budgets.
fn at(load: f64, secs: u64, budgets: &[&str]) -> Scenario {
    let duration = Duration::from_secs(secs);
    Scenario { load, duration, budgets: read(budgets), ..Preset::Metastable.scenario(None) }
}

fn growth(variant: &Variant) -> Option<f64> {
    match variant.recovery {
        Recovery::After(_) => None,
        Recovery::Not { queue_growth, .. } => Some(queue_growth),
        Recovery::Unanswered => None,
    }
}

#[test]
fn the_preset_has_the_numbers_that_it_is_known_for() {
    let scenario = Preset::Metastable.scenario(None);
    assert_eq!((scenario.capacity, scenario.load), (300.0, 240.0));
    assert_eq!((scenario.outage.hang, scenario.outage.down), (Duration::from_secs(10), Duration::ZERO));
    assert_eq!(scenario.policy.max_retries(), 1);
    assert_eq!(scenario.policy.attempt_timeout(), Some(Duration::from_secs(1)));
    assert_eq!(scenario.jitters, read(&JITTERS));
    assert_eq!(scenario.budgets, read(&["none", "20%", "10%"]));
    assert!(scenario.clients <= 10_000);
}

/// 480 sends a second against 300: the queue grows by 180 a second, in an hour as in the first minute.
#[test]
fn without_a_budget_it_never_recovers() {
    let report = played(&at(240.0, 3600, &["none"]));
    for variant in &report.variants {
        let after = variant.after.unwrap();
        assert_eq!(after.goodput, 0.0, "{variant:?}");
        assert!((479.0..481.0).contains(&after.offered), "{}", after.offered);
        assert!(growth(variant).is_some_and(|growth| (179.0..181.0).contains(&growth)), "{:?}", variant.recovery);
    }
}

/// The queue is 10 s of load and of granted retries, less the 1 s that replies in time may take. It shrinks by
/// 300 - 240 × 1.2 = 12 a second, or by 300 - 240 × 1.1 = 36.
#[test]
fn with_a_budget_it_recovers_and_with_half_of_it_in_a_third_of_the_time() {
    for seed in 1..=3 {
        let report = played(&Scenario { seed, ..at(240.0, 400, &["20%", "10%"]) });
        for jitter in JITTERS {
            let took = |budget| report.variant(jitter, budget).unwrap().recovery.after().unwrap();
            let (twenty, ten) = (took("20%"), took("10%"));
            assert!((190.0..235.0).contains(&twenty), "{jitter} seed {seed}: {twenty} s");
            assert!((60.0..75.0).contains(&ten), "{jitter} seed {seed}: {ten} s");
            assert!(twenty > 2.9 * ten, "{jitter} seed {seed}: {twenty} s and {ten} s");
        }
        // Once recovered, all calls are answered again.
        for variant in &report.variants {
            let last = &variant.goodput[350..400];
            let mean = last.iter().sum::<f64>() / last.len() as f64;
            assert!((238.0..242.0).contains(&mean), "{mean}");
        }
    }
}

/// 2,400 sends wait, 300 of them may: 2,100 at 60 a second.
#[test]
fn without_retries_it_recovers_as_the_queue_drains() {
    let scenario = at(240.0, 400, &["none"]);
    let policy = scenario.policy.edit().max_retries(0).build().unwrap();
    for variant in played(&Scenario { policy, ..scenario }).variants {
        assert!(variant.recovery.after().is_some_and(|took| (33.0..38.0).contains(&took)), "{:?}", variant.recovery);
        assert_eq!(variant.retries, 0);
    }
}

/// 280 × 1.2 = 336 and 280 × 1.1 = 308 are above 300; 280 × 1.05 = 294 is not.
#[test]
fn at_280_calls_a_second_only_a_share_below_the_headroom_recovers() {
    let report = played(&at(280.0, 1200, &["20%", "10%", "5%"]));
    for (budget, expected) in [("20%", 36.0), ("10%", 8.0)] {
        for jitter in JITTERS {
            let variant = report.variant(jitter, budget).unwrap();
            let growth = growth(variant).unwrap_or_else(|| panic!("{jitter} {budget}: {:?}", variant.recovery));
            assert!((growth - expected).abs() < 1.0, "{jitter} {budget}: {growth}");
            assert_eq!(variant.after.unwrap().goodput, 0.0);
        }
    }
    for jitter in JITTERS {
        assert!(report.variant(jitter, "5%").unwrap().recovery.after().is_some(), "{jitter}");
    }
}

/// A reserve of 100 in 10 s is 10 sends a second for each of ten processes: 240 × 1.2 + 100 is above 300.
#[test]
fn a_reserve_in_each_process_undoes_the_share() {
    let report = played(&at(240.0, 400, &["20%+100"]));
    for variant in &report.variants {
        assert!(growth(variant).is_some_and(|growth| growth > 50.0), "{:?}", variant.recovery);
    }
}
