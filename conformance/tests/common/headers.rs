//! Headers of a response, at random: what servers send, what they send by mistake, and what nobody would.

use conformance::json::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Retry-After, Date and Age.
pub(crate) fn headers() -> impl Strategy<Value = Vec<(String, Bytes)>> {
    let asked = prop_oneof![4 => vec(line(), 1..2), 1 => vec(line(), 2..4)];
    let dated = prop_oneof![3 => Just(Vec::new()), 2 => vec(date(), 1..2), 1 => vec(line(), 1..3)];
    (asked, dated, prop::bool::weighted(0.1)).prop_map(|(asked, dated, age)| {
        let named = |name: &str, lines: Vec<String>| -> Vec<_> {
            lines.into_iter().map(|line| (name.to_owned(), Bytes::try_from(line).unwrap_or_default())).collect()
        };
        let age = if age { vec!["1".to_owned()] } else { Vec::new() };
        [named("Retry-After", asked), named("date", dated), named("Age", age)].concat()
    })
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => number(),
        4 => date(),
        1 => vec(prop_oneof![number(), soup()], 1..4).prop_map(|members| members.join(", ")),
        1 => soup(),
        1 => (date(), any::<prop::sample::Index>(), select(&LETTERS[..])).prop_map(|(date, place, other)| {
            let mut letters: Vec<char> = date.chars().collect();
            let place = place.index(letters.len());
            letters[place] = other;
            letters.into_iter().collect()
        }),
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0_u32..130).prop_map(|secs| secs.to_string()),
        2 => (0_u32..9, vec(select(&['0', '0', '1', '5', '9'][..]), 1..13))
            .prop_map(|(secs, digits)| format!("{secs}.{}", String::from_iter(digits))),
        1 => any::<u128>().prop_map(|secs| secs.to_string()),
        1 => (0_u32..9).prop_map(|secs| format!(" 000{secs}\t")),
    ]
}

/// The letters of dates and numbers, and some that belong to neither.
const LETTERS: [char; 24] = [
    '0', '1', '2', '5', '6', '9', ' ', ' ', ',', ',', '.', '-', '+', ':', '\t', 'G', 'M', 'T', 'e', 'u', 'S', '\u{0}',
    '\u{b2}', '\u{e9}',
];

fn soup() -> impl Strategy<Value = String> {
    vec(select(&LETTERS[..]), 0..9).prop_map(String::from_iter)
}

/// A date in one of the forms: mostly near noon of 1 March 2026, and sometimes one that does not exist.
fn date() -> impl Strategy<Value = String> {
    let near = (Just((1, 2, 2026)), 0_u32..3, 0_u32..62).prop_map(|(day, minutes, secs)| (day, 12, minutes, secs));
    let years = prop_oneof![0_u32..10_000, 1960_u32..2100];
    let any = ((0_u32..33, 0_usize..12, years), 0_u32..25, 0_u32..61, 0_u32..62);
    (prop_oneof![3 => near, 1 => any], 0..DAYS.len(), 0..FORMS.len(), 0..ZONES.len()).prop_map(
        |(((day, month, year), hours, minutes, secs), weekday, form, zone)| {
            let clock = format!("{hours:02}:{minutes:02}:{secs:02}");
            FORMS[form](DAYS[weekday], day, MONTHS[month], year, &clock, ZONES[zone])
        },
    )
}

type Form = fn(&str, u32, &str, u32, &str, &str) -> String;

const FORMS: [Form; 5] = [
    |name, day, month, year, clock, zone| format!("{name}, {day:02} {month} {year:04} {clock} {zone}"),
    |name, day, month, year, clock, zone| format!("{name}, {day:02} {month} {year:04} {clock} {zone}"),
    |name, day, month, year, clock, _| format!("{name}, {day:02}-{month}-{:02} {clock} GMT", year % 100),
    |name, day, month, year, clock, _| format!("{name} {month} {day:2} {clock} {year:04}"),
    |name, day, month, year, clock, zone| format!("{name}, {day:02}-{month}-{:02} {clock} {zone}", year % 100),
];

const DAYS: [&str; 5] = ["Sun", "Sunday", "mon", "Tuesday", "Sat"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "apr", "May", "Jun", "Jul", "Aug", "SEP", "Oct", "Nov", "Dec"];
const ZONES: [&str; 10] = ["GMT", "GMT", "GMT", "utc", "+0000", "-0000", "+0001", "-2359", "+2400", "EST"];
