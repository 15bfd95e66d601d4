//! A recorded call at the command line: each decision with its numbers, and where it would be another one today.

mod explain;

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::process::ExitCode;

use lexopt::Arg;
use retry_core::trace::{MAX_BYTES, Trace};

use explain::Explained;

const HELP: &str = "\
A recorded call, replayed: what was decided on each reply, by which rule and from which numbers,
and where today's machine decides otherwise.

Usage: replay TRACE

TRACE is a file with the trace of one call, or - for the standard input. Both adapters give it with
a report or an error, if the trace was asked for: report.trace().

  --help         this

It ends with status 0 if all decisions are the recorded ones, with 1 if one differs, and with 2 if
there is no trace to replay.
";

fn main() -> ExitCode {
    match run(env::args_os().skip(1)) {
        Ok(is_same) => ExitCode::from(u8::from(!is_same)),
        Err(what) => {
            // Where nobody can be told, the status tells it.
            _ = writeln!(io::stderr(), "replay: {what}");
            ExitCode::from(2)
        }
    }
}

/// Whether all decisions are the recorded ones.
fn run(arguments: impl Iterator<Item = OsString>) -> Result<bool, String> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut file = None;
    while let Some(argument) = parser.next().map_err(|error| format!("{error}; --help says more"))? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return print(HELP).map(|()| true),
            Arg::Value(name) if file.is_none() => file = Some(name),
            Arg::Value(_) | Arg::Long(_) | Arg::Short(_) => {
                return Err(format!("{}; --help says more", argument.unexpected()));
            }
        }
    }
    let name = file.ok_or("there is no TRACE; --help says more")?;
    let wrong = |error: &dyn core::fmt::Display| format!("{}: {error}", name.display());
    let text = read(&name).map_err(|error| wrong(&error))?;
    let trace: Trace = text.parse().map_err(|error| wrong(&error))?;
    let replayed = trace.replay();
    print(&Explained { trace: &trace, replayed: &replayed }.to_string())?;
    Ok(replayed.differences().is_empty())
}

/// The text, or a little more of it than a trace may have.
fn read(name: &OsString) -> io::Result<String> {
    let mut text = String::new();
    let source: Box<dyn Read> = if name == "-" { Box::new(io::stdin()) } else { Box::new(File::open(name)?) };
    source.take(MAX_BYTES as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        // Nobody reads on: not a failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| error.to_string()),
    }
}
