//! The suite at the command line.

use std::env;
#[cfg(target_os = "linux")]
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use conformance::results::Results;
use conformance::vectors;
use conformance::wrong::WRONG;

/// What the program says, what it says is wrong, and its status.
fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (text(output.stdout), text(output.stderr), output.status.code().expect("it ends by itself"))
}

/// A file in a folder that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let folder = env::temp_dir().join(format!("conformance-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("a path of text").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn run_tells_the_counts_of_each_file() {
    let (out, error, status) = run(&["run"]);
    assert_eq!((error.as_str(), status), ("", 0), "{out}");
    for path in vectors::files().unwrap() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let line = out.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {out}"));
        let counts: Vec<_> = line.split_whitespace().skip(1).collect();
        assert!(counts.len() == 4 && counts.iter().all(|count| *count == counts[0]), "{line}");
    }
    let (list, _, status) = run(&["list"]);
    assert_eq!(status, 0);
    let total = |text: &str| text.lines().last().and_then(|line| line.split_whitespace().nth(1)).map(str::to_owned);
    assert_eq!(total(&list), total(&out));
}

#[test]
fn check_names_what_is_wrong() {
    let scratch = Scratch::new("check");
    let right = r#"{"about": "", "cases": [{"id": "X1", "note": "why", "lines": ["5"], "hint": "5s"}]}"#;
    let (out, error, status) = run(&["check", &scratch.file("retry_after-mine.json", right)]);
    assert_eq!((error.as_str(), status), ("", 0), "{out}");

    let wrong = right.replace(r#""5s""#, r#""6s""#);
    let (out, error, status) = run(&["check", &scratch.file("retry_after-wrong.json", wrong)]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("by hand, X1: hint: got Some(5s), expected Some(6s)\n  (why)"), "{out}");
    assert!(error.contains("3 came out wrong"), "{error}");

    for (name, text, what) in [
        ("retry_after-field.json", right.replace("lines", "line"), "X1: unknown field `line`"),
        ("retry_after-json.json", "{".into(), "EOF"),
        ("other.json", right.into(), "its name begins with no kind of case: backoff, "),
    ] {
        let (_, error, status) = run(&["check", &scratch.file(name, text)]);
        assert_eq!(status, 1, "{error}");
        assert!(error.contains(name) && error.contains(what) && error.lines().count() == 1, "{error}");
    }
    let (_, error, status) = run(&["check", "retry_after-missing.json"]);
    assert!(status == 1 && error.contains("retry_after-missing.json"), "{error}");
}

#[test]
fn a_file_that_cannot_be_used_keeps_no_other_from_being_checked() {
    let scratch = Scratch::new("unusable");
    let right = r#"{"about": "", "cases": [{"id": "X1", "note": "why", "lines": ["5"], "hint": "5s"}]}"#;
    let wrong = right.replace(r#""5s""#, r#""6s""#);
    let endless = r#"{"about": "", "cases": [{"id": "X", "note": "why", "scenario": {"policy": {"max_retries": 4000000000}},
        "expected": {"sends": [], "waits": [], "back": "0s", "attempts": 0, "reason": "answer", "code": null, "status": null}
    }]}"#;
    let (broken, endless) = (scratch.file("policy-broken.json", "{"), scratch.file("scenarios-endless.json", endless));
    let (right, wrong) = (scratch.file("retry_after-right.json", right), scratch.file("retry_after-wrong.json", wrong));

    let (out, error, status) = run(&["check", &broken, &endless, &right]);
    assert_eq!(status, 1, "{out}{error}");
    assert!(out.contains("retry_after-right.json         1          1         1         1\n"), "{out}");
    let [first, second] = error.lines().collect::<Vec<_>>()[..] else { panic!("{error}") };
    assert!(first.starts_with("conformance: policy-broken.json: EOF"), "{error}");
    assert_eq!(
        second,
        "conformance: scenarios-endless.json, X: scenario.policy.max_retries is 4000000000, accepted: at most 9999"
    );

    let (out, error, status) = run(&["check", &broken, &wrong]);
    assert!(status == 1 && out.contains("by hand, X1: hint: got Some(5s)"), "{out}");
    assert!(error.lines().count() == 2 && error.ends_with("3 came out wrong\n"), "{error}");
}

#[test]
fn diff_tells_what_differs() {
    let scratch = Scratch::new("diff");
    let (right, _, status) = run(&["results"]);
    assert_eq!(status, 0);
    let one = scratch.file("one.json", &right);
    let (out, error, status) = run(&["diff", &one, &one]);
    assert_eq!((error.as_str(), status), ("", 0), "{out}");

    let wrong = WRONG.iter().find(|wrong| wrong.law == "what_may_not_be_repeated_goes_out_once").unwrap();
    let results = Results::of(wrong).unwrap();
    let other = scratch.file("other.json", serde_json::to_vec(&results).unwrap());
    let (out, error, status) = run(&["diff", &one, &other]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("scenarios-policy.json/C7-POST: end.attempts: 1, 4\n"), "{out}");
    assert!(out.ends_with("scenarios in common, 0 and 0 more\n") && error.contains(" differences"), "{out}{error}");

    let none = scratch.file("none.json", r#"{"subject": "none", "traces": {}}"#);
    let (_, error, status) = run(&["diff", &one, &none]);
    assert!(status == 1 && error.contains("nothing to compare"), "{error}");
    let (_, error, status) = run(&["diff", &one, &scratch.file("broken.json", "[")]);
    assert!(status == 1 && error.contains("broken.json"), "{error}");
    let (_, error, status) = run(&["diff", &one, &scratch.file("long.json", " ".repeat(2 << 20))]);
    let expected = "conformance: long.json: its size in bytes is 1048577, accepted: at most 1048576\n";
    assert_eq!((error.as_str(), status), (expected, 1));
}

#[test]
fn a_wrong_command_line_gives_one_clear_line() {
    for (arguments, what) in [
        (&[][..], "a command is missing"),
        (&["frobnicate"], "`frobnicate` is no command"),
        (&["check"], "check needs a file"),
        (&["diff", "one.json"], "diff needs two files"),
        (&["run", "more"], "`run` is no command, or has too many arguments"),
    ] {
        let (out, error, status) = run(arguments);
        assert_eq!((out.as_str(), status), ("", 2), "{error}");
        assert!(error.contains(what) && error.lines().count() == 1, "{error}");
    }
    let (out, error, status) = run(&["--help"]);
    assert_eq!((error.as_str(), status), ("", 0));
    for command in ["list", "run", "check", "results", "diff"] {
        assert!(out.contains(&format!("\n  {command}")), "{out}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_error_that_cannot_be_told_keeps_its_status() {
    let scratch = Scratch::new("untold");
    let broken = scratch.file("retry_after-broken.json", "{");
    for (arguments, status) in [(&["frobnicate"][..], 2), (&["check", &broken], 1), (&["diff", &broken, &broken], 1)] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that takes nothing");
        let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).stderr(full).output();
        assert_eq!(output.expect("it starts").status.code(), Some(status), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_whose_name_is_no_text_is_read() {
    use std::os::unix::ffi::OsStringExt as _;

    let scratch = Scratch::new("name");
    let path = scratch.0.join(OsString::from_vec(b"retry_after-\xff.json".to_vec()));
    let run = |arguments: &[&OsStr]| {
        let output = Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().expect("it starts");
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    };
    let case = r#"{"about": "", "cases": [{"id": "X1", "note": "why", "lines": ["5"], "hint": "5s"}]}"#;
    fs::write(&path, case).expect("a file");
    assert_eq!(run(&["check".as_ref(), path.as_ref()]), (String::new(), Some(0)));
    fs::write(&path, r#"{"subject": "none", "traces": {}}"#).expect("a file");
    let (error, _) = run(&["diff".as_ref(), path.as_ref(), path.as_ref()]);
    assert!(error.contains("nothing to compare"), "{error}");
}
