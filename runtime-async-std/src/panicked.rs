//! A client's panics, as errors.

use core::any::Any;
use core::error::Error;
use core::fmt;
use core::future::{Future, poll_fn};
use core::mem::forget;
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

impl Panicked {
    fn of(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let panicked = Self(text.unwrap_or("(no text)").into());
        // What a client panics with may panic at its own end; what comes of that is not ended at all.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            forget(payload);
        }
        panicked
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the client panicked: {}", self.0.escape_debug())
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
        Err(payload) => Poll::Ready(Err(Panicked::of(payload))),
    })
}

#[cfg(test)]
mod tests {
    use core::future::ready;
    use core::pin::pin;
    use std::panic::panic_any;

    use async_std::task::block_on;

    use super::*;

    /// What a client panics with, whose end is a panic, too.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Self);
        }
    }

    fn panicked(panic: impl FnOnce()) -> Panicked {
        block_on(caught(pin!(async { panic() }))).expect_err("it panics")
    }

    #[test]
    fn what_is_no_panic_is_given_as_it_is() {
        assert!(matches!(block_on(caught(pin!(ready(7)))), Ok(7)));
    }

    #[test]
    fn a_payload_that_panics_is_a_panic_without_a_text() {
        assert_eq!(panicked(|| panic_any(Bomb)).to_string(), "the client panicked: (no text)");
    }

    #[test]
    fn a_text_is_shown_with_its_controls_escaped() {
        let shown = r"the client panicked: no \n\u{1b}[31m";
        assert_eq!(panicked(|| panic!("no \n\x1b[31m")).to_string(), shown);
        assert_eq!(panicked(|| panic!("{} \n\x1b[31m", "no")).to_string(), shown, "a String");
        assert!(!format!("{:?}", panicked(|| panic!("no \n\x1b[31m"))).contains(char::is_control));
    }
}
