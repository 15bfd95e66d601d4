//! HTTP-dates: the core's parser against `httpdate`, and the list of where they differ on purpose.
//!
//! The bytes are the value. Where both accept it they must name the same moment; where one does, the list must say why.

use std::time::SystemTime;

use retry_core::{UnixTime, date};

/// 50 years before the end of 2069: against this moment, a year of two digits is the one that `httpdate` takes it for.
const PIVOT: i64 = 1_577_836_799;

/// A difference: what it is, a value that has it and no other, and whether a value has it that names this moment.
pub struct Difference {
    pub what: &'static str,
    pub example: &'static str,
    has: fn(&str, i64) -> bool,
}

/// What the core accepts and `httpdate` refuses.
pub const LENIENT: [Difference; 6] = [
    Difference {
        what: "names in any letter case",
        example: "sun, 01 Mar 2026 12:00:30 GMT",
        has: |value, _| !words(value).all(has_usual_case),
    },
    Difference {
        what: "weekdays in full in each form, or short",
        example: "Sunday, 01 Mar 2026 12:00:30 GMT",
        has: |value, _| (weekday(value).len() > 3) != is_rfc_850(value),
    },
    Difference {
        what: "a weekday that is not the date's",
        example: "Mon, 01 Mar 2026 12:00:30 GMT",
        has: |value, moment| !weekday(value).to_lowercase().starts_with(name_of_day(moment)),
    },
    Difference {
        what: "UTC and numeric zones",
        example: "Sun, 01 Mar 2026 20:00:30 +0800",
        has: |value, _| value.contains(',') && !value.to_uppercase().ends_with(" GMT"),
    },
    Difference { what: "second 60", example: "Sun, 01 Mar 2026 12:00:60 GMT", has: |value, _| value.contains(":60 ") },
    Difference { what: "years before 1970", example: "Wed, 31 Dec 1969 23:59:59 GMT", has: |_, moment| moment < 0 },
];

/// What `httpdate` accepts and the core refuses.
pub const STRICT: [Difference; 2] = [
    Difference {
        what: "whitespace around the value, which is the caller's to trim",
        example: " Sun, 01 Mar 2026 12:00:30 GMT\n",
        has: |value, _| value.trim() != value,
    },
    Difference {
        what: "any byte between an RFC 850 date and its time",
        example: "Sunday, 01-Mar-26T12:00:30 GMT",
        has: |value, _| is_rfc_850(value) && value.split(' ').nth(1).is_some_and(|date| date.len() != 9),
    },
];

/// What both accept and take for different moments: a year of two digits. `httpdate` changes the century at 70, the core
/// where RFC 9110 5.6.7 says: at most 50 years ahead of the moment it is measured against, which is not 2019 for ever.
pub const CENTURY: &str = "Monday, 01-Mar-76 12:00:30 GMT";

/// Fails if the two differ in a way that is not in the list.
pub fn run(data: &[u8]) {
    let (ours, theirs) = (ours(data, PIVOT), theirs(data));
    let shown = data.escape_ascii();
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => assert_eq!(ours, theirs, "{shown}"),
        (Some(moment), None) => assert_ne!(has(&LENIENT, data, moment), [""; 0], "{shown} is refused by httpdate"),
        (None, Some(moment)) => assert_ne!(has(&STRICT, data, moment), [""; 0], "{shown} is refused by the core"),
        (None, None) => {}
    }
    if let (Some(moment), Some(_)) = (ours, theirs) {
        let none = [has(&LENIENT, data, moment), has(&STRICT, data, moment)].concat();
        assert_eq!(none, [""; 0], "{shown} is accepted by both");
    }
}

/// What the value has of a list.
pub fn has(list: &[Difference], value: &[u8], moment: i64) -> Vec<&'static str> {
    let Ok(value) = core::str::from_utf8(value) else { return Vec::new() };
    list.iter().filter(|row| (row.has)(value, moment)).map(|row| row.what).collect()
}

pub fn ours(value: &[u8], reference: i64) -> Option<i64> {
    date::parse(value, Some(UnixTime::new(reference, 0))).map(UnixTime::secs)
}

pub fn theirs(value: &[u8]) -> Option<i64> {
    let moment = httpdate::parse_http_date(core::str::from_utf8(value).ok()?).ok()?;
    moment.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs().try_into().ok()
}

/// The runs of letters.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty())
}

/// Zones are written in capitals, names begin with one.
fn has_usual_case(word: &str) -> bool {
    let (first, rest) = word.split_at(1);
    let is_zone = ["GMT", "UTC"].contains(&word.to_uppercase().as_str());
    first == first.to_uppercase() && rest == if is_zone { rest.to_uppercase() } else { rest.to_lowercase() }
}

/// Of the forms it is the one that has hyphens in its date.
fn is_rfc_850(value: &str) -> bool {
    value.split(' ').nth(1).is_some_and(|date| date.contains('-'))
}

fn weekday(value: &str) -> &str {
    words(value).next().unwrap_or_default()
}

/// The short name of the moment's day; 1970 began on a Thursday.
fn name_of_day(moment: i64) -> &'static str {
    let names = ["thu", "fri", "sat", "sun", "mon", "tue", "wed"];
    let day = usize::try_from(moment.div_euclid(86_400).rem_euclid(7)).unwrap_or_default();
    names[day]
}
