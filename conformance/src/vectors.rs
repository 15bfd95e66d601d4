//! The language-neutral cases of `conformance/vectors`.
//!
//! A file is `<kind>.json` or `<kind>-<part>.json`. It is an object with
//! - `about`: what its cases are;
//! - `set_up`, may be left out: what each case has unless it says otherwise itself, object by object;
//! - `cases`: objects with an `id`, which is unique among the cases of a kind, a `note` on why the case is there, and
//!   the fields of its kind: [`Backoff`], [`Jitter`], [`RetryAfter`], [`Bounds`], [`Budget`], [`Settings`], [`Run`],
//!   [`Replay`], [`Vendor`] or [`Verdict`].
//!
//! A file may be anybody's: what it asks for is [bounded](limits), so that reading and running it ends, in bounded memory.

use core::fmt;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

mod budgets;
mod kinds;
mod paste;

pub mod limits;

pub use budgets::{Bucket, Budget, BudgetStep, Limit, Tally};
pub use kinds::{
    Backoff, Bounds, Expected, Jitter, Judgement, Needed, Replay, RetryAfter, Rule, Run, Settings, Vendor, Verdict,
};
pub use paste::paste;

use crate::json::printable;
use kinds::required;
use limits::Excess;

/// A kind of case.
pub trait Kind: DeserializeOwned {
    /// The name that its files begin with.
    const NAME: &'static str;

    /// Whether all that makes it long to run is within its bound.
    ///
    /// # Errors
    ///
    /// The first number that is not.
    fn bounded(&self) -> Result<(), Excess> {
        Ok(())
    }

    /// How many retries are computed at most to check it, where that makes a file of many such cases long to run.
    fn retries(&self) -> u64 {
        0
    }
}

/// The names of all kinds.
pub const KINDS: [&str; 10] = [
    Backoff::NAME,
    Bounds::NAME,
    Budget::NAME,
    Jitter::NAME,
    Settings::NAME,
    Replay::NAME,
    RetryAfter::NAME,
    Run::NAME,
    Vendor::NAME,
    Verdict::NAME,
];

/// One case.
#[derive(Clone, Debug)]
pub struct Case<K> {
    /// The file that it stands in, without its folder.
    pub file: String,
    /// Its name, such as `A1-0.503`.
    pub id: String,
    /// Why it is there.
    pub note: String,
    /// What is to be checked.
    pub body: K,
}

/// What is wrong with a file of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorError {
    file: String,
    id: Option<String>,
    what: String,
}

/// All cases of one kind, file by file in the order of their names.
///
/// # Errors
///
/// If a file cannot be read, is no JSON, has a field that is not known, lacks one, has an `id` that is taken, or a number
/// above its [bound](limits).
pub fn load<K: Kind>() -> Result<Vec<Case<K>>, VectorError> {
    let mut cases: Vec<Case<K>> = Vec::new();
    for path in files()?.iter().filter(|path| kind(path) == K::NAME) {
        for case in read::<K>(path)? {
            if cases.iter().any(|other| other.id == case.id) {
                return Err(VectorError::new(&case.file, Some(case.id), "the id is taken"));
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

/// The cases of one kind in the file at `path`.
///
/// # Errors
///
/// As [`load`].
pub fn read<K: Kind>(path: &Path) -> Result<Vec<Case<K>>, VectorError> {
    parse(&name(path), &text(path)?)
}

/// The cases of one kind in `text`; `file` is what errors call it.
///
/// ```
/// use conformance::vectors::{self, Budget};
///
/// let text = r#"{"about": "", "cases": [{"id": "X", "note": "why", "budget": {"aws_2_1": {}}, "steps": [
///     {"reply": {"status": 503}, "tally": "failure", "granted": null, "times": 4000000000}
/// ]}]}"#;
/// let error = vectors::parse::<Budget>("budgets-mine.json", text).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "budgets-mine.json, X: steps, the sum of their times is 4000000000, accepted: at most 1000"
/// );
/// ```
///
/// # Errors
///
/// As [`load`].
pub fn parse<K: Kind>(file: &str, text: &str) -> Result<Vec<Case<K>>, VectorError> {
    let within = |excess: Result<(), Excess>, id| excess.map_err(|excess| VectorError::new(file, id, excess));
    within(size(text), None)?;
    let Cases { set_up, cases, .. } =
        serde_json::from_str(text).map_err(|error| VectorError::new(file, None, error))?;
    let copied = count(written(&set_up)).saturating_mul(count(cases.len()));
    within(Excess::check("set_up, its bytes times the cases", copied, limits::MOST_SET_UP), None)?;
    let mut parsed = Vec::with_capacity(cases.len());
    let mut ids = BTreeSet::new();
    let mut retries: u64 = 0;
    for (number, mut case) in (1..).zip(cases) {
        let mut take = |field| match case.remove(field) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            Some(_) | None => Err(VectorError::new(file, None, format!("case {number} has no text as its {field}"))),
        };
        let (id, note) = (take("id")?, take("note")?);
        if !ids.insert(id.clone()) {
            return Err(VectorError::new(file, Some(id), "the id is taken"));
        }
        let mut body = set_up.clone();
        overlay(&mut body, case);
        let body =
            K::deserialize(Value::Object(body)).map_err(|error| VectorError::new(file, Some(id.clone()), error))?;
        within(body.bounded(), Some(id.clone()))?;
        retries = retries.saturating_add(body.retries());
        let sum = Excess::check("retries, their sum over the cases so far,", retries, limits::MOST_RETRIES_OF_A_FILE);
        within(sum, Some(id.clone()))?;
        parsed.push(Case { file: file.into(), id, note, body });
    }
    Ok(parsed)
}

/// The paths of all files of cases, in the order of their names.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn files() -> Result<Vec<PathBuf>, VectorError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| VectorError::new("vectors", None, error))?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> = paths.filter(|path| is_file_of_cases(path)).collect();
    files.sort();
    Ok(files)
}

/// The kind of the cases in the file at `path`, by its name.
pub fn kind(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.split('-').next().unwrap_or_default().into()
}

impl VectorError {
    /// The file's name does not tell its kind.
    pub(crate) fn unknown(path: &Path) -> Self {
        Self::new(&name(path), None, format!("its name begins with no kind of case: {}", KINDS.join(", ")))
    }

    fn new(file: &str, id: Option<String>, what: impl fmt::Display) -> Self {
        Self { file: file.into(), id, what: what.to_string() }
    }
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, what) = (printable(&self.file), printable(&self.what));
        match &self.id {
            Some(id) => write!(f, "{file}, {}: {what}", printable(id)),
            None => write!(f, "{file}: {what}"),
        }
    }
}

impl core::error::Error for VectorError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(rename = "about")]
    _about: String,
    #[serde(default)]
    set_up: Map<String, Value>,
    cases: Vec<Map<String, Value>>,
}

/// The text of a file, of which no more is read than is accepted ([`limits::MOST_BYTES`]).
///
/// # Errors
///
/// If it cannot be read, is no UTF-8, or is longer.
pub fn text(path: &Path) -> Result<String, VectorError> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(limits::MOST_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| VectorError::new(&name(path), None, error))?;
    size(&text).map_err(|excess| VectorError::new(&name(path), None, excess))?;
    Ok(text)
}

fn size(text: &str) -> Result<(), Excess> {
    Excess::check("its size in bytes", count(text.len()), limits::MOST_BYTES)
}

/// How many bytes of JSON `value` is.
fn written(value: &Map<String, Value>) -> usize {
    serde_json::to_string(value).unwrap_or_default().len()
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Lays `upper` over `lower`: objects are merged, all else is replaced.
fn overlay(lower: &mut Map<String, Value>, upper: Map<String, Value>) {
    for (field, value) in upper {
        match (lower.get_mut(&field), value) {
            (Some(Value::Object(below)), Value::Object(above)) => overlay(below, above),
            (_, value) => drop(lower.insert(field, value)),
        }
    }
}

/// The schema stands beside the files of cases, and so does what is not JSON.
fn is_file_of_cases(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
        && path.file_stem().is_some_and(|stem| stem != "schema")
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse::<Backoff>("backoff.json", text).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_file_and_the_case() {
        assert!(error("{").starts_with("backoff.json: EOF"));
        assert!(error(r#"{"about": "", "cases": [], "more": 1}"#).starts_with("backoff.json: unknown field `more`"));
        assert_eq!(error(r#"{"about": "", "cases": [{"id": "a"}]}"#), "backoff.json: case 1 has no text as its note");
        assert_eq!(
            error(r#"{"about": "", "cases": [{"id": "a", "note": "n", "policy": {}}]}"#),
            "backoff.json, a: missing field `delays`"
        );
        let unknown = error(r#"{"about": "", "cases": [{"id": "a", "note": "n", "delays": [], "delay": []}]}"#);
        assert!(unknown.starts_with("backoff.json, a: unknown field `delay`"), "{unknown}");
        let deep = error(r#"{"about": "", "cases": [{"id": "a", "note": "n", "policy": {"x": 1}, "delays": []}]}"#);
        assert!(deep.starts_with("backoff.json, a: unknown field `x`"), "{deep}");
    }

    #[test]
    fn a_case_lies_over_the_set_up() {
        let text = r#"{
            "about": "",
            "set_up": {"policy": {"factor": 3.0, "max_retries": 9}, "delays": [[1, "1s"]]},
            "cases": [{"id": "a", "note": "n", "policy": {"factor": 4.0}}]
        }"#;
        let case = parse::<Backoff>("", text).unwrap().remove(0);
        assert_eq!((case.body.policy.factor, case.body.policy.max_retries), (4.0, 9));
        assert_eq!(case.body.delays.len(), 1);
    }
}
