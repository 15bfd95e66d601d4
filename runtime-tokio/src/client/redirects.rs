//! Whether a redirect was followed inside a send: then a server has processed the request, whatever failed after it.

use core::cell::Cell;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use pin_project_lite::pin_project;
use reqwest::redirect::Policy;

thread_local! {
    /// Set by [`policy`] while [`watch`] polls a send on this thread. reqwest tells it nowhere else.
    static FOLLOWED: Cell<bool> = const { Cell::new(false) };
}

/// reqwest's default policy, which also notes that it was asked.
pub(crate) fn policy() -> Policy {
    let default = Policy::default();
    Policy::custom(move |attempt| {
        FOLLOWED.set(true);
        default.redirect(attempt)
    })
}

pin_project! {
    /// A send, with what is made of its error; see [`watch`].
    // No `async` block: that would keep a send twice, and move its response once more.
    pub(crate) struct Watch<F, J> {
        #[pin]
        send: F,
        judge: J,
        followed: bool,
    }
}

/// The response of `send`, or what `judge` makes of its error: it is told whether a redirect was followed on the way.
pub(crate) fn watch<F, J>(send: F, judge: J) -> Watch<F, J> {
    Watch { send, judge, followed: false }
}

impl<F, J, R, E, B> Future for Watch<F, J>
where
    F: Future<Output = Result<R, E>>,
    J: FnMut(E, bool) -> B,
{
    type Output = Result<R, B>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // What another send on this thread may have left is not ours.
        FOLLOWED.set(false);
        let polled = this.send.poll(cx);
        *this.followed |= FOLLOWED.get();
        match polled {
            Poll::Ready(Ok(response)) => Poll::Ready(Ok(response)),
            Poll::Ready(Err(error)) => Poll::Ready(Err((this.judge)(error, *this.followed))),
            Poll::Pending => Poll::Pending,
        }
    }
}
