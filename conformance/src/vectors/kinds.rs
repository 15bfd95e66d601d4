//! What the cases of each kind consist of.

use serde::Deserialize;

use super::Kind;
use super::limits::{self, Excess};
use crate::json::{Bytes, Span};
use crate::scenario::{self, Advice, Random, Scenario, Step, Wall};
use crate::trace::{Reason, Source, Why};

/// The computed delays of a policy: `backoff.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backoff {
    /// The policy, without jitter.
    #[serde(default)]
    pub policy: scenario::Settings,
    /// Pairs of a retry, counted from 1, and its delay; lowest first.
    pub delays: Vec<(u32, Span)>,
}

/// The waits that a policy draws with given words: `jitter.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// The policy.
    #[serde(default)]
    pub policy: scenario::Settings,
    /// The words.
    pub random: Random,
    /// The wait before each retry from the first on.
    pub waits: Vec<Span>,
}

/// What a response's headers ask for: `retry_after.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryAfter {
    /// The lines of Retry-After.
    pub lines: Vec<Bytes>,
    /// The lines of Date.
    #[serde(default)]
    pub dates: Vec<Bytes>,
    /// Whether there is an Age header.
    #[serde(default)]
    pub age: bool,
    /// The wall clock; null if there is none.
    #[serde(default = "wall")]
    pub wall: Option<Wall>,
    /// The wait asked for; null for none.
    #[serde(deserialize_with = "required")]
    pub hint: Option<Span>,
}

/// What vendors' headers say, which only a caller who asks for it has read: `vendor.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vendor {
    /// The response's status.
    #[serde(default = "busy")]
    pub status: u16,
    /// The lines of retry-after-ms and x-ms-retry-after-ms.
    #[serde(default)]
    pub waits: Vec<Bytes>,
    /// The lines of x-should-retry.
    #[serde(default)]
    pub words: Vec<Bytes>,
    /// The wait asked for; null for none.
    #[serde(deserialize_with = "required")]
    pub hint: Option<Span>,
    /// What a custom policy would have said.
    pub advice: Advice,
}

/// The worst cases of a policy: `bounds.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The policy.
    #[serde(default)]
    pub policy: scenario::Settings,
    /// The most sends.
    pub sends: u32,
    /// The sum of the computed delays; left out where there are none.
    #[serde(default)]
    pub nominal: Option<Span>,
    /// The longest sum of waits without hints.
    pub waits: Span,
    /// The longest sum of waits with hints.
    pub waits_with_hints: Span,
    /// The longest time from start to end; null for no limit.
    #[serde(deserialize_with = "required")]
    pub total: Option<Span>,
    /// The time to be sure of all retries.
    pub needed: Needed,
}

/// The time to be sure of all retries.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needed {
    /// How long each send takes.
    pub send: Span,
    /// The time needed.
    pub time: Span,
}

/// Settings that a policy can or cannot have: `policy.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The settings.
    pub policy: scenario::Settings,
    /// The field that is refused; null if all are accepted.
    #[serde(deserialize_with = "required")]
    pub refused: Option<String>,
    /// The preset that has these settings.
    #[serde(default)]
    pub preset: Option<String>,
}

/// A whole call and its trace: `scenarios.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The call.
    pub scenario: Scenario,
    /// What must happen.
    pub expected: Expected,
}

/// What must happen in a call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// When each send is begun.
    pub sends: Vec<Span>,
    /// How long each wait is to be, and where that comes from.
    pub waits: Vec<(Span, Source)>,
    /// When the caller has the result.
    pub back: Span,
    /// The time that the caller is told, where a clock that went wrong makes it another one.
    #[serde(default)]
    pub elapsed: Option<Span>,
    /// The number of sends that the caller is told.
    pub attempts: u32,
    /// Why the call stops.
    pub reason: Reason,
    /// The stable name of the failure; null for an answer.
    #[serde(deserialize_with = "required")]
    pub code: Option<String>,
    /// The status of the response handed over; null if none is.
    #[serde(deserialize_with = "required")]
    pub status: Option<u16>,
    /// What the server asked for in that response, if it mattered.
    #[serde(default)]
    pub asked: Option<Span>,
    /// What each send brought, where that is not just what the script has.
    #[serde(default)]
    pub replies: Option<Vec<Step>>,
}

/// Whether a request may go out again: `replay.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The policy and the request; its script is not used.
    #[serde(default)]
    pub scenario: Scenario,
    /// When it may.
    pub again: Rule,
    /// Why it may not at all; null if it may.
    #[serde(deserialize_with = "required")]
    pub why: Option<Why>,
}

/// When a request may go out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// After any reply that is worth it.
    Always,
    /// After a failure that is known not to have reached the server.
    IfUnsent,
    /// Never.
    Never,
}

/// What the table says of a reply: `verdicts.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The policy.
    #[serde(default)]
    pub policy: scenario::Settings,
    /// The reply.
    pub reply: Step,
    /// What it is worth.
    pub verdict: Judgement,
    /// The stable name of a failure; null for a response.
    #[serde(deserialize_with = "required")]
    pub code: Option<String>,
}

/// What a reply is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It is the answer.
    Answer,
    /// Another send.
    Retry,
    /// It is a failure that another send would only repeat.
    Fail,
}

macro_rules! kinds {
    ($($kind:ty: $name:literal $(within $bounded:path, retries $retries:path)?,)*) => {
        $(impl Kind for $kind {
            const NAME: &'static str = $name;

            $(fn bounded(&self) -> Result<(), Excess> {
                $bounded(self)
            }

            fn retries(&self) -> u64 {
                $retries(self)
            })?
        })*
    };
}

kinds! {
    Backoff: "backoff" within limits::backoff, retries limits::backoff_retries,
    Bounds: "bounds",
    Jitter: "jitter",
    Replay: "replay",
    RetryAfter: "retry_after",
    Run: "scenarios" within limits::run, retries limits::run_retries,
    Settings: "policy",
    Vendor: "vendor",
    Verdict: "verdicts",
}

fn busy() -> u16 {
    503
}

fn wall() -> Option<Wall> {
    Some(Wall::default())
}

/// A field that may be null, but must be there: an expectation that was forgotten would hold always.
pub(super) fn required<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
