//! What made a send fail: the sources of an [`Error`].

use core::error::Error as StdError;
use core::fmt;

use http::StatusCode;
use retry_core::{Cause, PolicyError};

use crate::classify::is_without_tls;
use crate::error::Error;
use crate::key::KeyError;
use crate::redact::{Withheld, is_same, without_secrets};
use crate::vendor::RetryCountError;

/// What made a send fail, as the source of an [`Error`].
pub(crate) enum Fault {
    Client(reqwest::Error),
    /// The same after a redirect: a server has processed the request before.
    Redirected(reqwest::Error),
    /// The client refused the request before it began to send it.
    Invalid(reqwest::Error),
    /// The same, because it was built without TLS.
    NoTls(reqwest::Error),
    /// The client refused a redirect, and its error cannot be shown.
    Withheld(Withheld),
    TimedOut(TimedOut),
    TooLarge(BodyTooLarge),
    Status(StatusError),
    Policy(PolicyError),
    Key(KeyError),
    RetryCount(RetryCountError),
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
    /// Whether the client began nothing.
    pub(crate) fn is_unbegun(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::NoTls(_))
    }

    /// Whether the limit of the whole call cut the send.
    pub(crate) fn is_total_limit(&self) -> bool {
        matches!(self, Self::TimedOut(TimedOut { is_total: true }))
    }

    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            Self::Client(error) | Self::Redirected(error) | Self::Invalid(error) | Self::NoTls(error) => error,
            Self::Withheld(error) => error,
            Self::TimedOut(error) => error,
            Self::TooLarge(error) => error,
            Self::Status(error) => error,
            Self::Policy(error) => error,
            Self::Key(error) => error,
            Self::RetryCount(error) => error,
            Self::Buffer(error) => error,
            Self::Gone(error) => error,
            Self::Proxy(_, fault) => fault.as_error(),
            Self::Nested(error) => error,
            Self::Other(error) => &**error,
        }
    }

    /// What the client says of a request to `url`.
    pub(crate) fn client(error: reqwest::Error, url: &str) -> Self {
        // An error after a redirect names the redirect's target. One that names nothing was made before a send.
        let is_first = error.url().is_none_or(|named| is_same(named, url));
        if let Some(withheld) = Withheld::of(&error) {
            return Self::Withheld(withheld);
        }
        let kind = match (is_first, error.is_builder(), is_without_tls(&error)) {
            (true, true, _) => Self::Invalid,
            (true, false, true) => Self::NoTls,
            (true, false, false) => Self::Client,
            (false, _, _) => Self::Redirected,
        };
        kind(without_secrets(error))
    }

    /// The same, if a redirect was followed before.
    pub(crate) fn after_redirect(self, followed: bool) -> Self {
        match self {
            Self::Client(error) if followed => Self::Redirected(error),
            fault => fault,
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
            // A layer of ours has done its work. One inside an error of the caller's is found by `settled.rs`.
            Ok(error) => Self::Nested(*error),
            Err(error) => Self::Other(error),
        }
    }

    /// What the client says of a request that it could not build.
    pub(crate) fn unbuilt(error: reqwest::Error) -> Self {
        Self::Invalid(without_secrets(error))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Nobody knows what the caller's own errors print.
            Self::Other(_) => f.write_str("(an error of the caller's)"),
            Self::Nested(error) => fmt::Debug::fmt(error, f),
            fault => fmt::Debug::fmt(fault.as_error(), f),
        }
    }
}

impl fmt::Display for Fault {
    /// Told by the innermost source, which says what happened: the outer ones say where.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::NoTls(_) = self {
            return f.write_str("the client was built without TLS, which is a feature of reqwest");
        }
        let mut root = self.as_error();
        while let Some(source) = root.source() {
            root = source;
        }
        if root.is::<reqwest::Error>() {
            // Inside an error of the caller's it may name a URL with all that is in it, at the end.
            let text = root.to_string();
            return f.write_str(text.split(" for url (").next().unwrap_or_default());
        }
        fmt::Display::fmt(root, f)
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
