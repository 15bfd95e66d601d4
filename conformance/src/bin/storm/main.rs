//! Storms at the command line: a fleet, an outage, and what comes of it.

mod flags;
mod progress;

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use conformance::storm::{self, Report, chart, table::Table};
use flags::{Flags, HELP};
use progress::Progress;

fn main() -> ExitCode {
    let flags = match Flags::read(env::args_os().skip(1)) {
        Ok(Some(flags)) => flags,
        Ok(None) => return told(print(HELP)),
        Err(wrong) => {
            complain(&format!("{wrong}; --help says more"));
            return ExitCode::from(2);
        }
    };
    let progress = Progress::new();
    let played = storm::play(&flags.scenario, &|share| progress.tell(share));
    progress.clear();
    match played {
        Ok(report) => told(write(&report, &flags)),
        Err(wrong) => {
            complain(&format!("--{wrong}; --help says more"));
            ExitCode::from(2)
        }
    }
}

fn write(report: &Report, flags: &Flags) -> Result<(), String> {
    if let Some(path) = &flags.svg {
        save(path, &chart::draw(report))?;
    }
    print(&if flags.json { format!("{:#}\n", report.to_json()) } else { Table(report).to_string() })
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        // Nobody reads on: not a failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| error.to_string()),
    }
}

fn told(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            complain(&what);
            ExitCode::FAILURE
        }
    }
}

/// Where nobody can be told, the status tells it.
fn complain(what: &str) {
    _ = writeln!(io::stderr(), "storm: {what}");
}
