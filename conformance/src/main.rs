//! The suite at the command line.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use conformance::Subject;
use conformance::check::{self, Report};
use conformance::model::Model;
use conformance::results::Results;
use conformance::rules::Rules;
use conformance::sim::{ByHand, Core, Drive};
use conformance::vectors::{self, VectorError};

const HELP: &str = "\
The vectors of the conformance suite, and what comes of them.

Usage: conformance <command>

  list              the files of vectors, with the number of their cases
  run               runs all of them against the core (by hand and by its loop) and the model
  check FILE...     the same for these files; their names tell the kind, as in `backoff-mine.json`
  results           prints the results of the core's loop as JSON, to be compared with an adapter's
  diff A B          how the results in file B differ from those in file A
  --help            this

It ends with status 0 if all is well, 1 if something is wrong or differs, and 2 if it was called wrongly.
";

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let command = arguments.next().map(|word| word.to_string_lossy().into_owned());
    let files: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let done = match (command.as_deref().unwrap_or_default(), &files[..]) {
        ("--help" | "-h" | "help", []) => print(HELP),
        ("list", []) => vectors::files().map_err(other).and_then(|files| list(&files)),
        ("run", []) => vectors::files().map_err(other).and_then(|files| run(&files)),
        ("check", [_, ..]) => run(&files),
        ("results", []) => Results::of(&Drive).map_err(other).and_then(|results| print(&pretty(&results))),
        ("diff", [one, two]) => diff(one, two),
        ("", []) => Err(Failure::Usage("a command is missing".into())),
        ("check", []) => Err(Failure::Usage("check needs a file".into())),
        ("diff", _) => Err(Failure::Usage("diff needs two files".into())),
        (command, _) => Err(Failure::Usage(format!("`{command}` is no command, or has too many arguments"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads on: not a failure of ours.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Usage(what)) => {
            tell(&format!("{what}; --help says more"));
            ExitCode::from(2)
        }
        Err(Failure::Output(error)) => failed(&error.to_string()),
        Err(Failure::Told) => ExitCode::FAILURE,
        Err(Failure::Other(what)) => failed(&what),
    }
}

/// Why a command did not do its work, or found something.
enum Failure {
    Usage(String),
    Output(io::Error),
    Other(String),
    /// What is wrong was told where it was found.
    Told,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Where nobody can be told, the status tells.
fn tell(what: &str) {
    _ = writeln!(io::stderr(), "conformance: {what}");
}

fn failed(what: &str) -> ExitCode {
    tell(what);
    ExitCode::FAILURE
}

fn other(error: impl ToString) -> Failure {
    Failure::Other(error.to_string())
}

fn print(text: &str) -> Result<(), Failure> {
    Ok(io::stdout().write_all(text.as_bytes())?)
}

fn list(files: &[PathBuf]) -> Result<(), Failure> {
    let (mut total, mut unusable) = (0, 0);
    for path in files {
        let Some(cases) = usable(check::count(path), &mut unusable) else { continue };
        total += cases;
        print(&format!("{:<26} {cases:>5}\n", name(path)))?;
    }
    print(&format!("{:<26} {total:>5}\n", "all"))?;
    if unusable > 0 { Err(Failure::Told) } else { Ok(()) }
}

/// Prints a line for each file, and what is wrong with its cases. A file that cannot be used keeps no other from being.
fn run(files: &[PathBuf]) -> Result<(), Failure> {
    let implementations: [(&dyn Rules, &dyn Subject); 3] = [(&Core, &ByHand), (&Core, &Drive), (&Model, &Model)];
    // A panic is told as what came of its case.
    std::panic::set_hook(Box::new(|_| {}));
    print(&format!("{:<26} {:>5}  {:>9} {:>9} {:>9}\n", "file", "cases", "by hand", "drive", "model"))?;
    let (mut cases, mut passed, mut wrong, mut unusable) = (0, [0; 3], 0, 0);
    for path in files {
        let run = |(rules, subject)| check::file(path, rules, subject);
        let reports: Result<Vec<Report>, _> = implementations.into_iter().map(run).collect();
        let Some(reports) = usable(reports, &mut unusable) else { continue };
        let counts: String = reports.iter().map(|report| format!(" {:>9}", report.passed)).collect();
        let here = reports.iter().map(Report::cases).max().unwrap_or(0);
        print(&format!("{:<26} {here:>5} {counts}\n", name(path)))?;
        for ((_, subject), report) in implementations.iter().zip(&reports) {
            for case in &report.wrong {
                print(&format!("  {}, {case}\n", subject.name()))?;
            }
            wrong += report.wrong.len();
        }
        cases += here;
        passed.iter_mut().zip(&reports).for_each(|(sum, report)| *sum += report.passed);
    }
    let counts: String = passed.iter().map(|count| format!(" {count:>9}")).collect();
    print(&format!("{:<26} {cases:>5} {counts}\n", "all"))?;
    match (wrong, unusable) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::Told),
        (wrong, _) => Err(Failure::Other(format!("{wrong} came out wrong"))),
    }
}

/// What came of a file; if it cannot be used, that is told and counted.
fn usable<T>(came: Result<T, VectorError>, unusable: &mut usize) -> Option<T> {
    came.inspect_err(|error| {
        tell(&error.to_string());
        *unusable += 1;
    })
    .ok()
}

fn diff(one: &Path, two: &Path) -> Result<(), Failure> {
    let (one, two) = (read(one)?, read(two)?);
    let differences = one.differences(&two);
    for line in &differences {
        print(&format!("{line}\n"))?;
    }
    let shared = one.shared(&two);
    let only = |results: &Results| results.traces.len() - shared;
    print(&format!(
        "{} and {}: {shared} scenarios in common, {} and {} more\n",
        one.subject,
        two.subject,
        only(&one),
        only(&two)
    ))?;
    match (shared, differences.len()) {
        (0, _) => Err(Failure::Other("there is nothing to compare".into())),
        (_, 0) => Ok(()),
        (_, count) => Err(Failure::Other(format!("{count} differences"))),
    }
}

fn read(path: &Path) -> Result<Results, Failure> {
    let text = vectors::text(path).map_err(other)?;
    serde_json::from_str(&text).map_err(|error| other(format!("{}: {error}", path.display())))
}

fn pretty(results: &Results) -> String {
    serde_json::to_string_pretty(results).map(|text| text + "\n").unwrap_or_default()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into()
}
