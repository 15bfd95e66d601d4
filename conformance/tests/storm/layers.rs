//! Three layers of callers, 4 sends each.

use core::time::Duration;

use conformance::storm::{Outage, Preset, Scenario};

use crate::{played, read};

#[test]
fn the_preset_has_the_numbers_that_it_is_known_for() {
    let scenario = Preset::Layers.scenario(None);
    assert_eq!((scenario.layers, scenario.policy.max_retries()), (3, 3));
    assert_eq!(scenario.budgets, read(&["none", "10%"]));
    assert!(scenario.clients <= 10_000);
}

/// A server that is down from the first call to the last.
fn down_throughout() -> Scenario {
    let outage = Outage { at: Duration::ZERO, hang: Duration::ZERO, down: Duration::from_secs(600) };
    Scenario { outage, duration: Duration::from_secs(60), ..Preset::Layers.scenario(None) }
}

#[test]
fn without_budgets_each_call_is_64_sends_at_the_bottom() {
    let report = played(&down_throughout());
    for variant in report.variants.iter().filter(|variant| variant.budget == "none") {
        assert_eq!(variant.sends, 64 * variant.calls, "{variant:?}");
        assert_eq!(variant.failed, variant.calls);
    }
}

#[test]
fn with_budgets_of_a_tenth_it_is_at_most_one_and_a_half() {
    let report = played(&down_throughout());
    for variant in report.variants.iter().filter(|variant| variant.budget == "10%") {
        // 1.1 × 1.1 × 1.1, less what a process has not yet saved up for its next retry.
        assert!((1.2..=1.331).contains(&variant.amplification), "{}", variant.amplification);
    }
}

#[test]
fn the_preset_shows_both_while_the_server_is_down() {
    let report = played(&Preset::Layers.scenario(None));
    for variant in &report.variants {
        let outage = variant.outage.unwrap().amplification.unwrap();
        if variant.budget == "none" {
            // The first calls of the outage take some seconds to make all of their sends.
            let settled = &variant.offered[30..80];
            let mean = settled.iter().sum::<f64>() / settled.len() as f64;
            assert!((6300.0..6500.0).contains(&mean) && outage > 60.0, "{mean} {outage}");
        } else {
            assert!(outage <= 1.5, "{outage}");
            // The one second in which the savings of 10 s are spent in three layers at once.
            assert!((350.0..450.0).contains(&variant.peak), "{}", variant.peak);
        }
    }
}

/// What is saved up is spent at once, and stands in the window of 10 s as debt: one second in ten has all of the retries
/// that are more than a few.
#[test]
fn budgets_are_spent_in_one_second_of_ten() {
    let scenario = Preset::Layers.scenario(None);
    let outage = scenario.outage;
    let (from, to) = (outage.at.as_secs() as usize, outage.end().as_secs() as usize);
    for variant in played(&scenario).variants.iter().filter(|variant| variant.budget == "10%") {
        let bursts: Vec<usize> = (from..to).filter(|second| variant.offered[*second] > 2.0 * scenario.load).collect();
        assert!(bursts.len() >= 5 && bursts.windows(2).all(|pair| pair[1] - pair[0] == 10), "{bursts:?}");
    }
}

/// Without a share, what a process may retry is its reserve, and those of all layers add up.
#[test]
fn each_layer_has_budgets_of_its_own() {
    for layers in 1..=3 {
        let scenario = down_throughout();
        let duration = Duration::from_secs(5);
        let report = played(&Scenario { layers, processes: 1, duration, budgets: read(&["0%+7"]), ..scenario });
        for variant in &report.variants {
            assert_eq!(variant.sends, variant.calls + 7 * u64::from(layers), "{} {layers}", variant.jitter);
        }
    }
}
