//! What a person reads, kept in files.

use std::env;
use std::fs;
use std::path::Path;

use crate::program::printed;

/// The names of the files, and the command lines whose output they hold.
const TEXTS: [(&str, &[&str]); 10] = [
    ("api", &["api"]),
    ("microservice", &["microservice"]),
    ("download", &["download"]),
    ("high-throughput", &["high-throughput"]),
    ("none", &["none"]),
    ("decorrelated", &["--jitter", "decorrelated", "--max-retries", "8", "--total-timeout", "60s", "--send", "500ms"]),
    ("full", &["microservice", "--jitter", "full", "--total-timeout", "1200ms", "--attempt-timeout", "1s"]),
    ("without-limits", &["--total-timeout", "none", "--max-retries", "4294967294", "--rows", "8"]),
    ("diff", &["--diff", "api", "download"]),
    ("diff-without-retries", &["--diff", "none", "microservice", "--retry-after", "ignore", "--hard-cap"]),
];

#[test]
fn the_texts_are_those_in_the_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan/texts");
    let is_update = env::var_os("UPDATE").is_some_and(|update| update == "1");
    for (name, arguments) in TEXTS {
        let (path, text) = (folder.join(format!("{name}.txt")), printed(arguments));
        if is_update {
            fs::write(&path, &text).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(text, kept, "{name}: other than in its file; UPDATE=1 writes it anew");
    }
}

#[test]
fn no_line_is_wider_than_99_columns_and_none_ends_in_spaces() {
    let all = TEXTS.iter().map(|(_, arguments)| *arguments).chain([&["--help"][..]]);
    for arguments in all {
        for line in printed(arguments).lines() {
            assert!(line.chars().count() <= 99 && line == line.trim_end(), "{arguments:?}: {line}");
        }
    }
}
