//! A call in virtual time: a policy, and the replies that it gets.

use core::fmt;
use core::time::Duration;
use std::vec::Vec;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::budget::Unlimited;
use crate::end::End;
use crate::machine::{Action, Attempt};
use crate::outcome::{Cause, Outcome, Reached};
use crate::policy::Policy;
use crate::record::Entry;
use crate::replay::Replay;
use crate::time::Instant;

/// What one send is to bring, and when.
///
/// A status stands for a response that comes at once: `Reply::from(503)`.
///
/// ```
/// use core::time::Duration;
/// use retry_core::testing::Reply;
/// use retry_core::{Cause, Outcome, Reached};
///
/// let busy = Reply::from(Outcome::status(429).with_hint(Some(Duration::from_secs(2))));
/// let refused = Reply::from(Outcome::failure(Cause::Network, Reached::Unsent));
/// let slow = Reply::from(200).after(Duration::from_secs(5));
/// # let _ = (busy, refused, slow);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reply {
    outcome: Outcome,
    takes: Duration,
}

impl Reply {
    /// The same reply, `time` after its send. If a limit of the policy comes first, the send is cut there.
    #[must_use]
    pub const fn after(mut self, time: Duration) -> Self {
        self.takes = time;
        self
    }
}

impl From<Outcome> for Reply {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, takes: Duration::ZERO }
    }
}

impl From<u16> for Reply {
    fn from(status: u16) -> Self {
        Outcome::status(status).into()
    }
}

/// What happened in a simulated call.
///
/// Printed, it has a line for each send, each wait and the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Simulated {
    /// The sends, in order, each with its reply and the wait that followed.
    pub sends: Vec<Entry>,
    /// How the call ended; `None` if it wanted to send once more than there were replies.
    pub end: Option<End>,
}

impl Simulated {
    /// The waits, in order.
    pub fn waits(&self) -> impl Iterator<Item = Duration> {
        self.sends.iter().filter_map(|send| send.wait).map(|(wait, _)| wait)
    }
}

/// Carries a call out in virtual time: one reply for each send, until the call ends or the replies do.
///
/// The random words are those of the first call of an adapter's `Retry` with the same `seed`, so that its waits are these,
/// to the nanosecond. Each send takes memory, so that replies without end need a policy whose calls end.
///
/// ```
/// use core::time::Duration;
/// use retry_core::testing::simulate;
/// use retry_core::{Jitter, Policy, Reason, Replay};
///
/// let policy = Policy::API.edit().jitter(Jitter::None).build()?;
/// let call = simulate(&policy, Replay::Always, 7, [503, 503, 200]);
/// assert!(call.waits().eq([1, 2].map(Duration::from_secs)));
/// assert_eq!(call.end.map(|end| end.reason), Some(Reason::Answer));
/// assert_eq!(
///     call.to_string(),
///     "\
/// 0ns         send 1: 503 after 0ns
/// 0ns         wait 1s (policy)
/// 1s          send 2: 503 after 0ns
/// 1s          wait 2s (policy)
/// 3s          send 3: 200 after 0ns
/// 3s          answered, attempts 3
/// "
/// );
/// # Ok::<(), retry_core::PolicyError>(())
/// ```
pub fn simulate<R: Into<Reply>>(
    policy: &Policy,
    replay: Replay,
    seed: u64,
    replies: impl IntoIterator<Item = R>,
) -> Simulated {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut replies = replies.into_iter().map(Into::into);
    let mut sends = Vec::new();
    let mut now = Instant::EPOCH;
    let mut action = Attempt::start(policy, replay, None, now);
    loop {
        action = match action {
            Action::Send(attempt) => {
                let Some(reply) = replies.next() else { return Simulated { sends, end: None } };
                let (outcome, took) = in_time(reply, attempt.left(now));
                let start = attempt.elapsed(now);
                now = now.saturating_add(took);
                let (number, event) = (attempt.number(), outcome.event);
                let next = attempt.finish(outcome, now, &mut Unlimited, &mut rng);
                let wait =
                    if let Action::Wait(pause) = &next { Some((pause.duration(), pause.source())) } else { None };
                sends.push(Entry { number, event, start, took, wait, proxy: None });
                next
            }
            Action::Wait(pause) => {
                now = pause.until();
                pause.resume(now)
            }
            Action::Done(end) | Action::GiveUp(end) => return Simulated { sends, end: Some(end) },
        };
    }
}

/// What a send brings that has `left` until its limit, and after how long. A reply at the limit is in time.
fn in_time(reply: Reply, left: Option<Duration>) -> (Outcome, Duration) {
    match left {
        Some(left) if left < reply.takes => (Outcome::failure(Cause::Timeout, Reached::MaybeSent), left),
        Some(_) | None => (reply.outcome, reply.takes),
    }
}

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Entry { number, event, start, took, wait, .. } in &self.sends {
            writeln!(f, "{start:<11?} send {number}: {event} after {took:?}")?;
            if let Some((wait, source)) = wait {
                writeln!(f, "{:<11?} wait {wait:?} ({source})", start.saturating_add(*took))?;
            }
        }
        match &self.end {
            Some(end) => writeln!(f, "{:<11?} {}, attempts {}", end.elapsed, end.reason, end.attempts),
            None => writeln!(f, "no reply is left for the next send"),
        }
    }
}
