//! Times of a trace as text.

use core::time::Duration;
use std::borrow::Cow;

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serializer};

use crate::config::span::{Span, parse};
use crate::time::nanos;

pub(crate) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Span(*time))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    read(&Cow::deserialize(deserializer)?)
}

fn read<E: Error>(text: &str) -> Result<Duration, E> {
    // No moment of the machine lies further from its start.
    let time = parse(text).filter(|time| *time == Duration::from_nanos(nanos(*time)));
    time.ok_or_else(|| {
        E::invalid_value(Unexpected::Str(text), &"text with a unit, such as \"1.5s\", up to 2^64 - 1 ns")
    })
}

/// A time that may be absent.
pub(crate) mod option {
    use super::{Cow, Deserialize, Deserializer, Duration, Serializer, read};

    pub(crate) fn serialize<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Option::<Cow<'_, str>>::deserialize(deserializer)?.map(|text| read(&text)).transpose()
    }
}
