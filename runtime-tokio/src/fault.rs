//! What made a send fail: the sources of an [`Error`].

use core::error::Error as StdError;
use core::fmt;

use http::StatusCode;
use retry_core::PolicyError;

use crate::classify::Chain;
#[cfg(feature = "reqwest")]
use crate::client::fault::ClientFault;
use crate::error::Error;
#[cfg(any(feature = "reqwest", feature = "tower"))]
use crate::key::KeyError;
#[cfg(feature = "tower")]
use crate::service::fault::ServiceFault;
use crate::vendor::RetryCountError;

/// What made a send fail, as the source of an [`Error`].
pub(crate) enum Fault {
    /// reqwest failed.
    #[cfg(feature = "reqwest")]
    Client(ClientFault),
    TimedOut(TimedOut),
    Status(StatusError),
    Policy(PolicyError),
    #[cfg(any(feature = "reqwest", feature = "tower"))]
    Key(KeyError),
    RetryCount(RetryCountError),
    #[cfg(any(feature = "reqwest", feature = "tower"))]
    Full(Full),
    /// A service of a stack failed.
    #[cfg(feature = "tower")]
    Service(ServiceFault),
    Gone(Gone),
    /// A retry layer inside this one has done its work.
    Nested(Error),
    /// An error of the caller's own code, that may have one of the client's inside.
    #[cfg(feature = "reqwest")]
    Other(Box<dyn StdError + Send + Sync>),
    /// The same after a redirect: a server has processed the request before.
    #[cfg(feature = "reqwest")]
    OtherRedirected(Box<dyn StdError + Send + Sync>),
}

impl Fault {
    /// What the caller's own code says: one of our errors, if a layer of ours has done its work, or else `other`. One that
    /// is inside an error of the caller's is found by `settled.rs`.
    pub(crate) fn unless_nested(
        error: Box<dyn StdError + Send + Sync>,
        other: impl FnOnce(Box<dyn StdError + Send + Sync>) -> Self,
    ) -> Self {
        match error.downcast::<Error>() {
            Ok(error) => Self::Nested(*error),
            Err(error) => other(error),
        }
    }

    /// An error of the caller's own code, which may have anything inside.
    pub(crate) fn foreign(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            #[cfg(feature = "reqwest")]
            Self::Other(error) | Self::OtherRedirected(error) => Some(&**error),
            #[cfg(feature = "tower")]
            Self::Service(fault) => Some(fault.as_error()),
            _ => None,
        }
    }

    /// Whether the client began nothing.
    pub(crate) fn is_unbegun(&self) -> bool {
        match self {
            #[cfg(feature = "reqwest")]
            Self::Client(fault) => fault.is_unbegun(),
            #[cfg(feature = "tower")]
            Self::Service(fault) => fault.is_refused(),
            _ => false,
        }
    }

    /// Whether the limit of the whole call cut the send.
    pub(crate) fn is_total_limit(&self) -> bool {
        matches!(self, Self::TimedOut(TimedOut { is_total: true }))
    }

    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            #[cfg(feature = "reqwest")]
            Self::Client(fault) => fault.as_error(),
            Self::TimedOut(error) => error,
            Self::Status(error) => error,
            Self::Policy(error) => error,
            #[cfg(any(feature = "reqwest", feature = "tower"))]
            Self::Key(error) => error,
            Self::RetryCount(error) => error,
            #[cfg(any(feature = "reqwest", feature = "tower"))]
            Self::Full(error) => error,
            #[cfg(feature = "tower")]
            Self::Service(fault) => fault.as_error(),
            Self::Gone(error) => error,
            Self::Nested(error) => error,
            #[cfg(feature = "reqwest")]
            Self::Other(error) | Self::OtherRedirected(error) => &**error,
        }
    }
}

/// What is printed of an error of the caller's own code, of which nobody knows what it prints.
const WITHHELD: &str = "(an error of the caller's)";

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            fault if fault.foreign().is_some() => f.write_str(WITHHELD),
            Self::Nested(error) => fmt::Debug::fmt(error, f),
            fault => fmt::Debug::fmt(fault.as_error(), f),
        }
    }
}

impl fmt::Display for Fault {
    /// Told by the innermost source, which says what happened: the outer ones say where.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "reqwest")]
        if let Self::Client(ClientFault::NoTls(_)) = self {
            return f.write_str("the client was built without TLS, which is a feature of reqwest");
        }
        let root = Chain(Some(self.as_error())).last().unwrap_or(self.as_error());
        #[cfg(feature = "reqwest")]
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

/// The request has as many headers as there can be, and is to have one more.
#[cfg(any(feature = "reqwest", feature = "tower"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

#[cfg(any(feature = "reqwest", feature = "tower"))]
impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request has no room for the header that retries add to it")
    }
}

#[cfg(any(feature = "reqwest", feature = "tower"))]
impl StdError for Full {}

/// There was no request left to send. A request is handed over with the last send alone, so nobody meets this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was handed over before")
    }
}

impl StdError for Gone {}
