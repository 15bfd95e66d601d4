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
    let wait = |line| until(line, reference).or_else(|| numbers(line));
    lines.into_iter().filter_map(wait).max().filter(|wait| !wait.is_zero())
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

/// [`hint`] and [`reference`] for the headers of a response.
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

    let lines = |name| headers.get_all(name).iter().map(http::HeaderValue::as_bytes);
    let dated = lines(RETRY_AFTER).any(can_be_date);
    let reference = if dated { reference(lines(DATE), headers.contains_key(AGE), wall) } else { None };
    hint(lines(RETRY_AFTER), reference)
}

/// The time until the date that the line is; zero if it has passed.
fn until(line: &[u8], reference: Option<UnixTime>) -> Option<Duration> {
    let reference = reference.filter(|_| can_be_date(line))?;
    Some(date::parse(trim(line), Some(reference))?.saturating_since(reference))
}

/// Every date begins with a weekday, and no number with a letter.
fn can_be_date(line: &[u8]) -> bool {
    line.iter().find(|byte| !is_space(byte)).is_some_and(u8::is_ascii_alphabetic)
}

/// `line` without the optional whitespace around it (RFC 9110 section 5.6.3).
fn trim(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last.saturating_add(1));
    let start = line.iter().position(|byte| !is_space(byte)).unwrap_or(0);
    line.get(start..end).unwrap_or_default()
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The longest number in a comma list. One pass: a line can be as long as a client lets it be.
fn numbers(line: &[u8]) -> Option<Duration> {
    let mut longest = None;
    let mut member = Member::EMPTY;
    for &byte in line {
        match byte {
            b',' => {
                longest = longest.max(member.nanos());
                member = Member::EMPTY;
            }
            b'\t' | b' '..=b'~' => member.push(byte),
            _ => return None,
        }
    }
    longest.max(member.nanos()).map(Duration::from_nanos)
}

/// A member of the list, as far as it has been read.
struct Member {
    place: Place,
    secs: u64,
    /// The fraction's first nine digits.
    nanos: u64,
    /// The nanoseconds that a one in the next digit is worth; zero after the ninth.
    scale: u64,
    /// A later digit is not zero.
    more: bool,
}

#[derive(Clone, Copy)]
enum Place {
    Start,
    Whole,
    Point,
    Fraction,
    End,
    NoNumber,
}

impl Member {
    const EMPTY: Self = Self { place: Place::Start, secs: 0, nanos: 0, scale: 100_000_000, more: false };

    fn push(&mut self, byte: u8) {
        let digit = u64::from(byte.wrapping_sub(b'0'));
        self.place = match (self.place, byte) {
            (Place::Start, b' ' | b'\t') => Place::Start,
            (Place::Start | Place::Whole, b'0'..=b'9') => {
                self.secs = self.secs.saturating_mul(10).saturating_add(digit);
                Place::Whole
            }
            (Place::Whole, b'.') => Place::Point,
            (Place::Point | Place::Fraction, b'0'..=b'9') => {
                self.nanos = self.nanos.saturating_add(self.scale.saturating_mul(digit));
                self.more |= self.scale == 0 && digit != 0;
                self.scale /= 10;
                Place::Fraction
            }
            (Place::Whole | Place::Fraction | Place::End, b' ' | b'\t') => Place::End,
            _ => Place::NoNumber,
        };
    }

    /// What it asks for, in nanoseconds, if it is a number.
    fn nanos(&self) -> Option<u64> {
        let fraction = self.nanos.saturating_add(u64::from(self.more));
        match self.place {
            Place::Whole | Place::Fraction | Place::End => {
                Some(self.secs.saturating_mul(NANOS_PER_SEC).saturating_add(fraction))
            }
            Place::Start | Place::Point | Place::NoNumber => None,
        }
    }
}
