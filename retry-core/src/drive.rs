//! The one loop, for every runtime. It owns the cut at the limit, the drain, and the rule for waking up.

use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;

use rand_core::Rng;

use crate::budget::Budget;
use crate::end::End;
use crate::machine::{Action, Attempt, Pause};
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::replay::Replay;
use crate::time::{Instant, UnixTime};

/// How much of a body is read at most before a reply is let go, so that its connection can be used again, in bytes.
pub const DRAIN_BYTES: usize = 64 * 1024;

/// How long that may take at most. It is part of the wait, and never longer than it.
pub const DRAIN_TIME: Duration = Duration::from_millis(100);

/// A runtime's clock and timer.
pub trait Timer {
    /// Now, on a monotonic clock.
    fn now(&self) -> Instant;

    /// Now, in civil time; `None` if there is no such clock. Asked for `Retry-After` dates alone.
    fn wall(&self) -> Option<UnixTime>;

    /// Waits for `duration`. It never ends early.
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send;

    /// Ends after `duration`, to cut a send. Apart from [`sleep`](Self::sleep), because a timer for tests that skips
    /// waits must not skip limits.
    fn limit(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.sleep(duration)
    }

    /// The [`limit`](Self::limit) that ends at `deadline`. If that has passed: `None`, or a future that is ready.
    ///
    /// Time counts from `since` where the clock is behind that. A timer that can wait for a moment, and whose clock never
    /// falls back, need not read it for this.
    fn limit_until(&self, since: Instant, deadline: Instant) -> Option<impl Future<Output = ()> + Send> {
        let left = deadline.saturating_since(self.now().max(since));
        (!left.is_zero()).then(|| self.limit(left))
    }
}

/// One send, as [`Io`] sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Try {
    /// The number of the send, from 1.
    pub number: u32,
    /// When the send was begun.
    pub sent_at: Instant,
    /// Whether no other send can follow.
    pub is_last: bool,
    /// Whether any response ends the call, even one whose status is worth another send.
    pub ends_on_response: bool,
    /// When [`drive`] cuts the send.
    pub deadline: Option<Instant>,
    /// Whether that is the limit of the whole call, and not of this send alone.
    pub is_total: bool,
}

/// A client, and what it makes of its replies.
pub trait Io {
    /// What one send produces: a response or a failure.
    type Reply;

    /// Sends the request once. The future is dropped if the limit passes first.
    fn send(&mut self, attempt: Try) -> impl Future<Output = Self::Reply>;

    /// Says what `reply` is, and asks the user's policy if [`Attempt::verdict`] gives one.
    fn outcome(&mut self, attempt: &Attempt<&Policy>, reply: &Self::Reply) -> Outcome;

    /// Whether anybody wants to know when `reply` came. Default: always.
    ///
    /// If not, no clock is read for it, and to the budget and to [`End::elapsed`] it came when its send was begun. Say no only
    /// of a reply on which the call ends: where it is sent again, the wait would be counted from there, too.
    fn is_timed(&self, _reply: &Self::Reply) -> bool {
        true
    }

    /// The reply of a send that was cut at its limit.
    fn timed_out(&mut self, attempt: Try) -> Self::Reply;

    /// Told before each wait.
    fn retrying(&mut self, _attempt: Try, _outcome: &Outcome, _pause: &Pause<&Policy>) {}

    /// Lets a reply go, reading at most [`DRAIN_BYTES`] of it. The future is dropped after [`DRAIN_TIME`].
    fn discard(&mut self, reply: Self::Reply) -> impl Future<Output = ()>;
}

/// The end of a call, with the reply it ended on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished<R> {
    /// The reply is the answer.
    Done(R, End),
    /// The call failed; no reply if it ended before a send or in a wait.
    GiveUp(Option<R>, End),
}

/// Carries out one call: sends, waits, cuts and drains until the machine says that it has ended.
///
/// Dropping the future ends the call; nothing is sent after that.
#[expect(clippy::blocks_in_conditions, reason = "the braces keep what is of no more use out of the future")]
pub fn drive<T, B, R, I>(
    policy: &Policy,
    replay: Replay,
    deadline: Option<Instant>,
    timer: &T,
    budget: &mut B,
    rng: &mut R,
    io: &mut I,
) -> impl Future<Output = Finished<I::Reply>>
where
    T: Timer,
    B: Budget + ?Sized,
    R: Rng + ?Sized,
    I: Io,
{
    async move {
        let mut action = Attempt::start(policy, replay, deadline, timer.now());
        loop {
            let (pause, now, discarded) = {
                let attempt = match { action } {
                    Action::Send(attempt) => attempt,
                    Action::Wait(pause) => {
                        let mut now = timer.now();
                        let left = pause.left(now);
                        if !left.is_zero() {
                            timer.sleep(left).await;
                            now = timer.now();
                        }
                        let until = pause.until();
                        action = pause.resume(now.max(until));
                        continue;
                    }
                    Action::Done(end) | Action::GiveUp(end) => return Finished::GiveUp(None, end),
                };
                let limit = || attempt.deadline().map(|until| timer.limit_until(attempt.sent_at(), until));
                let sent = cut(pin!(io.send(Try::from(&attempt))), pin!(None), limit).await;
                let now = match &sent {
                    Some(reply) if !io.is_timed(reply) => attempt.sent_at(),
                    Some(_) => timer.now(),
                    // The limit has passed, whatever a clock that stands still may say.
                    None => timer.now().max(attempt.deadline().unwrap_or_default()),
                };
                let reply = sent.unwrap_or_else(|| io.timed_out(Try::from(&attempt)));
                let outcome = io.outcome(&attempt, &reply);
                let this = Try::from(&attempt);
                match attempt.finish(outcome, now, budget, rng) {
                    Action::Wait(pause) => {
                        io.retrying(this, &outcome, &pause);
                        (pause, now, io.discard(reply))
                    }
                    Action::Done(end) => return Finished::Done(reply, end),
                    Action::GiveUp(end) => return Finished::GiveUp(Some(reply), end),
                    // Nothing is sent again without a wait, be it one of no length.
                    next @ Action::Send(_) => {
                        action = next;
                        continue;
                    }
                }
            };
            // Let go here, at the latest when the drain's time is over: no reply is held across a wait.
            let limit = || Some(timer.limit_until(now, pause.until().min(now.saturating_add(DRAIN_TIME))));
            cut(pin!(discarded), pin!(None), limit).await;
            action = Action::Wait(pause);
        }
    }
}

impl From<&Attempt<&Policy>> for Try {
    #[inline]
    fn from(attempt: &Attempt<&Policy>) -> Self {
        let deadline = attempt.deadline();
        let is_total = deadline.is_some() && deadline == attempt.total_deadline();
        Self {
            number: attempt.number(),
            sent_at: attempt.sent_at(),
            is_last: attempt.is_last(),
            ends_on_response: attempt.ends_on_response(),
            deadline,
            is_total,
        }
    }
}

/// The output of `work`, unless `deadline` passes first. What is ready at the same moment counts as in time.
///
/// `work` is polled once before anything else: where it is ready at once, no timer is made, and no clock is read. Time
/// counts from `since` where the clock is behind that. [`drive`] cuts sends so; a driver may cut what it does before and
/// after the same way.
pub async fn within<T, F>(timer: &T, since: Instant, deadline: Option<Instant>, work: Pin<&mut F>) -> Option<F::Output>
where
    T: Timer,
    F: Future,
{
    cut(work, pin!(None), || deadline.map(|deadline| timer.limit_until(since, deadline))).await
}

/// The output of `work`, unless the limit that `make` gives ends first. `make` gives none where there is none, and an empty
/// one where it has passed.
///
/// The limit is kept in `made`, which is its caller's: a future of our own would keep what it works on a second time.
fn cut<F: Future, L: Future>(
    mut work: Pin<&mut F>,
    mut made: Pin<&mut Option<L>>,
    make: impl Fn() -> Option<Option<L>>,
) -> impl Future<Output = Option<F::Output>> {
    poll_fn(move |cx| {
        if let Poll::Ready(output) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        if made.is_none() {
            match make() {
                None => return Poll::Pending,
                Some(None) => return Poll::Ready(None),
                limit => made.set(limit.flatten()),
            }
        }
        made.as_mut().as_pin_mut().map_or(Poll::Pending, |limit| limit.poll(cx).map(|_| None))
    })
}
