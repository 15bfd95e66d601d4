//! reqwest's response, as far as it was read.

use bytes::Bytes;
use http::{Extensions, HeaderMap, StatusCode, Version};
use reqwest::Response;
use retry_core::DRAIN_BYTES;

use crate::client::fault::{BodyTooLarge, ClientFault};
use crate::client::fetched::Fetched;
use crate::error::Error;
use crate::reply::{Failed, Received, read_off};

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

    #[inline]
    pub(crate) fn into_response(self) -> Response {
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
    fn version(&self) -> Version {
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

    fn drain(self) -> Option<impl Future<Output = ()>> {
        match self {
            Self::Unread(response) => drain(response),
            Self::Read(_) => None,
        }
    }

    fn into_error(self, error: Error) -> Error {
        error.with_response(self.into_response())
    }
}

/// `response` with its body, or what came of it under a status that is `retried` anyway.
pub(crate) async fn read(mut response: Response, limit: usize, retried: bool) -> Result<ClientResponse, Failed> {
    match read_body(&mut response, limit).await {
        (_, Some(fault)) if !retried => Err(Failed { fault: fault.into(), status: Some(response.status()) }),
        (body, fault) => Ok(ClientResponse::Read(Box::new(Fetched::new(response, body, fault)))),
    }
}

/// Reads the body of `response`, at most `limit` bytes of it: what came, and what broke it off.
async fn read_body(response: &mut Response, limit: usize) -> (Bytes, Option<ClientFault>) {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return (Bytes::new(), Some(ClientFault::TooLarge(BodyTooLarge { limit })));
    }
    let mut body = Vec::new();
    let fault = loop {
        match response.chunk().await {
            Ok(Some(chunk)) if chunk.len() > limit.saturating_sub(body.len()) => {
                break Some(ClientFault::TooLarge(BodyTooLarge { limit }));
            }
            Ok(Some(chunk)) => {
                let needed = body.len().saturating_add(chunk.len());
                if needed > body.capacity() {
                    // Doubling, but never to more than may be kept.
                    body.reserve_exact(needed.max(body.capacity().saturating_mul(2)).min(limit) - body.len());
                }
                body.extend_from_slice(&chunk);
            }
            Ok(None) => break None,
            Err(error) => break Some(ClientFault::body(error)),
        }
    };
    (body.into(), fault)
}

/// Over HTTP/2 there is nothing to gain: dropping the response ends its stream alone.
fn drain(response: Response) -> Option<impl Future<Output = ()>> {
    let large = response.content_length().is_some_and(|length| length > DRAIN_BYTES as u64);
    (!large && response.version() <= Version::HTTP_11).then(|| read_off(http::Response::from(response).into_body()))
}
