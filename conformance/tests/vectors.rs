//! Every case of `vectors`, against the core and the model.

use conformance::rules::Rules;
use conformance::sim::{ByHand, Core, Drive};
use conformance::vectors::{
    self, Backoff, Bounds, Budget, Case, Jitter, KINDS, Kind, Replay, RetryAfter, Run, Settings, Vendor, Verdict,
};
use conformance::{Subject, check, model::Model};

/// How many cases of each kind there are at least. More are welcome, fewer are a loss.
const LEAST: [(&str, usize); 10] = [
    (Backoff::NAME, 16),
    (Bounds::NAME, 24),
    (Budget::NAME, 43),
    (Jitter::NAME, 37),
    (Settings::NAME, 69),
    (Replay::NAME, 47),
    (RetryAfter::NAME, 156),
    (Run::NAME, 271),
    (Vendor::NAME, 56),
    (Verdict::NAME, 87),
];

/// The rows of the field's cases that cannot be data.
const NOT_DATA: [(&str, &str); 5] = [
    ("C3", "a hundred calls: tests/sim.rs"),
    ("D7", "the sends that a server sees: each adapter's tests/subject.rs"),
    ("F9", "words in a URL: each adapter's tests"),
    ("G4", "redirects, which happen inside one send: each adapter's tests"),
    ("H1", "connections: each adapter's tests"),
];

#[test]
fn the_core_driven_by_hand() {
    run(&Core, &ByHand);
}

#[test]
fn the_core_and_its_loop() {
    run(&Core, &Drive);
}

#[test]
fn the_model() {
    run(&Model, &Model);
}

/// The loader finds what an editor's search finds, and no file is of a kind that nobody runs.
#[test]
fn no_case_is_lost() {
    let mut written = LEAST.map(|(kind, _)| (kind, 0));
    for path in vectors::files().expect("they can be read") {
        let kind = vectors::kind(&path);
        let place = written.iter_mut().find(|place| place.0 == kind);
        let text = std::fs::read_to_string(&path).unwrap();
        place.unwrap_or_else(|| panic!("nobody runs {}", path.display())).1 += text.matches("\"id\":").count();
    }
    let loaded = KINDS.map(|kind| (kind, ids(kind).len()));
    assert_eq!(written, loaded);
    for ((kind, least), (_, count)) in LEAST.into_iter().zip(loaded) {
        assert!(count >= least, "{count} cases of {kind}, but there were {least}");
    }
}

#[test]
fn every_case_of_the_field_is_there_or_said_not_to_be_data() {
    let all: Vec<String> = KINDS.into_iter().flat_map(ids).collect();
    let has = |row: &String| all.iter().any(|id| id.split('-').next() == Some(row));
    let rows = [('A', 9), ('B', 8), ('C', 8), ('D', 7), ('E', 7), ('F', 9), ('G', 6), ('H', 2)];
    let rows = rows.into_iter().flat_map(|(table, count)| (1..=count).map(move |row| format!("{table}{row}")));
    let missing: Vec<_> = rows.filter(|row| !has(row)).collect();
    assert_eq!(missing, NOT_DATA.map(|(row, _)| row));
}

/// Runs every file, says how many cases there were, and fails with the names of all that are wrong.
fn run(rules: &dyn Rules, subject: &dyn Subject) {
    let mut wrong = Vec::new();
    for path in vectors::files().expect("they can be read") {
        let report = check::file(&path, rules, subject).unwrap_or_else(|error| panic!("{error}"));
        println!("{}: {} cases", path.display(), report.passed);
        assert!(report.cases() > 0, "no cases in {}", path.display());
        assert_eq!(report.skipped, 0, "{}", path.display());
        wrong.extend(report.wrong.iter().map(|wrong| format!("{}, {wrong}", path.display())));
    }
    assert!(wrong.is_empty(), "{} cases are wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn ids(kind: &str) -> Vec<String> {
    fn of<K: Kind>() -> Vec<String> {
        let cases: Vec<Case<K>> = vectors::load().expect("they can be read");
        cases.into_iter().map(|case| case.id).collect()
    }
    match kind {
        Backoff::NAME => of::<Backoff>(),
        Bounds::NAME => of::<Bounds>(),
        Budget::NAME => of::<Budget>(),
        Jitter::NAME => of::<Jitter>(),
        Settings::NAME => of::<Settings>(),
        Replay::NAME => of::<Replay>(),
        RetryAfter::NAME => of::<RetryAfter>(),
        Run::NAME => of::<Run>(),
        Vendor::NAME => of::<Vendor>(),
        Verdict::NAME => of::<Verdict>(),
        other => panic!("no kind {other}"),
    }
}
