//! Too early, too late, or past a limit.

use super::Wrong;
use super::counting::busy;
use crate::json::Span;
use crate::model::{nanos, span};
use crate::properties::has_dates;
use crate::scenario::{Cause, Change, ClockStep, Event, Reached, Scenario, Step};
use crate::sim::by_hand;
use crate::trace::{Reason, Send, Trace};

pub(super) const WAIT_BEFORE_THE_FIRST_SEND: Wrong = Wrong {
    mistake: "it waits before the first send, too",
    law: "the_first_send_is_at_once",
    shown_by: busy_without_limits,
    run: |scenario| if is_bounded(scenario) { by_hand(scenario) } else { later(by_hand(scenario), 0, SECOND) },
};

pub(super) const DRAINED_BEFORE_THE_WAIT: Wrong = Wrong {
    mistake: "it counts the wait from the end of the draining",
    law: "a_wait_begins_with_its_reply",
    shown_by: || {
        let mut scenario = busy_without_limits();
        scenario.script[0].drain = Span::from_millis(1);
        scenario
    },
    run: |scenario| {
        let mut trace = by_hand(scenario);
        if !is_bounded(scenario) && !trace.waits.is_empty() {
            let drained = nanos(scenario.step(1).drain);
            trace = later(trace, 1, drained);
            trace.waits[0].at = span(nanos(trace.waits[0].at) + drained);
        }
        trace
    },
};

pub(super) const WOKEN_EARLY: Wrong = Wrong {
    mistake: "its timer is early by a nanosecond",
    law: "no_wait_ends_early",
    shown_by: busy_without_limits,
    run: |scenario| {
        let trace = by_hand(scenario);
        let waited = trace.waits.first().is_some_and(|wait| nanos(wait.lasts) > 0);
        if is_bounded(scenario) || !waited { trace } else { later(trace, 1, -1) }
    },
};

pub(super) const WOKEN_LATE: Wrong = Wrong {
    mistake: "it waits a whole tick more",
    law: "no_wait_ends_late",
    shown_by: busy_without_limits,
    run: |scenario| {
        let trace = by_hand(scenario);
        if is_bounded(scenario) || trace.waits.is_empty() { trace } else { later(trace, 1, MILLISECOND) }
    },
};

pub(super) const LIMIT_NOT_LOOKED_AT_ON_WAKING: Wrong = Wrong {
    mistake: "it sends after a wait without a look at the limit",
    law: "no_send_is_begun_at_or_after_the_limit",
    shown_by: || {
        let mut scenario = busy();
        let sleep = Change::Suspend(Span::from_secs(3600));
        scenario.clock.push(ClockStep { at: Span::from_millis(500), change: sleep });
        scenario
    },
    run: |scenario| {
        let mut trace = by_hand(scenario);
        if trace.end.reason == Reason::TotalTimeout && trace.end.event.is_none() && !trace.sends.is_empty() {
            let step = scenario.step(trace.end.attempts + 1);
            trace.sends.push(Send { at: trace.end.at, took: Span::ZERO, event: Some(step.event) });
            trace.end.attempts += 1;
            trace.end.event = Some(step.event);
        }
        trace
    },
};

pub(super) const WAIT_PAST_THE_LIMIT: Wrong = Wrong {
    mistake: "it sleeps into the limit instead of ending at once",
    law: "no_wait_is_begun_that_ends_at_or_after_the_limit",
    shown_by: || {
        let mut scenario = busy();
        scenario.policy.total_timeout = Some(Span::from_secs(2));
        scenario
    },
    run: |scenario| {
        let right = by_hand(scenario);
        let is_cut = right.end.event == Some(Event::Failure(Cause::Timeout, Reached::MaybeSent));
        if right.end.reason != Reason::TotalTimeout || right.end.event.is_none() || is_cut {
            return right;
        }
        let mut other = scenario.clone();
        (other.policy.total_timeout, other.request.total_timeout, other.request.deadline) = (None, None, None);
        other.request.max_retries = Some(right.end.attempts);
        let mut trace = by_hand(&other);
        let Some(next) = trace.sends.get(right.sends.len()).copied() else { return right };
        trace.sends.truncate(right.sends.len());
        trace.waits.truncate(right.sends.len());
        trace.end = right.end;
        (trace.end.at, trace.end.elapsed) = (next.at, next.at);
        (trace.end.event, trace.end.asked) = (None, None);
        trace
    },
};

pub(super) const SEND_WITHOUT_ITS_LIMIT: Wrong = Wrong {
    mistake: "the limit of one send is not applied",
    law: "a_send_lasts_until_its_reply_or_its_limit",
    shown_by: || {
        let mut scenario =
            Scenario { script: vec![Step::status(200).takes(Span::from_secs(9))], ..Scenario::default() };
        scenario.policy.attempt_timeout = Some(Span::from_secs(5));
        scenario
    },
    run: |scenario| {
        let mut other = scenario.clone();
        (other.policy.attempt_timeout, other.request.attempt_timeout) = (None, None);
        by_hand(&other)
    },
};

pub(super) const CANCEL_NOT_HEARD: Wrong = Wrong {
    mistake: "the caller is not heard before the call ends",
    law: "a_cancel_ends_the_call_at_once",
    shown_by: || Scenario { cancel_at: Some(Span::from_millis(1)), ..busy() },
    run: |scenario| by_hand(&Scenario { cancel_at: None, ..scenario.clone() }),
};

pub(super) const SLEEP_BEFORE_RETURNING: Wrong = Wrong {
    mistake: "it takes a second to return",
    law: "the_call_ends_with_its_last_reply",
    shown_by: Scenario::default,
    run: |scenario| {
        let trace = by_hand(scenario);
        let sends = trace.sends.len();
        if scenario.cancel_at.is_some() || trace.end.event.is_none() { trace } else { later(trace, sends, SECOND) }
    },
};

pub(super) const ELAPSED_WITHOUT_THE_LAST_SEND: Wrong = Wrong {
    mistake: "it tells when the last send began as the time elapsed",
    law: "elapsed_is_the_time_that_passed",
    shown_by: || Scenario { script: vec![Step::status(200).takes(Span::from_secs(1))], ..Scenario::default() },
    run: |scenario| {
        let mut trace = by_hand(scenario);
        if let (Some(send), true) = (trace.sends.last(), trace.end.event.is_some()) {
            trace.end.elapsed = send.at;
        }
        trace
    },
};

const SECOND: i128 = 1_000_000_000;
const MILLISECOND: i128 = 1_000_000;

fn busy_without_limits() -> Scenario {
    let mut scenario = busy();
    scenario.policy.total_timeout = None;
    scenario
}

/// Whether a moment is fixed that an earlier or later trace would miss.
pub(super) fn is_bounded(scenario: &Scenario) -> bool {
    let limits = [scenario.cancel_at, scenario.settings().total_timeout, scenario.request.deadline];
    limits.into_iter().flatten().next().is_some() || has_dates(scenario)
}

/// The trace with all that follows its first `sends` sends later by `time`, which may be less than zero.
pub(super) fn later(mut trace: Trace, sends: usize, time: i128) -> Trace {
    let move_on = |moment: &mut Span| *moment = span(nanos(*moment) + time);
    trace.sends.iter_mut().skip(sends).for_each(|send| move_on(&mut send.at));
    trace.waits.iter_mut().skip(sends).for_each(|wait| move_on(&mut wait.at));
    move_on(&mut trace.end.at);
    move_on(&mut trace.end.elapsed);
    trace
}
