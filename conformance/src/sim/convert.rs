//! From the suite's words to the core's, and back.

use retry_core::{Attempt, Outcome, Policy, PolicyBuilder, Replay, UnixTime, Verdict, retry_after};

use super::CUT;
use crate::scenario::{Advice, Cause, Event, Jitter, Mode, NonIdempotent, OverCap, Reached, Scenario, Settings, Step};
use crate::trace;

/// A builder with these settings.
pub fn builder(settings: &Settings) -> PolicyBuilder {
    let hints = match settings.retry_after.mode {
        Mode::Replace => retry_core::RetryAfter::replace(),
        Mode::AtLeast => retry_core::RetryAfter::at_least(),
        Mode::Ignore => retry_core::RetryAfter::ignore(),
    };
    let over_cap = match settings.retry_after.over_cap {
        OverCap::Clamp => retry_core::OverCap::Clamp,
        OverCap::GiveUp => retry_core::OverCap::GiveUp,
    };
    let hints = hints.cap(settings.retry_after.cap.into()).over_cap(over_cap).spread(settings.retry_after.spread);
    let jitter = match settings.jitter {
        Jitter::None => retry_core::Jitter::None,
        Jitter::Proportional(share) => retry_core::Jitter::Proportional(share),
        Jitter::Full => retry_core::Jitter::Full,
        Jitter::Equal => retry_core::Jitter::Equal,
        Jitter::Decorrelated => retry_core::Jitter::Decorrelated,
    };
    Policy::builder()
        .max_retries(settings.max_retries)
        .base_delay(settings.base_delay.into())
        .factor(settings.factor)
        .max_delay(settings.max_delay.into())
        .jitter(jitter)
        .hard_cap(settings.hard_cap)
        .retry_after(hints)
        .total_timeout(settings.total_timeout.map(Into::into))
        .attempt_timeout(settings.attempt_timeout.map(Into::into))
        .statuses(&settings.statuses)
        .non_idempotent(non_idempotent(settings.non_idempotent))
}

/// Whether the scenario's request may go out again.
pub fn replay(scenario: &Scenario) -> Replay {
    let request = &scenario.request;
    let policy = non_idempotent(scenario.policy.non_idempotent);
    let own = request.non_idempotent.map(non_idempotent);
    let consent = retry_core::NonIdempotent::resolve(policy, own, request.idempotency_key);
    Replay::new(&request.method, request.replayable, consent)
}

/// What came back.
pub fn event(event: Event) -> retry_core::Event {
    match event {
        Event::Status(status) => retry_core::Event::Status(status),
        Event::Failure(cause, reached) => {
            let reached = match reached {
                Reached::Unsent => retry_core::Reached::Unsent,
                Reached::MaybeSent => retry_core::Reached::MaybeSent,
            };
            retry_core::Event::Failure(retry_core::Failure::new(self::cause(cause), reached))
        }
    }
}

/// What keeps a request from going out again.
pub fn why(why: retry_core::Why) -> trace::Why {
    match why {
        retry_core::Why::Body => trace::Why::Body,
        retry_core::Why::Method => trace::Why::Method,
        retry_core::Why::RetriesOff => trace::Why::RetriesOff,
    }
}

/// What came back, in the suite's words.
///
/// # Panics
///
/// If the core has a cause that the suite does not know.
pub fn told(event: retry_core::Event) -> Event {
    let failure = match event {
        retry_core::Event::Status(status) => return Event::Status(status),
        retry_core::Event::Failure(failure) => failure,
    };
    let cause = Cause::ALL.into_iter().find(|cause| self::cause(*cause) == failure.cause);
    let reached = match failure.reached {
        retry_core::Reached::Unsent => Reached::Unsent,
        retry_core::Reached::MaybeSent => Reached::MaybeSent,
    };
    Event::Failure(cause.expect("the suite knows every cause"), reached)
}

/// Where the length of a wait came from.
///
/// # Panics
///
/// If the core has a source that the suite does not know.
pub fn source(source: retry_core::WaitSource) -> trace::Source {
    match source {
        retry_core::WaitSource::Computed => trace::Source::Computed,
        retry_core::WaitSource::RetryAfter => trace::Source::RetryAfter,
        retry_core::WaitSource::Custom => trace::Source::Custom,
        retry_core::WaitSource::Proxy => trace::Source::Proxy,
        other => panic!("a source that the suite does not know: {other:?}"),
    }
}

/// Why a call stopped.
///
/// # Panics
///
/// If the core has a reason that the suite does not know.
pub fn reason(reason: retry_core::Reason) -> trace::Reason {
    use retry_core::Reason;

    match reason {
        Reason::Answer => trace::Reason::Answer,
        Reason::NotRetryable => trace::Reason::NotRetryable,
        Reason::NotRepeatable(why) => trace::Reason::NotRepeatable(self::why(why)),
        Reason::Advised => trace::Reason::Advised,
        Reason::RetriesExhausted => trace::Reason::RetriesExhausted,
        Reason::TotalTimeout => trace::Reason::TotalTimeout,
        Reason::RetryAfterTooLong => trace::Reason::RetryAfterTooLong,
        Reason::BudgetSpent => trace::Reason::BudgetSpent,
        Reason::Canceled => trace::Reason::Canceled,
        other => panic!("a reason that the suite does not know: {other:?}"),
    }
}

/// A custom policy's word.
pub fn advice(advice: Advice) -> retry_core::Advice {
    match advice {
        Advice::Keep => retry_core::Advice::Keep,
        Advice::Retry => retry_core::Advice::Retry,
        Advice::RetryAfter(wait) => retry_core::Advice::RetryAfter(wait.into()),
        Advice::Stop => retry_core::Advice::Stop,
    }
}

/// What a client tells the machine when `attempt` brought `got`: what the step has, or nothing before its limit.
pub(super) fn outcome(attempt: &Attempt<&Policy>, step: &Step, got: Option<Event>, wall: Option<UnixTime>) -> Outcome {
    let reply = event(got.unwrap_or(CUT));
    // The header is read only where the response is about to be retried.
    let verdict = attempt.verdict(reply);
    let again = match step.advice {
        Advice::Keep => verdict == Some(Verdict::Retry),
        Advice::Retry | Advice::RetryAfter(_) => verdict.is_some(),
        Advice::Stop => false,
    };
    let mut outcome = Outcome::new(reply).with_advice(advice(step.advice));
    if got.is_some() {
        outcome.hint = if again { hint(step, wall) } else { None };
        outcome.untried = step.untried.map(Into::into);
    }
    outcome
}

fn hint(step: &Step, wall: Option<UnixTime>) -> Option<core::time::Duration> {
    let has_age = step.lines("age").next().is_some();
    let reference = retry_after::reference(step.lines("date"), has_age, || wall);
    retry_after::hint(step.lines("retry-after"), reference)
}

/// When a request that is not idempotent may go out again.
pub fn non_idempotent(when: NonIdempotent) -> retry_core::NonIdempotent {
    match when {
        NonIdempotent::Never => retry_core::NonIdempotent::Never,
        NonIdempotent::WhenUnsent => retry_core::NonIdempotent::WhenUnsent,
        NonIdempotent::Always => retry_core::NonIdempotent::Always,
    }
}

fn cause(cause: Cause) -> retry_core::Cause {
    match cause {
        Cause::Network => retry_core::Cause::Network,
        Cause::Timeout => retry_core::Cause::Timeout,
        Cause::DnsTemporary => retry_core::Cause::DnsTemporary,
        Cause::DnsNoSuchName => retry_core::Cause::DnsNoSuchName,
        Cause::ResponseRead => retry_core::Cause::ResponseRead,
        Cause::BodyTooLarge => retry_core::Cause::BodyTooLarge,
        Cause::Transport => retry_core::Cause::Transport,
        Cause::Tls => retry_core::Cause::Tls,
        Cause::Certificate => retry_core::Cause::Certificate,
        Cause::Proxy => retry_core::Cause::Proxy,
        Cause::ProxyAuth => retry_core::Cause::ProxyAuth,
        Cause::Validation => retry_core::Cause::Validation,
        Cause::Canceled => retry_core::Cause::Canceled,
        Cause::Unknown => retry_core::Cause::Unknown,
    }
}
