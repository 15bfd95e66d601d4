//! What one send produced, with all that came of it.

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Version};
use reqwest::Response;
use retry_core::DRAIN_BYTES;

use crate::fault::{BodyTooLarge, Fault, StatusError};
use crate::fetched::Fetched;

/// A response, as far as it was read.
pub(crate) enum Received {
    Unread(Response),
    /// In a box, so that it takes no more room than the other.
    Read(Box<Fetched>),
}

impl Received {
    pub(crate) fn status(&self) -> StatusCode {
        self.head().status()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.head().headers()
    }

    pub(crate) fn head(&self) -> &Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.head(),
        }
    }

    pub(crate) fn head_mut(&mut self) -> &mut Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.head_mut(),
        }
    }

    pub(crate) fn body(&self) -> Option<&[u8]> {
        match self {
            Self::Unread(_) => None,
            Self::Read(fetched) => Some(fetched.body()),
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

/// What failed, and the status if the response had come so far.
pub(crate) struct Failed {
    pub(crate) fault: Fault,
    pub(crate) status: Option<StatusCode>,
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self { status: fault.status(), fault }
    }
}

impl From<StatusCode> for Failed {
    fn from(status: StatusCode) -> Self {
        Self { fault: Fault::Status(StatusError { status }), status: Some(status) }
    }
}

/// Reads the body of `response`, at most `limit` bytes of it: what came, and what broke it off.
pub(crate) async fn read(response: &mut Response, limit: usize) -> (Bytes, Option<Fault>) {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return (Bytes::new(), Some(Fault::TooLarge(BodyTooLarge { limit })));
    }
    let mut body = Vec::new();
    let fault = loop {
        match response.chunk().await {
            Ok(Some(chunk)) if chunk.len() > limit.saturating_sub(body.len()) => {
                break Some(Fault::TooLarge(BodyTooLarge { limit }));
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
            Err(error) => break Some(Fault::body(error)),
        }
    };
    (body.into(), fault)
}

/// What there is to do before a response is let go: a small body is read to its end, so that its connection can be used
/// again.
///
/// Over HTTP/2 there is nothing to gain: dropping the response ends its stream alone.
pub(crate) fn drain(response: Response) -> Option<impl Future<Output = ()>> {
    let large = response.content_length().is_some_and(|length| length > DRAIN_BYTES as u64);
    (!large && response.version() <= Version::HTTP_11).then(|| read_off(response))
}

async fn read_off(mut response: Response) {
    let mut left = DRAIN_BYTES;
    while let Ok(Some(chunk)) = response.chunk().await {
        left = match left.checked_sub(chunk.len()) {
            Some(left) => left,
            None => return,
        };
    }
}
