//! What one send produced, with all that came of it.

use core::future::Future;
#[cfg(any(feature = "reqwest", feature = "tower"))]
use core::{
    future::poll_fn,
    pin::Pin,
    task::{Poll, ready},
};

use http::{Extensions, HeaderMap, StatusCode};

use crate::error::Error;
use crate::fault::{Fault, StatusError};

/// A client's response, as far as it was read.
pub(crate) trait Received: Sized {
    fn status(&self) -> StatusCode;

    /// The version of HTTP that it came by.
    #[cfg(feature = "tracing")]
    fn version(&self) -> http::Version;

    fn headers(&self) -> &HeaderMap;

    fn extensions(&self) -> &Extensions;

    fn extensions_mut(&mut self) -> &mut Extensions;

    /// Its body, where that was read inside the attempt.
    fn body(&self) -> Option<&[u8]>;

    /// What there is to do before it is let go: a small body is read to its end, so that its connection can be used
    /// again.
    fn drain(self) -> Option<impl Future<Output = ()> + Unpin>;

    /// Hands it over with the error of the call that ended on it.
    fn into_error(self, error: Error) -> Error;
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

/// Whether a body of `least` bytes or more is worth reading off. Over HTTP/2 there is nothing to gain: dropping a response
/// ends its stream alone.
#[cfg(any(feature = "reqwest", feature = "tower"))]
pub(crate) fn is_worth_reading_off(least: u64, version: http::Version) -> bool {
    least <= retry_core::DRAIN_BYTES as u64 && version <= http::Version::HTTP_11
}

/// Reads a body to its end, unless that is far.
// Not an `async fn`: that would keep the body a second time, and most are read at their first poll.
#[cfg(any(feature = "reqwest", feature = "tower"))]
pub(crate) fn read_off(mut body: impl http_body::Body + Unpin) -> impl Future<Output = ()> + Unpin {
    let mut left = retry_core::DRAIN_BYTES;
    poll_fn(move |cx| {
        while let Some(Ok(frame)) = ready!(Pin::new(&mut body).poll_frame(cx)) {
            // One without bytes counts, too: a body may have no end of them.
            let size = frame.data_ref().map_or(0, bytes::Buf::remaining).max(1);
            left = match left.checked_sub(size) {
                Some(left) => left,
                None => break,
            };
        }
        Poll::Ready(())
    })
}
