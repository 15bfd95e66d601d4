//! The command line.

use core::time::Duration;
use std::ffi::OsString;
use std::path::PathBuf;

use conformance::json::Span;
use lexopt::{Arg, Parser};

/// How many retries the table has at most.
pub(crate) const ROWS_MOST: u32 = 1_000;

/// How many it has if nothing else is said.
const ROWS: u32 = 20;

/// The longest send that can be planned with; with it, no moment of the table is beyond what the core can tell.
const SEND_MOST: Duration = Duration::from_secs(24 * 60 * 60);

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Print the help.
    Help,
    /// Plan these policies: one, or two side by side.
    Plan(Request),
}

/// What is to be planned, and how it is told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// Names of presets, or files.
    pub(crate) sources: Vec<OsString>,
    /// Settings for all of them: a key as a file has it, and its value as it was given.
    pub(crate) settings: Vec<(String, String)>,
    /// How long a send takes.
    pub(crate) send: Duration,
    /// How many retries the table has at most.
    pub(crate) rows: u32,
    /// Whether machines read it.
    pub(crate) json: bool,
    /// Where the picture goes.
    pub(crate) svg: Option<PathBuf>,
}

/// The settings that a flag can give.
pub(crate) const SETTINGS: [&str; 14] = [
    "max_retries",
    "base_delay",
    "factor",
    "max_delay",
    "jitter",
    "hard_cap",
    "retry_after.mode",
    "retry_after.cap",
    "retry_after.over_cap",
    "retry_after.spread",
    "total_timeout",
    "attempt_timeout",
    "statuses",
    "non_idempotent",
];

const MODE: &str = "retry_after.mode";

/// Reads the words after the program's name.
///
/// # Errors
///
/// One line about the first word that is wrong.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut parser = Parser::from_args(words);
    let mut request =
        Request { sources: Vec::new(), settings: Vec::new(), send: Duration::ZERO, rows: ROWS, json: false, svg: None };
    let mut is_diff = false;
    while let Some(word) = parser.next().map_err(told)? {
        let name = match word {
            Arg::Short('h') => return Ok(Command::Help),
            Arg::Long(name) => name.replace('_', "-"),
            Arg::Value(source) => {
                request.sources.push(source);
                continue;
            }
            Arg::Short(_) => return Err(told(word.unexpected())),
        };
        match name.as_str() {
            "help" => return Ok(Command::Help),
            "json" => request.json = true,
            "diff" => is_diff = true,
            "svg" => request.svg = Some(value(&mut parser, &name)?.into()),
            "rows" => request.rows = rows(&text(&mut parser, &name)?)?,
            "send" => request.send = send(&text(&mut parser, &name)?)?,
            // On its own it says yes.
            "hard-cap" => {
                let given =
                    parser.optional_value().map_or_else(|| "true".into(), |value| value.to_string_lossy().into());
                request.settings.push(("hard_cap".into(), given));
            }
            _ => {
                // The builder's method takes the mode with the rest.
                let key = if name == "retry-after" { MODE.into() } else { name.replace('-', "_") };
                let Some(key) = SETTINGS.into_iter().find(|setting| *setting == key) else {
                    return Err(format!("there is no --{name}"));
                };
                let given = text(&mut parser, &name)?;
                let given = if key == "jitter" { jitter(&given)? } else { given };
                request.settings.push((key.into(), given));
            }
        }
    }
    match (is_diff, request.sources.len()) {
        (true, 2) | (false, 1) => {}
        (false, 0) => request.sources.push("api".into()),
        (true, count) => return Err(format!("--diff needs two policies, but was given {count}")),
        (false, count) => {
            return Err(format!("one policy is planned at a time, but {count} were given; --diff takes two"));
        }
    }
    Ok(Command::Plan(request))
}

/// The flag that gives this setting.
pub(crate) fn flag(key: &str) -> String {
    let key = if key == MODE { "retry_after" } else { key };
    format!("--{}", key.replace('_', "-"))
}

/// The value of the flag that was just read. It may begin with a dash (`-1`), but another flag is none.
fn value(parser: &mut Parser, flag: &str) -> Result<OsString, String> {
    let is_flag = |value: &OsString| value.to_string_lossy().starts_with("--");
    let value = parser.value().ok().filter(|value| !is_flag(value));
    value.ok_or_else(|| format!("--{flag} needs a value"))
}

fn text(parser: &mut Parser, flag: &str) -> Result<String, String> {
    value(parser, flag).map(|value| value.to_string_lossy().into())
}

fn told(error: lexopt::Error) -> String {
    error.to_string()
}

/// The word for a kind of jitter; a share may also be in per cent.
fn jitter(text: &str) -> Result<String, String> {
    let percent =
        text.strip_suffix('%').and_then(|share| share.trim_end().parse::<f64>().ok()).map(|share| share / 100.0);
    let share = percent.or_else(|| text.strip_prefix("proportional=")?.parse().ok()).filter(|share| share.is_finite());
    match (text, share) {
        ("none" | "full" | "equal" | "decorrelated", _) => Ok(text.into()),
        (_, Some(share)) => Ok(format!("proportional={share}")),
        (_, None) => Err(format!(
            "{text} for --jitter: accepted: none, full, equal, decorrelated, or a share such as 10% or proportional=0.1"
        )),
    }
}

fn rows(text: &str) -> Result<u32, String> {
    let rows = text.parse().ok().filter(|rows| (1..=ROWS_MOST).contains(rows));
    rows.ok_or_else(|| format!("--rows is {text}, accepted: 1 ..= {ROWS_MOST}"))
}

fn send(text: &str) -> Result<Duration, String> {
    let send = text.parse::<Span>().ok().map(Duration::from).filter(|send| *send <= SEND_MOST);
    send.ok_or_else(|| format!("--send is {text}, accepted: 0s ..= 24h, such as \"250ms\" or \"1.5s\""))
}
