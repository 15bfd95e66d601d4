//! reqwest's response, which may have been read or not.

use bytes::Bytes;
use http::{Extensions, HeaderMap, StatusCode};
use reqwest::{Body, Response};

use crate::client::fetched::Fetched;
use crate::error::Error;
use crate::reply::{Received, is_worth_reading_off, read_off};

impl Received for Response {
    fn status(&self) -> StatusCode {
        self.status()
    }

    #[cfg(feature = "tracing")]
    fn version(&self) -> http::Version {
        self.version()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }

    fn extensions(&self) -> &Extensions {
        self.extensions()
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        self.extensions_mut()
    }

    fn body(&self) -> Option<&[u8]> {
        None
    }

    fn drain(self) -> Option<impl Future<Output = ()> + Unpin> {
        let least = self.content_length().unwrap_or_default();
        is_worth_reading_off(least, self.version()).then(|| read_off(Body::from(self)))
    }

    fn into_error(self, error: Error) -> Error {
        error.with_response(self)
    }
}

/// A response, with its body if that was read inside the attempt.
pub(crate) enum ClientResponse {
    Unread(Response),
    /// In a box, so that it takes no more room than the other.
    Read(Box<Fetched>),
}

impl ClientResponse {
    fn head(&self) -> &Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.head(),
        }
    }

    fn head_mut(&mut self) -> &mut Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.head_mut(),
        }
    }

    /// With its body. A call that reads bodies ends well on none that is unread.
    pub(crate) fn into_fetched(self) -> Fetched {
        match self {
            Self::Unread(response) => Fetched::new(response, Bytes::new(), None),
            Self::Read(fetched) => *fetched,
        }
    }

    fn into_response(self) -> Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.into_response(),
        }
    }
}

impl Received for ClientResponse {
    fn status(&self) -> StatusCode {
        self.head().status()
    }

    #[cfg(feature = "tracing")]
    fn version(&self) -> http::Version {
        self.head().version()
    }

    fn headers(&self) -> &HeaderMap {
        self.head().headers()
    }

    fn extensions(&self) -> &Extensions {
        self.head().extensions()
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        self.head_mut().extensions_mut()
    }

    fn body(&self) -> Option<&[u8]> {
        match self {
            Self::Unread(_) => None,
            Self::Read(fetched) => Some(fetched.body()),
        }
    }

    fn drain(self) -> Option<impl Future<Output = ()> + Unpin> {
        match self {
            Self::Unread(response) => response.drain(),
            Self::Read(_) => None,
        }
    }

    fn into_error(self, error: Error) -> Error {
        self.into_response().into_error(error)
    }
}
