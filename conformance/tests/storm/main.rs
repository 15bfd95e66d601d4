//! Storms: the numbers that the scenarios are known for, and what must hold for any of them.

mod command;
mod guide;
mod herd;
mod laws;
mod layers;
mod metastable;

use conformance::storm::{Report, Scenario, play};

/// Plays a scenario that is within its bounds.
fn played(scenario: &Scenario) -> Report {
    play(scenario, &|_| {}).unwrap_or_else(|error| panic!("{error}"))
}

/// Texts as kinds of jitter or budgets.
fn read<T: core::str::FromStr<Err = String>>(texts: &[&str]) -> Vec<T> {
    texts.iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}
