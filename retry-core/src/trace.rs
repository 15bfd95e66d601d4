//! A record of one call that can be kept, read again, and [replayed](Trace::replay): all that its decisions depended on,
//! and what they were.
//!
//! A [`Recorder`] fills it while the call runs; both adapters give it with their reports if asked to. It holds no URL, no
//! header and no body: the policy, the seed of the random words, each reply as the machine was told of it, with its times,
//! and what the budget said. A budget is shared by many calls, so what it granted is part of the record, and a replay
//! needs no other call.
//!
//! A trace keeps the first [`KEPT`] sends of a call. Later ones are counted ([`dropped`](Trace::dropped)): each decision
//! depends on those before it, so the beginning can be replayed, and the end could not without it.
//!
//! # The format
//!
//! Text in lines, each an object of JSON with one key: `retry_trace` first, then a `send` for each send, `dropped` if
//! there were more, and `end` unless the record was cut off. Times are texts such as `"1.5s"`, exact to the nanosecond,
//! and count from the start of the call; `start` itself counts from the epoch of the caller's timer. What is absent was
//! not there: a hint, a limit, a wait. `version` is that of the format, [`VERSION`].
//!
//! ```
//! use retry_core::trace::Trace;
//!
//! let text = r#"
//! {"retry_trace":{"version":1,"policy":{"max_retries":1},"seed":7,"replay":"always","start":"0s"}}
//! {"send":{"number":1,"at":"0s","limit":"180s","reply":{"at":"12ms","event":{"status":503},"hint":"5s","tally":"failure","budget":{"before":500,"after":486,"answer":{"granted":14}},"wait":{"lasts":"5s","source":"retry_after"}}}}
//! {"send":{"number":2,"at":"5.012s","limit":"180s","reply":{"at":"5.1s","event":{"status":200},"tally":"success","budget":{"before":486,"after":500}}}}
//! {"end":{"attempts":2,"elapsed":"5.1s","reason":"answer","event":{"status":200}}}
//! "#;
//! let trace: Trace = text.trim().parse()?;
//! assert!(trace.replay().differences().is_empty());
//! # Ok::<(), retry_core::trace::TraceError>(())
//! ```

use core::time::Duration;
use std::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::budget::Tally;
use crate::end::End;
use crate::machine::WaitSource;
use crate::outcome::{Advice, Event, Outcome};
use crate::policy::Policy;
use crate::replay::Replay;
use crate::time::{Instant, nanos};

mod recorder;
mod replay;
mod text;
pub(crate) mod time;

pub use recorder::{Recorded, Recorder};
pub use replay::{Decision, Difference, Replayed};
pub use text::{MAX_BYTES, TraceError, VERSION};

/// How many sends of a call are kept at most.
pub const KEPT: usize = 1000;

/// The record of one call. [`Display`](core::fmt::Display) writes it, [`FromStr`](core::str::FromStr) reads it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// The policy of the call.
    pub policy: Policy,
    /// The random words are those of `Xoshiro256PlusPlus::seed_from_u64` with this seed.
    pub seed: u64,
    /// Whether the request could go out again.
    pub replay: Replay,
    /// When the call began, on the timer's own clock.
    pub start: Instant,
    /// The caller's deadline, from the start on; the policy's limit is not in it.
    pub deadline: Option<Duration>,
    /// The sends that were begun, at most [`KEPT`].
    pub sends: Vec<Sent>,
    /// How many sends came after those.
    pub dropped: u32,
    /// How the call ended; `None` if the record does not reach so far.
    pub end: Option<End>,
}

/// One send. Its times count from the start of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The number of the send, from 1.
    pub number: u32,
    /// When it was begun.
    #[serde(with = "time")]
    pub at: Duration,
    /// When it was to be cut.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::option")]
    pub limit: Option<Duration>,
    /// What came back; `None` if the call was over before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
}

/// What came back from a send, and what was made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// When it came; for a send that was cut, its limit.
    #[serde(with = "time")]
    pub at: Duration,
    /// What came.
    pub event: Event,
    /// The server's hint, before any cap.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::option")]
    pub hint: Option<Duration>,
    /// A custom policy's word.
    #[serde(default, skip_serializing_if = "is_keep")]
    pub advice: Advice,
    /// The wait before the next proxy, where the last one failed and another was left to try.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::option")]
    pub untried: Option<Duration>,
    /// The proxy's place in its pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<u16>,
    /// How it counted for the budget.
    pub tally: Tally,
    /// What the budget said.
    pub budget: Asked,
    /// The wait that followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
}

/// A budget at one reply. Levels are in its own unit, `None` without a limit; other calls may have had their share between
/// one and the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// What was left before it was told of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// What was left after its answer, if it was asked, or else after it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Its answer; `None` if it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// What a budget answers when it is asked for a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The retry is granted, at this price.
    Granted(u32),
    /// It is refused.
    Refused,
}

/// A wait between two sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// How long it was to last.
    #[serde(with = "time")]
    pub lasts: Duration,
    /// Where that came from.
    pub source: WaitSource,
}

impl Trace {
    /// The moment `since` the start, on the timer's clock.
    fn moment(&self, since: Duration) -> Instant {
        self.start.saturating_add(since)
    }

    /// How many sends were begun.
    fn begun(&self) -> u32 {
        u32::try_from(self.sends.len()).unwrap_or(u32::MAX).saturating_add(self.dropped)
    }
}

impl Reply {
    /// What the machine was told.
    pub const fn outcome(&self) -> Outcome {
        Outcome { event: self.event, hint: self.hint, advice: self.advice, untried: self.untried }
    }
}

fn is_keep(advice: &Advice) -> bool {
    *advice == Advice::Keep
}

/// `duration` as the machine counts it: at most `u64::MAX` nanoseconds.
fn counted(duration: Duration) -> Duration {
    Duration::from_nanos(nanos(duration))
}
