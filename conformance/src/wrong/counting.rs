//! Too often, or after the wrong thing.

use super::Wrong;
use crate::scenario::{Advice, Cause, NonIdempotent, Reached, Scenario, Step};
use crate::sim::by_hand;
use crate::trace::Reason;

pub(super) const ONE_SEND_TOO_MANY: Wrong = Wrong {
    mistake: "max_retries counts from 0",
    law: "sends_are_at_most_max_retries_and_one",
    shown_by: busy,
    run: |scenario| by_hand(&one_more(scenario)),
};

pub(super) const POST_REPEATED: Wrong = Wrong {
    mistake: "a POST is repeated like a GET",
    law: "what_may_not_be_repeated_goes_out_once",
    shown_by: post,
    run: |scenario| {
        let mut other = scenario.clone();
        other.request.non_idempotent = Some(NonIdempotent::Always);
        by_hand(&other)
    },
};

pub(super) const POST_REPEATED_AFTER_A_RESET: Wrong = Wrong {
    mistake: "every lost connection counts as unsent",
    law: "what_may_not_be_repeated_goes_out_once",
    shown_by: || {
        let mut scenario = post();
        scenario.script = vec![Step::failure(Cause::Network, Reached::MaybeSent), Step::status(200)];
        scenario
    },
    run: |scenario| {
        let mut other = scenario.clone();
        let reset =
            other.script.iter().any(|step| step.event == Step::failure(Cause::Network, Reached::MaybeSent).event);
        if reset && other.request.non_idempotent.is_none() {
            other.request.non_idempotent = Some(NonIdempotent::Always);
        }
        by_hand(&other)
    },
};

pub(super) const ANY_ERROR_STATUS_RETRIED: Wrong = Wrong {
    mistake: "every status from 400 on is retried",
    law: "only_what_is_worth_it_is_sent_again",
    shown_by: || Scenario { script: vec![Step::status(404)], ..Scenario::default() },
    run: |scenario| {
        let mut other = scenario.clone();
        other.policy.statuses = (400..=599).collect();
        by_hand(&other)
    },
};

pub(super) const STOP_NOT_HEARD: Wrong = Wrong {
    mistake: "a custom policy's stop is not heard",
    law: "only_what_is_worth_it_is_sent_again",
    shown_by: || {
        let stop = Step { advice: Advice::Stop, ..Step::status(503) };
        Scenario { script: vec![stop], ..Scenario::default() }
    },
    run: |scenario| {
        let mut other = scenario.clone();
        other.script.iter_mut().filter(|step| step.advice == Advice::Stop).for_each(|step| step.advice = Advice::Keep);
        by_hand(&other)
    },
};

pub(super) const WAIT_AFTER_THE_LAST_SEND: Wrong = Wrong {
    mistake: "it waits before it looks whether a send is left",
    law: "no_wait_follows_the_last_send",
    shown_by: busy,
    run: |scenario| {
        let right = by_hand(scenario);
        if right.end.reason != Reason::RetriesExhausted {
            return right;
        }
        let mut trace = by_hand(&one_more(scenario));
        // What would have been its next send.
        let Some(next) = trace.sends.get(right.sends.len()).copied() else { return right };
        trace.sends.truncate(right.sends.len());
        trace.waits.truncate(right.sends.len());
        trace.end = right.end;
        (trace.end.at, trace.end.elapsed) = (next.at, next.at);
        trace
    },
};

pub(super) const NO_WAIT_BETWEEN_SENDS: Wrong = Wrong {
    mistake: "it does not wait as far as it tells",
    law: "a_wait_stands_between_two_sends",
    shown_by: busy,
    run: |scenario| {
        let mut trace = by_hand(scenario);
        // A wait in which the call ends is another matter.
        if trace.waits.len() < trace.sends.len() {
            trace.waits.clear();
        }
        trace
    },
};

pub(super) const RETRIES_TOLD_AS_ATTEMPTS: Wrong = Wrong {
    mistake: "it tells retries as attempts",
    law: "attempts_are_the_sends",
    shown_by: Scenario::default,
    run: |scenario| {
        let mut trace = by_hand(scenario);
        trace.end.attempts = trace.end.attempts.saturating_sub(1);
        trace
    },
};

/// 503 for ever.
pub(super) fn busy() -> Scenario {
    Scenario { script: vec![Step::status(503)], ..Scenario::default() }
}

fn post() -> Scenario {
    let mut scenario = busy();
    scenario.request.method = "POST".into();
    scenario
}

/// The same with one retry more.
fn one_more(scenario: &Scenario) -> Scenario {
    let mut other = scenario.clone();
    let retries = scenario.settings().max_retries;
    other.request.max_retries = Some(retries.saturating_add(1).min(u32::MAX - 1));
    other
}
