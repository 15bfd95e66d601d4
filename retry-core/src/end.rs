//! How a call ended, and why.

use core::fmt;
use core::time::Duration;

use crate::outcome::{ErrorKind, Event};
use crate::replay::Why;

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct End {
    /// The number of sends that were begun.
    pub attempts: u32,
    /// The time since the call began.
    #[cfg_attr(feature = "trace", serde(with = "crate::trace::time"))]
    pub elapsed: Duration,
    /// Why the call stopped.
    pub reason: Reason,
    /// The reply on which the call ended. `None` if it ended before a send, or in a wait.
    #[cfg_attr(feature = "trace", serde(default, skip_serializing_if = "Option::is_none"))]
    pub event: Option<Event>,
    /// What the server's `Retry-After` asked for in that reply, before any cap.
    #[cfg_attr(
        feature = "trace",
        serde(default, skip_serializing_if = "Option::is_none", with = "crate::trace::time::option")
    )]
    pub asked: Option<Duration>,
}

/// Why a call stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Reason {
    /// The reply is the answer.
    Answer,
    /// The failure is none that another send could mend.
    NotRetryable,
    /// The reply was worth another send, but the request may not be repeated.
    NotRepeatable(Why),
    /// A custom policy said stop.
    Advised,
    /// No send was left.
    RetriesExhausted,
    /// The total limit passed, or would have passed before the next send.
    TotalTimeout,
    /// The server asked for a longer wait than the policy accepts.
    RetryAfterTooLong,
    /// The budget refused a retry.
    BudgetSpent,
    /// The caller gave the call up.
    Canceled,
}

impl End {
    /// The kind of a failed call; `None` if the reply is the answer.
    pub const fn kind(&self) -> Option<ErrorKind> {
        match self.reason {
            Reason::Answer | Reason::NotRetryable | Reason::NotRepeatable(_) | Reason::Advised => match self.event {
                Some(Event::Failure(failure)) => Some(failure.kind()),
                Some(Event::Status(_)) | None => None,
            },
            Reason::RetriesExhausted => Some(ErrorKind::RetryExhausted),
            Reason::TotalTimeout => Some(ErrorKind::Timeout),
            Reason::RetryAfterTooLong => Some(ErrorKind::RetryAfterTooLong),
            Reason::BudgetSpent => Some(ErrorKind::BudgetSpent),
            Reason::Canceled => Some(ErrorKind::Canceled),
        }
    }
}

impl Reason {
    /// What it is called, in logs and in the texts of errors.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answered",
            Self::NotRetryable => "failed",
            Self::NotRepeatable(Why::Body) => "failed, body not replayable",
            Self::NotRepeatable(Why::Method) => "failed, method not idempotent",
            Self::NotRepeatable(Why::RetriesOff) => "failed, retries off",
            Self::Advised => "stopped by a custom policy",
            Self::RetriesExhausted => "retries used up",
            Self::TotalTimeout => "time limit reached",
            Self::RetryAfterTooLong => "the server asked for too long a wait",
            Self::BudgetSpent => "retry budget spent",
            Self::Canceled => "canceled",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
