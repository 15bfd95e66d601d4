//! The spans of a call and of its sends, through the crate `tracing`, with OpenTelemetry's names for HTTP clients.
//!
//! Numbers are `i64`, which is what OpenTelemetry has: a bridge makes texts of others.
//!
//! This is all that knows of `tracing`. Without the feature of that name `no_spans.rs` takes its place.

use core::cell::LazyCell;
use core::future::Future;
use core::mem;
use core::time::Duration;
use std::env;
use std::sync::OnceLock;

use http::{Method, Version};
use retry_core::{End, ErrorKind, Event, Level as Left, Pause, Policy, Reason, Try};
use tracing::field::{Empty, display};
use tracing::instrument::{Instrument, Instrumented};
use tracing::{Level, Span, event, span};
use url::Url;

use crate::fault::Fault;
use crate::reply::{Failed, Received};

/// The target of all spans and events, and so what a filter names.
const TARGET: &str = "runtime_tokio";

/// The spans of one call: its own, and that of the send that is under way.
pub(crate) struct Spans {
    // The inner one first: it ends first if the call is dropped.
    send: Span,
    call: Span,
    /// How many sends were begun.
    begun: u32,
}

impl Spans {
    /// Opens the call's span inside of the caller's. Nothing is looked at unless somebody is interested.
    pub(crate) fn open<'a>(request: impl FnOnce() -> Option<(&'a Method, &'a str)>) -> Self {
        let seen = LazyCell::new(|| Seen::new(request()));
        let call = span!(
            target: TARGET,
            Level::INFO,
            "call",
            otel.kind = "internal",
            otel.name = format!("{} call", seen.name()).as_str(),
            http.request.method = seen.method(),
            http.request.method_original = seen.original(),
            server.address = seen.address(),
            server.port = seen.port(),
            url.full = seen.url(),
            http.response.status_code = Empty,
            error.type = Empty,
            otel.status_code = Empty,
            retry.attempts = Empty,
            retry.reason = Empty,
        );
        Self { send: Span::none(), call, begun: 0 }
    }

    /// What goes on in the call.
    pub(crate) fn call(&self) -> Scope {
        Scope(self.call.clone())
    }

    /// Opens the span of a send: it is to be used for that send, and polled in the call's.
    pub(crate) fn send<'a>(&mut self, this: Try, request: impl FnOnce() -> (&'a Method, &'a str)) -> Scope {
        self.begun = this.number;
        let seen = LazyCell::new(|| Seen::new(Some(request())));
        self.send = span!(
            target: TARGET,
            Level::INFO,
            "send",
            otel.kind = "client",
            otel.name = seen.name(),
            http.request.method = seen.method(),
            http.request.method_original = seen.original(),
            http.request.resend_count = resends(this.number.saturating_sub(1)),
            server.address = seen.address(),
            server.port = seen.port(),
            url.full = seen.url(),
            http.response.status_code = Empty,
            network.protocol.version = Empty,
            error.type = Empty,
            otel.status_code = Empty,
        );
        Scope(self.send.clone())
    }

    /// Ends the send's span with what the core was told.
    pub(crate) fn judged(&mut self, event: Event, reply: &Result<impl Received, Failed>) {
        let span = mem::replace(&mut self.send, Span::none());
        if span.is_disabled() {
            return;
        }
        match reply {
            Ok(received) => {
                span.record("http.response.status_code", i64::from(received.status().as_u16()));
                span.record("network.protocol.version", protocol(received.version()));
            }
            Err(failed) => {
                span.record("http.response.status_code", failed.status.map(|status| i64::from(status.as_u16())));
            }
        }
        match reply {
            // To the core that is one unknown failure; the layer inside knows better.
            Err(Failed { fault: Fault::Nested(error), .. }) => failed(&span, error.kind()),
            Ok(_) | Err(_) if is_error(event) => {
                span.record("error.type", display(event));
                span.record("otel.status_code", "ERROR");
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// An event of the call before each wait. `this` is the send that is to be repeated, and what it gave is `event`.
    pub(crate) fn waiting(&self, this: Try, event: Event, pause: &Pause<&Policy>, budget: impl FnOnce() -> Left) {
        event!(
            target: TARGET,
            Level::INFO,
            http.request.resend_count = i64::from(this.number),
            http.response.status_code = status(event),
            error.type = is_error(event).then(|| display(event)),
            retry.wait_seconds = pause.duration().as_secs_f64(),
            retry.wait_source = pause.source().as_str(),
            retry.budget_left = budget().left.and_then(|left| i64::try_from(left).ok()),
            "waiting to send again",
        );
    }

    /// Ends the call's span.
    pub(crate) fn ended(&mut self, end: &End, failure: Option<ErrorKind>) {
        self.send = Span::none();
        let call = mem::replace(&mut self.call, Span::none());
        if call.is_disabled() {
            return;
        }
        call.record("retry.attempts", i64::from(end.attempts));
        call.record("retry.reason", end.reason.as_str());
        call.record("http.response.status_code", end.event.and_then(status));
        if let Some(kind) = failure {
            failed(&call, kind);
        }
    }
}

impl Drop for Spans {
    /// A call that is dropped was given up.
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Perhaps it is the subscriber that panics, and a second time would end the process.
            return;
        }
        let (attempts, reason) = (self.begun, Reason::Canceled);
        self.ended(&End { attempts, elapsed: Duration::ZERO, reason, event: None, asked: None }, None);
    }
}

/// A span, to be entered whenever what belongs to it is polled, and at no other time.
pub(crate) struct Scope(Span);

impl Scope {
    pub(crate) fn around<F: Future>(self, work: F) -> Instrumented<F> {
        work.instrument(self.0)
    }

    /// Like [`around`](Self::around), where what makes the work belongs to it, too: a closure of the caller's, which may look
    /// for the current span.
    pub(crate) fn begin<F: Future>(self, make: impl FnOnce() -> F) -> Instrumented<F> {
        let work = self.0.in_scope(make);
        self.around(work)
    }
}

/// What OpenTelemetry wants to know of a request.
struct Seen<'a> {
    method: Option<&'a str>,
    is_known: bool,
    /// Without its secrets.
    url: Option<Url>,
}

impl<'a> Seen<'a> {
    fn new(request: Option<(&'a Method, &str)>) -> Self {
        let method = request.map(|(method, _)| method.as_str());
        Self { method, is_known: method.is_some_and(is_known), url: request.and_then(|(_, url)| redacted(url)) }
    }

    /// The name of a span: few different ones, whatever callers send.
    fn name(&self) -> &'a str {
        self.method.filter(|_| self.is_known).unwrap_or("HTTP")
    }

    fn method(&self) -> Option<&'a str> {
        self.method.map(|method| if self.is_known { method } else { "_OTHER" })
    }

    fn original(&self) -> Option<&'a str> {
        self.method.filter(|_| !self.is_known)
    }

    /// The host; an IPv6 address without its brackets.
    fn address(&self) -> Option<&str> {
        let host = self.url.as_ref()?.host_str()?;
        Some(host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host))
    }

    fn port(&self) -> Option<i64> {
        self.url.as_ref()?.port_or_known_default().map(i64::from)
    }

    fn url(&self) -> Option<&str> {
        self.url.as_ref().map(Url::as_str)
    }
}

/// `url` with a word in the place of userinfo and query, and without a fragment, which is not sent; `None` for one
/// without a host, of which nobody knows what it may hold.
fn redacted(url: &str) -> Option<Url> {
    const REDACTED: &str = "REDACTED";
    let mut url = Url::parse(url).ok().filter(|url| url.host_str().is_some_and(|host| !host.is_empty()))?;
    if !url.username().is_empty() || url.password().is_some() {
        url.set_username(REDACTED).ok()?;
        url.set_password(Some(REDACTED)).ok()?;
    }
    let has_query = url.query().is_some();
    url.set_query(has_query.then_some(REDACTED));
    url.set_fragment(None);
    Some(url)
}

/// Whether a method goes by its own name: one of RFC 9110 9, PATCH (RFC 5789) or QUERY, unless the environment has
/// another list, as OpenTelemetry requires.
fn is_known(method: &str) -> bool {
    static KNOWN: OnceLock<Option<String>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| env::var("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS").ok());
    is_among(known.as_deref(), method)
}

fn is_among(list: Option<&str>, method: &str) -> bool {
    const KNOWN: &str = "GET,HEAD,POST,PUT,DELETE,CONNECT,OPTIONS,TRACE,PATCH,QUERY";
    let list = list.filter(|list| !list.trim().is_empty()).unwrap_or(KNOWN);
    list.split(',').any(|known| known.trim() == method)
}

/// The count of earlier sends, from the second on.
fn resends(earlier: u32) -> Option<i64> {
    (earlier > 0).then_some(earlier.into())
}

fn status(event: Event) -> Option<i64> {
    match event {
        Event::Status(status) => Some(status.into()),
        Event::Failure(_) => None,
    }
}

/// Whether the span of a send is one that failed: a client's answers from 400 on are failures, too.
fn is_error(event: Event) -> bool {
    status(event).is_none_or(|status| status >= 400)
}

/// Marks a span whose call has failed; a cancel of the caller's is no failure.
fn failed(span: &Span, kind: ErrorKind) {
    if kind != ErrorKind::Canceled {
        span.record("error.type", kind.code());
        span.record("otel.status_code", "ERROR");
    }
}

fn protocol(version: Version) -> Option<&'static str> {
    match version {
        Version::HTTP_09 => Some("0.9"),
        Version::HTTP_10 => Some("1.0"),
        Version::HTTP_11 => Some("1.1"),
        Version::HTTP_2 => Some("2"),
        Version::HTTP_3 => Some("3"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_keep_no_secret_and_tell_that_there_was_one() {
        let rows = [
            ("http://localhost", Some("http://localhost/")),
            (
                "https://user:hunter2@host:443/a/b?token=hunter2#hunter2",
                Some("https://REDACTED:REDACTED@host/a/b?REDACTED"),
            ),
            ("http://hunter2@host:81", Some("http://REDACTED:REDACTED@host:81/")),
            ("http://:hunter2@host/?", Some("http://REDACTED:REDACTED@host/?REDACTED")),
            ("user:hunter2@host", None),
            ("mailto:hunter2", None),
            ("/hunter2", None),
            ("http://", None),
        ];
        for (url, kept) in rows {
            // No text of ours has the password, not even that of this test's failure.
            let seen = redacted(url);
            assert!(seen.as_ref().map(Url::as_str) == kept, "{kept:?}");
        }
    }

    #[test]
    fn methods_are_known_exactly_and_as_the_environment_says() {
        let rows = [
            (None, "QUERY", true),
            (None, "get", false),
            (None, "PROPFIND", false),
            (None, "GE", false),
            (Some(""), "GET", true),
            (Some("GET, PROPFIND"), "PROPFIND", true),
            (Some("GET, PROPFIND"), "POST", false),
        ];
        for (list, method, known) in rows {
            assert_eq!(is_among(list, method), known, "{list:?} {method}");
        }
    }
}
