//! How long a wait is to be, and why.

use super::view::{Retry, View, must};
use crate::model::{nanos, share_of};
use crate::scenario::Mode;
use crate::trace::Source;

pub(super) fn a_computed_wait_lies_in_its_window(view: &View<'_>) -> Result<(), String> {
    computed(view).try_for_each(|retry| {
        let (first, last) = retry.drawn.window;
        must(first <= retry.lasts() && retry.lasts() <= last, || {
            format!("{} is not in {first} ..= {last} ns", retry.wait.lasts)
        })
    })
}

/// It says nothing of a wait outside of its window, which has a law of its own.
pub(super) fn a_word_chooses_the_value_of_the_window(view: &View<'_>) -> Result<(), String> {
    computed(view).try_for_each(|retry| {
        let (first, last) = retry.drawn.window;
        let is_outside = retry.lasts() < first || retry.lasts() > last;
        must(is_outside || retry.lasts() == retry.drawn.wait, || {
            format!("{} of {first} ..= {last} ns for the word {}", retry.wait.lasts, retry.drawn.word)
        })
    })
}

pub(super) fn no_wait_is_shorter_than_an_honoured_hint(view: &View<'_>) -> Result<(), String> {
    view.retries().try_for_each(|retry| {
        let Some(hint) = honoured(view, &retry) else { return Ok(()) };
        must(retry.lasts() >= hint, || format!("{} for a hint of {hint} ns", retry.wait.lasts))
    })
}

pub(super) fn no_hint_is_followed_beyond_cap_and_spread(view: &View<'_>) -> Result<(), String> {
    let spread = view.settings.retry_after.spread;
    view.retries().filter(|retry| retry.wait.source == Source::RetryAfter).try_for_each(|retry| {
        let Some(hint) = honoured(view, &retry) else { return Ok(()) };
        let most = hint + share_of(hint, spread);
        must(retry.lasts() <= most, || format!("{} for a hint of {hint} ns", retry.wait.lasts))
    })
}

pub(super) fn at_least_takes_the_longer(view: &View<'_>) -> Result<(), String> {
    view.retries().try_for_each(|retry| {
        let applies = view.settings.retry_after.mode == Mode::AtLeast && retry.wait.source == Source::RetryAfter;
        let computed = retry.drawn.wait;
        must(!applies || retry.lasts() >= computed, || format!("{}, but {computed} ns were drawn", retry.wait.lasts))
    })
}

pub(super) fn an_own_delay_is_taken_as_it_is(view: &View<'_>) -> Result<(), String> {
    view.retries().try_for_each(|retry| {
        let Some((own, _)) = retry.own() else { return Ok(()) };
        must(retry.lasts() == own, || format!("{} instead of {own} ns", retry.wait.lasts))
    })
}

pub(super) fn a_wait_has_the_source_that_counts(view: &View<'_>) -> Result<(), String> {
    view.retries().try_for_each(|retry| {
        let source = retry.wait.source;
        let right = match (retry.own(), retry.hint, view.settings.retry_after.mode) {
            (Some((_, own)), _, _) => source == own,
            (None, Some(_), Mode::Replace) => source == Source::RetryAfter,
            (None, Some(_), Mode::AtLeast) => matches!(source, Source::RetryAfter | Source::Computed),
            (None, Some(_), Mode::Ignore) | (None, None, _) => source == Source::Computed,
        };
        must(right, || format!("{} is told as {source:?}", retry.wait.lasts))
    })
}

fn computed<'a>(view: &'a View<'_>) -> impl Iterator<Item = Retry<'a>> {
    view.retries().filter(|retry| retry.wait.source == Source::Computed)
}

/// What the server asked for, cut to the cap, where it decides.
fn honoured(view: &View<'_>, retry: &Retry<'_>) -> Option<i128> {
    let rule = view.settings.retry_after;
    let decides = retry.own().is_none() && rule.mode != Mode::Ignore;
    retry.hint.filter(|_| decides).map(|hint| hint.min(nanos(rule.cap)))
}
