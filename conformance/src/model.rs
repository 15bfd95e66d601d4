//! The rules again, in the plainest code: a second opinion on every decision of the core, with which it shares nothing.
//!
//! Where the core keeps a state in few words, this keeps lists and counts anew. Moments and waits are i128 nanoseconds,
//! so that nothing overflows. It reads as the rules do: what is worth another send, whether it may have one, how long
//! to wait, whether there is time.

use crate::json::Span;
use crate::scenario::{Advice, Cause, Event, Reached, Scenario, Settings};
use crate::trace::{End, Reason, Send, Source, Trace, Wait, Why};
use crate::vectors::{Judgement, Rule};
use crate::{Skipped, Subject};

mod bounds;
mod budgets;
mod date;
mod header;
mod policy;
mod random;
mod rules;
mod table;
mod waits;
mod world;

use waits::after_hint;
use world::World;

pub(crate) use header::hint as hint_of;
pub(crate) use table::{code_of_end, judgement, may_repeat, single_send};
pub(crate) use waits::{Drawn, Draws, share_of};
pub(crate) use world::World as Clocks;

/// The naive model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model;

impl Subject for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped> {
        Ok(Call::new(scenario).run())
    }
}

const SECOND: i128 = 1_000_000_000;

/// What comes back from a send that its limit cut.
const CUT: Event = Event::Failure(Cause::Timeout, Reached::MaybeSent);

/// What follows a reply.
enum Next {
    Wait(i128, Source),
    End(Reason, Option<i128>),
}

/// One call on its way.
struct Call<'a> {
    scenario: &'a Scenario,
    settings: Settings,
    world: World<'a>,
    draws: Draws,
    /// What the clock showed at the start.
    started: i128,
    /// The latest moment that the call has seen on the clock, or knows to have passed.
    seen: i128,
    /// The moment at which the call must have ended.
    limit: Option<i128>,
    sends: Vec<Send>,
    waits: Vec<Wait>,
}

impl<'a> Call<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        let settings = scenario.settings();
        let world = World::new(scenario);
        let now = world.clock();
        let total = settings.total_timeout.map(|total| now + nanos(total));
        let deadline = scenario.request.deadline.map(|deadline| now + nanos(deadline));
        Self {
            draws: Draws::new(&settings, &scenario.random),
            started: now,
            seen: now,
            limit: total.into_iter().chain(deadline).min(),
            sends: Vec::new(),
            waits: Vec::new(),
            scenario,
            settings,
            world,
        }
    }

    fn run(mut self) -> Trace {
        if !self.world.pass(0) {
            return self.canceled();
        }
        if self.is_over(self.seen) {
            return self.ended(Reason::TotalTimeout, None, None);
        }
        loop {
            let Some(reply) = self.send() else { return self.canceled() };
            let (wait, source) = match self.judge(reply) {
                Next::Wait(wait, source) => (wait, source),
                Next::End(reason, asked) => return self.ended(reason, Some(reply.unwrap_or(CUT)), asked),
            };
            self.waits.push(Wait { at: span(self.world.passed()), lasts: span(wait), source });
            let until = self.seen + wait;
            // The clock may have stood still or gone back: that makes no wait longer.
            if !self.world.pass((until - self.world.clock()).clamp(0, wait)) {
                return self.canceled();
            }
            self.seen = until.max(self.world.clock());
            if self.is_over(self.seen) {
                return self.ended(Reason::TotalTimeout, None, None);
            }
        }
    }

    /// Sends once. `None`: the caller gave up before a reply; `Some(None)`: a limit cut the send.
    fn send(&mut self) -> Option<Option<Event>> {
        let at = self.world.passed();
        self.sends.push(Send { at: span(at), took: Span::ZERO, event: None });
        let step = self.scenario.step(self.number());
        let takes = nanos(step.takes);
        let began = self.seen;
        let own = self.settings.attempt_timeout.map(|limit| began + nanos(limit));
        let deadline = own.into_iter().chain(self.limit).min();
        let left = deadline.map(|deadline| (deadline - self.world.clock().max(began)).max(0));
        // What comes at the same moment as the limit is in time.
        let cut = left.filter(|left| self.world.noticed_in(*left) < self.world.noticed_in(takes));
        let reply = if cut.is_some() { None } else { Some(step.event) };
        let alive = self.world.pass(cut.unwrap_or(takes));
        let took = span(self.world.passed() - at);
        self.sends.pop();
        self.sends.push(Send { at: span(at), took, event: alive.then_some(reply.unwrap_or(CUT)) });
        self.seen = self.seen.max(self.world.clock());
        if let (None, Some(deadline)) = (reply, deadline) {
            // A limit has passed when it has, whatever the clock says.
            self.seen = self.seen.max(deadline);
        }
        alive.then_some(reply)
    }

    /// What follows this reply, in the order of section 10.
    fn judge(&mut self, reply: Option<Event>) -> Next {
        let number = self.number();
        let step = self.scenario.step(number);
        let event = reply.unwrap_or(CUT);
        // A send that was cut has nothing of what the script has for it, but the custom policy is asked.
        let whole = reply.is_some();
        let untried = step.untried.filter(|_| whole).map(nanos);
        if matches!(event, Event::Failure(Cause::Timeout, _)) && self.is_over(self.seen) {
            return Next::End(Reason::TotalTimeout, None);
        }

        let by_table = judgement(&self.settings, event);
        let verdict = if untried.is_some() { Judgement::Retry } else { by_table };
        // Why a reply ends the call that is not worth another send, or else the reason given.
        let or = |reason| match verdict {
            Judgement::Answer => Reason::Answer,
            Judgement::Fail => Reason::NotRetryable,
            Judgement::Retry => reason,
        };
        if let Some(why) = self.not_repeatable(event) {
            return Next::End(or(Reason::NotRepeatable(why)), None);
        }
        if number > self.settings.max_retries {
            return Next::End(or(Reason::RetriesExhausted), None);
        }
        let asked = match (step.advice, by_table) {
            (Advice::Keep, Judgement::Retry) | (Advice::Retry | Advice::RetryAfter(_), _) if whole => {
                hint_of(step, self.world.wall())
            }
            _ => None,
        };
        let wanted = match step.advice {
            Advice::Stop => false,
            Advice::Keep => verdict == Judgement::Retry,
            Advice::Retry | Advice::RetryAfter(_) => true,
        };
        if !wanted {
            return Next::End(or(Reason::Advised), asked);
        }

        let drawn = self.draws.next();
        let (wait, source) = match (step.advice, untried, asked) {
            (Advice::RetryAfter(own), _, _) => (nanos(own), Source::Custom),
            (_, Some(wait), _) => (wait, Source::Proxy),
            (_, None, Some(asked)) => match after_hint(&self.settings.retry_after, asked, drawn) {
                Some(wait) => wait,
                None => return Next::End(Reason::RetryAfterTooLong, Some(asked)),
            },
            (_, None, None) => (drawn.wait, Source::Computed),
        };
        if self.is_over(self.seen + wait) {
            return Next::End(Reason::TotalTimeout, asked);
        }
        Next::Wait(wait, source)
    }

    /// Why the request must not go out again after this reply, whatever it is worth.
    fn not_repeatable(&self, event: Event) -> Option<Why> {
        match (may_repeat(self.scenario), event) {
            (Rule::IfUnsent, Event::Failure(_, Reached::Unsent)) => single_send(self.scenario),
            (Rule::IfUnsent, Event::Failure(_, Reached::MaybeSent) | Event::Status(_)) => Some(Why::Method),
            (Rule::Always | Rule::Never, _) => single_send(self.scenario),
        }
    }

    fn is_over(&self, moment: i128) -> bool {
        self.limit.is_some_and(|limit| moment >= limit)
    }

    /// The number of the send that was begun last.
    fn number(&self) -> u32 {
        u32::try_from(self.sends.len()).unwrap_or(u32::MAX)
    }

    fn ended(self, reason: Reason, event: Option<Event>, asked: Option<i128>) -> Trace {
        let end = End {
            at: span(self.world.passed()),
            attempts: self.number(),
            elapsed: span(self.seen - self.started),
            reason,
            code: code_of_end(reason, event),
            event,
            asked: asked.map(span),
        };
        Trace { sends: self.sends, waits: self.waits, end }
    }

    fn canceled(self) -> Trace {
        let mut trace = self.ended(Reason::Canceled, None, None);
        trace.end.elapsed = trace.end.at;
        trace
    }
}

pub(crate) fn nanos(span: Span) -> i128 {
    i128::from(span.as_nanos())
}

pub(crate) fn span(nanos: i128) -> Span {
    Span::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
}
