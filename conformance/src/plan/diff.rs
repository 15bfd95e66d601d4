//! Two policies side by side, at most 99 columns wide.

use crate::facts::{self, Fact};
use crate::plan::Plan;
use crate::span::{human, range};
use crate::text::{made, wrapped};

/// How wide a name and a value are.
const NAMES: usize = 33;
const VALUES: usize = 33;

/// The whole text. Of the settings, those that differ.
pub(crate) fn text(one: &Plan, other: &Plan) -> String {
    let mut text = String::new();
    line(&mut text, "", &one.name, &other.name);
    let settings = pairs(facts::settings(&one.policy), facts::settings(&other.policy));
    section(&mut text, "Settings that differ", settings.into_iter().filter(|(_, one, other)| one != other).collect());
    section(&mut text, "Retries: wait; mean start; made", pairs(retries(one), retries(other)));
    section(&mut text, "Bounds", pairs(facts::bounds(one), facts::bounds(other)));
    section(&mut text, "What ends the call first, if", pairs(facts::ends(one), facts::ends(other)));
    section(&mut text, "Of clients that fail together", pairs(facts::herd(one), facts::herd(other)));
    section(&mut text, "Warnings", pairs(facts::warnings(one), facts::warnings(other)));
    let notes = [one, other].map(facts::note);
    for note in notes.into_iter().flatten().take(1) {
        text += "\n";
        wrapped(&note, NAMES + 2 * VALUES).iter().for_each(|line| text += &format!("{line}\n"));
    }
    text
}

fn retries(plan: &Plan) -> Vec<Fact> {
    let rows = plan.rows.iter().map(|row| {
        let about = if plan.is_drawn(row) { "~" } else { "" };
        let start = format!("{about}{}", human(row.expected_start));
        let value = format!("{}; {start}; {}", range(row.window), made(plan.made(row.number)));
        (format!("retry {}", row.number), value)
    });
    let more = (plan.left_out() > 0).then(|| ("more retries".into(), plan.left_out().to_string()));
    rows.chain(more).collect()
}

/// The facts of both under their names; one that only one of them has stands beside `-`.
fn pairs(one: Vec<Fact>, mut other: Vec<Fact>) -> Vec<(String, String, String)> {
    let mut pairs: Vec<_> = one
        .into_iter()
        .map(|(name, value)| {
            let place = other.iter().position(|(theirs, _)| *theirs == name);
            let theirs = place.map_or_else(|| "-".into(), |place| other.remove(place).1);
            (name, value, theirs)
        })
        .collect();
    pairs.extend(other.into_iter().map(|(name, value)| (name, "-".into(), value)));
    pairs
}

fn section(text: &mut String, title: &str, facts: Vec<(String, String, String)>) {
    *text += &format!("\n{title}\n");
    if facts.is_empty() {
        *text += "  none\n";
    }
    for (name, one, other) in facts {
        line(text, &name, &one, &other);
    }
}

fn line(text: &mut String, name: &str, one: &str, other: &str) {
    let cells = [wrapped(name, NAMES - 3), wrapped(one, VALUES - 2), wrapped(other, VALUES)];
    for place in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
        let [name, one, other] = [0, 1, 2].map(|cell| cells[cell].get(place).map_or("", String::as_str));
        *text += format!("  {name:<0$}{one:<1$}{other}", NAMES - 2, VALUES).trim_end();
        *text += "\n";
    }
}
