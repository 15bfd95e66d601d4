//! Traces as text: a line of JSON for each thing that happened.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;
use std::string::{String, ToString};
use std::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{KEPT, Sent, Trace, time};
use crate::end::End;
use crate::policy::Policy;
use crate::replay::Replay;
use crate::time::Instant;

/// The version of the format that is written and read.
pub const VERSION: u32 = 1;

/// The longest text that is read, in bytes; no trace is written longer.
pub const MAX_BYTES: usize = 1024 * 1024;

/// No call has more sends than can be counted.
const MOST_DROPPED: u32 = u32::MAX - KEPT as u32;

/// An error shows no more characters of a word that it was given.
const LONGEST_WORD: usize = 64;

/// And no more of them at all.
const MOST_SHOWN: usize = 500;

/// Why a text is no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// It has more than [`MAX_BYTES`] bytes: so many.
    TooLong(usize),
    /// It was written in a version of the format that is not [`VERSION`].
    Version(u32),
    /// A line cannot be read.
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The field at fault, such as `send.reply.at`; `.` for the line as a whole.
        field: String,
        /// What is wrong, with the value and what is accepted.
        what: String,
    },
}

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    RetryTrace(Head),
    Send(Sent),
    Dropped(u32),
    End(End),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    version: u32,
    policy: Policy,
    seed: u64,
    replay: Replay,
    #[serde(with = "time")]
    start: Duration,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::option")]
    deadline: Option<Duration>,
}

/// As much of the first line as every version has.
#[derive(Deserialize)]
struct Versioned {
    retry_trace: Version,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl Trace {
    /// The lines, one for each thing that happened.
    fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let head = Head {
            version: VERSION,
            policy: self.policy,
            seed: self.seed,
            replay: self.replay,
            start: self.start.saturating_since(Instant::EPOCH),
            deadline: self.deadline,
        };
        let dropped = (self.dropped > 0).then_some(Line::Dropped(self.dropped));
        let sends = self.sends.iter().copied().map(Line::Send);
        core::iter::once(Line::RetryTrace(head)).chain(sends).chain(dropped).chain(self.end.map(Line::End))
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.lines() {
            writeln!(f, "{}", serde_json::to_string(&line).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

impl FromStr for Trace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        if text.len() > MAX_BYTES {
            return Err(TraceError::TooLong(text.len()));
        }
        let mut lines = (1..).zip(text.trim_end().lines());
        let mut trace = begun(lines.next().unwrap_or((1, "")))?;
        for (line, text) in lines {
            if trace.end.is_some() {
                return Err(wrong(line, "nothing comes after the end"));
            }
            match read(line, text)? {
                Line::RetryTrace(_) => return Err(wrong(line, "a trace has one head, its first line")),
                Line::Send(sent) => {
                    let next = trace.sends.len().saturating_add(1);
                    if trace.dropped > 0 || next > KEPT {
                        return Err(wrong(
                            line,
                            &std::format!("a send after those that were dropped, or after {KEPT}"),
                        ));
                    }
                    if usize::try_from(sent.number) != Ok(next) {
                        return Err(other(line, "send.number", sent.number, next));
                    }
                    trace.sends.push(sent);
                }
                Line::Dropped(_) if trace.dropped > 0 || trace.sends.len() != KEPT => {
                    return Err(wrong(line, &std::format!("`dropped` comes once, after {KEPT} sends")));
                }
                Line::Dropped(count) if !(1..=MOST_DROPPED).contains(&count) => {
                    return Err(other(line, "dropped", count, std::format!("1 ..= {MOST_DROPPED}")));
                }
                Line::Dropped(count) => trace.dropped = count,
                // Without those that were dropped, a replay tells it.
                Line::End(end) if trace.dropped > 0 && end.attempts != trace.begun() => {
                    return Err(other(line, "end.attempts", end.attempts, trace.begun()));
                }
                Line::End(end) => trace.end = Some(end),
            }
        }
        Ok(trace)
    }
}

fn begun((line, text): (usize, &str)) -> Result<Trace, TraceError> {
    if text.trim().is_empty() {
        return Err(wrong(line, "the head is missing"));
    }
    if let Ok(Versioned { retry_trace: Version { version } }) = serde_json::from_str(text) {
        if version != VERSION {
            return Err(TraceError::Version(version));
        }
    }
    let Line::RetryTrace(head) = read(line, text)? else {
        return Err(wrong(line, "the first line is `retry_trace`"));
    };
    Ok(Trace {
        policy: head.policy,
        seed: head.seed,
        replay: head.replay,
        start: Instant::EPOCH.saturating_add(head.start),
        deadline: head.deadline,
        sends: Vec::new(),
        dropped: 0,
        end: None,
    })
}

fn read(line: usize, text: &str) -> Result<Line, TraceError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| TraceError::Line {
        line,
        field: shown(&error.path().to_string()),
        what: without_place(&error.into_inner()),
    })?;
    json.end().map_err(|error| TraceError::Line { line, field: ".".into(), what: without_place(&error) })?;
    Ok(read)
}

/// The error's text; its line is always 1, that of the line itself.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => std::format!("{}, at column {}", shown(what), error.column()),
        None => shown(&text),
    }
}

/// `text` for a terminal: its control characters escaped, and its words no longer than a line.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0_usize;
    let short = text.chars().filter_map(|char| {
        length = if char == ' ' { 0 } else { length.saturating_add(1) };
        (length <= LONGEST_WORD.saturating_add(1)).then_some((length, char))
    });
    for (count, (length, char)) in short.enumerate() {
        match char {
            _ if count == MOST_SHOWN => return shown + "...",
            _ if length > LONGEST_WORD => shown.push_str("..."),
            '\'' | '"' | '\\' => shown.push(char),
            _ => shown.extend(char.escape_debug()),
        }
    }
    shown
}

fn other(line: usize, field: &str, value: u32, accepted: impl fmt::Display) -> TraceError {
    TraceError::Line { line, field: field.into(), what: std::format!("is {value}, accepted: {accepted}") }
}

fn wrong(line: usize, what: &str) -> TraceError {
    TraceError::Line { line, field: ".".into(), what: what.into() }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(bytes) => write!(f, "the text has {bytes} bytes, accepted: at most {MAX_BYTES}"),
            Self::Version(version) => write!(f, "line 1: version is {version}, accepted: {VERSION}"),
            Self::Line { line, field, what } if field == "." => write!(f, "line {line}: {what}"),
            Self::Line { line, field, what } => write!(f, "line {line}: {field}: {what}"),
        }
    }
}

impl core::error::Error for TraceError {}
