//! Reading one value. Whatever is wrong, the error has the name of the setting, the value, and what is accepted.

use core::fmt;
use core::time::Duration;

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, Unexpected, Visitor};

use super::{JITTERS, NO_LIMIT, PROPORTIONAL, Words, meaning, span};
use crate::jitter::Jitter;
use crate::policy_error::rule::{self, Rule};
use crate::policy_error::{PolicyError, Value};

/// Lets a visitor be what a value is read with.
macro_rules! seed {
    ($visitor:ident $(<$t:ident: $bound:ident>)? => $method:ident) => {
        impl<'de $(, $t: $bound)?> DeserializeSeed<'de> for $visitor $(<$t>)? {
            type Value = <Self as Visitor<'de>>::Value;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.$method(self)
            }
        }
    };
}
pub(super) use seed;

/// One of the keys of a table.
pub(super) struct Key(pub(super) &'static [&'static str]);

/// `max_retries`.
pub(super) struct Count;

/// True or false.
pub(super) struct Flag(pub(super) &'static str);

/// A number.
pub(super) struct Number(pub(super) Rule);

/// A length of time.
pub(super) struct Time(pub(super) Rule);

/// A length of time, or none.
pub(super) struct Limit(pub(super) Rule);

/// One of a few words.
pub(super) struct Word<T: 'static> {
    pub(super) field: &'static str,
    pub(super) words: &'static Words<T>,
}

/// A word, or a table with a share.
pub(super) struct Spread;

seed!(Key => deserialize_identifier);
seed!(Count => deserialize_u32);
seed!(Flag => deserialize_bool);
seed!(Number => deserialize_f64);
seed!(Time => deserialize_str);
seed!(Limit => deserialize_option);
seed!(Word<T: Copy> => deserialize_str);
seed!(Spread => deserialize_any);

impl Visitor<'_> for Key {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a setting")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<&'static str, E> {
        self.0.iter().find(|key| **key == name).copied().ok_or_else(|| E::unknown_field(name, self.0))
    }
}

impl Visitor<'_> for Count {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "max_retries as a whole number, accepted: {}", rule::MAX_RETRIES.bound)
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<u32, E> {
        u32::try_from(count).map_err(|_| refused(rule::MAX_RETRIES, count as f64))
    }

    fn visit_i64<E: Error>(self, count: i64) -> Result<u32, E> {
        u32::try_from(count).map_err(|_| refused(rule::MAX_RETRIES, count as f64))
    }
}

impl Visitor<'_> for Flag {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as true or false", self.0)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }
}

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as a number, accepted: {}", self.0.field, self.0.bound)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }
}

impl Visitor<'_> for Time {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { field, bound, .. } = self.0;
        write!(f, "{field} as text with a unit, such as \"500ms\", \"2s\" or \"1m30s\", accepted: {bound}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
        span::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<'de> Visitor<'de> for Limit {
    type Value = Option<Duration>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { field, bound, .. } = self.0;
        write!(f, "{field} as \"none\" or text with a unit, such as \"500ms\", \"2s\" or \"1m30s\", accepted: {bound}")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text == NO_LIMIT {
            return Ok(None);
        }
        span::parse(text).map(Some).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<T: Copy> Visitor<'_> for Word<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as one of", self.field)?;
        list(f, self.words)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
        meaning(self.words, word).ok_or_else(|| E::invalid_value(Unexpected::Str(word), &self))
    }
}

impl<'de> Visitor<'de> for Spread {
    type Value = Jitter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "jitter as {{ {PROPORTIONAL} = 0.1 }} or one of")?;
        list(f, JITTERS)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Jitter, E> {
        meaning(JITTERS, word).ok_or_else(|| E::invalid_value(Unexpected::Str(word), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Jitter, A::Error> {
        let mut share = None;
        while let Some(key) = table.next_key_seed(Key(&[PROPORTIONAL]))? {
            once(&mut share, key, &mut table, Number(rule::JITTER))?;
        }
        share.map(Jitter::Proportional).ok_or_else(|| A::Error::invalid_value(Unexpected::Map, &self))
    }
}

/// Reads the value of `key` into its place, which must be empty.
pub(super) fn once<'de, A, S>(
    place: &mut Option<S::Value>,
    key: &'static str,
    table: &mut A,
    seed: S,
) -> Result<(), A::Error>
where
    A: MapAccess<'de>,
    S: DeserializeSeed<'de>,
{
    if place.is_some() {
        return Err(A::Error::duplicate_field(key));
    }
    *place = Some(table.next_value_seed(seed)?);
    Ok(())
}

fn list<T>(f: &mut fmt::Formatter<'_>, words: &Words<T>) -> fmt::Result {
    words
        .iter()
        .enumerate()
        .try_for_each(|(place, (word, _))| write!(f, "{} {word:?}", if place == 0 { "" } else { "," }))
}

fn refused<E: Error>(rule: Rule, number: f64) -> E {
    E::custom(PolicyError { rule, value: Value::Number(number) })
}
