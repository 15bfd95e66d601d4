//! A fleet whose calls are all cut off in one instant.

use core::time::Duration;

use conformance::storm::{Preset, Scenario, Variant};

use crate::played;

fn herd() -> Scenario {
    Preset::Herd.scenario(Some(10_000))
}

fn share(variant: &Variant) -> f64 {
    variant.busiest_of_retries.unwrap_or_default()
}

#[test]
fn the_preset_has_the_numbers_that_it_is_known_for() {
    let scenario = Preset::Herd.scenario(None);
    assert_eq!(scenario.clients, 100_000);
    assert_eq!(scenario.jitters, crate::read(&["none", "10%", "full", "equal", "decorrelated"]));
    assert!(Preset::Herd.scenario(Some(1_000_000)).check().is_ok());
}

/// With the server down to the end, each call has retries at 1 s, 3 s and 7 s, before jitter: what is in the busiest
/// 100 ms of three equal rounds follows from the windows.
#[test]
fn each_kind_of_jitter_has_its_share_in_the_busiest_tenth_of_a_second() {
    let mut scenario = herd();
    scenario.outage.down = Duration::from_secs(600);
    let report = played(&scenario);
    for (jitter, expected, tolerance) in [
        // A whole round of three.
        ("none", 1.0 / 3.0, 1e-6),
        // Half of the first round: the window is 200 ms.
        ("10%", 1.0 / 6.0, 0.005),
        // A tenth of the first round and, just before that ends, up to a twentieth of the second, and some of the third:
        // (0.1 + 0.0475 + 0.0056) / 3.
        ("full", 0.051, 0.004),
        // A fifth of the first round: the window is 500 ms.
        ("equal", 1.0 / 15.0, 0.004),
    ] {
        let variant = report.variant(jitter, "none").unwrap();
        assert_eq!((variant.retries, variant.failed), (30_000, 10_000), "{jitter}");
        assert!((share(variant) - expected).abs() < tolerance, "{jitter}: {}", share(variant));
    }
    let decorrelated = report.variant("decorrelated", "none").unwrap();
    assert!(share(decorrelated) < 0.03, "{}", share(decorrelated));
}

/// Full jitter waits half as long on average: the retries of some calls are over before the server is back.
#[test]
fn full_jitter_spreads_and_gives_up_sooner() {
    let report = played(&herd());
    let variant = |jitter| report.variant(jitter, "none").unwrap();
    for (jitter, of_sends, of_retries) in [
        ("none", 0.286, 0.400),
        ("10%", 0.147, 0.208),
        ("equal", 0.061, 0.088),
        ("full", 0.041, 0.055),
        ("decorrelated", 0.041, 0.043),
    ] {
        let variant = variant(jitter);
        let sends = variant.busiest_of_sends.unwrap();
        assert!((sends - of_sends).abs() < 0.004, "{jitter}: {sends}");
        assert!((share(variant) - of_retries).abs() < 0.004, "{jitter}: {}", share(variant));
    }
    // The volume of x + y + z < 2 in a box of 1 by 2 by 4 s is 7/6 of 8.
    let failed = variant("full").failed as f64 / 10_000.0;
    assert!((failed - 7.0 / 48.0).abs() < 0.01, "{failed}");
    assert!(["none", "10%", "equal", "decorrelated"].iter().all(|jitter| variant(jitter).failed == 0));
}

#[test]
fn a_budget_of_a_tenth_leaves_a_tenth_of_the_retries() {
    for variant in played(&herd()).variants.iter().filter(|variant| variant.budget == "10%") {
        assert_eq!(variant.retries, 1000, "{}", variant.jitter);
    }
}
