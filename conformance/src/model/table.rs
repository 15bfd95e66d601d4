//! What a reply is worth, what may go out again, and what a failure is called.

use crate::scenario::{Cause, Event, NonIdempotent, Scenario, Settings};
use crate::trace::{Reason, Why};
use crate::vectors::{Judgement, Rule};

/// What the table of section 2 says of a reply.
pub(crate) fn judgement(settings: &Settings, event: Event) -> Judgement {
    let worth_it =
        [Cause::Network, Cause::Timeout, Cause::DnsTemporary, Cause::ResponseRead, Cause::Transport, Cause::Proxy];
    match event {
        Event::Status(status) if settings.statuses.contains(&status) => Judgement::Retry,
        Event::Status(_) => Judgement::Answer,
        Event::Failure(cause, _) if worth_it.contains(&cause) => Judgement::Retry,
        Event::Failure(..) => Judgement::Fail,
    }
}

/// When the request may go out again, by section 4.
pub(crate) fn may_repeat(scenario: &Scenario) -> Rule {
    let request = &scenario.request;
    if !request.replayable {
        return Rule::Never;
    }
    if ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(&request.method.as_str()) {
        return Rule::Always;
    }
    if request.idempotency_key && request.non_idempotent != Some(NonIdempotent::Never) {
        return Rule::Always;
    }
    match request.non_idempotent.unwrap_or(scenario.policy.non_idempotent) {
        NonIdempotent::Never => Rule::Never,
        NonIdempotent::WhenUnsent => Rule::IfUnsent,
        NonIdempotent::Always => Rule::Always,
    }
}

/// Why the call has one send only, if so.
pub(crate) fn single_send(scenario: &Scenario) -> Option<Why> {
    if !scenario.request.replayable {
        Some(Why::Body)
    } else if may_repeat(scenario) == Rule::Never {
        Some(Why::Method)
    } else if scenario.settings().max_retries == 0 {
        Some(Why::RetriesOff)
    } else {
        None
    }
}

/// The stable name of a failure.
pub(crate) fn code(cause: Cause) -> &'static str {
    match cause {
        Cause::Network => "NETWORK_ERROR",
        Cause::Timeout => "TIMEOUT",
        Cause::DnsTemporary | Cause::DnsNoSuchName => "DNS_ERROR",
        Cause::ResponseRead | Cause::BodyTooLarge => "RESPONSE_READ_ERROR",
        Cause::Transport => "TRANSPORT_ERROR",
        Cause::Tls => "TLS_ERROR",
        Cause::Certificate => "CERTIFICATE_ERROR",
        Cause::Proxy | Cause::ProxyAuth => "PROXY_ERROR",
        Cause::Validation => "VALIDATION_ERROR",
        Cause::Canceled => "CANCELED",
        Cause::Unknown => "UNKNOWN_ERROR",
    }
}

/// The stable name of a call's failure; `None` if the reply is the answer.
pub(crate) fn code_of_end(reason: Reason, event: Option<Event>) -> Option<&'static str> {
    match reason {
        Reason::RetriesExhausted => Some("RETRY_EXHAUSTED"),
        Reason::TotalTimeout => Some("TIMEOUT"),
        Reason::RetryAfterTooLong => Some("RETRY_AFTER_TOO_LONG"),
        Reason::BudgetSpent => Some("BUDGET_SPENT"),
        Reason::Canceled => Some("CANCELED"),
        Reason::Answer | Reason::NotRetryable | Reason::NotRepeatable(_) | Reason::Advised => match event {
            Some(Event::Failure(cause, _)) => Some(code(cause)),
            Some(Event::Status(_)) | None => None,
        },
    }
}
