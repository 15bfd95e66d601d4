//! A client's panics, as errors.

use core::error::Error;
use core::fmt;
use core::future::{Future, poll_fn};
use core::panic::AssertUnwindSafe;
use core::pin::Pin;
use core::task::Poll;
use std::panic::catch_unwind;

/// The client panicked. Some of surf's do so at a status that they do not know, or a header that is not ASCII.
///
/// It is found inside [`Error::surf`](crate::Error::surf). Where panics abort (`panic = "abort"`), nobody can catch
/// them, and the process ends.
#[derive(Debug)]
pub struct Panicked(String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the client panicked: {}", self.0)
    }
}

impl Error for Panicked {}

/// What comes of `work`, or its panic.
///
/// A panic leaves nothing half done that anybody sees: the future is not polled again, and what a client shares among
/// its sends it has to guard against panics anyway, as against threads that end.
pub(crate) fn caught<F: Future>(mut work: Pin<&mut F>) -> impl Future<Output = Result<F::Output, Panicked>> {
    poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Ok),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            Poll::Ready(Err(Panicked(text.unwrap_or("(no text)").into())))
        }
    })
}
