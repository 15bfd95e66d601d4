//! Too short, too long, or from the wrong source.

use core::sync::atomic::{AtomicU64, Ordering};

use super::Wrong;
use super::counting::busy;
use super::time::later;
use crate::json::Span;
use crate::model::{nanos, span};
use crate::properties::has_dates;
use crate::scenario::{Advice, Change, ClockStep, Jitter, Mode, OverCap, Random, Scenario, Settings, Step};
use crate::sim::by_hand;
use crate::trace::{Source, Trace, Wait};

pub(super) const NO_CEILING: Wrong = Wrong {
    mistake: "the computed delay has no ceiling",
    law: "a_computed_wait_lies_in_its_window",
    shown_by: || {
        let mut scenario = busy();
        scenario.policy.jitter = Jitter::None;
        scenario.policy.max_delay = Span::from_secs(2);
        scenario
    },
    run: |scenario| {
        let mut other = scenario.clone();
        if other.policy.jitter == Jitter::None {
            other.policy.max_delay = Span::from_secs(24 * 3600);
        }
        by_hand(&other)
    },
};

pub(super) const CEILING_AFTER_JITTER: Wrong = Wrong {
    mistake: "the ceiling is put on after the jitter",
    law: "a_word_chooses_the_value_of_the_window",
    shown_by: || {
        let mut scenario = busy();
        scenario.policy.max_delay = Span::from_secs(2);
        scenario.random = Random::Words(vec![u64::MAX]);
        scenario
    },
    run: |scenario| {
        let ceiling = scenario.policy.max_delay;
        shortened(scenario, |wait| if wait.source == Source::Computed { wait.lasts.min(ceiling) } else { wait.lasts })
    },
};

pub(super) const FIRST_WORD_AGAIN: Wrong = Wrong {
    mistake: "the generator is made anew for each wait",
    law: "a_word_chooses_the_value_of_the_window",
    shown_by: || Scenario { random: Random::Words(vec![0, u64::MAX]), ..busy() },
    run: |scenario| {
        let mut other = scenario.clone();
        if let Random::Words(words) = &mut other.random {
            words.truncate(1);
        }
        by_hand(&other)
    },
};

pub(super) const HINT_SHORTENED_BY_JITTER: Wrong = Wrong {
    mistake: "a hint is jittered like a computed delay",
    law: "no_wait_is_shorter_than_an_honoured_hint",
    shown_by: || hinted(&Settings::default(), "5"),
    run: |scenario| {
        let is_at_least = scenario.settings().retry_after.mode == Mode::AtLeast;
        shortened(scenario, |wait| {
            let jittered = wait.source == Source::RetryAfter && !is_at_least;
            if jittered { span(nanos(wait.lasts) * 9 / 10) } else { wait.lasts }
        })
    },
};

pub(super) const HINT_WITHOUT_CAP: Wrong = Wrong {
    mistake: "a hint is followed without a cap",
    law: "no_hint_is_followed_beyond_cap_and_spread",
    shown_by: || hinted(&Settings { total_timeout: None, ..Settings::default() }, "61"),
    run: |scenario| {
        let mut other = scenario.clone();
        let mut rule = scenario.settings().retry_after;
        if rule.over_cap == OverCap::Clamp {
            rule.cap = Span::from_secs(24 * 3600);
        }
        other.request.retry_after = Some(rule);
        by_hand(&other)
    },
};

pub(super) const AT_LEAST_AS_REPLACE: Wrong = Wrong {
    mistake: "a hint always replaces the computed delay",
    law: "at_least_takes_the_longer",
    shown_by: || {
        let mut settings = Settings::default();
        settings.retry_after.mode = Mode::AtLeast;
        hinted(&settings, "0.1")
    },
    run: |scenario| {
        let mut other = scenario.clone();
        let mut rule = scenario.settings().retry_after;
        if rule.mode == Mode::AtLeast {
            rule.mode = Mode::Replace;
        }
        other.request.retry_after = Some(rule);
        by_hand(&other)
    },
};

pub(super) const OWN_DELAY_JITTERED: Wrong = Wrong {
    mistake: "a custom policy's delay is jittered",
    law: "an_own_delay_is_taken_as_it_is",
    shown_by: || {
        let own = Step { advice: Advice::RetryAfter(Span::from_secs(2)), ..Step::status(503) };
        Scenario { script: vec![own, Step::status(200)], ..Scenario::default() }
    },
    run: |scenario| {
        shortened(scenario, |wait| match wait.source {
            Source::Custom => span(nanos(wait.lasts) * 9 / 10),
            Source::Computed | Source::RetryAfter | Source::Proxy => wait.lasts,
        })
    },
};

pub(super) const ALL_WAITS_TOLD_AS_THE_SERVERS: Wrong = Wrong {
    mistake: "waits without a hint are told as the server's",
    law: "a_wait_has_the_source_that_counts",
    shown_by: busy,
    run: |scenario| {
        let mut trace = by_hand(scenario);
        let hinted = scenario.script.iter().any(|step| step.lines("retry-after").next().is_some());
        if !hinted {
            trace.waits.iter_mut().for_each(|wait| wait.source = Source::RetryAfter);
        }
        trace
    },
};

pub(super) const A_WORD_FROM_SOMEWHERE: Wrong = Wrong {
    mistake: "the spread has a generator of its own",
    law: "the_same_scenario_gives_the_same_trace",
    shown_by: spread,
    run: |scenario| {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        with_seed(scenario, CALLS.fetch_add(1, Ordering::Relaxed))
    },
};

pub(super) const SPREAD_BY_THE_WALL_CLOCK: Wrong = Wrong {
    mistake: "the spread is drawn from the wall clock",
    law: "the_wall_clock_moves_nothing_but_dates",
    shown_by: || {
        let mut scenario = spread();
        let change = Change::WallAhead(Span::from_secs(3600));
        scenario.clock.push(ClockStep { at: Span::ZERO, change });
        scenario
    },
    run: |scenario| match jumps(scenario) {
        0 => by_hand(scenario),
        jumps => with_seed(scenario, jumps as u64),
    },
};

/// A hint, and then the answer.
fn hinted(settings: &Settings, hint: &str) -> Scenario {
    let script = vec![Step::status(429).header("Retry-After", hint), Step::status(200)];
    Scenario { policy: settings.clone(), script, ..Scenario::default() }
}

/// How often the wall clock jumps.
fn jumps(scenario: &Scenario) -> usize {
    let is_jump = |step: &&ClockStep| matches!(step.change, Change::WallAhead(_) | Change::WallBack(_));
    scenario.clock.iter().filter(is_jump).count()
}

fn spread() -> Scenario {
    let mut settings = Settings { jitter: Jitter::None, ..Settings::default() };
    settings.retry_after.spread = 1.0;
    hinted(&settings, "20")
}

/// The scenario with other words, if they are for nothing but the spread of hints.
fn with_seed(scenario: &Scenario, seed: u64) -> Trace {
    let is_for_spread = scenario.policy.jitter == Jitter::None && scenario.settings().retry_after.spread > 0.0;
    let random = if is_for_spread { Random::Seed(seed) } else { scenario.random.clone() };
    by_hand(&Scenario { random, ..scenario.clone() })
}

/// The right trace with its waits changed, and all that follows moved, where no moment is fixed.
fn shortened(scenario: &Scenario, change: impl Fn(&Wait) -> Span) -> Trace {
    let mut trace = by_hand(scenario);
    // A limit is as far off as before, or farther.
    let is_free = scenario.cancel_at.is_none() && jumps(scenario) == scenario.clock.len() && !has_dates(scenario);
    let is_cut = trace.sends.iter().zip(1..).any(|(send, number)| send.event != Some(scenario.step(number).event));
    if is_free && !is_cut {
        for place in 0..trace.waits.len() {
            let lasts = change(&trace.waits[place]);
            let less = nanos(trace.waits[place].lasts) - nanos(lasts);
            trace.waits[place].lasts = lasts;
            trace = later(trace, place + 1, -less);
        }
    }
    trace
}
