//! The words that logs and callers meet: each name of a kind, a reply, a reason and a wait.

use core::time::Duration;

use retry_core::{Cause, End, ErrorKind, Event, Failure, Outcome, Reached, Reason, WaitSource, Why};

#[test]
fn kinds_have_stable_names() {
    let names = [
        (ErrorKind::Http, "HTTP_ERROR"),
        (ErrorKind::Network, "NETWORK_ERROR"),
        (ErrorKind::Timeout, "TIMEOUT"),
        (ErrorKind::Dns, "DNS_ERROR"),
        (ErrorKind::ResponseRead, "RESPONSE_READ_ERROR"),
        (ErrorKind::Transport, "TRANSPORT_ERROR"),
        (ErrorKind::Tls, "TLS_ERROR"),
        (ErrorKind::Certificate, "CERTIFICATE_ERROR"),
        (ErrorKind::Proxy, "PROXY_ERROR"),
        (ErrorKind::Validation, "VALIDATION_ERROR"),
        (ErrorKind::Canceled, "CANCELED"),
        (ErrorKind::RetryExhausted, "RETRY_EXHAUSTED"),
        (ErrorKind::RetryAfterTooLong, "RETRY_AFTER_TOO_LONG"),
        (ErrorKind::BudgetSpent, "BUDGET_SPENT"),
        (ErrorKind::Unknown, "UNKNOWN_ERROR"),
    ];
    for (kind, name) in names {
        assert_eq!(kind.code(), name);
        assert_eq!(kind.to_string(), name);
    }
}

#[test]
fn a_reply_is_its_status_or_the_kind_of_its_failure() {
    let replies = [
        (Outcome::status(503).event, "503"),
        (Outcome::failure(Cause::DnsNoSuchName, Reached::Unsent).event, "DNS_ERROR"),
        (Event::Failure(Failure::new(Cause::BodyTooLarge, Reached::MaybeSent)), "RESPONSE_READ_ERROR"),
    ];
    for (event, text) in replies {
        assert_eq!(event.to_string(), text);
    }
}

#[test]
fn reasons_say_why_a_call_stopped() {
    let reasons = [
        (Reason::Answer, "answered"),
        (Reason::NotRetryable, "failed"),
        (Reason::NotRepeatable(Why::Body), "failed, body not replayable"),
        (Reason::NotRepeatable(Why::Method), "failed, method not idempotent"),
        (Reason::NotRepeatable(Why::RetriesOff), "failed, retries off"),
        (Reason::Advised, "stopped by a custom policy"),
        (Reason::RetriesExhausted, "retries used up"),
        (Reason::TotalTimeout, "time limit reached"),
        (Reason::RetryAfterTooLong, "the server asked for too long a wait"),
        (Reason::BudgetSpent, "retry budget spent"),
        (Reason::Canceled, "canceled"),
    ];
    for (reason, text) in reasons {
        assert_eq!((reason.as_str(), reason.to_string().as_str()), (text, text));
    }
}

#[test]
fn the_end_of_a_call_has_the_kind_that_fits_its_reason() {
    let failure = Event::Failure(Failure::new(Cause::Tls, Reached::Unsent));
    let rows = [
        (Reason::Answer, Some(Event::Status(200)), None),
        (Reason::Advised, Some(Event::Status(503)), None),
        (Reason::NotRepeatable(Why::Method), Some(Event::Status(503)), None),
        (Reason::NotRetryable, Some(failure), Some(ErrorKind::Tls)),
        (Reason::RetriesExhausted, Some(failure), Some(ErrorKind::RetryExhausted)),
        (Reason::TotalTimeout, None, Some(ErrorKind::Timeout)),
        (Reason::RetryAfterTooLong, Some(Event::Status(429)), Some(ErrorKind::RetryAfterTooLong)),
        (Reason::BudgetSpent, Some(Event::Status(503)), Some(ErrorKind::BudgetSpent)),
        (Reason::Canceled, None, Some(ErrorKind::Canceled)),
    ];
    for (reason, event, kind) in rows {
        let end = End { attempts: 1, elapsed: Duration::ZERO, reason, event, asked: None };
        assert_eq!(end.kind(), kind, "{end:?}");
    }
}

#[test]
fn waits_say_where_their_length_came_from() {
    let sources = [
        (WaitSource::Computed, "policy"),
        (WaitSource::RetryAfter, "Retry-After"),
        (WaitSource::Custom, "custom policy"),
        (WaitSource::Proxy, "next proxy"),
    ];
    for (source, text) in sources {
        assert_eq!((source.as_str(), source.to_string().as_str()), (text, text));
    }
}
