//! A user's name and password, in the forms in which they travel.

use core::fmt::Write;

/// A user's name and password. It has no `Debug`: a log is no place for it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Password {
    user: String,
    password: String,
}

impl Password {
    pub(super) fn new(user: &str, password: &str) -> Self {
        Self { user: user.into(), password: password.into() }
    }

    /// Whether this is the value of a `Proxy-Authorization` with the same password (RFC 7617).
    pub(super) fn is_basic(&self, value: &str) -> bool {
        value.split_once(' ').is_some_and(|(scheme, token)| {
            let expected = base64(format!("{}:{}", self.user, self.password).as_bytes());
            scheme.eq_ignore_ascii_case("basic") && token.trim() == expected
        })
    }

    /// `user:password` as it stands in a URL (RFC 3986, section 3.2.1).
    pub(super) fn in_url(&self) -> String {
        format!("{}:{}", percent_encoded(&self.user), percent_encoded(&self.password))
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | usize::from(group.get(i).copied().unwrap_or(0)));
        for digit in 0..4 {
            // One byte fills two digits, two fill three, three fill four.
            let filled = digit <= group.len();
            text.push(if filled { char::from(DIGITS[bits >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    text
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string takes everything");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_rfc() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn a_url_has_no_bare_signs_in_its_password() {
        assert_eq!(Password::new("a-b", "p@:/ ü%").in_url(), "a-b:p%40%3A%2F%20%C3%BC%25");
    }
}
