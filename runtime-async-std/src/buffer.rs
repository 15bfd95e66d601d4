//! Bodies of requests: in surf all are streams, so what is to be sent again is read into memory first.

use std::io;

use async_std::io::ReadExt;
use bytes::Bytes;
use surf::http::headers::CONTENT_TYPE;
use surf::{Body, Request};

use crate::call::MAX_BODY;
use crate::fault::{BufferTooSmall, Fault};

/// Whether every send of a request can have the same body, if it is read first. `limit` is the caller's.
///
/// A body of a known length most likely is in memory already; that cannot be told.
pub(crate) fn is_replayable(request: &Request, limit: Option<usize>) -> bool {
    limit.is_some() || request.len().is_some_and(|length| length <= MAX_BODY)
}

/// Takes the body out, and reads it, at most `limit` bytes.
pub(crate) async fn take(request: &mut Request, limit: Option<usize>) -> Result<Bytes, Fault> {
    let limit = limit.unwrap_or_default().max(request.len().map_or(0, |_| MAX_BODY));
    let mut body = take_body(request);
    let declared = body.len();
    if declared.is_some_and(|length| length > limit) {
        return Err(Fault::Buffer(BufferTooSmall { limit }));
    }
    let mut bytes = Vec::with_capacity(declared.unwrap_or_default());
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    (&mut body).take(most).read_to_end(&mut bytes).await.map_err(Fault::Unreadable)?;
    if bytes.len() > limit {
        return Err(Fault::Buffer(BufferTooSmall { limit }));
    }
    if declared.is_some_and(|length| length != bytes.len()) {
        return Err(Fault::Unreadable(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(bytes.into())
}

/// Puts a body in.
pub(crate) fn put(request: &mut Request, bytes: Bytes) {
    let length = bytes.len();
    untyped(request, |request| request.set_body(Body::from_reader(async_std::io::Cursor::new(bytes), Some(length))));
}

fn take_body(request: &mut Request) -> Body {
    untyped(request, Request::take_body)
}

/// Exchanges the body without what surf does beside it: it gives a request that has no content type one.
fn untyped<T>(request: &mut Request, exchange: impl FnOnce(&mut Request) -> T) -> T {
    let typed = request.header(CONTENT_TYPE).is_some();
    let output = exchange(request);
    if !typed {
        request.remove_header(CONTENT_TYPE);
    }
    output
}
