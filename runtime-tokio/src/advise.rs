//! A custom policy: the caller's own word on each reply that could be sent again.

use core::error::Error;
use core::fmt;
use core::time::Duration;

use http::{HeaderMap, Method, StatusCode};
use retry_core::{Advice, Event, Failure, Level, Verdict, WaitSource};

use crate::redact::Redacted;
use crate::reply::{Failed, Received};

/// Decides, with full sight of a reply, whether the request is sent again.
///
/// It is asked before any wait, and not at all for a request that may not be repeated or when no send is left. What it
/// says cannot break a limit. Closures are custom policies
/// (for this very header there is [`vendor_headers`](crate::Retry::vendor_headers), too):
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Advice, Policy};
/// use runtime_tokio::Retry;
///
/// // A server that says itself whether another try makes sense.
/// let retry = Retry::new(Policy::API).advise(|seen| {
///     match seen.headers().and_then(|headers| headers.get("x-should-retry")) {
///         Some(value) if value == "false" => Advice::Stop,
///         Some(value) if value == "true" => Advice::Retry,
///         _ => Advice::Keep,
///     }
/// });
/// ```
pub trait Advise: Send + Sync {
    /// The word on one reply.
    fn advise(&self, seen: &Seen<'_>) -> Advice;
}

impl<F> Advise for F
where
    F: Fn(&Seen<'_>) -> Advice + Send + Sync,
{
    fn advise(&self, seen: &Seen<'_>) -> Advice {
        self(seen)
    }
}

/// One reply, as a custom policy sees it.
pub struct Seen<'a> {
    pub(crate) method: &'a Method,
    pub(crate) url: &'a str,
    pub(crate) attempt: u32,
    pub(crate) elapsed: Duration,
    pub(crate) remaining: Option<Duration>,
    pub(crate) verdict: Verdict,
    pub(crate) event: Event,
    pub(crate) head: Result<Head<'a>, &'a Failed>,
}

/// What a custom policy sees of a response.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    status: StatusCode,
    headers: &'a HeaderMap,
    body: Option<&'a [u8]>,
}

impl<'a> Head<'a> {
    pub(crate) fn of(received: &'a impl Received) -> Self {
        Self { status: received.status(), headers: received.headers(), body: received.body() }
    }
}

impl<'a> Seen<'a> {
    /// The request's method.
    pub fn method(&self) -> &'a Method {
        self.method
    }

    /// The request's URL, with all that is in it.
    pub fn url(&self) -> &'a str {
        self.url
    }

    /// The number of the send that produced this reply, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The time since the call began.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The time left until the call must have ended; `None` without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.remaining
    }

    /// What happens if the advice is [`Advice::Keep`].
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The status, if a response came.
    pub fn status(&self) -> Option<StatusCode> {
        match self.head {
            Ok(head) => Some(head.status),
            Err(failed) => failed.status,
        }
    }

    /// The response's headers, if the reply is a response.
    pub fn headers(&self) -> Option<&'a HeaderMap> {
        self.head.ok().map(|head| head.headers)
    }

    /// The response's body, in a call that reads it inside the attempt ([`fetch`](crate::Call::fetch)).
    pub fn body(&self) -> Option<&'a [u8]> {
        self.head.ok().and_then(|head| head.body)
    }

    /// The failure, if no usable response came.
    pub fn failure(&self) -> Option<Failure> {
        match self.event {
            Event::Failure(failure) => Some(failure),
            Event::Status(_) => None,
        }
    }

    /// The error behind the failure: reqwest's own, or [`TimedOut`](crate::TimedOut).
    pub fn error(&self) -> Option<&'a (dyn Error + 'static)> {
        self.head.err().map(|failed| failed.fault.as_error())
    }
}

impl fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen")
            .field("attempt", &self.attempt)
            .field("elapsed", &self.elapsed)
            .field("remaining", &self.remaining)
            .field("verdict", &self.verdict)
            .field("event", &self.event)
            .finish_non_exhaustive()
    }
}

/// A retry that is about to be waited for, as a hook sees it.
#[non_exhaustive]
pub struct Retrying<'a> {
    /// The request's method.
    pub method: &'a Method,
    /// The request's URL, with all that is in it.
    pub url: &'a str,
    /// The number of the send that is to be repeated, from 1.
    pub attempt: u32,
    /// What came back from it.
    pub event: Event,
    /// How long the wait is.
    pub wait: Duration,
    /// Where its length came from.
    pub source: WaitSource,
    /// What is left of the budget, with this retry taken from it; all empty without one.
    pub budget: Level,
}

impl fmt::Debug for Retrying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retrying")
            .field("method", self.method)
            .field("url", &Redacted(self.url))
            .field("attempt", &self.attempt)
            .field("event", &self.event)
            .field("wait", &self.wait)
            .field("source", &self.source)
            .field("budget", &self.budget)
            .finish()
    }
}
