//! A call in virtual time.

use core::time::Duration;

use retry_core::{Action, Attempt, Cause, Instant, Outcome, Policy, Reached, Reason, Replay, Unlimited};

use crate::common::Words;

pub(crate) const BUSY: Outcome = Outcome::status(503);

/// What comes of one send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The nanoseconds until the reply; the send is cut at its limit, if that is earlier.
    pub(crate) takes: u64,
    pub(crate) reply: Outcome,
    /// The random word of the wait after it.
    pub(crate) word: u64,
}

/// What a call did.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) sends: u32,
    /// Nanoseconds each.
    pub(crate) waits: Vec<u64>,
    pub(crate) elapsed: Duration,
    pub(crate) reason: Reason,
}

impl Seen {
    pub(crate) fn waited(&self) -> Duration {
        self.waits.iter().copied().map(Duration::from_nanos).sum()
    }
}

/// Carries out a call for which `world` has a step whenever it sends, knowing the time that has passed.
pub(crate) fn call(policy: &Policy, mut world: impl FnMut(u32, u64) -> Step) -> Seen {
    let mut waits = Vec::new();
    let mut action = Attempt::start(policy, Replay::Always, None, Instant::EPOCH);
    loop {
        action = match action {
            Action::Send(attempt) => {
                let begun = attempt.sent_at();
                let step = world(attempt.number(), begun.as_nanos());
                let replied = begun.saturating_add(Duration::from_nanos(step.takes));
                // A reply at the very limit counts.
                let (reply, now) = match attempt.deadline() {
                    Some(limit) if limit < replied => (Outcome::failure(Cause::Timeout, Reached::MaybeSent), limit),
                    _ => (step.reply, replied),
                };
                attempt.finish(reply, now, &mut Unlimited, &mut Words::new(&[step.word]))
            }
            Action::Wait(pause) => {
                waits.push(u64::try_from(pause.duration().as_nanos()).expect("waits are u64 nanoseconds"));
                let until = pause.until();
                pause.resume(until)
            }
            Action::Done(end) | Action::GiveUp(end) => {
                return Seen { sends: end.attempts, waits, elapsed: end.elapsed, reason: end.reason };
            }
        };
    }
}
