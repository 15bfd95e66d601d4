//! One call in virtual time, on the core itself.

use core::time::Duration;

use rand_core::Rng;
use retry_core::{Action, Attempt, Cause, End, Instant, Outcome, Policy, Reached, Replay, Unlimited};

/// A server that never serves: each send ends in the same way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Server {
    /// How long it takes to answer; `None` for an answer that never comes.
    pub(crate) takes: Option<Duration>,
    /// The wait that it asks for.
    pub(crate) asks: Option<Duration>,
}

impl Server {
    /// The end of a call, if it has one within `most` sends.
    pub(crate) fn call(self, policy: &Policy, rng: &mut impl Rng, most: u32) -> Option<End> {
        let mut action = Attempt::start(policy, Replay::Always, None, Instant::EPOCH);
        loop {
            action = match action {
                Action::Send(attempt) if attempt.number() > most => return None,
                Action::Send(attempt) => {
                    let (outcome, now) = self.reply(&attempt)?;
                    attempt.finish(outcome, now, &mut Unlimited, rng)
                }
                Action::Wait(pause) => {
                    let until = pause.until();
                    pause.resume(until)
                }
                Action::Done(end) | Action::GiveUp(end) => return Some(end),
            };
        }
    }

    /// What comes of a send, and when; `None` if nothing ever does.
    fn reply(self, attempt: &Attempt<&Policy>) -> Option<(Outcome, Instant)> {
        let answer = self.takes.map(|takes| attempt.sent_at().saturating_add(takes));
        match (answer, attempt.deadline()) {
            // What comes at the very limit counts.
            (Some(answer), limit) if limit.is_none_or(|limit| answer <= limit) => {
                Some((Outcome::status(503).with_hint(self.asks), answer))
            }
            (_, limit) => Some((Outcome::failure(Cause::Timeout, Reached::MaybeSent), limit?)),
        }
    }
}

/// Whole nanoseconds; what a policy or a call has is far below the 584 years that they hold.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
