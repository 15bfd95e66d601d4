//! What today's machine makes of a recorded call, and where that is not what was recorded.

use core::convert::Infallible;
use core::fmt;
use core::time::Duration;
use std::string::{String, ToString};
use std::vec::Vec;

use rand_core::{Rng, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use super::{Answer, Asked, Recorded, Recorder, Reply, Sent, Trace};
use crate::budget::{Budget, Judged, Level};
use crate::drive::Try;
use crate::end::{End, Reason};
use crate::machine::{Action, Attempt};
use crate::policy::Policy;
use crate::time::Instant;
use crate::verdict::Verdict;

/// A trace replayed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// What the same call is today. It goes as far as today's decisions let it go.
    pub today: Trace,
    /// Today's decisions, one for each reply.
    pub decisions: Vec<Decision>,
    differences: Vec<Difference>,
}

/// What the machine made of one reply, and the numbers behind it. Times count from the start of the call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The send, its reply, and what was decided, as a trace has it.
    pub sent: Sent,
    /// What the built-in table says of the reply.
    pub verdict: Verdict,
    /// The policy's delay for the next retry.
    pub computed: Duration,
    /// The shortest and the longest wait that jitter makes of it.
    pub window: (Duration, Duration),
    /// The wait that was drawn from the window; `None` if no word was taken.
    pub drawn: Option<Duration>,
    /// The time that was left for the whole call when the reply came; `None` without a limit.
    pub remaining: Option<Duration>,
    /// How the call ended on this reply, if it did.
    pub end: Option<End>,
}

/// One value that is not what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The number of the send; `None` for the end of the call.
    pub send: Option<u32>,
    /// The name of the value, such as `reply.wait.lasts`.
    pub field: String,
    /// What was recorded.
    pub recorded: String,
    /// What it is today.
    pub today: String,
}

impl Trace {
    /// Gives the replies of this trace to the machine again, at the recorded moments, with the same random words and the
    /// budget's recorded answers.
    ///
    /// Where today's wait is longer than the recorded one, the next send begins when it ends. A budget that was not asked
    /// then grants what it is asked for now.
    pub fn replay(&self) -> Replayed {
        let deadline = self.deadline.map(|deadline| self.moment(deadline));
        let mut run = Run {
            trace: self,
            recorder: Recorder::new(self.policy, self.replay, deadline, self.seed, self.start),
            words: Words { rng: Xoshiro256PlusPlus::seed_from_u64(self.seed), last: None },
            decisions: Vec::new(),
        };
        let mut action = Attempt::start(&self.policy, self.replay, deadline, self.start);
        for sent in &self.sends {
            match run.resume(action, sent.at) {
                Action::Send(attempt) => action = run.send(attempt, sent),
                ended => {
                    action = ended;
                    break;
                }
            }
        }
        let today = run.end(action);
        let differences = differences(self, &today);
        Replayed { today, decisions: run.decisions, differences }
    }
}

impl Replayed {
    /// Where today's decisions are not the recorded ones, in order. Once the machine has decided otherwise, what follows
    /// is told only as far as both calls go.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }
}

struct Run<'a> {
    trace: &'a Trace,
    recorder: Recorder,
    words: Words,
    decisions: Vec<Decision>,
}

impl<'a> Run<'a> {
    /// Goes on at the recorded moment, or when today's wait ends.
    fn resume(&self, action: Action<&'a Policy>, at: Duration) -> Action<&'a Policy> {
        match action {
            Action::Wait(pause) => {
                let until = pause.until();
                pause.resume(self.trace.moment(at).max(until))
            }
            other => other,
        }
    }

    fn send(&mut self, attempt: Attempt<&'a Policy>, sent: &Sent) -> Action<&'a Policy> {
        self.recorder.send(Try::from(&attempt));
        let Some(reply) = sent.reply else { return Action::Send(attempt) };
        let now = self.trace.moment(reply.at);
        let verdict = Verdict::of(reply.event, &self.trace.policy);
        let (computed, window) = attempt.computed();
        let remaining = attempt.remaining(now);
        self.words.last = None;
        self.recorder.outcome(&reply.outcome(), reply.proxy);
        let mut budget = Recorded::new(Scripted::new(&reply), Some(self.recorder.clone()));
        let action = attempt.finish(reply.outcome(), now, &mut budget, &mut self.words);
        let end = match &action {
            Action::Wait(pause) => {
                self.recorder.wait(pause);
                None
            }
            Action::Done(end) | Action::GiveUp(end) => Some(*end),
            Action::Send(_) => None,
        };
        let sent = self.recorder.so_far().sends.last().copied().unwrap_or(*sent);
        let time = Duration::from_nanos;
        self.decisions.push(Decision {
            sent,
            verdict,
            computed: time(computed),
            window: (time(window.low), time(window.high)),
            drawn: self.words.last.map(|word| time(window.pick(word))),
            remaining,
            end,
        });
        action
    }

    /// Today's trace, with the end that the machine comes to, or that the record alone can tell.
    fn end(&self, action: Action<&'a Policy>) -> Trace {
        let recorded = self.trace.end;
        let end = match (action, recorded) {
            // Given up before the machine was asked for the first time.
            (_, Some(end)) if end.reason == Reason::Canceled && self.trace.begun() == 0 => Some(self.canceled(end)),
            (Action::Done(end) | Action::GiveUp(end), _) => Some(end),
            // The caller's own doing.
            (Action::Send(_) | Action::Wait(_), Some(end)) if end.reason == Reason::Canceled => {
                Some(self.canceled(end))
            }
            // A decision on what was not kept.
            (Action::Send(_) | Action::Wait(_), end) if self.trace.dropped > 0 => end.map(|end| self.late(end)),
            // Over before the next send.
            (action @ Action::Wait(_), Some(end)) => match self.resume(action, end.elapsed) {
                Action::Done(end) | Action::GiveUp(end) => Some(end),
                Action::Send(_) | Action::Wait(_) => None,
            },
            (Action::Send(_) | Action::Wait(_), _) => None,
        };
        let today = match end {
            Some(end) => self.recorder.end(end),
            None => self.recorder.so_far(),
        };
        // A recorder learns from the first send what a trace has from the beginning.
        let Trace { start, deadline, dropped, .. } = *self.trace;
        Trace { start, deadline, dropped, ..today }
    }

    /// The recorded end of a call that was given up, as far as the sends bear it out: a reply can only be the last one.
    fn canceled(&self, end: End) -> End {
        let reply = self.trace.sends.last().and_then(|sent| sent.reply);
        let event = end.event.and(reply.map(|reply| reply.event));
        let asked = end.asked.and(reply.and_then(|reply| reply.hint));
        self.late(End { event, asked, ..end })
    }

    /// The recorded end with the number of the sends, and not before the last moment that is known.
    fn late(&self, end: End) -> End {
        let last = self.trace.sends.last().map(|sent| sent.reply.map_or(sent.at, |reply| reply.at.max(sent.at)));
        End { attempts: self.trace.begun(), elapsed: end.elapsed.max(last.unwrap_or_default()), ..end }
    }
}

/// The recorded answers of a budget.
struct Scripted {
    recorded: Asked,
    is_told: bool,
}

impl Scripted {
    const fn new(reply: &Reply) -> Self {
        Self { recorded: reply.budget, is_told: false }
    }
}

impl Budget for Scripted {
    fn reply(&mut self, _: Judged, _: Instant) {
        self.is_told = true;
    }

    fn withdraw(&mut self, _: Judged, _: Instant) -> Option<u32> {
        match self.recorded.answer {
            Some(Answer::Granted(paid)) => Some(paid),
            Some(Answer::Refused) => None,
            None => Some(0),
        }
    }

    fn level(&self) -> Level {
        let left = if self.is_told { self.recorded.after } else { self.recorded.before };
        Level { left, refused: 0 }
    }
}

/// The words of the call, and which was taken last.
struct Words {
    rng: Xoshiro256PlusPlus,
    last: Option<u64>,
}

impl TryRng for Words {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.rng.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let word = self.rng.next_u64();
        self.last = Some(word);
        Ok(word)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rng.try_fill_bytes(bytes)
    }
}

fn differences(recorded: &Trace, today: &Trace) -> Vec<Difference> {
    let mut found = Vec::new();
    for (then, now) in recorded.sends.iter().zip(&today.sends) {
        compare(&mut found, Some(then.number), &json(then), &json(now), String::new());
    }
    let more = today.sends.len()..recorded.sends.len();
    for sent in recorded.sends.get(more).unwrap_or_default() {
        compare(&mut found, Some(sent.number), &json(sent), &Value::Null, String::new());
    }
    // Without an end in the record there is nothing to compare it with.
    if recorded.end.is_some() {
        compare(&mut found, None, &json(&recorded.end), &json(&today.end), String::new());
    }
    found
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Adds each value that differs, by the names that lead to it.
fn compare(found: &mut Vec<Difference>, send: Option<u32>, then: &Value, now: &Value, field: String) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            let new = now.keys().filter(|key| !then.contains_key(*key));
            for key in then.keys().chain(new) {
                let name = if field.is_empty() { key.clone() } else { std::format!("{field}.{key}") };
                let value = |object: &serde_json::Map<String, Value>| object.get(key).cloned().unwrap_or_default();
                compare(found, send, &value(then), &value(now), name);
            }
        }
        (then, now) if then == now => {}
        (then, now) => found.push(Difference { send, field, recorded: text(then), today: text(now) }),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { send, field, recorded, today } = self;
        match send {
            Some(number) => write!(f, "send {number}")?,
            None => f.write_str("end")?,
        }
        if !field.is_empty() {
            write!(f, " {field}")?;
        }
        write!(f, ": recorded {recorded}, today {today}")
    }
}
