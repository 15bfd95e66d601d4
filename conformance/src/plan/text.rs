//! One policy as text, at most 99 columns wide.

use crate::args::ROWS_MOST;
use crate::ends::Made;
use crate::facts::{self, Fact};
use crate::plan::Plan;
use crate::span::{human, is_unit, percent, span};

/// How wide a line is at most.
pub(crate) const WIDTH: usize = 99;

/// How wide the names are.
const NAMES: usize = 30;

/// The whole text.
pub(crate) fn text(plan: &Plan) -> String {
    let mut text = format!("Policy {}\n", plan.name);
    section(&mut text, "", facts::settings(&plan.policy), 18);
    if !plan.rows.is_empty() {
        text += "\nRetries, if all sends fail\n";
        text += &table(plan);
    }
    section(&mut text, "\nBounds\n", facts::bounds(plan), NAMES);
    section(&mut text, "\nWhat ends the call first, if\n", facts::ends(plan), 30);
    section(&mut text, "\nOf clients that fail together\n", facts::herd(plan), NAMES);
    let warnings = facts::warnings(plan);
    text += if warnings.is_empty() { "\nNo warnings\n" } else { "\nWarnings\n" };
    section(&mut text, "", warnings, 8);
    if let Some(note) = facts::note(plan) {
        text += "\n";
        wrapped(&note, WIDTH).iter().for_each(|line| text += &format!("{line}\n"));
    }
    text
}

/// `words` in lines of `width` columns at most, unless one word is longer. A number and its unit are one word.
pub(crate) fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut whole: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match whole.last_mut() {
            Some(number) if is_unit(word) => *number += &format!(" {word}"),
            _ => whole.push(word.into()),
        }
    }
    for word in whole {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word,
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => *line += &format!(" {word}"),
            _ => lines.push(word),
        }
    }
    lines
}

fn section(text: &mut String, title: &str, facts: Vec<Fact>, names: usize) {
    if !facts.is_empty() {
        *text += title;
    }
    for (name, value) in facts {
        let mut name = name.as_str();
        for line in wrapped(&value, WIDTH - 2 - names) {
            *text += format!("  {name:<names$}{line}").trim_end();
            *text += "\n";
            name = "";
        }
    }
}

fn table(plan: &Plan) -> String {
    let groups = ["", "computed", "", "wait", "", "", "send starts", "", ""];
    let head = ["retry", "delay", "shortest", "mean", "longest", "earliest", "expected", "latest", "made"];
    let mut text = columns(groups.map(String::from)) + &columns(head.map(String::from));
    for row in &plan.rows {
        let about = |is_drawn: bool| if is_drawn { "~" } else { "" };
        text += &columns([
            row.number.to_string(),
            row.computed.map_or("-".into(), span),
            span(row.window.0),
            format!("{}{}", about(row.drawn.is_some()), human(row.expected)),
            span(row.window.1),
            span(row.start.0),
            format!("{}{}", about(plan.is_drawn(row)), human(row.expected_start)),
            span(row.start.1),
            made(plan.made(row.number)),
        ]);
    }
    match plan.left_out() {
        0 => {}
        more => text += &format!("  and {more} more; `--rows` shows up to {ROWS_MOST}\n"),
    }
    text
}

fn columns([number, times @ .., made]: [String; 9]) -> String {
    let times: String = times.iter().map(|time| format!("{time:>11}")).collect();
    format!("{number:>7}{times}{made:>13}").trim_end().to_owned() + "\n"
}

/// In which calls a retry is made.
pub(crate) fn made(made: Made) -> String {
    match made {
        Made::Always => "always".into(),
        Made::Sometimes(share) => format!("~{}", percent(share)),
        Made::Never => "never".into(),
    }
}
