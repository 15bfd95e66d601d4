//! Headers that nobody should send. surf's types let them through, and its HTTP/1 client puts them on the wire.

use core::error::Error;
use core::fmt;

use surf::Request;
use surf::http::headers::HeaderName;

/// A header whose name is no token, or whose value has a line break or NUL in it (RFC 9110 5.1 and 5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderError {
    name: String,
}

impl HeaderError {
    /// The name of the header.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the header {:?} cannot be sent", self.name)
    }
}

impl Error for HeaderError {}

/// Looks for one.
pub(crate) fn check(request: &Request) -> Result<(), HeaderError> {
    let wrong = request.iter().find(|(name, values)| {
        let sound = |value: &str| !value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
        !is_token(name.as_str()) || !values.iter().all(|value| sound(value.as_str()))
    });
    wrong.map_or(Ok(()), |(name, _)| Err(HeaderError { name: name.as_str().to_owned() }))
}

/// Whether a header can have this name.
pub(crate) fn check_name(name: &HeaderName) -> Result<(), HeaderError> {
    if is_token(name.as_str()) { Ok(()) } else { Err(HeaderError { name: name.as_str().to_owned() }) }
}

fn is_token(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(token)
}
