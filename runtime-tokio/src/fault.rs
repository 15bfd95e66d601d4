//! What made a send fail: the sources of an [`Error`].

use core::error::Error as StdError;
use core::fmt;

use http::StatusCode;
use retry_core::{Cause, PolicyError};

use crate::error::Error;
use crate::key::KeyError;
use crate::redact::{Withheld, without_secrets};

/// What made a send fail, as the source of an [`Error`].
#[derive(Debug)]
pub(crate) enum Fault {
    Client(reqwest::Error),
    /// The client refused the request before it began to send it.
    Invalid(reqwest::Error),
    /// The client refused a redirect, and its error cannot be shown.
    Withheld(Withheld),
    TimedOut(TimedOut),
    TooLarge(BodyTooLarge),
    Status(StatusError),
    Policy(PolicyError),
    Key(KeyError),
    Buffer(BufferTooSmall),
    Gone(Gone),
    /// A proxy of the pool failed by itself.
    Proxy(Cause, Box<Fault>),
    /// A retry layer inside this one has done its work.
    Nested(Error),
    /// An error of the caller's closure.
    Other(Box<dyn StdError + Send + Sync>),
}

impl Fault {
    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            Self::Client(error) | Self::Invalid(error) => error,
            Self::Withheld(error) => error,
            Self::TimedOut(error) => error,
            Self::TooLarge(error) => error,
            Self::Status(error) => error,
            Self::Policy(error) => error,
            Self::Key(error) => error,
            Self::Buffer(error) => error,
            Self::Gone(error) => error,
            Self::Proxy(_, fault) => fault.as_error(),
            Self::Nested(error) => error,
            Self::Other(error) => &**error,
        }
    }

    /// What the client says of a request to `url`.
    pub(crate) fn client(error: reqwest::Error, url: &str) -> Self {
        // A redirect that cannot be followed is a builder's error too, but it names its own target.
        if error.is_builder() && error.url().is_some_and(|named| named.as_str() == url) {
            Self::Invalid(without_secrets(error))
        } else {
            match Withheld::of(&error) {
                Some(withheld) => Self::Withheld(withheld),
                None => Self::Client(without_secrets(error)),
            }
        }
    }

    /// What the client says of a response's body.
    pub(crate) fn body(error: reqwest::Error) -> Self {
        Self::Client(without_secrets(error))
    }

    /// What the caller's closure says of a request to `url`.
    pub(crate) fn of_closure(error: Box<dyn StdError + Send + Sync>, url: &str) -> Self {
        let error = match error.downcast::<reqwest::Error>() {
            Ok(error) => return Self::client(*error, url),
            Err(error) => error,
        };
        match error.downcast::<Error>() {
            Ok(error) => Self::Nested(*error),
            Err(error) => Self::Other(error),
        }
    }

    /// What the client says of a request that it could not build.
    pub(crate) fn unbuilt(error: reqwest::Error) -> Self {
        Self::Invalid(without_secrets(error))
    }
}

/// A limit of the policy cut the send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    pub(crate) is_total: bool,
}

impl TimedOut {
    /// Whether it was the limit of the whole call, and not of this attempt alone.
    pub fn is_total(&self) -> bool {
        self.is_total
    }
}

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_total { "cut at the total limit" } else { "cut at the attempt's limit" })
    }
}

impl StdError for TimedOut {}

/// The last response had a status that the policy retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusError {
    pub(crate) status: StatusCode,
}

impl StatusError {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status.canonical_reason() {
            Some(phrase) => write!(f, "{} {phrase}", self.status.as_str()),
            None => f.write_str(self.status.as_str()),
        }
    }
}

impl StdError for StatusError {}

/// A response's body was larger than [`max_body`](crate::Call::max_body).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyTooLarge {
    pub(crate) limit: usize,
}

impl BodyTooLarge {
    /// The limit, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }
}

impl fmt::Display for BodyTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the response's body is larger than {} bytes", self.limit)
    }
}

impl StdError for BodyTooLarge {}

/// There was no request left to send. A request is handed over with the last send alone, so nobody meets this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was handed over before")
    }
}

impl StdError for Gone {}

/// A request's body was larger than [`buffer_body`](crate::Call::buffer_body) allows. Nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferTooSmall {
    pub(crate) limit: usize,
}

impl BufferTooSmall {
    /// The limit, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }
}

impl fmt::Display for BufferTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "buffer_body: the request's body is larger than {} bytes", self.limit)
    }
}

impl StdError for BufferTooSmall {}
