//! The wrong thing handed over, or told.

use super::Wrong;
use super::counting::busy;
use crate::scenario::{Event, Scenario, Step};
use crate::sim::by_hand;
use crate::trace::Reason;

pub(super) const FIRST_REPLY_RETURNED: Wrong = Wrong {
    mistake: "the first reply is returned, not the last",
    law: "the_last_reply_is_handed_over",
    shown_by: || Scenario { script: vec![Step::status(500), Step::status(503)], ..Scenario::default() },
    run: |scenario| {
        let mut trace = by_hand(scenario);
        if let (Some(_), Some(first)) = (trace.end.event, trace.sends.first()) {
            trace.end.event = first.event;
        }
        trace
    },
};

pub(super) const EVERY_RESPONSE_AN_ANSWER: Wrong = Wrong {
    mistake: "a POST's 503 is told as the answer",
    law: "the_reason_is_true",
    shown_by: || {
        let mut scenario = busy();
        scenario.request.method = "POST".into();
        scenario
    },
    run: |scenario| {
        let mut trace = by_hand(scenario);
        if let (Reason::NotRepeatable(_), Some(Event::Status(_))) = (trace.end.reason, trace.end.event) {
            trace.end.reason = Reason::Answer;
        }
        trace
    },
};

pub(super) const NO_RETRIES_AT_ALL: Wrong = Wrong {
    mistake: "it never retries",
    law: "the_reason_is_true",
    shown_by: busy,
    run: |scenario| {
        let mut other = scenario.clone();
        other.request.max_retries = Some(0);
        by_hand(&other)
    },
};

pub(super) const CODE_OF_THE_STATUS: Wrong = Wrong {
    mistake: "retries used up have the code of the last status",
    law: "the_code_fits_the_reason",
    shown_by: busy,
    run: |scenario| {
        let mut trace = by_hand(scenario);
        if let (Reason::RetriesExhausted, Some(Event::Status(_))) = (trace.end.reason, trace.end.event) {
            trace.end.code = Some("HTTP_ERROR");
        }
        trace
    },
};

pub(super) const ASKED_AFTER_THE_CAP: Wrong = Wrong {
    mistake: "what the server asked is told after the cap",
    law: "what_the_server_asked_is_told_uncut",
    shown_by: || {
        let script = vec![Step::status(503).header("Retry-After", "86400")];
        let mut scenario = Scenario { script, ..Scenario::default() };
        scenario.policy.total_timeout = Some(crate::json::Span::from_secs(5));
        scenario
    },
    run: |scenario| {
        let mut trace = by_hand(scenario);
        // A hint that ends the call is above the cap, and must be told to be.
        if trace.end.reason != Reason::RetryAfterTooLong {
            trace.end.asked = trace.end.asked.map(|asked| asked.min(scenario.settings().retry_after.cap));
        }
        trace
    },
};
