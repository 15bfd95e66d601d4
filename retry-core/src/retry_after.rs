//! Retry-After (RFC 9110 section 10.2.3): from header values to one wait. The only place where civil time enters.

use core::time::Duration;

use crate::date;
use crate::time::{NANOS_PER_SEC, UnixTime};

/// The wait that the lines of Retry-After ask for (RFC 9110 section 10.2.3): the longest of the valid ones.
///
/// `None`: nothing valid, or a wait of zero, or a date that has passed. Such a response asks for nothing, and the
/// computed delay applies. Waits saturate at `u64::MAX` nanoseconds; the policy's cap is not applied here.
///
/// A line is one of these, with optional spaces and tabs around it:
/// - an HTTP-date in a form that [`date::parse`] reads, measured against `reference` to the nanosecond, so that the
///   wait does not end before the named moment. Without a reference, dates are malformed.
/// - a comma list of numbers of seconds, of which the longest counts; members that are no numbers are passed over. A
///   number is digits, as many as there are, and maybe a point with digits on both sides; a fraction is rounded up to
///   the next nanosecond. Signs, units and exponents make it malformed.
///
/// A line with a byte that is neither printable ASCII nor a tab is passed over whole.
///
/// ```
/// use core::time::Duration;
/// use retry_core::{UnixTime, retry_after};
///
/// let now = Some(UnixTime::new(1_772_366_400, 0));
/// let wait = |line: &str| retry_after::hint([line.as_bytes()], now);
/// assert_eq!(wait("120"), Some(Duration::from_secs(120)));
/// assert_eq!(wait("0.5, 1.5"), Some(Duration::from_millis(1500)));
/// assert_eq!(wait("Sun, 01 Mar 2026 12:00:30 GMT"), Some(Duration::from_secs(30)));
/// assert_eq!(wait("soon"), None);
/// ```
pub fn hint<'a>(lines: impl IntoIterator<Item = &'a [u8]>, reference: Option<UnixTime>) -> Option<Duration> {
    let wait = |line| digits(line).or_else(|| until(line, reference)).unwrap_or_else(|| numbers(line));
    lines.into_iter().map(wait).max().filter(|wait| !wait.is_zero())
}

/// The moment against which a response's dates are measured.
///
/// `dates` are the lines of its Date header (RFC 9110 section 6.6.1). It counts if there is exactly one, valid, with a
/// four-digit year, and if the response has no Age header (`has_age`): one from a cache is older than its arrival. The
/// server's clock then need not agree with ours. Otherwise it is `wall`, the time by our clock, asked only then.
///
/// ```
/// use retry_core::{UnixTime, retry_after};
///
/// let date: &[u8] = b"Sun, 01 Mar 2026 12:00:00 GMT";
/// let wall = || Some(UnixTime::new(5, 0));
/// assert_eq!(retry_after::reference([date], false, wall), Some(UnixTime::new(1_772_366_400, 0)));
/// assert_eq!(retry_after::reference([date], true, wall), Some(UnixTime::new(5, 0)));
/// ```
pub fn reference<'a>(
    dates: impl IntoIterator<Item = &'a [u8]>,
    has_age: bool,
    wall: impl FnOnce() -> Option<UnixTime>,
) -> Option<UnixTime> {
    let mut dates = dates.into_iter();
    let own = match (dates.next(), dates.next()) {
        (Some(date), None) if !has_age => date::parse(trim(date), None),
        _ => None,
    };
    own.or_else(wall)
}

/// [`hint`] and [`reference`](reference()) for the headers of a response.
///
/// Date, Age and `wall` are looked at only if a line of Retry-After can be a date.
///
/// ```
/// use core::time::Duration;
/// use http::header::{HeaderMap, HeaderValue, RETRY_AFTER};
/// use retry_core::retry_after;
///
/// let mut headers = HeaderMap::new();
/// assert_eq!(retry_after::from_headers(&headers, || None), None);
/// headers.insert(RETRY_AFTER, HeaderValue::from_static("120"));
/// assert_eq!(retry_after::from_headers(&headers, || None), Some(Duration::from_secs(120)));
/// ```
#[cfg(feature = "http")]
pub fn from_headers(headers: &http::HeaderMap, wall: impl FnOnce() -> Option<UnixTime>) -> Option<Duration> {
    use http::header::{AGE, DATE, RETRY_AFTER};

    let bytes = http::HeaderValue::as_bytes;
    // Looked up once: most responses have none.
    let waits = headers.get_all(RETRY_AFTER);
    let dates = || headers.get_all(DATE).iter().map(bytes);
    let dated = waits.iter().map(bytes).any(can_be_date);
    let reference = if dated { reference(dates(), headers.contains_key(AGE), wall) } else { None };
    hint(waits.iter().map(bytes), reference)
}

/// The wait that a line of one to nine digits and nothing else means, which is what nearly every server sends.
#[inline]
fn digits(line: &[u8]) -> Option<Duration> {
    if !matches!(line.len(), 1..=9) {
        return None;
    }
    let mut secs = 0_u64;
    for byte in line {
        if !byte.is_ascii_digit() {
            return None;
        }
        secs = secs.wrapping_mul(10).wrapping_add(u64::from(byte & 0x0F));
    }
    Some(Duration::from_secs(secs))
}

/// The time until the date that the line is; zero if it has passed.
fn until(line: &[u8], reference: Option<UnixTime>) -> Option<Duration> {
    let reference = reference.filter(|_| can_be_date(line))?;
    Some(Duration::from_nanos(date::parse(trim(line), Some(reference))?.nanos_since(reference)))
}

/// Every date begins with a weekday, and no number with a letter.
fn can_be_date(line: &[u8]) -> bool {
    trim_start(line).first().is_some_and(u8::is_ascii_alphabetic)
}

/// `line` without the optional whitespace around it (RFC 9110 section 5.6.3).
fn trim(line: &[u8]) -> &[u8] {
    let mut line = trim_start(line);
    while let [rest @ .., b' ' | b'\t'] = line {
        line = rest;
    }
    line
}

fn trim_start(mut line: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = line {
        line = rest;
    }
    line
}

/// The longest number in a comma list, as a time; zero if there is none. One pass: a line is as long as the client
/// lets it be.
fn numbers(mut line: &[u8]) -> Duration {
    let mut longest = 0;
    loop {
        let (mut member, mut rest) = number(trim_start(line));
        // Other text up to the comma: it was no number.
        while let [b'\t' | b' '..=b'+' | b'-'..=b'~', next @ ..] = rest {
            (member, rest) = (0, next);
        }
        longest = longest.max(member);
        match rest {
            [] => return Duration::from_nanos(longest),
            [b',', next @ ..] => line = next,
            _ => return Duration::ZERO,
        }
    }
}

/// The number that `line` begins with, in nanoseconds, and what follows it and the spaces and tabs after it. Zero if
/// there is none.
fn number(line: &[u8]) -> (u64, &[u8]) {
    let (mut secs, mut rest) = (0_u64, line);
    while let [digit @ b'0'..=b'9', next @ ..] = rest {
        secs = secs.saturating_mul(10).saturating_add(u64::from(digit & 0x0F));
        rest = next;
    }
    let mut fraction = Some(0);
    let is_number = rest.len() < line.len();
    if let [b'.', next @ ..] = rest {
        (fraction, rest) = nanos(next);
    }
    let number = match fraction {
        Some(fraction) if is_number => secs.saturating_mul(NANOS_PER_SEC).saturating_add(fraction),
        _ => 0,
    };
    (number, trim_start(rest))
}

/// The digits after a point, in nanoseconds, and what follows them.
fn nanos(mut line: &[u8]) -> (Option<u64>, &[u8]) {
    let mut nanos = None;
    // What a one in the next digit is worth. After the ninth, all that counts is whether there is anything to round up.
    let (mut scale, mut more) = (100_000_000_u64, false);
    while let [digit @ b'0'..=b'9', rest @ ..] = line {
        let digit = u64::from(digit & 0x0F);
        nanos = Some(nanos.unwrap_or(0_u64).saturating_add(scale.saturating_mul(digit)));
        more |= scale == 0 && digit != 0;
        scale /= 10;
        line = rest;
    }
    (nanos.map(|nanos| nanos.saturating_add(u64::from(more))), line)
}
