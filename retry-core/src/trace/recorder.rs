//! Filling a trace while a call runs.

use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use super::{Answer, Asked, KEPT, Reply, Sent, Trace, Wait, counted};
use crate::budget::{Budget, Judged, Level, Tally};
use crate::drive::Try;
use crate::end::{End, Reason};
use crate::machine::Pause;
use crate::outcome::{Advice, Outcome};
use crate::policy::Policy;
use crate::replay::Replay;
use crate::time::Instant;

/// Records one call: told of each send and reply by the caller's [`Io`](crate::Io), and of the rest by the budget that it
/// wraps ([`Recorded`]). Clones share the record, which outlives a call that was dropped.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Mutex<Tape>>);

#[derive(Debug)]
struct Tape {
    trace: Trace,
    deadline: Option<Instant>,
}

impl Recorder {
    /// For a call with this policy, replay rule and deadline, whose random words are those of
    /// `Xoshiro256PlusPlus::seed_from_u64(seed)`. It begins with its first send, or `now` if there is none.
    pub fn new(policy: Policy, replay: Replay, deadline: Option<Instant>, seed: u64, now: Instant) -> Self {
        let (start, sends) = (now, Vec::new());
        let trace = Trace { policy, seed, replay, start, deadline: None, sends, dropped: 0, end: None };
        let mut tape = Tape { trace, deadline };
        tape.begin(now);
        Self(Arc::new(Mutex::new(tape)))
    }

    /// A send begins: to be told in [`Io::send`](crate::Io::send).
    pub fn send(&self, this: Try) {
        let mut tape = self.lock();
        if this.number == 1 {
            tape.begin(this.sent_at);
        }
        let since = |moment: Instant| moment.saturating_since(tape.trace.start);
        let (at, limit) = (since(this.sent_at), this.deadline.map(since));
        if tape.trace.sends.len() < KEPT {
            tape.trace.sends.push(Sent { number: this.number, at, limit, reply: None });
        } else {
            tape.trace.dropped = tape.trace.dropped.saturating_add(1);
        }
    }

    /// What the machine is about to be told of the send's reply, and the place of its proxy in a pool: to be told in
    /// [`Io::outcome`](crate::Io::outcome).
    pub fn outcome(&self, outcome: &Outcome, proxy: Option<u16>) {
        let Outcome { event, hint, advice, untried } = *outcome;
        let advice = match advice {
            Advice::RetryAfter(wait) => Advice::RetryAfter(counted(wait)),
            Advice::Keep | Advice::Retry | Advice::Stop => advice,
        };
        if let Some(sent) = self.lock().last() {
            sent.reply = Some(Reply {
                // The budget is told when that was, and the tally.
                at: Duration::ZERO,
                tally: Tally::Neutral,
                event,
                hint: hint.map(counted),
                advice,
                untried: untried.map(counted),
                proxy,
                budget: Asked::default(),
                wait: None,
            });
        }
    }

    /// A wait begins: to be told in [`Io::retrying`](crate::Io::retrying).
    pub fn wait(&self, pause: &Pause<&Policy>) {
        if let Some(reply) = self.lock().reply() {
            reply.wait = Some(Wait { lasts: pause.duration(), source: pause.source() });
        }
    }

    /// The whole record. `end` is the machine's own, or that of a caller who gave the call up.
    pub fn end(&self, end: End) -> Trace {
        let mut tape = self.lock();
        if let (true, Reason::TotalTimeout, Some(deadline)) = (tape.trace.sends.is_empty(), end.reason, tape.deadline) {
            // It had passed when the machine looked, a moment after the recorder.
            let start = tape.trace.start.max(deadline);
            tape.begin(start);
        }
        // A caller may not count a send that its client refused; the record has it.
        let attempts = if end.reason == Reason::Canceled { tape.trace.begun() } else { end.attempts };
        let (elapsed, asked) = (counted(end.elapsed), end.asked.map(counted));
        tape.trace.end = Some(End { attempts, elapsed, asked, ..end });
        tape.trace.clone()
    }

    /// The record so far.
    pub(super) fn so_far(&self) -> Trace {
        self.lock().trace.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        // Whatever panicked while it held the lock, the record is one of what happened.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    fn begin(&mut self, start: Instant) {
        self.trace.start = start;
        self.trace.deadline = self.deadline.map(|deadline| deadline.saturating_since(start));
    }

    /// The send that is on its way, if it is kept.
    fn last(&mut self) -> Option<&mut Sent> {
        if self.trace.dropped > 0 { None } else { self.trace.sends.last_mut() }
    }

    fn reply(&mut self) -> Option<&mut Reply> {
        self.last()?.reply.as_mut()
    }
}

/// A budget whose answers are recorded, if there is a recorder.
#[derive(Clone, Debug)]
pub struct Recorded<B> {
    budget: B,
    recorder: Option<Recorder>,
}

impl<B> Recorded<B> {
    /// `budget`, with its answers told to `recorder`.
    pub const fn new(budget: B, recorder: Option<Recorder>) -> Self {
        Self { budget, recorder }
    }
}

impl<B: Budget> Budget for Recorded<B> {
    fn reply(&mut self, judged: Judged, now: Instant) {
        let Some(recorder) = &self.recorder else { return self.budget.reply(judged, now) };
        let before = self.budget.level().left;
        self.budget.reply(judged, now);
        let after = self.budget.level().left;
        let mut tape = recorder.lock();
        let at = now.saturating_since(tape.trace.start);
        if let Some(reply) = tape.reply() {
            (reply.at, reply.tally) = (at, judged.tally);
            reply.budget = Asked { before, after, answer: None };
        }
    }

    fn withdraw(&mut self, judged: Judged, now: Instant) -> Option<u32> {
        let paid = self.budget.withdraw(judged, now);
        if let Some(recorder) = &self.recorder {
            let after = self.budget.level().left;
            if let Some(reply) = recorder.lock().reply() {
                reply.budget.after = after;
                reply.budget.answer = Some(paid.map_or(Answer::Refused, Answer::Granted));
            }
        }
        paid
    }

    fn level(&self) -> Level {
        self.budget.level()
    }
}
