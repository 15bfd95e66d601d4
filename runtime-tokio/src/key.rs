//! Idempotency keys.

use core::fmt;

use http::HeaderValue;

/// The name of the header.
pub(crate) const HEADER: &str = "idempotency-key";

/// The value of an `Idempotency-Key` header: the same at every send of a call, so that a server can tell a repetition
/// from a new request.
///
/// A text becomes a quoted string of RFC 9651 (3.3.3), as the IETF's draft of the header has it; some vendors want it
/// [`verbatim`](Self::verbatim).
///
/// ```
/// use runtime_tokio::IdempotencyKey;
///
/// assert_eq!(IdempotencyKey::from("order-7").to_string(), r#""order-7""#);
/// assert_eq!(IdempotencyKey::verbatim("order-7").to_string(), "order-7");
/// assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    text: String,
    quoted: bool,
}

impl IdempotencyKey {
    /// A key that is sent as it is, without quotes.
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self { text: text.into(), quoted: false }
    }

    /// A new random key: a UUID (version 4), quoted.
    pub fn random() -> Self {
        Self { text: uuid::Uuid::new_v4().to_string(), quoted: true }
    }

    /// The header's value, unless the key is empty, has anything but printable ASCII in it, or
    /// begins or ends with a blank that would be lost.
    pub(crate) fn header(&self) -> Result<HeaderValue, KeyError> {
        let printable = self.text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        // Blanks around a header's value are no part of it (RFC 9110 5.5).
        let arrives = self.quoted || self.text.trim_matches(' ').len() == self.text.len();
        if self.text.is_empty() || !printable || !arrives {
            return Err(KeyError(()));
        }
        HeaderValue::from_str(&self.to_string()).map_err(|_| KeyError(()))
    }
}

impl<S: Into<String>> From<S> for IdempotencyKey {
    fn from(text: S) -> Self {
        Self { text: text.into(), quoted: true }
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.quoted {
            return f.write_str(&self.text);
        }
        f.write_str("\"")?;
        for character in self.text.chars() {
            if matches!(character, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{character}")?;
        }
        f.write_str("\"")
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey(..)")
    }
}

/// An idempotency key that no header can hold: it is empty, has anything but printable ASCII in it, or is verbatim and
/// begins or ends with a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyError(());

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("idempotency_key is empty or not printable, accepted: one or more characters from U+0020 to U+007E")
    }
}

impl core::error::Error for KeyError {}
