//! A scenario and its trace, with what several laws need of them.

use crate::model::{Clocks, Drawn, Draws, hint_of, nanos};
use crate::scenario::{Advice, Change, Event, Scenario, Settings, Step};
use crate::trace::{Reason, Send, Source, Trace, Wait};

/// A trace under judgement. All times are nanoseconds.
pub(super) struct View<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) settings: Settings,
    pub(super) trace: &'a Trace,
    /// The moment at which the call must have ended.
    pub(super) limit: Option<i128>,
    /// Whether the monotonic clock shows the time that passes.
    pub(super) is_steady: bool,
    /// Whether the machine never sleeps.
    pub(super) is_awake: bool,
    draws: Vec<Drawn>,
}

/// A wait, the send before it, and what could decide it.
pub(super) struct Retry<'a> {
    pub(super) step: &'a Step,
    pub(super) reply: Option<Event>,
    pub(super) wait: Wait,
    pub(super) drawn: Drawn,
    /// What the server asked for.
    pub(super) hint: Option<i128>,
    /// The send before the wait, and the one after it.
    pub(super) before: Send,
    pub(super) next: Option<Send>,
}

impl Retry<'_> {
    /// An own delay, of a custom policy or before a proxy that was not tried.
    pub(super) fn own(&self) -> Option<(i128, Source)> {
        match (self.step.advice, self.step.untried) {
            (Advice::RetryAfter(delay), _) => Some((nanos(delay), Source::Custom)),
            (_, Some(delay)) if is_whole(self.step, &self.before) => Some((nanos(delay), Source::Proxy)),
            _ => None,
        }
    }

    pub(super) fn lasts(&self) -> i128 {
        nanos(self.wait.lasts)
    }
}

impl<'a> View<'a> {
    pub(super) fn new(scenario: &'a Scenario, trace: &'a Trace) -> Self {
        let settings = scenario.settings();
        let limits = [settings.total_timeout, scenario.request.deadline];
        let has = |is: fn(&Change) -> bool| scenario.clock.iter().any(|step| is(&step.change));
        let mut draws = Draws::new(&settings, &scenario.random);
        Self {
            limit: limits.into_iter().flatten().map(nanos).min(),
            is_steady: !has(|change| matches!(change, Change::Stand(_) | Change::Back(_))),
            is_awake: !has(|change| matches!(change, Change::Suspend(_))),
            draws: trace.waits.iter().map(|_| draws.next()).collect(),
            scenario,
            settings,
            trace,
        }
    }

    /// The waits, each with the send before it.
    pub(super) fn retries(&self) -> impl Iterator<Item = Retry<'_>> {
        let Trace { sends, waits, .. } = self.trace;
        (1..).zip(waits.iter().zip(sends).zip(&self.draws)).map(move |(number, ((wait, before), drawn))| {
            let step = self.scenario.step(number);
            let next = usize::try_from(number).ok().and_then(|number| sends.get(number));
            let hint = self.hint(step, before);
            Retry { step, reply: before.event, wait: *wait, drawn: *drawn, hint, before: *before, next: next.copied() }
        })
    }

    /// What the server asked for in the reply of `send`.
    pub(super) fn hint(&self, step: &Step, send: &Send) -> Option<i128> {
        let wall = Clocks::new(self.scenario).at(replied(send)).wall();
        hint_of(step, wall).filter(|_| matches!(send.event, Some(Event::Status(_))))
    }

    /// The last send, if the call ended on its reply, and its step.
    pub(super) fn last_reply(&self) -> Option<(&'a Step, Send)> {
        let Trace { sends, waits, end } = self.trace;
        let in_a_wait = matches!(end.reason, Reason::Canceled | Reason::TotalTimeout) && waits.len() >= sends.len();
        let send = sends.last().filter(|send| !in_a_wait && send.event.is_some())?;
        Some((self.scenario.step(u32::try_from(sends.len()).unwrap_or(u32::MAX)), *send))
    }
}

/// Whether the reply of `send` is what the script has for it. What its limit cut came earlier.
pub(super) fn is_whole(step: &Step, send: &Send) -> bool {
    send.event == Some(step.event) && send.took >= step.takes
}

/// When the reply of `send` came.
pub(super) fn replied(send: &Send) -> i128 {
    nanos(send.at) + nanos(send.took)
}

/// `Err` with what is said, unless it `holds`.
pub(super) fn must(holds: bool, say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(say()) }
}
