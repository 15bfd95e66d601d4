//! What a file of cases may ask for at most: whoever runs one need not trust it.

use core::fmt;

use super::{Backoff, Budget, Run};
use crate::scenario::Scenario;

/// The most bytes of a file.
pub const MOST_BYTES: u64 = 1 << 20;

/// The most bytes that `set_up` comes to, written out for each of a file's cases.
pub const MOST_SET_UP: u64 = 16 << 20;

/// The most retries that a scenario allows.
pub const MOST_RETRIES: u64 = 9_999;

/// The most retries that are computed for all cases of a file together.
pub const MOST_RETRIES_OF_A_FILE: u64 = 10_000_000;

/// The last retry of which a case of backoff can give the delay.
pub const MOST_DELAYS: u64 = 1_000_000;

/// The most replies that a budget is told, all `times` added up.
pub const MOST_REPLIES: u64 = 1_000;

/// The most things that become of a scenario's clocks.
pub const MOST_CLOCK_STEPS: u64 = 100;

/// A number above its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    field: &'static str,
    value: u64,
    most: u64,
}

impl Excess {
    /// Whether `value` is within its bound.
    pub(super) fn check(field: &'static str, value: u64, most: u64) -> Result<(), Self> {
        if value > most { Err(Self { field, value, most }) } else { Ok(()) }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, accepted: at most {}", self.field, self.value, self.most)
    }
}

/// Such a call ends: a script that is retried for ever, without a wait, comes to as many sends as it may have.
pub(super) fn run(case: &Run) -> Result<(), Excess> {
    let Scenario { request, clock, .. } = &case.scenario;
    let field = match request.max_retries {
        Some(_) => "scenario.request.max_retries",
        None => "scenario.policy.max_retries",
    };
    Excess::check(field, run_retries(case), MOST_RETRIES)?;
    Excess::check("scenario.clock, its length", count(clock), MOST_CLOCK_STEPS)
}

pub(super) fn run_retries(case: &Run) -> u64 {
    let Scenario { policy, request, .. } = &case.scenario;
    request.max_retries.unwrap_or(policy.max_retries).into()
}

pub(super) fn backoff(case: &Backoff) -> Result<(), Excess> {
    Excess::check("delays, its last retry", backoff_retries(case), MOST_DELAYS)
}

pub(super) fn backoff_retries(case: &Backoff) -> u64 {
    case.delays.last().map_or(0, |(retry, _)| (*retry).into())
}

pub(super) fn budget(case: &Budget) -> Result<(), Excess> {
    let times = case.steps.iter().map(|step| u64::from(step.times.get())).sum();
    Excess::check("steps, the sum of their times", times, MOST_REPLIES)
}

fn count<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use crate::vectors::{Kind, RetryAfter, parse};

    use super::*;

    /// The error of a file with one case, which has these fields.
    fn error<K: Kind>(fields: &str) -> Option<String> {
        let text = format!(r#"{{"about": "", "cases": [{{"id": "a", "note": "n", {fields}}}]}}"#);
        parse::<K>("f", &text).err().map(|error| error.to_string())
    }

    #[test]
    fn a_bound_holds_and_the_error_names_it() {
        let steps = |one: u32, two: u32| {
            let step = |times| {
                format!(r#"{{"reply": {{"status": 200}}, "tally": "success", "granted": null, "times": {times}}}"#)
            };
            error::<Budget>(&format!(r#""budget": {{"aws_2_0": {{}}}}, "steps": [{}, {}]"#, step(one), step(two)))
        };
        assert_eq!(steps(1, 999), None);
        assert_eq!(steps(1, 1000).unwrap(), "f, a: steps, the sum of their times is 1001, accepted: at most 1000");
        assert!(steps(u32::MAX, u32::MAX).is_some());

        let delays = |last: u32| error::<Backoff>(&format!(r#""delays": [[1, "1s"], [{last}, "1s"]]"#));
        assert_eq!(delays(1_000_000), None);
        assert_eq!(delays(1_000_001).unwrap(), "f, a: delays, its last retry is 1000001, accepted: at most 1000000");

        let expected = r#""sends": [], "waits": [], "back": "0s", "attempts": 0, "reason": "answer", "code": null, "status": null"#;
        let scenario = |call: &str| error::<Run>(&format!(r#""scenario": {{{call}}}, "expected": {{{expected}}}"#));
        assert_eq!(scenario(r#""policy": {"max_retries": 9999}"#), None);
        assert_eq!(
            scenario(r#""policy": {"max_retries": 10000}"#).unwrap(),
            "f, a: scenario.policy.max_retries is 10000, accepted: at most 9999"
        );
        assert_eq!(scenario(r#""policy": {"max_retries": 10000}, "request": {"max_retries": 1}"#), None);
        assert_eq!(
            scenario(r#""request": {"max_retries": 10000}"#).unwrap(),
            "f, a: scenario.request.max_retries is 10000, accepted: at most 9999"
        );
        let clock = |steps: usize| {
            let step = r#"{"at": "1s", "change": {"back": "1s"}}"#;
            scenario(&format!(r#""clock": [{}]"#, vec![step; steps].join(",")))
        };
        assert_eq!(clock(100), None);
        assert_eq!(clock(101).unwrap(), "f, a: scenario.clock, its length is 101, accepted: at most 100");
    }

    #[test]
    fn many_cases_ask_for_no_more_together_than_a_file_may() {
        fn error<K: Kind>(cases: u32, fields: &str) -> Option<String> {
            let cases: Vec<_> = (1..=cases).map(|id| format!(r#"{{"id": "{id}", "note": "n", {fields}}}"#)).collect();
            let text = format!(r#"{{"about": "", "cases": [{}]}}"#, cases.join(","));
            parse::<K>("f", &text).err().map(|error| error.to_string())
        }
        let delays = |cases| error::<Backoff>(cases, r#""delays": [[1000000, "30s"]]"#);
        assert_eq!(delays(10), None);
        let expected = "f, 11: retries, their sum over the cases so far, is 11000000, accepted: at most 10000000";
        assert_eq!(delays(12).unwrap(), expected);

        let end = r#""attempts": 0, "reason": "answer", "code": null, "status": null"#;
        let expected = format!(r#""expected": {{"sends": [], "waits": [], "back": "0s", {end}}}"#);
        let run = |cases, call: &str| error::<Run>(cases, &format!(r#""scenario": {{{call}}}, {expected}"#));
        for call in [r#""policy": {"max_retries": 9999}"#, r#""request": {"max_retries": 9999}"#] {
            assert_eq!(run(1000, call), None);
            let error = run(1001, call).unwrap();
            assert_eq!(
                error,
                "f, 1001: retries, their sum over the cases so far, is 10008999, accepted: at most 10000000"
            );
        }
    }

    #[test]
    fn a_file_is_no_longer_than_it_may_be_and_neither_is_what_its_set_up_comes_to() {
        let file = |about: &str, line: &str, cases: u32| {
            let cases: Vec<_> = (0..cases).map(|id| format!(r#"{{"id": "{id}", "note": "n"}}"#)).collect();
            let set_up = format!(r#""set_up": {{"lines": ["{line}"], "hint": null}}"#);
            let text = format!(r#"{{"about": "{about}", {set_up}, "cases": [{}]}}"#, cases.join(","));
            parse::<RetryAfter>("f", &text).err().map(|error| error.to_string())
        };
        assert_eq!(file("", "x", 1000), None);
        let long = "x".repeat(1 << 20);
        let error = file(&long, "x", 1).unwrap();
        assert!(
            error.starts_with("f: its size in bytes is ") && error.ends_with("accepted: at most 1048576"),
            "{error}"
        );
        let error = file("", &"x".repeat(40_000), 1000).unwrap();
        let expected = "f: set_up, its bytes times the cases is 40026000, accepted: at most 16777216";
        assert_eq!(error, expected);
    }
}
