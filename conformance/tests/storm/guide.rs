//! The numbers in the tables of the guide's page about storms are those that are played.

use conformance::storm::{Preset, Recovery, Scenario};

use crate::{played, read};

const PAGE: &str = include_str!("../../../retry-core/src/guide/storms.rs");

/// The cells of each row of the table whose first column has this name.
fn table(first: &str) -> Vec<Vec<&'static str>> {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with(&format!("//! | {first} |")));
    let rows = rows.take_while(|line| line.starts_with("//! |")).skip(2);
    rows.map(|row| row.trim_start_matches("//! |").trim_end_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The number at the start of a cell, with its sign.
fn number(cell: &str) -> f64 {
    let digits: String = cell.chars().filter(|it| "-.0123456789".contains(*it)).collect();
    digits.parse().unwrap_or_else(|error| panic!("{cell}: {error}"))
}

#[test]
fn the_table_of_recovery_is_what_is_played() {
    let rows = table("calls a second");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let [load, budget, sends, queue, back] = row[..] else { panic!("{row:?}") };
        let mut scenario =
            Scenario { load: number(load), jitters: read(&["10%"]), ..Preset::Metastable.scenario(None) };
        let share = if budget == "no retries" {
            scenario.policy = scenario.policy.edit().max_retries(0).build().unwrap();
            scenario.budgets = read(&["none"]);
            0.0
        } else {
            scenario.budgets = read(&[budget.replace(' ', "").as_str()]);
            if budget == "none" { 1.0 } else { number(budget) / 100.0 }
        };
        let (sends, queue) = (number(sends), number(queue));
        assert!((sends - number(load) * (1.0 + share)).abs() < 0.5, "{row:?}");
        assert!((queue - (sends - scenario.capacity)).abs() < 0.5, "{row:?}");
        match played(&scenario).variants[0].recovery {
            Recovery::After(took) => assert!((took - number(back)).abs() <= 0.5, "{row:?}: {took} s"),
            Recovery::Unanswered => panic!("{row:?}: no call was answered"),
            Recovery::Not { queue_growth, .. } => {
                assert!(back == "never" && (queue_growth - queue).abs() < 2.0, "{row:?}: {queue_growth}/s");
            }
        }
    }
}

#[test]
fn the_table_of_the_herd_is_what_is_played() {
    let report = played(&Scenario { budgets: read(&["none"]), ..Preset::Herd.scenario(Some(10_000)) });
    let rows = table("jitter");
    assert_eq!(rows.len(), report.variants.len());
    for row in rows {
        let [jitter, sends, retries, failed] = row[..] else { panic!("{row:?}") };
        let variant = report.variant(&jitter.replace(' ', ""), "none").unwrap_or_else(|| panic!("{row:?}"));
        let is_told = |cell: &str, share: f64| {
            // Right to half of the last place that is told.
            let places = cell.split_once('.').map_or(0, |(_, rest)| rest.trim_end_matches([' ', '%']).len() as i32);
            let error = if cell == "none" { 0.0 } else { 0.5 * 0.1_f64.powi(places) };
            let told = if cell == "none" { 0.0 } else { number(cell) };
            (told - 100.0 * share).abs() <= error + 1e-9
        };
        assert!(is_told(sends, variant.busiest_of_sends.unwrap()), "{row:?}: {variant:?}");
        assert!(is_told(retries, variant.busiest_of_retries.unwrap()), "{row:?}: {variant:?}");
        assert!(is_told(failed, variant.failed as f64 / variant.calls as f64), "{row:?}: {variant:?}");
    }
}
