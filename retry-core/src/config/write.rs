//! Writing. Every setting is told, so that the text means the same under versions with other defaults, and shows what
//! is in force; each value is in its shortest form.

use core::fmt;
use core::time::Duration;

use serde_core::Serialize;
use serde_core::ser::{SerializeMap, SerializeStruct, Serializer};

use super::span::Span;
use super::statuses::List;
use super::{JITTERS, MODES, NO_LIMIT, NON_IDEMPOTENT, OVER_CAP, PROPORTIONAL, SETTINGS, word};
use crate::hint::RetryAfter;
use crate::jitter::Jitter;
use crate::policy::Policy;

/// Needs the feature `serde`. What is written reads back as the same policy.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("Policy", SETTINGS.len().saturating_sub(1))?;
        table.serialize_field("max_retries", &self.max_retries())?;
        table.serialize_field("base_delay", &Text(Span(self.base_delay())))?;
        table.serialize_field("factor", &self.factor())?;
        table.serialize_field("max_delay", &Text(Span(self.max_delay())))?;
        table.serialize_field("jitter", &Spread(self.jitter()))?;
        table.serialize_field("hard_cap", &self.hard_cap())?;
        table.serialize_field("retry_after", &Hints(self.retry_after()))?;
        table.serialize_field("total_timeout", &Limit(self.total_timeout()))?;
        table.serialize_field("attempt_timeout", &Limit(self.attempt_timeout()))?;
        table.serialize_field("statuses", &List(self.statuses()))?;
        table.serialize_field("non_idempotent", &word(NON_IDEMPOTENT, self.non_idempotent()))?;
        table.end()
    }
}

/// What is written as it is printed.
pub(super) struct Text<T>(pub(super) T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct Limit(Option<Duration>);

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(limit) => Text(Span(limit)).serialize(serializer),
            None => NO_LIMIT.serialize(serializer),
        }
    }
}

struct Spread(Jitter);

impl Serialize for Spread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Jitter::Proportional(share) = self.0 {
            let mut table = serializer.serialize_map(Some(1))?;
            table.serialize_entry(PROPORTIONAL, &share)?;
            return table.end();
        }
        word(JITTERS, self.0).serialize(serializer)
    }
}

struct Hints(RetryAfter);

impl Serialize for Hints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RetryAfter { mode, cap, over_cap, spread } = self.0;
        let mut table = serializer.serialize_struct("RetryAfter", super::HINTS.len())?;
        table.serialize_field("mode", &word(MODES, mode))?;
        table.serialize_field("cap", &Text(Span(cap)))?;
        table.serialize_field("over_cap", &word(OVER_CAP, over_cap))?;
        table.serialize_field("spread", &spread)?;
        table.end()
    }
}
