//! How times, bytes and odd numbers are written in JSON, the same for every language.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use serde::{Deserialize, Serialize};

/// A length of time in whole nanoseconds, or a moment as the time since the start of the call.
///
/// In JSON it is text: a decimal number and one of the units `ns`, `us`, `ms`, `s`, `min`, `h`, `d`.
///
/// ```
/// use conformance::json::Span;
/// use core::time::Duration;
///
/// let span: Span = "1687.5ms".parse()?;
/// assert_eq!(Duration::from(span), Duration::from_micros(1_687_500));
/// assert!("0.5ns".parse::<Span>().is_err() && "-1s".parse::<Span>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(Duration);

impl Span {
    /// No time at all, or the start of the call.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// So many nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(Duration::from_nanos(nanos))
    }

    /// So many milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// So many seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(Duration::from_secs(secs))
    }

    /// The whole nanoseconds, saturating at what a u64 holds.
    pub fn as_nanos(self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }
}

impl From<Duration> for Span {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        span.0
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_span(text).map(Self).ok_or_else(|| format!("{text:?} is no time span, such as \"1687.5ms\""))
    }
}

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:?}", self.0))
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Bytes of a header value, which need not be UTF-8.
///
/// In JSON they are text in which each character stands for the byte of its own number: `"\u00b2"` is the byte 0xB2.
/// Characters above `\u00ff` are refused.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub Vec<u8>);

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes: Result<_, _> = text.chars().map(u8::try_from).collect();
        bytes.map(Self).map_err(|_| format!("{text:?} has a character that stands for no byte"))
    }
}

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> Self {
        bytes.0.into_iter().map(char::from).collect()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// Numbers that JSON has no digits for are the texts `"NaN"`, `"inf"` and `"-inf"`.
pub(crate) mod real {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged, expecting = "a number, \"NaN\", \"inf\" or \"-inf\"")]
    enum Real {
        Number(f64),
        Text(String),
    }

    pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let real = if number.is_finite() { Real::Number(*number) } else { Real::Text(number.to_string()) };
        real.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Real::deserialize(deserializer)? {
            Real::Number(number) => Ok(number),
            Real::Text(text) => match text.as_str() {
                "NaN" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(D::Error::custom(format!("{text:?} is no number"))),
            },
        }
    }
}

/// `text` with its control characters escaped: a terminal would obey them.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            printable.extend(character.escape_debug());
        } else {
            printable.push(character);
        }
    }
    printable
}

fn parse_span(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(char::is_alphabetic)?);
    let unit: u128 = match unit {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || !(whole.bytes().chain(fraction.bytes())).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let scaled = format!("{whole}{fraction}").parse::<u128>().ok()?.checked_mul(unit)?;
    // A part of a nanosecond is a mistake of the writer, not something to round.
    if !scaled.is_multiple_of(scale) {
        return None;
    }
    let nanos = scaled / scale;
    let second = 1_000_000_000;
    Some(Duration::new(u64::try_from(nanos / second).ok()?, u32::try_from(nanos % second).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_exact_and_survive_being_written() {
        for (text, nanos) in [
            ("0s", 0),
            ("1ns", 1),
            ("1us", 1_000),
            ("1µs", 1_000),
            ("1687.5ms", 1_687_500_000),
            ("0.000000001s", 1),
            ("1.50min", 90_000_000_000),
            ("365d", 31_536_000_000_000_000),
            ("18446744073.709551615s", u64::MAX),
        ] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span, Span::from_nanos(nanos), "{text}");
            assert_eq!(span.to_string().parse(), Ok(span), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused() {
        for text in ["", "1", "s", "1 s", "+1s", "-1s", ".5s", "5.s", "0.5ns", "1.2.3s", "1sec", "1e3s", "\u{b2}s"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_character_is_a_byte() {
        let bytes: Bytes = serde_json::from_str(r#""a\u00b2""#).unwrap();
        assert_eq!(bytes.0, [b'a', 0xB2]);
        assert_eq!(serde_json::to_string(&bytes).unwrap(), "\"a\u{b2}\"");
        assert!(serde_json::from_str::<Bytes>(r#""\u0100""#).is_err());
    }
}
