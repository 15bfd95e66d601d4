//! What was measured: the versions in the lock file, and the tools.

use std::process::Command;

use crate::table::Table;

/// The crates that matter here.
const CRATES: [&str; 19] = [
    "reqwest",
    "reqwest-middleware",
    "reqwest-retry",
    "retry-policies",
    "tower",
    "backon",
    "again",
    "tokio-retry",
    "surf",
    "http-client",
    "async-h1",
    "surf-retry",
    "httpdate",
    "hyper",
    "tokio",
    "async-std",
    "retry-core",
    "runtime-tokio",
    "runtime-async-std",
];

/// A table of crates and their versions. A crate that is there twice has both.
pub fn crates(lock: &str) -> Table {
    let mut table = Table::new(&["crate", "version"]);
    for name in CRATES {
        let mut versions = Vec::new();
        let mut lines = lock.lines();
        while let Some(line) = lines.next() {
            if line == format!("name = \"{name}\"") {
                let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
                versions.extend(version.map(|version| version.trim_end_matches('"')));
            }
        }
        table.row([name.to_owned(), versions.join(", ")]);
    }
    table
}

/// What the tools say of themselves.
pub fn tools() -> String {
    let ask = |tool: &str| {
        let output = Command::new(tool).arg("--version").output();
        output.map_or_else(
            |_| format!("{tool}, unknown"),
            |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        )
    };
    format!("{}; {}; {}", ask("rustc"), ask("valgrind"), std::env::consts::ARCH)
}
