//! The spans of calls and sends, as a subscriber sees them.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "../common/skip.rs"]
mod skip;

#[path = "../../examples/spans.rs"]
mod example;
#[cfg(all(feature = "middleware", feature = "tower"))]
mod forms;
mod guide;
mod panics;
mod requests;
mod rows;
mod tree;

use core::future::{Future, poll_fn};
use core::pin::pin;

use skip::guarded;
use tracing::Span;

/// What `work` gives. Each span that it enters it leaves before its poll ends: otherwise what runs next would be in it.
async fn watched<F: Future>(work: F) -> F::Output {
    let mut work = pin!(work);
    guarded(poll_fn(|cx| {
        let before = Span::current().id();
        let poll = work.as_mut().poll(cx);
        assert_eq!(Span::current().id(), before, "a span is still entered");
        poll
    }))
    .await
}
