//! Laws that hold for the trace of any call, each with its name.
//!
//! They say less than the [model](crate::model), and say it on their own: a law needs only the scenario and the trace,
//! so it also judges a subject whose times or words are not the suite's. For each law, [`wrong`](crate::wrong) has a
//! subject that breaks it and no other.

use core::fmt;

use crate::Subject;
use crate::scenario::{Change, Scenario};
use crate::trace::Trace;

mod counting;
mod end;
mod time;
mod view;
mod waits;

use view::View;

/// A law over a trace.
#[derive(Clone, Copy)]
pub struct Law {
    /// What it says.
    pub name: &'static str,
    holds: fn(&View<'_>) -> Result<(), String>,
}

/// A law that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which.
    pub law: &'static str,
    /// By what.
    pub what: String,
}

macro_rules! laws {
    ($($room:ident::$name:ident,)*) => {
        &[$(Law { name: stringify!($name), holds: $room::$name },)*]
    };
}

/// All laws.
pub const LAWS: &[Law] = laws![
    counting::sends_are_at_most_max_retries_and_one,
    counting::what_may_not_be_repeated_goes_out_once,
    counting::only_what_is_worth_it_is_sent_again,
    counting::no_wait_follows_the_last_send,
    counting::a_wait_stands_between_two_sends,
    counting::attempts_are_the_sends,
    time::the_first_send_is_at_once,
    time::a_wait_begins_with_its_reply,
    time::no_wait_ends_early,
    time::no_wait_ends_late,
    time::no_send_is_begun_at_or_after_the_limit,
    time::no_wait_is_begun_that_ends_at_or_after_the_limit,
    time::a_send_lasts_until_its_reply_or_its_limit,
    time::a_cancel_ends_the_call_at_once,
    time::the_call_ends_with_its_last_reply,
    time::elapsed_is_the_time_that_passed,
    waits::a_computed_wait_lies_in_its_window,
    waits::a_word_chooses_the_value_of_the_window,
    waits::no_wait_is_shorter_than_an_honoured_hint,
    waits::no_hint_is_followed_beyond_cap_and_spread,
    waits::at_least_takes_the_longer,
    waits::an_own_delay_is_taken_as_it_is,
    waits::a_wait_has_the_source_that_counts,
    end::the_last_reply_is_handed_over,
    end::the_reason_is_true,
    end::the_code_fits_the_reason,
    end::what_the_server_asked_is_told_uncut,
];

/// The names of the laws over a subject: they compare two of its traces.
pub const RELATIONS: [&str; 2] = [SAME, WALL];

const SAME: &str = "the_same_scenario_gives_the_same_trace";
const WALL: &str = "the_wall_clock_moves_nothing_but_dates";

/// The laws that `trace` breaks, as the trace of `scenario`.
pub fn broken(scenario: &Scenario, trace: &Trace) -> Vec<Broken> {
    let view = View::new(scenario, trace);
    let broken = LAWS.iter().filter_map(|law| {
        let what = (law.holds)(&view).err()?;
        Some(Broken { law: law.name, what })
    });
    broken.collect()
}

/// All laws that `subject` breaks in `scenario`, those over two traces too; none where it is skipped.
pub fn broken_by(subject: &dyn Subject, scenario: &Scenario) -> Vec<Broken> {
    let Ok(trace) = subject.run(scenario) else { return Vec::new() };
    let mut all = broken(scenario, &trace);
    // Traces that differ by chance say nothing of the wall clock.
    let two =
        differs(subject, scenario, &trace, SAME).or_else(|| differs(subject, &without_jumps(scenario)?, &trace, WALL));
    all.extend(two);
    all
}

impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.what)
    }
}

/// Whether `subject` has another trace in `scenario`.
fn differs(subject: &dyn Subject, scenario: &Scenario, trace: &Trace, law: &'static str) -> Option<Broken> {
    let again = subject.run(scenario).ok().filter(|again| again != trace)?;
    Some(Broken { law, what: format!("once\n{trace}and once\n{again}") })
}

/// The same without a wall clock, if it has one that should not matter.
fn without_jumps(scenario: &Scenario) -> Option<Scenario> {
    let mut still = Scenario { wall: None, ..scenario.clone() };
    still.clock.retain(|step| !matches!(step.change, Change::WallAhead(_) | Change::WallBack(_)));
    (!has_dates(scenario) && still != *scenario).then_some(still)
}

/// Whether a line of Retry-After has a letter, as every date has.
pub(crate) fn has_dates(scenario: &Scenario) -> bool {
    let mut lines = scenario.script.iter().flat_map(|step| step.lines("retry-after"));
    lines.any(|line| line.iter().any(u8::is_ascii_alphabetic))
}
