//! Reading a policy: a preset, and what is laid over it.

use core::fmt;
use core::time::Duration;

use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::statuses::Statuses;
use super::values::{Count, Flag, Key, Limit, Number, Spread, Time, Word, once, seed};
use super::{HINTS, MODES, NON_IDEMPOTENT, OVER_CAP, PRESETS, SETTINGS};
use crate::builder::PolicyBuilder;
use crate::hint::{Mode, OverCap, RetryAfter};
use crate::jitter::Jitter;
use crate::policy::{NonIdempotent, Policy};
use crate::policy_error::rule;
use crate::status::StatusSet;

/// Needs the feature `serde`. Fails for an unknown or repeated key, a value of another type, and a value that
/// [`PolicyBuilder::build`] refuses, with its [`PolicyError`](crate::PolicyError) as the text.
impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Policy", SETTINGS, Table)
    }
}

struct Table;

impl<'de> Visitor<'de> for Table {
    type Value = Policy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy as a table of settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Policy, A::Error> {
        let mut found = Found::default();
        while let Some(key) = table.next_key_seed(Key(SETTINGS))? {
            found.read(key, &mut table)?;
        }
        found.over(found.preset.unwrap_or_default().edit()).build().map_err(A::Error::custom)
    }
}

/// The settings that a text has.
#[derive(Default)]
struct Found {
    preset: Option<Policy>,
    max_retries: Option<u32>,
    base_delay: Option<Duration>,
    factor: Option<f64>,
    max_delay: Option<Duration>,
    jitter: Option<Jitter>,
    hard_cap: Option<bool>,
    retry_after: Option<FoundHints>,
    total_timeout: Option<Option<Duration>>,
    attempt_timeout: Option<Option<Duration>>,
    statuses: Option<StatusSet>,
    non_idempotent: Option<NonIdempotent>,
}

impl Found {
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &'static str, table: &mut A) -> Result<(), A::Error> {
        match key {
            "preset" => once(&mut self.preset, key, table, Word { field: key, words: PRESETS }),
            "max_retries" => once(&mut self.max_retries, key, table, Count),
            "base_delay" => once(&mut self.base_delay, key, table, Time(rule::BASE_DELAY)),
            "factor" => once(&mut self.factor, key, table, Number(rule::FACTOR)),
            "max_delay" => once(&mut self.max_delay, key, table, Time(rule::MAX_DELAY)),
            "jitter" => once(&mut self.jitter, key, table, Spread),
            "hard_cap" => once(&mut self.hard_cap, key, table, Flag(key)),
            "retry_after" => once(&mut self.retry_after, key, table, Hints),
            "total_timeout" => once(&mut self.total_timeout, key, table, Limit(rule::TOTAL_TIMEOUT)),
            "attempt_timeout" => once(&mut self.attempt_timeout, key, table, Limit(rule::ATTEMPT_TIMEOUT)),
            "statuses" => once(&mut self.statuses, key, table, Statuses),
            "non_idempotent" => once(&mut self.non_idempotent, key, table, Word { field: key, words: NON_IDEMPOTENT }),
            _ => Err(A::Error::unknown_field(key, SETTINGS)),
        }
    }

    /// These settings, and those of `base` where there are none.
    fn over(&self, base: PolicyBuilder) -> PolicyBuilder {
        PolicyBuilder {
            max_retries: self.max_retries.unwrap_or(base.max_retries),
            base_delay: self.base_delay.unwrap_or(base.base_delay),
            factor: self.factor.unwrap_or(base.factor),
            max_delay: self.max_delay.unwrap_or(base.max_delay),
            jitter: self.jitter.unwrap_or(base.jitter),
            hard_cap: self.hard_cap.unwrap_or(base.hard_cap),
            retry_after: self.retry_after.as_ref().map_or(base.retry_after, |found| found.over(base.retry_after)),
            total_timeout: self.total_timeout.unwrap_or(base.total_timeout),
            attempt_timeout: self.attempt_timeout.unwrap_or(base.attempt_timeout),
            statuses: self.statuses.unwrap_or(base.statuses),
            refused_status: None,
            non_idempotent: self.non_idempotent.unwrap_or(base.non_idempotent),
        }
    }
}

struct Hints;

seed!(Hints => deserialize_map);

impl<'de> Visitor<'de> for Hints {
    type Value = FoundHints;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("retry_after as a table with mode, cap, over_cap and spread")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<FoundHints, A::Error> {
        let mut found = FoundHints::default();
        while let Some(key) = table.next_key_seed(Key(HINTS))? {
            found.read(key, &mut table)?;
        }
        Ok(found)
    }
}

/// The settings that a text has in `retry_after`.
#[derive(Default)]
struct FoundHints {
    mode: Option<Mode>,
    cap: Option<Duration>,
    over_cap: Option<OverCap>,
    spread: Option<f64>,
}

impl FoundHints {
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &'static str, table: &mut A) -> Result<(), A::Error> {
        match key {
            "mode" => once(&mut self.mode, key, table, Word { field: "retry_after.mode", words: MODES }),
            "cap" => once(&mut self.cap, key, table, Time(rule::CAP)),
            "over_cap" => once(&mut self.over_cap, key, table, Word { field: "retry_after.over_cap", words: OVER_CAP }),
            "spread" => once(&mut self.spread, key, table, Number(rule::SPREAD)),
            _ => Err(A::Error::unknown_field(key, HINTS)),
        }
    }

    fn over(&self, base: RetryAfter) -> RetryAfter {
        RetryAfter {
            mode: self.mode.unwrap_or(base.mode),
            cap: self.cap.unwrap_or(base.cap),
            over_cap: self.over_cap.unwrap_or(base.over_cap),
            spread: self.spread.unwrap_or(base.spread),
        }
    }
}
