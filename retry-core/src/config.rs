//! A policy as a person writes it: in TOML, JSON, or another format of serde's that describes itself. The words and
//! forms are told in `config.md`; here they stand once, for reading and for writing.

mod read;
pub(crate) mod span;
mod statuses;
mod values;
mod write;

use crate::hint::{Mode, OverCap};
use crate::jitter::Jitter;
use crate::policy::{NonIdempotent, Policy};

/// What a word stands for.
type Words<T> = [(&'static str, T)];

/// The keys of a policy, in the order in which they are written. `preset` is only read.
const SETTINGS: &[&str] = &[
    "preset",
    "max_retries",
    "base_delay",
    "factor",
    "max_delay",
    "jitter",
    "hard_cap",
    "retry_after",
    "total_timeout",
    "attempt_timeout",
    "statuses",
    "non_idempotent",
];

/// The keys of `retry_after`.
const HINTS: &[&str] = &["mode", "cap", "over_cap", "spread"];

/// The key of the one jitter that has a share.
const PROPORTIONAL: &str = "proportional";

/// What is written for no limit, because TOML has no null.
const NO_LIMIT: &str = "none";

const PRESETS: &Words<Policy> = &[
    ("api", Policy::API),
    ("microservice", Policy::MICROSERVICE),
    ("download", Policy::DOWNLOAD),
    ("high_throughput", Policy::HIGH_THROUGHPUT),
    ("none", Policy::NONE),
];

const JITTERS: &Words<Jitter> =
    &[("none", Jitter::None), ("full", Jitter::Full), ("equal", Jitter::Equal), ("decorrelated", Jitter::Decorrelated)];

const MODES: &Words<Mode> = &[("replace", Mode::Replace), ("at_least", Mode::AtLeast), ("ignore", Mode::Ignore)];

const OVER_CAP: &Words<OverCap> = &[("clamp", OverCap::Clamp), ("give_up", OverCap::GiveUp)];

const NON_IDEMPOTENT: &Words<NonIdempotent> =
    &[("never", NonIdempotent::Never), ("when_unsent", NonIdempotent::WhenUnsent), ("always", NonIdempotent::Always)];

/// What `word` stands for.
fn meaning<T: Copy>(words: &Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// The word for `value`; each value that has one stands in its list.
fn word<T: PartialEq>(words: &Words<T>, value: T) -> &'static str {
    words.iter().find(|(_, meant)| *meant == value).map_or("", |(name, _)| name)
}
