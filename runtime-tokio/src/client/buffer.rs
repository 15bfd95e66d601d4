//! A body that can be produced once only, read into memory so that it can be sent again.

use core::future::poll_fn;
use core::mem;
use core::pin::Pin;
use core::task::Poll;

use bytes::BytesMut;
use http_body::Body as _;
use reqwest::{Body, Request};

use crate::client::fault::{BufferTooSmall, ClientFault};
use crate::fault::Fault;

/// Whether every send of `request` can have the same body.
pub(crate) fn is_replayable(request: &Request) -> bool {
    request.body().is_none_or(|body| body.as_bytes().is_some())
}

/// Puts bytes in place of the body, at most `limit` of them.
pub(crate) async fn buffer(request: &mut Request, limit: usize) -> Result<(), Fault> {
    let Some(body) = request.body_mut().take() else { return Ok(()) };
    let bytes = collect(body, limit).await?;
    *request.body_mut() = Some(bytes.freeze().into());
    Ok(())
}

async fn collect(mut body: Body, limit: usize) -> Result<BytesMut, Fault> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        // A stream that is always ready would never let a limit pass.
        breathe().await;
        // Trailers cannot be sent with a body of bytes; reqwest's own bodies have none.
        let Ok(chunk) = frame.map_err(ClientFault::unbuilt)?.into_data() else { continue };
        if chunk.len() > limit.saturating_sub(bytes.len()) {
            return Err(ClientFault::Buffer(BufferTooSmall { limit }).into());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Gives way once, so that limits and cancels are looked at.
async fn breathe() {
    let mut given = false;
    poll_fn(|cx| {
        if mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
