//! What happened in one call, so that two implementations can be compared.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::json::Span;
use crate::scenario::Event;

/// What happened in one call. All moments are time that really passed since its start.
///
/// Printed, it has one line for each send, each wait and the end:
///
/// ```
/// use conformance::{scenario::{Scenario, Step}, sim::simulate};
///
/// let scenario = Scenario { script: vec![Step::status(503), Step::status(200)], ..Scenario::default() };
/// assert_eq!(
///     simulate(&scenario).to_string(),
///     "\
/// 0ns         send 1: 503 after 0ns
/// 0ns         wait 900ms (Computed)
/// 900ms       send 2: 200 after 0ns
/// 900ms       back: Answer, 200, attempts 2, elapsed 900ms
/// "
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The sends that were begun, in order.
    pub sends: Vec<Send>,
    /// The waits that were begun. The first follows the first send, and so on.
    pub waits: Vec<Wait>,
    /// How the call ended.
    pub end: End,
}

/// One send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Send {
    /// When it was begun.
    pub at: Span,
    /// How long it took.
    pub took: Span,
    /// What came back; `None` if the call was over before.
    pub event: Option<Event>,
}

/// One wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// When it was begun.
    pub at: Span,
    /// How long it was to be.
    pub lasts: Span,
    /// Where that came from.
    pub source: Source,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// When the caller had the result.
    pub at: Span,
    /// The number of sends, as the caller was told.
    pub attempts: u32,
    /// The time it took, as the caller was told.
    pub elapsed: Span,
    /// Why it stopped.
    pub reason: Reason,
    /// The stable name of the failure; `None` if the reply is the answer.
    pub code: Option<&'static str>,
    /// The reply that was handed over.
    pub event: Option<Event>,
    /// What the server's `Retry-After` asked for in that reply, if it mattered.
    pub asked: Option<Span>,
}

/// Where the length of a wait came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The policy's delays and jitter.
    Computed,
    /// The server.
    RetryAfter,
    /// A custom policy.
    Custom,
    /// The move to a proxy not tried before.
    Proxy,
}

/// Why a call stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The reply is the answer.
    Answer,
    /// The failure is none that another send could mend.
    NotRetryable,
    /// The request may not be repeated.
    NotRepeatable(Why),
    /// A custom policy said stop.
    Advised,
    /// No send was left.
    RetriesExhausted,
    /// The total limit.
    TotalTimeout,
    /// The server asked for a longer wait than the policy accepts.
    RetryAfterTooLong,
    /// The budget refused a retry.
    BudgetSpent,
    /// The caller gave up.
    Canceled,
}

/// What keeps a request from going out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The body cannot be produced again.
    Body,
    /// The method is not idempotent.
    Method,
    /// No retries are wanted.
    RetriesOff,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut waits = self.waits.iter();
        for (number, Send { at, took, event }) in (1..).zip(&self.sends) {
            match event {
                Some(event) => writeln!(f, "{at:<11} send {number}: {event} after {took}")?,
                None => writeln!(f, "{at:<11} send {number}: given up after {took}")?,
            }
            if let Some(Wait { at, lasts, source }) = waits.next() {
                writeln!(f, "{at:<11} wait {lasts} ({source:?})")?;
            }
        }
        self.end.fmt(f)
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, attempts, elapsed, reason, code, event, asked } = self;
        write!(f, "{at:<11} back: {reason:?}")?;
        if let Some(code) = code {
            write!(f, " {code}")?;
        }
        match event {
            Some(event) => write!(f, ", {event}")?,
            None => write!(f, ", no reply")?,
        }
        if let Some(asked) = asked {
            write!(f, ", asked for {asked}")?;
        }
        writeln!(f, ", attempts {attempts}, elapsed {elapsed}")
    }
}
