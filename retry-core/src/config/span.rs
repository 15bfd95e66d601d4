//! Lengths of time as text: exact to the nanosecond, without floats.

use core::fmt::{self, Write};
use core::time::Duration;

use crate::time::{NANOS_PER_SEC, nanos};

/// The units, longest first. Within an array are the spellings of one unit; the first of each is the one that is
/// written.
const UNITS: [(&[&str], u64); 7] = [
    (&["d"], 24 * 60 * MINUTE),
    (&["h"], 60 * MINUTE),
    (&["m", "min"], MINUTE),
    (&["s"], NANOS_PER_SEC),
    (&["ms"], 1_000_000),
    (&["us", "\u{b5}s", "\u{3bc}s"], 1_000),
    (&["ns"], 1),
];
const MINUTE: u64 = 60 * NANOS_PER_SEC;
const SECOND: u128 = NANOS_PER_SEC as u128;

/// The time that `text` tells: numbers with units, from the longest unit to the shortest, each at most once, maybe with
/// one space between two of them. The last number may be a decimal fraction, of whole nanoseconds.
///
/// `None`: anything else, or more than a [`Duration`] holds.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let (mut total, mut units, mut rest) = (0_u128, UNITS.as_slice(), text);
    loop {
        let (number, tail) = rest.split_at_checked(rest.find(|c: char| !c.is_ascii_digit() && c != '.')?)?;
        let end = tail.find(|c: char| c.is_ascii_digit() || c == ' ').unwrap_or(tail.len());
        let (name, tail) = tail.split_at_checked(end)?;
        let place = units.iter().position(|(names, _)| names.contains(&name))?;
        let (unit, shorter) = units.split_at_checked(place)?.1.split_first()?;
        let (part, is_whole) = part(number, unit.1)?;
        total = total.checked_add(part)?;
        if tail.is_empty() {
            break;
        }
        if !is_whole {
            return None;
        }
        (units, rest) = (shorter, tail.strip_prefix(' ').unwrap_or(tail));
    }
    Some(Duration::new(u64::try_from(total / SECOND).ok()?, u32::try_from(total % SECOND).ok()?))
}

/// So many `unit`s in nanoseconds, and whether the number has no point.
fn part(number: &str, unit: u64) -> Option<(u128, bool)> {
    let unit = u128::from(unit);
    let Some((whole, fraction)) = number.split_once('.') else {
        return Some((digits(number)?.checked_mul(unit)?, true));
    };
    if fraction.is_empty() {
        return None;
    }
    // Zeros at the end mean nothing, and no unit has whole nanoseconds beyond the 16th digit.
    let fraction = fraction.trim_end_matches('0');
    let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let scaled = if fraction.is_empty() { 0 } else { digits(fraction)?.checked_mul(unit)? };
    if scaled.checked_rem(scale)? != 0 {
        return None;
    }
    Some((digits(whole)?.checked_mul(unit)?.checked_add(scaled.checked_div(scale)?)?, false))
}

/// Digits and nothing else, at least one.
fn digits(text: &str) -> Option<u128> {
    // `parse` would take a sign.
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// A length of time, at most u64::MAX nanoseconds, in the shortest text that [`parse`] reads.
///
/// From one second on it is in whole days, hours, minutes, and seconds with a fraction; below that in one unit.
pub(crate) struct Span(pub(crate) Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = nanos(self.0);
        if left == 0 {
            return f.write_str("0s");
        }
        for (names, unit) in UNITS {
            let whole = left.checked_div(unit).unwrap_or(0);
            let name = names.first().copied().unwrap_or_default();
            if whole == 0 {
                continue;
            }
            left = left.checked_rem(unit).unwrap_or(0);
            write!(f, "{whole}")?;
            if unit <= NANOS_PER_SEC {
                fraction(f, left, unit)?;
                return f.write_str(name);
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// The digits of `left` of a `unit`, which is a power of ten; nothing if there are none.
fn fraction(f: &mut fmt::Formatter<'_>, mut left: u64, unit: u64) -> fmt::Result {
    if left > 0 {
        f.write_char('.')?;
    }
    while left > 0 {
        left = left.saturating_mul(10);
        write!(f, "{}", left.checked_div(unit).unwrap_or(0))?;
        left = left.checked_rem(unit).unwrap_or(0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::ToString;

    use super::*;

    #[test]
    fn times_are_exact() {
        for (text, nanos) in [
            ("0s", 0),
            ("1ns", 1),
            ("1us", 1_000),
            ("1\u{b5}s", 1_000),
            ("1\u{3bc}s", 1_000),
            ("500ms", 500_000_000),
            ("1687.5ms", 1_687_500_000),
            ("0.000000001s", 1),
            ("0.0000000010000s", 1),
            ("1.50min", 90_000_000_000),
            ("1m30s", 90_000_000_000),
            ("1m 30s", 90_000_000_000),
            ("1h0m0.5s", 3_600_500_000_000),
            ("1d 1h 1m 1s 1ms 1us 1ns", 90_061_001_001_001),
            ("90m", 5_400_000_000_000),
            ("007s", 7_000_000_000),
            ("365d", 31_536_000_000_000_000),
            ("18446744073.709551615s", u64::MAX),
        ] {
            assert_eq!(parse(text), Some(Duration::from_nanos(nanos)), "{text}");
        }
        assert_eq!(parse("18446744073709551615.999999999s"), Some(Duration::MAX));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            " ",
            "1",
            "500",
            "1.5",
            "s",
            "1 s",
            " 1s",
            "1s ",
            "+1s",
            "-1s",
            ".5s",
            "5.s",
            "1..5s",
            "1.2.3s",
            "1e3s",
            "1S",
            "1sec",
            "1s30m",
            "1s1s",
            "1m1min",
            "1.5m30s",
            "1m  30s",
            "1m,30s",
            "1m-30s",
            "0.5ns",
            "1.0000000001s",
            "\u{b2}s",
            "\u{661}s",
            "inf",
            "NaN",
            "none",
            "P1D",
            "18446744073709551616s",
            "1s\0",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        let long = ["9".repeat(100_000) + "s", "0.".to_string() + &"3".repeat(100_000) + "s", "1s".repeat(50_000)];
        assert!(long.iter().all(|text| parse(text).is_none()));
    }

    #[test]
    fn the_shortest_text_is_written() {
        for text in [
            "0s",
            "1ns",
            "1.001us",
            "500ms",
            "1.5ms",
            "1s",
            "1.5s",
            "1.000000001s",
            "1m",
            "1m30s",
            "1m30.5s",
            "1m1ms",
            "3m",
            "30m",
            "1h",
            "1h1s",
            "1d",
            "365d",
            "1d1h1m1.001001001s",
        ] {
            assert_eq!(Span(parse(text).unwrap()).to_string(), text);
        }
    }
}
