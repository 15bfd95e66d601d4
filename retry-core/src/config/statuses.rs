//! A set of statuses as a list of numbers and ranges.

use core::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Unexpected, Visitor};
use serde_core::ser::{Serialize, SerializeSeq, Serializer};

use super::values::seed;
use super::write::Text;
use crate::policy_error::{PolicyError, Value, rule};
use crate::status::StatusSet;

/// Reads the list.
pub(super) struct Statuses;

/// Reads one entry of it.
struct Entry;

seed!(Statuses => deserialize_seq);
seed!(Entry => deserialize_any);

impl<'de> Visitor<'de> for Statuses {
    type Value = StatusSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("statuses as a list of numbers and ranges, such as [429, \"500-504\"]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<StatusSet, A::Error> {
        let mut set = StatusSet::EMPTY;
        while let Some(entry) = list.next_element_seed(Entry)? {
            set = set.union(entry);
        }
        Ok(set)
    }
}

impl Visitor<'_> for Entry {
    type Value = StatusSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("statuses as numbers and ranges, lower end first, such as 429 or \"500-504\"")
    }

    fn visit_u64<E: Error>(self, status: u64) -> Result<StatusSet, E> {
        let set = u16::try_from(status).ok().and_then(|status| StatusSet::EMPTY.with(status));
        set.ok_or_else(|| outside(status as f64))
    }

    fn visit_i64<E: Error>(self, status: i64) -> Result<StatusSet, E> {
        u64::try_from(status).map_or_else(|_| Err(outside(status as f64)), |status| self.visit_u64(status))
    }

    fn visit_str<E: Error>(self, range: &str) -> Result<StatusSet, E> {
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u16>().ok()).flatten();
        let ends = range.split_once('-').and_then(|(first, last)| number(first).zip(number(last)));
        let Some((first, last)) = ends.filter(|(first, last)| first <= last) else {
            return Err(E::invalid_value(Unexpected::Str(range), &self));
        };
        for end in [first, last] {
            Entry.visit_u64::<E>(end.into())?;
        }
        Ok((first..=last).filter_map(|status| StatusSet::EMPTY.with(status)).fold(StatusSet::EMPTY, StatusSet::union))
    }
}

fn outside<E: Error>(status: f64) -> E {
    E::custom(PolicyError { rule: rule::STATUSES, value: Value::Number(status) })
}

/// Writes the list; three neighbours and more are a range.
pub(super) struct List(pub(super) StatusSet);

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for (first, last) in runs(self.0) {
            if last.saturating_sub(first) >= 2 {
                list.serialize_element(&Text(format_args!("{first}-{last}")))?;
            } else {
                (first..=last).try_for_each(|status| list.serialize_element(&status))?;
            }
        }
        list.end()
    }
}

/// The first and the last of each run of neighbours.
fn runs(set: StatusSet) -> impl Iterator<Item = (u16, u16)> {
    let mut from = 0;
    core::iter::from_fn(move || {
        let first = set.iter().find(|status| *status >= from)?;
        let last = (first..).take_while(|status| set.contains(*status)).last()?;
        from = last.saturating_add(1);
        Some((first, last))
    })
}
