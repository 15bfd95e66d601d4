//! Runs the cases of a file of vectors against an implementation.

use core::fmt;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::path::Path;

use crate::json::{Span, printable};
use crate::rules::Rules;
use crate::scenario::{Event, Random};
use crate::trace::Trace;
use crate::vectors::{
    self, Backoff, Bounds, Budget, Expected, Jitter, Kind, Replay, RetryAfter, Run, Settings, VectorError, Vendor,
    Verdict,
};
use crate::{Skipped, Subject};

mod budgets;

/// The most characters that are kept of what came out of a case.
pub const MOST_TOLD: usize = 2_000;

/// What came of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many cases were right.
    pub passed: usize,
    /// How many the subject cannot be put into.
    pub skipped: usize,
    /// The others.
    pub wrong: Vec<Wrong>,
}

/// A case that came out wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The case.
    pub id: String,
    /// Why it is there.
    pub note: String,
    /// What came out, at most [`MOST_TOLD`] characters of it.
    pub what: String,
}

impl Report {
    /// How many cases there are.
    pub fn cases(&self) -> usize {
        self.passed + self.skipped + self.wrong.len()
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  ({})", printable(&self.id), self.what, printable(&self.note))
    }
}

/// Runs all cases of the file at `path`: scenarios by `subject`, the rest by `rules`.
///
/// ```
/// use conformance::{check, model::Model, vectors};
///
/// for path in vectors::files()? {
///     let report = check::file(&path, &Model, &Model)?;
///     assert!(report.passed > 0 && report.wrong.is_empty(), "{report:?}");
/// }
/// # Ok::<(), vectors::VectorError>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, or has other than cases of the kind that its name tells.
pub fn file(path: &Path, rules: &dyn Rules, subject: &dyn Subject) -> Result<Report, VectorError> {
    text(path, &vectors::text(path)?, rules, subject)
}

/// The same for `text`, as if it were in a file of the name at the end of `path`.
///
/// # Errors
///
/// As [`file()`].
pub fn text(path: &Path, text: &str, rules: &dyn Rules, subject: &dyn Subject) -> Result<Report, VectorError> {
    match vectors::kind(path).as_str() {
        Backoff::NAME => cases(path, text, |case| backoff(case, rules)),
        Bounds::NAME => cases(path, text, |case| bounds(case, rules)),
        Budget::NAME => cases(path, text, |case| budgets::budget(case, rules)),
        Jitter::NAME => cases(path, text, |case| jitter(case, rules)),
        Replay::NAME => cases(path, text, |case| replay(case, rules)),
        RetryAfter::NAME => cases(path, text, |case| retry_after(case, rules)),
        Run::NAME => cases(path, text, |case| scenario(case, rules, subject)),
        Settings::NAME => cases(path, text, |case| settings(case, rules)),
        Vendor::NAME => cases(path, text, |case| vendor(case, rules)),
        Verdict::NAME => cases(path, text, |case| verdict(case, rules)),
        _ => Err(VectorError::unknown(path)),
    }
}

/// How many cases the file at `path` has.
///
/// # Errors
///
/// As [`file()`].
pub fn count(path: &Path) -> Result<usize, VectorError> {
    fn of<K: Kind>(path: &Path) -> Result<usize, VectorError> {
        vectors::read::<K>(path).map(|cases| cases.len())
    }
    match vectors::kind(path).as_str() {
        Backoff::NAME => of::<Backoff>(path),
        Bounds::NAME => of::<Bounds>(path),
        Budget::NAME => of::<Budget>(path),
        Jitter::NAME => of::<Jitter>(path),
        Replay::NAME => of::<Replay>(path),
        RetryAfter::NAME => of::<RetryAfter>(path),
        Run::NAME => of::<Run>(path),
        Settings::NAME => of::<Settings>(path),
        Vendor::NAME => of::<Vendor>(path),
        Verdict::NAME => of::<Verdict>(path),
        _ => Err(VectorError::unknown(path)),
    }
}

/// What is wrong with `trace` as the trace of a case.
///
/// # Errors
///
/// The first thing that is not as expected.
pub fn expected(trace: &Trace, right: &Expected) -> Result<(), String> {
    let end = trace.end;
    equal("sends", trace.sends.iter().map(|send| send.at).collect::<Vec<_>>(), right.sends.clone())?;
    let waits = trace.waits.iter().map(|wait| (wait.lasts, wait.source));
    equal("waits", waits.collect::<Vec<_>>(), right.waits.clone())?;
    equal("back", end.at, right.back)?;
    equal("elapsed", end.elapsed, right.elapsed.unwrap_or(right.back))?;
    equal("attempts", end.attempts, right.attempts)?;
    equal("reason", end.reason, right.reason)?;
    equal("code", end.code, right.code.as_deref())?;
    let status = match end.event {
        Some(Event::Status(status)) => Some(status),
        Some(Event::Failure(..)) | None => None,
    };
    equal("status", status, right.status)?;
    equal("asked", end.asked, right.asked)?;
    let Some(replies) = &right.replies else { return Ok(()) };
    let got: Vec<_> = trace.sends.iter().map(|send| send.event).collect();
    equal("replies", got, replies.iter().map(|reply| Some(reply.event)).collect())
}

/// What a case comes to: `Ok(Some)` if it was not run.
type Came = Result<Option<Skipped>, String>;

fn cases<K: Kind>(path: &Path, text: &str, run: impl Fn(&K) -> Came) -> Result<Report, VectorError> {
    let mut report = Report::default();
    for case in vectors::parse::<K>(&vectors::name(path), text)? {
        // The case that panics must be named, too.
        let came = catch_unwind(AssertUnwindSafe(|| run(&case.body)));
        match came.unwrap_or_else(|_| Err("it panicked".into())) {
            Ok(None) => report.passed += 1,
            Ok(Some(_)) => report.skipped += 1,
            Err(what) => report.wrong.push(Wrong { id: case.id, note: case.note, what: shortened(what) }),
        }
    }
    Ok(report)
}

/// A file may have thousands of cases, each with a difference of a megabyte.
fn shortened(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(MOST_TOLD) else { return text };
    let (kept, rest) = text.split_at(end);
    format!("{kept}... and {} characters more", rest.chars().count())
}

fn backoff(case: &Backoff, rules: &dyn Rules) -> Came {
    accepted(&case.policy, rules)?;
    let last = case.delays.last().ok_or("no delays")?.0;
    let mut rest = case.delays.iter().copied().peekable();
    let mut before = Span::ZERO;
    let random = Random::default();
    for (number, delay) in (1..=last).zip(rules.waits(&case.policy, &random)) {
        if delay < before || delay > case.policy.max_delay {
            return Err(format!("retry {number}: {delay} after {before}"));
        }
        if let Some((_, right)) = rest.next_if(|(retry, _)| *retry == number) {
            equal(&format!("retry {number}"), delay, right)?;
        }
        before = delay;
    }
    equal("delays that were not reached", rest.count(), 0)?;
    Ok(None)
}

fn jitter(case: &Jitter, rules: &dyn Rules) -> Came {
    accepted(&case.policy, rules)?;
    let waits: Vec<_> = rules.waits(&case.policy, &case.random).take(case.waits.len()).collect();
    equal("waits", waits, case.waits.clone())?;
    Ok(None)
}

fn retry_after(case: &RetryAfter, rules: &dyn Rules) -> Came {
    equal("hint", rules.hint(case), case.hint)?;
    Ok(None)
}

fn vendor(case: &Vendor, rules: &dyn Rules) -> Came {
    let (hint, advice) = rules.vendor(case);
    equal("hint", hint, case.hint)?;
    equal("advice", advice, case.advice)?;
    Ok(None)
}

fn bounds(case: &Bounds, rules: &dyn Rules) -> Came {
    accepted(&case.policy, rules)?;
    let worst = rules.worst(&case.policy, case.needed.send);
    equal("sends", worst.sends, case.sends)?;
    if let Some(nominal) = case.nominal {
        equal("nominal", worst.nominal, nominal)?;
    }
    equal("waits", worst.waits, case.waits)?;
    equal("waits with hints", worst.waits_with_hints, case.waits_with_hints)?;
    equal("total", worst.total, case.total)?;
    equal("time needed", worst.needed, case.needed.time)?;
    Ok(None)
}

fn settings(case: &Settings, rules: &dyn Rules) -> Came {
    equal("refused field", rules.refused(&case.policy), case.refused.clone())?;
    if let Some(preset) = &case.preset {
        equal(&format!("is preset {preset}"), rules.is_preset(&case.policy, preset), Some(true))?;
    }
    Ok(None)
}

fn verdict(case: &Verdict, rules: &dyn Rules) -> Came {
    accepted(&case.policy, rules)?;
    let (verdict, code) = rules.verdict(&case.policy, case.reply.event);
    equal("verdict", verdict, case.verdict)?;
    equal("code", code, case.code.as_deref())?;
    Ok(None)
}

fn replay(case: &Replay, rules: &dyn Rules) -> Came {
    accepted(&case.scenario.settings(), rules)?;
    let (again, why) = rules.again(&case.scenario);
    equal("again", again, case.again)?;
    equal("why", why, case.why)?;
    Ok(None)
}

fn scenario(case: &Run, rules: &dyn Rules, subject: &dyn Subject) -> Came {
    accepted(&case.scenario.settings(), rules)?;
    if case.scenario.script.is_empty() {
        return Err("its script has no step".into());
    }
    match subject.run(&case.scenario) {
        Ok(trace) => {
            expected(&trace, &case.expected).map_err(|wrong| format!("{wrong}\n{trace}"))?;
            Ok(None)
        }
        Err(skipped) => Ok(Some(skipped)),
    }
}

/// Settings that no policy can have are a mistake in the case.
fn accepted(settings: &crate::scenario::Settings, rules: &dyn Rules) -> Result<(), String> {
    equal("refused field", rules.refused(settings), None)
}

fn equal<T: PartialEq + fmt::Debug>(what: &str, got: T, right: T) -> Result<(), String> {
    if got == right { Ok(()) } else { Err(format!("{what}: got {got:?}, expected {right:?}")) }
}

#[cfg(test)]
mod tests {
    use crate::model::Model;

    use super::*;

    #[test]
    fn a_control_character_of_a_case_is_told_escaped() {
        let case = r#"{"id": "\u001b[31m\u00e4", "note": "a\nb", "lines": ["5"], "hint": "6s"}"#;
        let file = format!(r#"{{"about": "", "cases": [{case}]}}"#);
        let report = text(Path::new("retry_after-red.json"), &file, &Model, &Model).unwrap();
        let told = report.wrong[0].to_string();
        assert_eq!(told, "\\u{1b}[31m\u{e4}: hint: got Some(5s), expected Some(6s)\n  (a\\nb)");
        let error = text(Path::new("retry_after-red.json"), &file.replace("hint", "h\\u0007"), &Model, &Model);
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("retry_after-red.json, \\u{1b}[31m\u{e4}: unknown field `h\\u{7}`"), "{error}");
    }

    #[test]
    fn of_a_long_difference_the_beginning_is_kept_and_the_rest_counted() {
        let waits = vec![r#""1s""#; 9_999].join(",");
        let case = format!(
            r#"{{"id": "a", "note": "n", "waits": [{waits}], "random": {{"words": [0]}}, "policy": {{"max_retries": 9999}}}}"#
        );
        let file = format!(r#"{{"about": "", "cases": [{case}]}}"#);
        let report = text(Path::new("jitter-long.json"), &file, &Model, &Model).unwrap();
        let [wrong] = &report.wrong[..] else { panic!("{report:?}") };
        let (kept, more) = wrong.what.rsplit_once("... and ").expect("it is shortened");
        assert!(kept.starts_with("waits: got [") && kept.chars().count() == MOST_TOLD, "{kept}");
        let more: usize = more.strip_suffix(" characters more").unwrap().parse().unwrap();
        assert!(more > 9_999 * "1s, ".len() - MOST_TOLD, "{more}");

        let just = "\u{e4}".repeat(MOST_TOLD);
        assert_eq!(shortened(just.clone()), just);
        assert_eq!(shortened(just.clone() + "\u{e4}"), just + "... and 1 characters more");
    }
}
