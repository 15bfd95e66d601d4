//! When.

use super::view::{View, must, replied};
use crate::model::{Clocks, nanos};
use crate::scenario::{Cause, Event, Reached};
use crate::trace::Reason;

pub(super) fn the_first_send_is_at_once(view: &View<'_>) -> Result<(), String> {
    let first = view.trace.sends.first();
    first.map_or(Ok(()), |send| must(nanos(send.at) == 0, || format!("it was at {}", send.at)))
}

pub(super) fn a_wait_begins_with_its_reply(view: &View<'_>) -> Result<(), String> {
    view.retries().try_for_each(|retry| {
        let reply = replied(&retry.before);
        must(nanos(retry.wait.at) == reply, || format!("a reply at {reply} ns, and a wait from {}", retry.wait.at))
    })
}

pub(super) fn no_wait_ends_early(view: &View<'_>) -> Result<(), String> {
    view.retries().try_for_each(|retry| {
        let Some(next) = retry.next else { return Ok(()) };
        let end = nanos(retry.wait.at) + retry.lasts();
        must(nanos(next.at) >= end, || format!("a wait until {end} ns, and a send at {}", next.at))
    })
}

/// Where the clocks go as they should: a machine that sleeps wakes late, and it is not the wait's fault.
pub(super) fn no_wait_ends_late(view: &View<'_>) -> Result<(), String> {
    if !view.is_steady || !view.is_awake {
        return Ok(());
    }
    view.retries().try_for_each(|retry| {
        let Some(next) = retry.next else { return Ok(()) };
        let end = nanos(retry.wait.at) + retry.lasts();
        must(nanos(next.at) <= end, || format!("a wait until {end} ns, and a send at {}", next.at))
    })
}

/// A clock that stands still does not show the limit.
pub(super) fn no_send_is_begun_at_or_after_the_limit(view: &View<'_>) -> Result<(), String> {
    let Some(limit) = view.limit.filter(|_| view.is_steady) else { return Ok(()) };
    let late = view.trace.sends.iter().find(|send| nanos(send.at) >= limit);
    late.map_or(Ok(()), |send| Err(format!("a send at {}, a limit of {limit} ns", send.at)))
}

pub(super) fn no_wait_is_begun_that_ends_at_or_after_the_limit(view: &View<'_>) -> Result<(), String> {
    let Some(limit) = view.limit.filter(|_| view.is_steady) else { return Ok(()) };
    let late = view.trace.waits.iter().find(|wait| nanos(wait.at) + nanos(wait.lasts) >= limit);
    late.map_or(Ok(()), |wait| Err(format!("{} at {}, a limit of {limit} ns", wait.lasts, wait.at)))
}

pub(super) fn a_send_lasts_until_its_reply_or_its_limit(view: &View<'_>) -> Result<(), String> {
    if !view.is_steady || !view.is_awake {
        return Ok(());
    }
    (1..).zip(&view.trace.sends).try_for_each(|(number, send)| {
        let Some(event) = send.event else { return Ok(()) };
        let step = view.scenario.step(number);
        let (takes, took) = (nanos(step.takes), nanos(send.took));
        let rest = view.limit.map(|limit| limit - nanos(send.at));
        let most = view.settings.attempt_timeout.map(nanos).into_iter().chain(rest).min();
        // What comes at the same moment as the limit is in time.
        let right = match most.filter(|most| *most < takes) {
            Some(most) => event == Event::Failure(Cause::Timeout, Reached::MaybeSent) && took == most,
            None => event == step.event && took == takes,
        };
        must(right, || format!("send {number}: {event} after {}, a reply after {}", send.took, step.takes))
    })
}

pub(super) fn a_cancel_ends_the_call_at_once(view: &View<'_>) -> Result<(), String> {
    let end = &view.trace.end;
    let canceled = end.reason == Reason::Canceled;
    let Some(cancel) = Clocks::new(view.scenario).canceled() else {
        return must(!canceled, || "nobody canceled".into());
    };
    // What is ready at the same moment as the cancel comes too late.
    let right = if canceled { nanos(end.at) == cancel } else { nanos(end.at) < cancel };
    must(right, || format!("canceled at {cancel} ns, {:?} at {}", end.reason, end.at))
}

pub(super) fn the_call_ends_with_its_last_reply(view: &View<'_>) -> Result<(), String> {
    let Some((_, send)) = view.last_reply() else { return Ok(()) };
    // A wait after the last send has a law of its own.
    let waited = view.trace.waits.len() >= view.trace.sends.len();
    let (reply, end) = (replied(&send), view.trace.end.at);
    must(waited || nanos(end) == reply, || format!("the reply came at {reply} ns, the end at {end}"))
}

pub(super) fn elapsed_is_the_time_that_passed(view: &View<'_>) -> Result<(), String> {
    let end = &view.trace.end;
    must(!view.is_steady || end.elapsed == end.at, || format!("{} passed, told as {}", end.at, end.elapsed))
}
