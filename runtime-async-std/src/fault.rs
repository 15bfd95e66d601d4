//! What made a send fail: the sources of an [`Error`].

use core::error::Error as StdError;
use core::fmt;
use std::io;

use retry_core::{Cause, PolicyError};
use surf::StatusCode;
use surf::http::url::ParseError;

use crate::error::Error;
use crate::header::HeaderError;
use crate::key::KeyError;
use crate::vendor::RetryCountError;

/// What made a send fail, as the source of an [`Error`].
#[derive(Debug)]
pub(crate) enum Fault {
    Client(surf::Error),
    /// The same after a middleware had got an answer to it: a server has processed the request before.
    Answered(surf::Error),
    /// The client refused the request before it began to send it.
    Invalid(surf::Error),
    /// The response breaks the protocol, and the client does not say so.
    Malformed(Malformed),
    /// The response's body broke off.
    Body(io::Error),
    /// The response's body broke off, and the client does not say so.
    Short(ShortBody),
    TimedOut(TimedOut),
    TooLarge(BodyTooLarge),
    Status(StatusError),
    Policy(Box<PolicyError>),
    Key(KeyError),
    RetryCount(RetryCountError),
    Header(HeaderError),
    Buffer(BufferTooSmall),
    /// The request's body cannot be read.
    Unreadable(io::Error),
    Gone(Gone),
    /// The URL of a request of a pool is none.
    Url(ParseError),
    /// The URL is none of HTTP's.
    Scheme(UnsupportedScheme),
    /// A proxy of the pool failed by itself.
    Proxy(Cause, Box<Fault>),
    /// A retry layer inside this one has done its work.
    Nested(Error),
}

impl Fault {
    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            Self::Client(error) | Self::Answered(error) | Self::Invalid(error) => error.as_ref(),
            Self::Body(error) | Self::Unreadable(error) => error,
            Self::Malformed(error) => error,
            Self::Short(error) => error,
            Self::TimedOut(error) => error,
            Self::TooLarge(error) => error,
            Self::Status(error) => error,
            Self::Policy(error) => &**error,
            Self::Key(error) => error,
            Self::RetryCount(error) => error,
            Self::Header(error) => error,
            Self::Buffer(error) => error,
            Self::Gone(error) => error,
            Self::Url(error) => error,
            Self::Scheme(error) => error,
            Self::Proxy(_, fault) => fault.as_error(),
            Self::Nested(error) => error,
        }
    }

    /// Whether the limit of the whole call cut the send.
    pub(crate) fn is_total_limit(&self) -> bool {
        matches!(self, Self::TimedOut(TimedOut { is_total: true, .. }))
    }

    /// The same, if an answer came before, to a redirect for instance.
    pub(crate) fn after_an_answer(self, answered: bool) -> Self {
        match self {
            Self::Client(error) if answered => Self::Answered(error),
            fault => fault,
        }
    }

    /// surf's own error, if it is one.
    pub(crate) fn surf(&self) -> Option<&surf::Error> {
        match self {
            Self::Client(error) | Self::Answered(error) | Self::Invalid(error) => Some(error),
            Self::Proxy(_, fault) => fault.surf(),
            _ => None,
        }
    }
}

/// A URL whose scheme is neither `http` nor `https`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnsupportedScheme;

impl fmt::Display for UnsupportedScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the URL's scheme is neither http nor https")
    }
}

impl StdError for UnsupportedScheme {}

/// A limit of the policy cut the send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    pub(crate) is_total: bool,
    pub(crate) is_unsent: bool,
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
        write!(f, "{} {}", u16::from(self.status), self.status.canonical_reason())
    }
}

impl StdError for StatusError {}

/// A response's body ended before its time, and the client took it for whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortBody {
    pub(crate) expected: Option<usize>,
    pub(crate) got: usize,
}

impl ShortBody {
    /// How many bytes were announced; `None` if the end of the connection was to be the end of the body, and the client
    /// has thrown it away.
    pub fn expected(&self) -> Option<usize> {
        self.expected
    }

    /// How many bytes came.
    pub fn got(&self) -> usize {
        self.got
    }
}

impl fmt::Display for ShortBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expected {
            Some(expected) => write!(f, "the response's body ended after {} of {expected} bytes", self.got),
            None => f.write_str("the response's body has no length, and the client has thrown it away"),
        }
    }
}

impl StdError for ShortBody {}

/// A response that is none, though the client takes it for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// It has Content-Length headers that contradict each other.
    Lengths,
    /// It is an interim one (1xx): the client does not wait for the final one.
    Interim,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lengths => "the response has several Content-Lengths",
            Self::Interim => "an interim response was taken for the final one",
        })
    }
}

impl StdError for Malformed {}

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
