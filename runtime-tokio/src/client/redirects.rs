//! Whether a redirect was followed inside a send: then a server has processed the request, whatever failed after it.

use core::cell::Cell;
use core::future::{Future, poll_fn};
use core::pin::Pin;

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

/// The output of a send; sets `followed` if a redirect was followed on its way.
pub(crate) fn watch<F: Future>(mut send: Pin<&mut F>, followed: &mut bool) -> impl Future<Output = F::Output> {
    poll_fn(move |cx| {
        // What another send on this thread may have left is not ours.
        FOLLOWED.set(false);
        let polled = send.as_mut().poll(cx);
        *followed |= FOLLOWED.get();
        polled
    })
}
