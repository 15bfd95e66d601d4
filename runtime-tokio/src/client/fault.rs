//! What made a send over reqwest fail.

use core::error::Error as StdError;
use core::fmt;

use retry_core::Cause;

use crate::client::is_without_tls;
use crate::client::redact::{Withheld, is_same, without_secrets};
#[cfg(feature = "middleware")]
use crate::error::Error;
use crate::fault::Fault;

/// What only a send over reqwest can meet.
pub(crate) enum ClientFault {
    Plain(reqwest::Error),
    /// The same after a redirect: a server has processed the request before.
    Redirected(reqwest::Error),
    /// The client refused the request before it began to send it.
    Invalid(reqwest::Error),
    /// The same, because it was built without TLS.
    NoTls(reqwest::Error),
    /// The client refused a redirect, and its error cannot be shown.
    Withheld(Withheld),
    TooLarge(BodyTooLarge),
    Buffer(BufferTooSmall),
    /// A proxy of the pool failed by itself.
    Proxy(Cause, Box<Fault>),
}

impl From<ClientFault> for Fault {
    fn from(fault: ClientFault) -> Self {
        Self::Client(fault)
    }
}

impl fmt::Debug for ClientFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_error(), f)
    }
}

impl ClientFault {
    /// Whether the client began nothing.
    pub(crate) fn is_unbegun(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::NoTls(_))
    }

    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            Self::Plain(error) | Self::Redirected(error) | Self::Invalid(error) | Self::NoTls(error) => error,
            Self::Withheld(error) => error,
            Self::TooLarge(error) => error,
            Self::Buffer(error) => error,
            Self::Proxy(_, fault) => fault.as_error(),
        }
    }

    /// What the client says of a response's body.
    pub(crate) fn body(error: reqwest::Error) -> Self {
        Self::Plain(without_secrets(error))
    }

    /// What the client says of a request that it could not build.
    pub(crate) fn unbuilt(error: reqwest::Error) -> Self {
        Self::Invalid(without_secrets(error))
    }
}

impl Fault {
    /// What the client says of a request to `url`.
    pub(crate) fn client(error: reqwest::Error, url: &str) -> Self {
        // An error after a redirect names the redirect's target. One that names nothing was made before a send.
        let is_first = error.url().is_none_or(|named| is_same(named, url));
        if let Some(withheld) = Withheld::of(&error) {
            return ClientFault::Withheld(withheld).into();
        }
        let kind = match (is_first, error.is_builder(), is_without_tls(&error)) {
            (true, true, _) => ClientFault::Invalid,
            (true, false, true) => ClientFault::NoTls,
            (true, false, false) => ClientFault::Plain,
            (false, _, _) => ClientFault::Redirected,
        };
        kind(without_secrets(error)).into()
    }

    /// The same, if a redirect was followed before.
    pub(crate) fn after_redirect(self, followed: bool) -> Self {
        match self {
            Self::Client(ClientFault::Plain(error)) if followed => ClientFault::Redirected(error).into(),
            Self::Other(error) if followed => Self::OtherRedirected(error),
            fault => fault,
        }
    }

    /// What the caller's closure says of a request to `url`.
    pub(crate) fn of_closure(error: Box<dyn StdError + Send + Sync>, url: &str) -> Self {
        let error = match error.downcast::<reqwest::Error>() {
            Ok(error) => return Self::client(*error, url),
            Err(error) => error,
        };
        #[cfg(feature = "middleware")]
        let error = match error.downcast::<reqwest_middleware::Error>() {
            Ok(error) => return Self::of_stack(*error, url),
            Err(error) => error,
        };
        Self::unless_nested(error, Self::Other)
    }
}

#[cfg(feature = "middleware")]
impl Fault {
    /// What a client with middlewares says of a request to `url`.
    pub(crate) fn of_stack(error: reqwest_middleware::Error, url: &str) -> Self {
        use reqwest_middleware::Error::{Middleware, Reqwest};
        match error {
            Reqwest(error) => Self::client(error, url),
            // Not one with a context, which would get lost: that is found by `settled.rs`.
            Middleware(error) if (*error).is::<Error>() => {
                error.downcast().map_or_else(|error| Self::Other(Middleware(error).into()), Self::Nested)
            }
            error @ Middleware(_) => Self::Other(error.into()),
        }
    }
}

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
