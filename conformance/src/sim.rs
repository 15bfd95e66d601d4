//! Scenarios in virtual time: no runtime, no sleeping, the same result on every run.
//!
//! [`simulate`] goes through the core's one loop, [`by_hand`] drives its machine without it, as an event loop would. As
//! [`Subject`]s they are [`Drive`] and [`ByHand`].

use core::pin::{Pin, pin};
use core::task::{Context, Poll};

use retry_core::trace::{Recorded, Recorder, Trace as Record};
use retry_core::{
    Action, Advice, Attempt, End, Finished, Io, Pause, Policy, Reason, Replay, Timer, Try, Unlimited, drive,
};

use crate::json::Span;
use crate::scenario::{Cause, Event, Random, Reached, Scenario, Step};
use crate::trace::Trace;
use crate::{Skipped, Subject};

pub mod convert;

mod budgets;
mod clock;
mod core_rules;
mod log;
mod words;

pub use clock::{Clock, Sleep};
pub use core_rules::Core;
pub use words::Words;

use convert::outcome;
use log::Log;

/// The core's loop, [`drive`], in virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drive;

impl Subject for Drive {
    fn name(&self) -> &'static str {
        "drive"
    }

    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped> {
        Ok(simulate(scenario))
    }
}

/// The core's machine, driven by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByHand;

impl Subject for ByHand {
    fn name(&self) -> &'static str {
        "by hand"
    }

    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped> {
        Ok(by_hand(scenario))
    }
}

/// What comes back from a send that its limit cut.
const CUT: Event = Event::Failure(Cause::Timeout, Reached::MaybeSent);

/// Runs `scenario` through [`drive`].
///
/// # Panics
///
/// If the script is empty, no policy can have the settings, or the loop contradicts itself.
pub fn simulate(scenario: &Scenario) -> Trace {
    carry_out(scenario, None).0
}

/// The same with a seed in place of given words ([`Scenario::seeded`]), and the core's own record of the call.
///
/// # Panics
///
/// As [`simulate`].
pub fn record(scenario: &Scenario) -> (Trace, Record) {
    let scenario = scenario.clone().seeded();
    let seed = match scenario.random {
        Random::Seed(seed) => seed,
        Random::Words(_) => unreachable!("it has a seed now"),
    };
    let (trace, record) = carry_out(&scenario, Some(seed));
    (trace, record.expect("there was a recorder"))
}

fn carry_out(scenario: &Scenario, seed: Option<u64>) -> (Trace, Option<Record>) {
    let clock = Clock::new(scenario);
    let Setup { policy, replay, deadline } = Setup::new(scenario, &clock);
    let mut words = Words::new(&scenario.random);
    let recorder = seed.map(|seed| Recorder::new(policy, replay, deadline, seed, clock.now()));
    let mut budget = Recorded::new(Unlimited, recorder.clone());
    let mut io = Script { scenario, clock: &clock, log: Log::default(), recorder: recorder.clone() };
    // The call is dropped with this statement, before its log is read.
    let finished = clock.run(unless(
        pin!(clock.until(scenario.cancel_at)),
        pin!(drive(&policy, replay, deadline, &clock, &mut budget, &mut words, &mut io)),
    ));
    let end = match &finished {
        Some(Finished::Done(_, end) | Finished::GiveUp(_, end)) => *end,
        None => {
            let (attempts, elapsed) = (io.log.sends(), clock.passed().into());
            End { attempts, elapsed, reason: Reason::Canceled, event: None, asked: None }
        }
    };
    let record = recorder.map(|recorder| recorder.end(end));
    let trace = match finished {
        Some(Finished::Done(got, end)) => io.log.end(&clock, &end, Some(got.unwrap_or(CUT)), true),
        Some(Finished::GiveUp(got, end)) => io.log.end(&clock, &end, got.map(|got| got.unwrap_or(CUT)), false),
        None => io.log.cancel(&clock),
    };
    (trace, record)
}

/// Runs `scenario` through the machine alone.
///
/// # Panics
///
/// As [`simulate`].
pub fn by_hand(scenario: &Scenario) -> Trace {
    let clock = Clock::new(scenario);
    let Setup { policy, replay, deadline } = Setup::new(scenario, &clock);
    let mut words = Words::new(&scenario.random);
    let mut log = Log::default();
    let cancel = scenario.cancel_at;
    if !clock.advance(Span::ZERO, cancel) {
        return log.cancel(&clock);
    }
    let mut event = None;
    let mut action = Attempt::start(&policy, replay, deadline, clock.now());
    loop {
        action = match action {
            Action::Send(attempt) => {
                let step = scenario.step(attempt.number());
                log.send(attempt.number(), clock.passed());
                let left = attempt.left(clock.now()).map(Span::from);
                let cut = left.is_some_and(|left| clock.is_before(left, step.takes));
                if !clock.advance(if cut { left.unwrap_or_default() } else { step.takes }, cancel) {
                    return log.cancel(&clock);
                }
                let got = (!cut).then_some(step.event);
                event = Some(got.unwrap_or(CUT));
                log.reply(clock.passed(), got.unwrap_or(CUT));
                // A limit has passed when it has, whatever a clock that stands still says.
                let now = if cut { clock.now().max(attempt.deadline().unwrap_or_default()) } else { clock.now() };
                let outcome = outcome(&attempt, step, got, clock.wall());
                let next = attempt.finish(outcome, now, &mut Unlimited, &mut words);
                if let Action::Wait(pause) = &next {
                    log.wait(clock.passed(), pause);
                }
                next
            }
            Action::Wait(pause) => {
                event = None;
                if !clock.advance(pause.left(clock.now()).into(), cancel) {
                    return log.cancel(&clock);
                }
                let until = pause.until();
                pause.resume(clock.now().max(until))
            }
            Action::Done(end) => return log.end(&clock, &end, event, true),
            Action::GiveUp(end) => return log.end(&clock, &end, event, false),
        };
    }
}

/// What a call starts with.
struct Setup {
    policy: Policy,
    replay: Replay,
    deadline: Option<retry_core::Instant>,
}

impl Setup {
    fn new(scenario: &Scenario, clock: &Clock) -> Self {
        let policy = convert::builder(&scenario.settings()).build();
        let policy = policy.unwrap_or_else(|error| panic!("no policy has these settings: {error}"));
        let deadline = scenario.request.deadline.map(|moment| clock.now().saturating_add(moment.into()));
        Self { policy, replay: convert::replay(scenario), deadline }
    }
}

/// The script as a client.
struct Script<'a> {
    scenario: &'a Scenario,
    clock: &'a Clock,
    log: Log,
    recorder: Option<Recorder>,
}

impl Script<'_> {
    fn step(&self, number: u32) -> &Step {
        self.scenario.step(number)
    }
}

impl Io for Script<'_> {
    /// `None` where the limit cut the send.
    type Reply = Option<Event>;

    async fn send(&mut self, attempt: Try) -> Option<Event> {
        self.log.send(attempt.number, self.clock.passed());
        if let Some(recorder) = &self.recorder {
            recorder.send(attempt);
        }
        let step = self.step(attempt.number);
        self.clock.sleep(step.takes.into()).await;
        Some(step.event)
    }

    fn outcome(&mut self, attempt: &Attempt<&Policy>, got: &Option<Event>) -> retry_core::Outcome {
        self.log.reply(self.clock.passed(), got.unwrap_or(CUT));
        let outcome = outcome(attempt, self.step(attempt.number()), *got, self.clock.wall());
        if let Some(recorder) = &self.recorder {
            // The script has a word for every reply, a client's policy only for those about which it is asked.
            let is_asked = attempt.verdict(outcome.event).is_some();
            recorder.outcome(&if is_asked { outcome } else { outcome.with_advice(Advice::Keep) }, None);
        }
        outcome
    }

    fn timed_out(&mut self, _: Try) -> Option<Event> {
        None
    }

    fn retrying(&mut self, _: Try, _: &retry_core::Outcome, pause: &Pause<&Policy>) {
        self.log.wait(self.clock.passed(), pause);
        if let Some(recorder) = &self.recorder {
            recorder.wait(pause);
        }
    }

    async fn discard(&mut self, _: Option<Event>) {
        let number = self.log.sends();
        self.clock.sleep(self.step(number).drain.into()).await;
    }
}

/// The output of `call`, or `None` if `cancel` completes before it or at the same moment.
async fn unless<C, F>(mut cancel: Pin<&mut C>, mut call: Pin<&mut F>) -> Option<F::Output>
where
    C: Future<Output = ()>,
    F: Future,
{
    core::future::poll_fn(|cx: &mut Context<'_>| match cancel.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => call.as_mut().poll(cx).map(Some),
    })
    .await
}
