//! How often, and after what.

use super::view::{View, must};
use crate::model::{judgement, may_repeat};
use crate::scenario::{Advice, Event, Reached};
use crate::trace::Reason;
use crate::vectors::{Judgement, Rule};

pub(super) fn sends_are_at_most_max_retries_and_one(view: &View<'_>) -> Result<(), String> {
    let (sends, retries) = (view.trace.sends.len(), view.settings.max_retries);
    must(sends as u64 <= u64::from(retries) + 1, || format!("{sends} sends with {retries} retries"))
}

pub(super) fn what_may_not_be_repeated_goes_out_once(view: &View<'_>) -> Result<(), String> {
    let rule = may_repeat(view.scenario);
    view.trace.sends.windows(2).zip(1..).try_for_each(|(sends, number)| {
        let may = match (rule, sends[0].event) {
            (Rule::Always, _) | (Rule::IfUnsent, Some(Event::Failure(_, Reached::Unsent))) => true,
            (Rule::IfUnsent | Rule::Never, _) => false,
        };
        must(may, || format!("repeated after send {number}"))
    })
}

pub(super) fn only_what_is_worth_it_is_sent_again(view: &View<'_>) -> Result<(), String> {
    view.retries().zip(1..).try_for_each(|(retry, number)| {
        let Some(event) = retry.reply else { return Err(format!("send {number} had no reply")) };
        let worth = match retry.step.advice {
            Advice::Stop => false,
            Advice::Retry | Advice::RetryAfter(_) => true,
            Advice::Keep => retry.own().is_some() || judgement(&view.settings, event) == Judgement::Retry,
        };
        must(worth, || format!("sent again after {event}"))
    })
}

pub(super) fn no_wait_follows_the_last_send(view: &View<'_>) -> Result<(), String> {
    let (sends, waits) = (view.trace.sends.len(), view.trace.waits.len());
    let most = match view.trace.end.reason {
        Reason::Canceled | Reason::TotalTimeout => sends,
        _ => sends.saturating_sub(1),
    };
    must(waits <= most, || format!("{waits} waits around {sends} sends"))
}

pub(super) fn a_wait_stands_between_two_sends(view: &View<'_>) -> Result<(), String> {
    let (sends, waits) = (view.trace.sends.len(), view.trace.waits.len());
    must(waits >= sends.saturating_sub(1), || format!("{waits} waits between {sends} sends"))
}

pub(super) fn attempts_are_the_sends(view: &View<'_>) -> Result<(), String> {
    let (sends, attempts) = (view.trace.sends.len(), view.trace.end.attempts);
    must(sends as u64 == u64::from(attempts), || format!("{sends} sends, told as {attempts}"))
}
