//! The words that logs and callers meet: each name of a kind, a reply, a reason and a wait.

use retry_core::{Cause, ErrorKind, Event, Failure, Outcome, Reached, Reason, WaitSource, Why};

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
        assert_eq!(reason.to_string(), text);
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
        assert_eq!(source.to_string(), text);
    }
}
