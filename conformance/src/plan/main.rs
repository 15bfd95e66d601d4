//! What the calls of a policy will do, seen before any of them runs.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::process::ExitCode;

mod args;
mod calls;
mod diff;
mod draws;
mod ends;
mod facts;
mod json;
mod picture;
mod plan;
mod rows;
mod shown;
mod source;
mod span;
mod text;
mod warnings;

use args::{Command, Request};
use plan::Plan;

const HELP: &str = "\
What the calls of a retry policy will do: each retry with its window, the bounds, what ends a call
first, and warnings. The numbers are the core's own.

Usage: plan [POLICY] [flags]
       plan --diff POLICY POLICY [flags]

A POLICY is a preset (api, microservice, download, high-throughput, none) or a file of settings, in
TOML or, if its name ends so, JSON. The default is api.

Settings on top of it, named as the builder's methods are:
  --max-retries N                 --max-delay TIME                --total-timeout TIME|none
  --base-delay TIME               --hard-cap                      --attempt-timeout TIME|none
  --factor N                      --statuses 429,500-504
  --jitter none|10%|full|equal|decorrelated      (10% is proportional=0.1)
  --retry-after replace|at-least|ignore
  --retry-after.cap TIME          --retry-after.over-cap clamp|give-up
  --retry-after.spread SHARE      --non-idempotent never|when-unsent|always

What is told:
  --send TIME    how long each send takes (0s to 24h; without it, none)
  --rows N       how many retries the table has at most (1 to 1000; without it, 20)
  --json         for machines: times in nanoseconds, shares as parts of one
  --svg FILE     draws the sends over time and the density of each wait
  --diff         puts two policies side by side; settings go on top of both
  --help         this

A TIME is a number and its unit, such as 250ms, 1.5s or 2m. A mean or share with `~` before it was
drawn from many calls; all else is exact. It ends with status 0, with 1 if a file could not be
read or written or is no policy, and with 2 if it was called wrongly.
";

fn main() -> ExitCode {
    let done = match args::parse(env::args_os().skip(1)) {
        Ok(Command::Help) => print(HELP),
        Ok(Command::Plan(request)) => run(&request),
        Err(what) => Err(Failure::Usage(shown::shown(&what))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads on: not a failure of ours.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Usage(what)) => {
            complain(&format!("{what}; --help says more"));
            ExitCode::from(2)
        }
        Err(Failure::Output(error)) => failed(&error.to_string()),
        Err(Failure::Other(what)) => failed(&what),
    }
}

/// Why there is no plan.
enum Failure {
    Usage(String),
    Output(io::Error),
    Other(String),
}

fn run(request: &Request) -> Result<(), Failure> {
    let Request { sources, settings, send, rows, json, svg } = request;
    let plans = sources.iter().map(|source| {
        let policy = source::policy(source).map_err(Failure::Other)?;
        let policy = source::changed(policy, settings).map_err(Failure::Usage)?;
        let source = source.display();
        let name = if settings.is_empty() { source.to_string() } else { format!("{source}, changed") };
        Ok(Plan::new(name, policy, *send, *rows))
    });
    let plans: Vec<Plan> = plans.collect::<Result<_, _>>()?;
    if let Some(path) = svg {
        let picture = picture::draw(&plans);
        fs::write(path, picture).map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?;
    }
    match plans.as_slice() {
        [plan] if *json => print(&format!("{:#}\n", json::value(plan))),
        plans if *json => print(&format!("{:#}\n", plans.iter().map(json::value).collect::<serde_json::Value>())),
        [plan] => print(&text::text(plan)),
        [one, other] => print(&diff::text(one, other)),
        _ => Ok(()),
    }
}

fn failed(what: &str) -> ExitCode {
    complain(what);
    ExitCode::FAILURE
}

/// Where nobody can be told, the status tells it.
fn complain(what: &str) {
    _ = writeln!(io::stderr(), "plan: {what}");
}

fn print(text: &str) -> Result<(), Failure> {
    io::stdout().write_all(text.as_bytes()).map_err(Failure::Output)
}
