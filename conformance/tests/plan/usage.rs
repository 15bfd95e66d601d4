//! What is wrong with a command line or a file, in one line, with its name and what would be accepted.

use crate::program::{Scratch, printed, run};

#[test]
fn wrong_words_are_named() {
    for (arguments, what) in [
        (&["--frobnicate"][..], "there is no --frobnicate"),
        (&["-x"], "invalid option '-x'"),
        (&["--max-retries"], "--max-retries needs a value"),
        (&["--max-retries", "--json"], "--max-retries needs a value"),
        (&["--json=yes"], "unexpected argument for option '--json': \"yes\""),
        (&["api", "download"], "one policy is planned at a time, but 2 were given"),
        (&["--diff", "api"], "--diff needs two policies, but was given 1"),
        (&["--rows=0"], "--rows is 0, accepted: 1 ..= 1000"),
        (&["--rows=1001"], "--rows is 1001, accepted: 1 ..= 1000"),
        (&["--send=2"], "--send is 2, accepted: 0s ..= 24h"),
        (&["--send=25h"], "--send is 25h, accepted: 0s ..= 24h"),
    ] {
        let (out, error, status) = run(arguments);
        assert_eq!((out.as_str(), status), ("", 2), "{arguments:?}: {error}");
        assert!(error.contains(what) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
}

/// Each setting with a value that no policy can have: the flag, the value and the bound are told.
#[test]
fn wrong_settings_are_named_with_value_and_bound() {
    for (flag, value, bound) in [
        ("--max-retries", "4294967295", "accepted: 0 ..= 4294967294"),
        ("--max-retries", "-1", "accepted: 0 ..= 4294967294"),
        ("--base-delay", "31m", "accepted: 0 ..= 30 min"),
        ("--base-delay", "500", "accepted: 0 ..= 30 min"),
        ("--factor", "0.5", "accepted: 1.0, or 1.01 ..= 10.0"),
        ("--factor", "NaN", "accepted: 1.0, or 1.01 ..= 10.0"),
        ("--max-delay", "500ms", "with a base_delay of 1s, accepted: base_delay ..= 24 h"),
        ("--jitter", "proportional=2", "accepted: a share of 0.0 ..= 1.0"),
        ("--jitter", "some", "decorrelated, or a share such as 10% or proportional=0.1"),
        ("--jitter", "ten%", "decorrelated, or a share such as 10% or proportional=0.1"),
        ("--jitter", "proportional=NaN", "decorrelated, or a share such as 10% or proportional=0.1"),
        ("--hard-cap", "maybe", "true or false"),
        ("--retry-after", "sometimes", "at_least"),
        ("--retry-after.cap", "0s", "accepted: above 0, at most 24 h"),
        ("--retry-after.over-cap", "cut", "give_up"),
        ("--retry-after.spread", "1.5", "accepted: a share of 0.0 ..= 1.0"),
        ("--total-timeout", "0s", "accepted: none, or above 0, at most 1 year"),
        ("--attempt-timeout", "366d", "accepted: none, or above 0, at most 1 year"),
        ("--statuses", "429,700", "accepted: 400 ..= 599"),
        ("--non-idempotent", "maybe", "when_unsent"),
    ] {
        let (out, error, status) = run(&[&format!("{flag}={value}")]);
        assert_eq!((out.as_str(), status), ("", 2), "{flag} {value}: {error}");
        assert!(error.lines().count() == 1 && error.contains(bound), "{flag} {value}: {error}");
        assert!(error.contains(&format!("{flag}: ")) && error.contains(value), "{flag} {value}: {error}");
    }
}

#[test]
fn wrong_files_are_named() {
    let scratch = Scratch::new();
    for (path, what) in [
        (scratch.path("missing.toml"), "No such file"),
        (scratch.file("wrong.toml", "factor = 0.5\n"), "factor is 0.5, accepted: 1.0, or 1.01 ..= 10.0"),
        (scratch.file("unknown.toml", "retries = 5\n"), "retries"),
        (scratch.file("wrong.json", r#"{"base_delay": "31m"}"#), "accepted: 0 ..= 30 min"),
        (scratch.file("broken.json", "{"), "EOF"),
        (scratch.file("bytes.toml", [0xff, 0xfe]), "UTF-8"),
        (scratch.file("long.toml", "#".repeat((1 << 20) + 1)), "longer than 1048576 bytes"),
        (scratch.path(""), "directory"),
    ] {
        let (out, error, status) = run(&[&path]);
        assert_eq!((out.as_str(), status), ("", 1), "{path}: {error}");
        assert!(error.contains(&path) && error.contains(what), "{path}: {error}");
    }
    let (_, error, status) = run(&["nope"]);
    assert!(status == 1 && error.contains("nope: none of the presets api, ") && error.contains("no file"), "{error}");
    let (_, error, status) = run(&["api", "--svg", &scratch.path("no/such/folder.svg")]);
    assert!(status == 1 && error.contains("no/such/folder.svg"), "{error}");
}

/// What a file or a flag has in it reaches a terminal without its control characters, and not at any length.
#[test]
fn text_from_elsewhere_is_escaped_and_cut() {
    let scratch = Scratch::new();
    let long = "x".repeat(100_000);
    for arguments in [
        [scratch.file("key.json", "{\"a\\u001b[31m\\u202e\": 1}")],
        [scratch.file("key.toml", "\"a\\u001b[31m\" = 1\n")],
        [scratch.file("value.toml", "factor = \"\u{202e}b\"\n")],
        [scratch.file("long.json", format!("{{\"{long}\": 1}}"))],
        [scratch.file("long.toml", format!("{long} = 1\n"))],
        ["no\u{1b}[31m file".to_owned()],
        ["--\u{1b}[31m".to_owned()],
        [long[..4_000].to_owned()],
        ["--jitter=\u{1b}[31m".to_owned()],
        [format!("--jitter={long}")],
    ] {
        let (out, error, status) = run(&arguments.each_ref().map(String::as_str));
        assert!(out.is_empty() && status > 0, "{arguments:?}");
        assert!(error.chars().count() < 1_600, "{} bytes", error.len());
        assert!(!error.contains(|char: char| (char.is_control() && char != '\n') || char == '\u{202e}'), "{error:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_whose_name_is_no_text_is_read() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    let scratch = Scratch::new();
    let text = scratch.file("policy.toml", "max_retries = 7");
    let path = std::path::Path::new(&text).with_file_name(OsString::from_vec(b"\xff.toml".to_vec()));
    std::fs::rename(text, &path).expect("another name");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_plan")).arg(&path).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn words_may_be_written_in_more_ways_than_one() {
    let plain = printed(&["api", "--max-retries", "5", "--hard-cap", "--retry-after.mode", "at_least"]);
    assert_eq!(plain, printed(&["api", "--max_retries=5", "--hard_cap=true", "--retry-after=at-least"]));
    assert_eq!(
        printed(&["high-throughput", "--json"]).replace("-thr", "_thr"),
        printed(&["high_throughput", "--json"])
    );
    assert_eq!(printed(&[]), printed(&["api"]));
    assert_eq!(printed(&["--jitter=25%"]), printed(&["--jitter", "proportional=0.25"]));
    // The last one counts.
    assert_eq!(plain, printed(&["api", "--max-retries=9", "--max-retries=5", "--hard-cap", "--retry-after=at-least"]));
}

#[test]
fn help_has_every_flag() {
    let help = printed(&["--help"]);
    assert_eq!(help, printed(&["-h"]));
    for flag in ["send", "rows", "json", "svg", "diff", "max-retries", "base-delay", "factor", "max-delay", "jitter"] {
        assert!(help.contains(&format!(" --{flag}")), "{flag}");
    }
    for flag in ["hard-cap", "retry-after", "total-timeout", "attempt-timeout", "statuses", "non-idempotent"] {
        assert!(help.contains(&format!(" --{flag}")), "{flag}");
    }
}

/// The status is the same where nobody can be told what is wrong.
#[cfg(target_os = "linux")]
#[test]
fn an_error_that_cannot_be_written_leaves_the_status() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_plan")).arg("--frobnicate").stderr(full).status();
    assert_eq!(status.expect("it starts").code(), Some(2));
}
