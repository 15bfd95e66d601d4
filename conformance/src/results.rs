//! The results of a subject as a file, to be compared with another's.
//!
//! A file is an object with the `subject`'s name, `traces` by the id of their scenario, such as
//! `scenarios-time.json/D1`, and what was `skipped`, by id with the reason. Given words are replaced by a seed
//! ([`Scenario::seeded`]): a client draws its own words, from a seed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Subject;
use crate::json::Span;
use crate::scenario::Scenario;
use crate::vectors::{self, Run, VectorError};

/// What a subject made of the scenarios.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The subject's name.
    pub subject: String,
    /// The [`Trace`](crate::trace::Trace) of each scenario as JSON.
    pub traces: BTreeMap<String, Value>,
    /// Why the others were not run.
    #[serde(default)]
    pub skipped: BTreeMap<String, String>,
}

impl Results {
    /// Runs all scenarios of the vectors.
    ///
    /// # Errors
    ///
    /// As [`vectors::load`].
    pub fn of(subject: &dyn Subject) -> Result<Self, VectorError> {
        let mut results = Self { subject: subject.name().into(), ..Self::default() };
        for (id, scenario) in scenarios()? {
            match subject.run(&scenario) {
                Ok(trace) => _ = results.traces.insert(id, serde_json::json!(trace)),
                Err(skipped) => _ = results.skipped.insert(id, skipped.to_string()),
            }
        }
        Ok(results)
    }

    /// How these results differ from `other`, one line each. What only one of them ran is no difference.
    ///
    /// ```
    /// use conformance::results::Results;
    ///
    /// let results = |at| Results {
    ///     traces: [("a.json/X".to_owned(), serde_json::json!({"sends": [{"at": at}]}))].into(),
    ///     ..Results::default()
    /// };
    /// assert!(results("1s").differences(&results("1000ms")).is_empty());
    /// assert_eq!(results("1s").differences(&results("2s")), [r#"a.json/X: sends[0].at: "1s", "2s""#]);
    /// ```
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        for (id, one, two) in self.common(other) {
            compare(&format!("{id}: "), one, two, &mut lines);
        }
        lines
    }

    /// How many scenarios both have run.
    pub fn shared(&self, other: &Self) -> usize {
        self.common(other).count()
    }

    fn common<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a String, &'a Value, &'a Value)> {
        self.traces.iter().filter_map(|(id, trace)| Some((id, trace, other.traces.get(id)?)))
    }
}

/// The scenarios of the vectors by their ids, each seeded.
///
/// # Errors
///
/// As [`vectors::load`].
pub fn scenarios() -> Result<BTreeMap<String, Scenario>, VectorError> {
    let named = |case: vectors::Case<Run>| (format!("{}/{}", case.file, case.id), case.body.scenario.seeded());
    Ok(vectors::load::<Run>()?.into_iter().map(named).collect())
}

/// Adds a line for each place where the two differ.
fn compare(place: &str, one: &Value, two: &Value, lines: &mut Vec<String>) {
    // The same time can be written in more ways than one.
    let span = |value: &Value| value.as_str().and_then(|text| text.parse::<Span>().ok());
    match (one, two) {
        _ if span(one).is_some() && span(one) == span(two) => {}
        (Value::Object(ones), Value::Object(twos)) => {
            let fields: BTreeSet<_> = ones.keys().chain(twos.keys()).collect();
            for field in fields {
                let dot = if place.ends_with(": ") { "" } else { "." };
                either(&format!("{place}{dot}{field}"), ones.get(field), twos.get(field), lines);
            }
        }
        (Value::Array(ones), Value::Array(twos)) => {
            for index in 0..ones.len().max(twos.len()) {
                either(&format!("{place}[{index}]"), ones.get(index), twos.get(index), lines);
            }
        }
        _ if one != two => lines.push(format!("{place}: {one}, {two}")),
        _ => {}
    }
}

/// The same where one of the two may be missing, which is another thing than null.
fn either(place: &str, one: Option<&Value>, two: Option<&Value>, lines: &mut Vec<String>) {
    let shown = |value: Option<&Value>| value.map_or("(missing)".to_owned(), Value::to_string);
    match (one, two) {
        (Some(one), Some(two)) => compare(place, one, two, lines),
        (one, two) => lines.push(format!("{place}: {}, {}", shown(one), shown(two))),
    }
}
