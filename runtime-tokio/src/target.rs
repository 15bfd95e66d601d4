//! What a request was for, without its secrets.

use core::fmt;

use http::Method;

use crate::redact::Redacted;

/// The method and URL of a request.
pub(crate) struct Target {
    method: Method,
    url: Text,
}

impl Target {
    pub(crate) fn new(method: &Method, url: &str) -> Self {
        Self { method: method.clone(), url: Text::new(url) }
    }

    #[cfg(feature = "reqwest")]
    pub(crate) fn of(request: &reqwest::Request) -> Self {
        Self::new(request.method(), request.url().as_str())
    }

    pub(crate) fn parts(&self) -> (&Method, &str) {
        (&self.method, self.url.as_str())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, Redacted(self.url.as_str()))
    }
}

/// The longest text that is kept in place. It fits where a request was.
const SHORT: usize = 160;

/// A text that is seldom looked at: most are kept without asking for memory.
enum Text {
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl Text {
    fn new(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(text.as_bytes());
                Self::Short(length, bytes)
            }
            _ => Self::Long(text.into()),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Short(length, bytes) => {
                let text = bytes.get(..usize::from(*length)).unwrap_or_default();
                core::str::from_utf8(text).unwrap_or_default()
            }
            Self::Long(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_come_back() {
        for length in [0, 1, SHORT - 2, SHORT - 1, SHORT, SHORT + 1, 4 * SHORT] {
            // Two bytes a character, so that some lengths would cut one.
            let text: String = "a".repeat(length % 2) + &"\u{fc}".repeat(length / 2);
            assert_eq!(text.len(), length);
            assert_eq!(Text::new(&text).as_str(), text, "{length}");
        }
    }
}
