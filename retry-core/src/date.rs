//! HTTP-dates (RFC 9110 section 5.6.7), read from bytes. No clock, no time zone database, no heap.
//!
//! It is more lenient than the grammar where servers are known to be careless and the meaning is plain: a wrong
//! weekday, letter case, `UTC` and numeric zones. Nothing is guessed, and an impossible day never becomes another one.

use crate::time::UnixTime;

const DAY: i64 = 86_400;
/// 1970-01-01 in seconds since 0000-01-01, from where this file counts.
const UNIX_EPOCH: i64 = 719_528 * DAY;
/// After 400 years the calendar repeats itself, to the day.
const CYCLE: i64 = 146_097 * DAY;

/// The moment that an HTTP-date names, or `None` if it is malformed (RFC 9110 section 5.6.7).
///
/// | form | example |
/// |---|---|
/// | IMF-fixdate | `Sun, 01 Mar 2026 12:00:30 GMT` |
/// | the same with a numeric zone, hours to 23, minutes to 59 | `Sun, 01 Mar 2026 20:00:30 +0800` |
/// | RFC 850 | `Sunday, 01-Mar-26 12:00:30 GMT` |
/// | asctime | `Sun Mar  1 12:00:30 2026` |
///
/// - The weekday is one of the seven names, short or long, and need not fit the date. Names and `GMT` or `UTC` may be
///   in any letter case.
/// - Years run from 0000 to 9999 in the Gregorian calendar. Day and time must exist; second 60 is the second after 59.
/// - Single spaces stand exactly where the form has them. Whitespace around the value is the caller's to trim.
/// - A two-digit year is the latest one that has this day and puts the moment at most 50 years ahead of `reference`
///   (50 years after 29 February is 28 February). So 29 February of year `00` skips the centuries without that day.
///   Without a reference, two-digit years are malformed; nothing else uses it.
///
/// ```
/// use retry_core::{UnixTime, date};
///
/// let moment = UnixTime::new(1_772_366_430, 0);
/// assert_eq!(date::parse(b"Sun, 01 Mar 2026 12:00:30 GMT", None), Some(moment));
/// assert_eq!(date::parse(b"Sun Mar  1 12:00:30 2026", None), Some(moment));
/// assert_eq!(date::parse(b"Sunday, 01-Mar-26 12:00:30 GMT", Some(moment)), Some(moment));
/// assert_eq!(date::parse(b"Sun, 31 Feb 2026 12:00:30 GMT", None), None);
/// ```
pub fn parse(value: &[u8], reference: Option<UnixTime>) -> Option<UnixTime> {
    match *after_weekday(value)? {
        [b',', b' ', d1, d2, b' ', m1, m2, m3, b' ', y1, y2, y3, y4, b' ', ref rest @ ..] => {
            let (time, zone) = clock(rest)?;
            let local = moment(number([y1, y2, y3, y4])?, [m1, m2, m3], number([d1, d2])?, time)?;
            Some(unix(local.saturating_sub(offset(zone)?)))
        }
        [b',', b' ', d1, d2, b'-', m1, m2, m3, b'-', y1, y2, b' ', ref rest @ ..] => {
            let (time, zone) = clock(rest)?;
            let (day, year) = (number([d1, d2])?, number([y1, y2])?);
            if !is_utc(zone) {
                return None;
            }
            in_window(year, reference?, |year| moment(year, [m1, m2, m3], day, time))
        }
        [b' ', m1, m2, m3, b' ', d1, d2, b' ', ref rest @ ..] => {
            let (time, year) = clock(rest)?;
            let d1 = if d1 == b' ' { b'0' } else { d1 };
            moment(number(*<&[u8; 4]>::try_from(year).ok()?)?, [m1, m2, m3], number([d1, d2])?, time).map(unix)
        }
        _ => None,
    }
}

/// What follows the weekday's name, short or long.
fn after_weekday(value: &[u8]) -> Option<&[u8]> {
    let (short, rest) = value.split_first_chunk()?;
    let ending: &[u8] = match &lowercase(*short) {
        b"mon" | b"fri" | b"sun" => b"day",
        b"tue" => b"sday",
        b"wed" => b"nesday",
        b"thu" => b"rsday",
        b"sat" => b"urday",
        _ => return None,
    };
    match rest.split_at_checked(ending.len()) {
        Some((name, rest)) if name.eq_ignore_ascii_case(ending) => Some(rest),
        _ => Some(rest),
    }
}

fn lowercase(name: [u8; 3]) -> [u8; 3] {
    name.map(|byte| byte.to_ascii_lowercase())
}

/// `hh:mm:ss` and a space: the second of the day, and what follows.
fn clock(value: &[u8]) -> Option<(i64, &[u8])> {
    let [h1, h2, b':', m1, m2, b':', s1, s2, b' ', ref rest @ ..] = *value else { return None };
    let second = number([s1, s2]).filter(|second| *second <= 60)?;
    Some((minutes([h1, h2, m1, m2])?.saturating_mul(60).saturating_add(second), rest))
}

/// Seconds that a zone is ahead of UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    match *zone {
        [b'+', h1, h2, m1, m2] => Some(minutes([h1, h2, m1, m2])?.saturating_mul(60)),
        [b'-', h1, h2, m1, m2] => Some(minutes([h1, h2, m1, m2])?.saturating_mul(-60)),
        _ => is_utc(zone).then_some(0),
    }
}

fn is_utc(zone: &[u8]) -> bool {
    zone.eq_ignore_ascii_case(b"gmt") || zone.eq_ignore_ascii_case(b"utc")
}

/// `hhmm` in minutes, below one day.
fn minutes([h1, h2, m1, m2]: [u8; 4]) -> Option<i64> {
    let (hours, minutes) = (number([h1, h2])?, number([m1, m2])?);
    (hours < 24 && minutes < 60).then_some(hours.saturating_mul(60).saturating_add(minutes))
}

/// Nothing but digits, of which there are at most four here.
fn number<const N: usize>(digits: [u8; N]) -> Option<i64> {
    let mut number = 0_i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number.wrapping_mul(10).wrapping_add(i64::from(digit & 0x0F));
    }
    Some(number)
}

/// Seconds from 0000-01-01 to this day and second of the day, if the year has the day.
#[expect(clippy::arithmetic_side_effects, reason = "years have at most four digits, days two, a time five")]
fn moment(year: i64, month: [u8; 3], day: i64, time: i64) -> Option<i64> {
    let leap = leap_day(year);
    // Days of the year before the month, and days in it.
    let (before, length) = match &lowercase(month) {
        b"jan" => (0, 31),
        b"feb" => (31, 28 + leap),
        b"mar" => (59 + leap, 31),
        b"apr" => (90 + leap, 30),
        b"may" => (120 + leap, 31),
        b"jun" => (151 + leap, 30),
        b"jul" => (181 + leap, 31),
        b"aug" => (212 + leap, 31),
        b"sep" => (243 + leap, 30),
        b"oct" => (273 + leap, 31),
        b"nov" => (304 + leap, 30),
        b"dec" => (334 + leap, 31),
        _ => return None,
    };
    (1 <= day && day <= length).then(|| (new_year(year) + before + day - 1) * DAY + time)
}

/// The days of `year` above 365.
fn leap_day(year: i64) -> i64 {
    i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
}

/// Days from 0000-01-01 to the first day of `year`: 365 for each year before it, and its leap days. Year 0 has one.
#[expect(clippy::arithmetic_side_effects, reason = "years have at most four digits")]
fn new_year(year: i64) -> i64 {
    let centuries = (year + 99) / 100;
    year * 365 + (year + 3) / 4 - centuries + (centuries + 3) / 4
}

/// The latest moment of a year with the last two digits `digits` that is at most 50 years ahead of `reference`.
///
/// `at` gives the moment in a year, if the year has it. A named moment is a whole second, so the nanoseconds of the
/// reference cannot decide.
#[expect(clippy::arithmetic_side_effects, reason = "all years are between 1500 and 2500")]
fn in_window(digits: i64, reference: UnixTime, at: impl Fn(i64) -> Option<i64>) -> Option<UnixTime> {
    // The search is the same in every cycle of the calendar, so it is made in that of 1970, and its result is taken
    // relative to the reference: no reference is too far away.
    let now = UNIX_EPOCH + reference.secs().rem_euclid(CYCLE);
    let today = now / DAY;
    let mut year = today / 365;
    while new_year(year) > today {
        year -= 1;
    }
    // From the 60th day on, the leap day of this year is behind and that of the 50th year ahead. A 29 February is that
    // day, and so lands on the 28th.
    let first = if today - new_year(year) < 59 { year } else { year + 1 };
    let limit = now + (new_year(first + 50) - new_year(first)) * DAY;
    let last = year + 50;
    let newest = last - (last - digits) % 100;
    // The newest may be too late. Of the four centuries before it, one has a 29 February of year 00.
    let found = (0..5).filter_map(|century| at(newest - century * 100)).find(|moment| *moment <= limit)?;
    Some(UnixTime::new(reference.secs().checked_add(found - now)?, 0))
}

fn unix(moment: i64) -> UnixTime {
    UnixTime::new(moment.saturating_sub(UNIX_EPOCH), 0)
}
