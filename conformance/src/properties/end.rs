//! What the caller gets.

use super::view::{View, is_whole, must};
use crate::model::{code_of_end, judgement, may_repeat, nanos, single_send};
use crate::scenario::{Advice, Event, OverCap, Reached};
use crate::trace::{Reason, Why};
use crate::vectors::{Judgement, Rule};

pub(super) fn the_last_reply_is_handed_over(view: &View<'_>) -> Result<(), String> {
    let (last, end) = (view.last_reply().and_then(|(_, send)| send.event), view.trace.end.event);
    must(end == last, || format!("{end:?} instead of {last:?}"))
}

/// It looks at the last reply itself; whether that is the one handed over has a law of its own.
pub(super) fn the_reason_is_true(view: &View<'_>) -> Result<(), String> {
    let reason = view.trace.end.reason;
    let reply = view.last_reply().and_then(|(step, send)| Some((step, send.event?)));
    // A proxy that comes next makes any failure of this one worth another send.
    let next_proxy = view.last_reply().is_some_and(|(step, send)| step.untried.is_some() && is_whole(step, &send));
    let says = |verdict| reply.is_some_and(|(_, event)| judgement(&view.settings, event) == verdict) && !next_proxy;
    let after = |is: fn(Event) -> bool| reply.is_some_and(|(_, event)| is(event));
    let is_true = match reason {
        Reason::Answer => says(Judgement::Answer),
        Reason::NotRetryable => says(Judgement::Fail),
        Reason::NotRepeatable(Why::Method) if may_repeat(view.scenario) == Rule::IfUnsent => {
            after(|event| !matches!(event, Event::Failure(_, Reached::Unsent)))
        }
        Reason::NotRepeatable(why) => single_send(view.scenario) == Some(why),
        Reason::Advised => reply.is_some_and(|(step, _)| step.advice == Advice::Stop),
        Reason::RetriesExhausted => view.trace.sends.len() as u64 > u64::from(view.settings.max_retries),
        Reason::TotalTimeout => view.limit.is_some(),
        Reason::RetryAfterTooLong => {
            let rule = view.settings.retry_after;
            let asked = view.trace.end.asked.is_some_and(|asked| nanos(asked) > nanos(rule.cap));
            asked && rule.over_cap == OverCap::GiveUp
        }
        Reason::BudgetSpent => false,
        Reason::Canceled => view.scenario.cancel_at.is_some(),
    };
    must(is_true, || format!("{reason:?} after {:?}", reply.map(|(_, event)| event)))
}

pub(super) fn the_code_fits_the_reason(view: &View<'_>) -> Result<(), String> {
    let end = &view.trace.end;
    let right = code_of_end(end.reason, view.last_reply().and_then(|(_, send)| send.event));
    must(end.code == right, || format!("{:?} for {:?}", end.code, end.reason))
}

pub(super) fn what_the_server_asked_is_told_uncut(view: &View<'_>) -> Result<(), String> {
    let Some(asked) = view.trace.end.asked else { return Ok(()) };
    let hint = view.last_reply().and_then(|(step, send)| view.hint(step, &send));
    must(hint == Some(nanos(asked)), || format!("{asked} instead of {hint:?} ns"))
}
