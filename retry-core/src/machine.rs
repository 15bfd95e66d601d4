//! The machine: what may happen next, and every limit in the order in which it is asked.

use core::borrow::Borrow;
use core::fmt;
use core::time::Duration;

use rand_core::Rng;

use crate::backoff::Backoff;
use crate::budget::{Budget, Judged, Tally};
use crate::end::{End, Reason};
#[cfg(feature = "trace")]
use crate::jitter::{Window, window};
use crate::outcome::{Advice, Cause, Event, Outcome};
use crate::policy::{Limit, Policy};
use crate::replay::Replay;
use crate::time::{Instant, nanos};
use crate::verdict::Verdict;

/// What to do next. Each variant owns the state of the call and offers only the legal next step.
#[derive(Debug, PartialEq)]
#[must_use = "the call goes on only if the action is carried out"]
pub enum Action<P = Policy> {
    /// Send the request now.
    Send(Attempt<P>),
    /// Wait, then [`resume`](Pause::resume).
    Wait(Pause<P>),
    /// The reply at hand is the answer.
    Done(End),
    /// The call failed; a reply at hand is its last one.
    GiveUp(End),
}

impl<P: Borrow<Policy>> Action<P> {
    /// The moment at which something must happen even if nothing else does: the limit of a send, or the end of a wait.
    ///
    /// ```
    /// use retry_core::{Action, Attempt, Instant, Policy, Replay};
    ///
    /// let action = Attempt::start(Policy::API, Replay::Always, None, Instant::EPOCH);
    /// assert_eq!(action.wake_at(), Some(Instant::from_nanos(180_000_000_000)));
    /// ```
    pub fn wake_at(&self) -> Option<Instant> {
        match self {
            Self::Send(attempt) => attempt.deadline(),
            Self::Wait(pause) => Some(pause.until()),
            Self::Done(_) | Self::GiveUp(_) => None,
        }
    }
}

/// What a call knows of itself, whichever action it is in.
#[derive(Debug, PartialEq)]
struct Call<P> {
    policy: P,
    started: Instant,
    /// The latest moment seen, so that a clock that steps back shortens nothing.
    now: Instant,
    /// When the call must have ended: after its start, and so not at the epoch.
    total: Option<Limit>,
    backoff: Backoff,
    number: u32,
    paid: u32,
    replay: Replay,
}

impl<P> Call<P> {
    #[inline]
    fn see(&mut self, now: Instant) {
        self.now = self.now.max(now);
    }

    fn is_over(&self, at: Instant) -> bool {
        self.total.is_some_and(|total| at >= Instant::from_nanos(total.get()))
    }

    /// Out of line: it comes once a call, and inlined its bytes get in the way of those of the other actions.
    #[inline(never)]
    fn end(&self, attempts: u32, reason: Reason, outcome: Option<&Outcome>) -> Action<P> {
        let end = End {
            attempts,
            elapsed: self.now.saturating_since(self.started),
            reason,
            event: outcome.map(|outcome| outcome.event),
            asked: outcome.and_then(|outcome| outcome.hint),
        };
        if end.kind().is_none() { Action::Done(end) } else { Action::GiveUp(end) }
    }
}

/// One send, from the moment it may go out to its reply.
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Action, Attempt, Instant, Outcome, Policy, Replay, Unlimited};
/// # struct Zero;
/// # impl rand_core::TryRng for Zero {
/// #     type Error = core::convert::Infallible;
/// #     fn try_next_u32(&mut self) -> Result<u32, Self::Error> { Ok(0) }
/// #     fn try_next_u64(&mut self) -> Result<u64, Self::Error> { Ok(0) }
/// #     fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Self::Error> { dst.fill(0); Ok(()) }
/// # }
/// # let mut rng = Zero;
/// let now = Instant::EPOCH;
/// let Action::Send(attempt) = Attempt::start(Policy::API, Replay::Always, None, now) else { unreachable!() };
/// // ... the request goes out, and a 503 comes back ...
/// let Action::Wait(pause) = attempt.finish(Outcome::status(503), now, &mut Unlimited, &mut rng) else { unreachable!() };
/// assert_eq!(pause.duration(), Duration::from_millis(900)); // 1 s, less 10 % for a random word of 0
/// let until = pause.until();
/// let Action::Send(second) = pause.resume(until) else { unreachable!() };
/// assert_eq!(second.number(), 2);
/// ```
#[derive(Debug, PartialEq)]
#[must_use = "a send without its outcome leaves the call open"]
pub struct Attempt<P = Policy> {
    call: Call<P>,
}

impl<P: Borrow<Policy>> Attempt<P> {
    /// Begins a call: the first send, or the end of the call if `deadline` has passed.
    ///
    /// The call must end before the earlier of `deadline` and the policy's total limit.
    pub fn start(policy: P, replay: Replay, deadline: Option<Instant>, now: Instant) -> Action<P> {
        let settings = policy.borrow();
        let own = settings.total_timeout.map(|limit| now.after(limit.get()));
        let backoff = Backoff::start(settings);
        let end = earlier(own, deadline);
        let total = end.and_then(|end| Limit::new(end.as_nanos()));
        let call = Call { policy, started: now, now, total, backoff, number: 1, paid: 0, replay };
        if end.is_some_and(|end| now >= end) {
            return call.end(0, Reason::TotalTimeout, None);
        }
        Action::Send(Self { call })
    }

    /// The number of this send, from 1.
    pub const fn number(&self) -> u32 {
        self.call.number
    }

    /// Whether no other send can follow this one.
    pub fn is_last(&self) -> bool {
        match self.call.replay {
            Replay::Once(_) => true,
            Replay::IfUnsent | Replay::Always => self.call.number > self.call.policy.borrow().max_retries(),
        }
    }

    /// Whether any response ends the call, even one whose status is worth another send.
    pub fn ends_on_response(&self) -> bool {
        self.is_last() || self.call.replay == Replay::IfUnsent
    }

    /// The moment at which the send was begun.
    pub const fn sent_at(&self) -> Instant {
        // Nobody has told another time since.
        self.call.now
    }

    /// The moment at which this send is to be cut: the earlier of its own limit and the total.
    pub fn deadline(&self) -> Option<Instant> {
        let own = self.call.policy.borrow().attempt_timeout.map(|limit| self.sent_at().after(limit.get()));
        earlier(own, self.total_deadline())
    }

    /// How much time this send has left at `now`; a clock that fell behind the call makes it no longer. `None` without a
    /// limit.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.saturating_since(now.max(self.sent_at())))
    }

    /// The moment at which the whole call must have ended.
    pub const fn total_deadline(&self) -> Option<Instant> {
        match self.call.total {
            Some(total) => Some(Instant::from_nanos(total.get())),
            None => None,
        }
    }

    /// The time since the call began.
    pub fn elapsed(&self, now: Instant) -> Duration {
        self.call.now.max(now).saturating_since(self.call.started)
    }

    /// The time left until the whole call must have ended; `None` without a limit.
    pub fn remaining(&self, now: Instant) -> Option<Duration> {
        self.total_deadline().map(|total| total.saturating_since(self.call.now.max(now)))
    }

    /// What the built-in table says of `event`, for a custom policy to overrule.
    ///
    /// `None`: a custom policy is not asked, because the request may not be repeated or no send is left.
    pub fn verdict(&self, event: Event) -> Option<Verdict> {
        let permitted = self.permits(event).is_ok();
        permitted.then(|| Verdict::of(event, self.call.policy.borrow()))
    }

    /// The computed delay of the next retry, and the window around it from which its wait would be drawn.
    #[cfg(feature = "trace")]
    pub(crate) fn computed(&self) -> (u64, Window) {
        let settings = self.call.policy.borrow();
        let (delay, _) = self.call.backoff.step(settings);
        (delay, window(settings, delay))
    }

    /// Ends this send with what it produced.
    ///
    /// One word is taken from `rng` if the reply is to be retried, and none otherwise.
    pub fn finish<B, R>(mut self, outcome: Outcome, now: Instant, budget: &mut B, rng: &mut R) -> Action<P>
    where
        B: Budget + ?Sized,
        R: Rng + ?Sized,
    {
        self.call.see(now);
        let (verdict, end) = self.judge(&outcome);
        let tally = match verdict {
            Verdict::Retry => Tally::Failure,
            Verdict::Answer | Verdict::Fail if end.is_none() => Tally::Failure,
            Verdict::Answer => Tally::Success,
            Verdict::Fail => Tally::Neutral,
        };
        let reply = Judged { event: outcome.event, tally, attempt: self.call.number, paid: self.call.paid };
        budget.reply(reply, self.call.now);
        if let Some(reason) = end {
            return self.end(reason, &outcome);
        }

        let settings = self.call.policy.borrow();
        let word = rng.next_u64();
        let drawn = self.call.backoff.draw(settings, word);
        let (wait, source) = match (outcome.advice, outcome.untried, outcome.hint) {
            (Advice::RetryAfter(wait), _, _) => (nanos(wait), WaitSource::Custom),
            (_, Some(wait), _) => (nanos(wait), WaitSource::Proxy),
            (_, None, Some(hint)) if settings.hints.refuses(hint) => {
                return self.end(Reason::RetryAfterTooLong, &outcome);
            }
            (_, None, Some(hint)) => match settings.hints.wait(hint, drawn, word) {
                Some(wait) => (wait, WaitSource::RetryAfter),
                None => (drawn, WaitSource::Computed),
            },
            (_, None, None) => (drawn, WaitSource::Computed),
        };
        if self.call.is_over(self.call.now.after(wait)) {
            return self.end(Reason::TotalTimeout, &outcome);
        }
        match budget.withdraw(reply, self.call.now) {
            Some(paid) => self.call.paid = paid,
            None => return self.end(Reason::BudgetSpent, &outcome),
        }
        Action::Wait(Pause { call: self.call, wait, source })
    }

    /// The verdict, and why the call ends here, if it does.
    fn judge(&self, outcome: &Outcome) -> (Verdict, Option<Reason>) {
        let table = Verdict::of(outcome.event, self.call.policy.borrow());
        let verdict = if outcome.untried.is_some() { Verdict::Retry } else { table };
        // A send cut at the total limit is not retried, and neither is one whose own limit fell on the same moment.
        let is_timeout = matches!(outcome.event, Event::Failure(failure) if failure.cause == Cause::Timeout);
        if is_timeout && self.call.is_over(self.call.now) {
            return (Verdict::Fail, Some(Reason::TotalTimeout));
        }
        let (again, otherwise) = match (self.permits(outcome.event), outcome.advice) {
            (Err(reason), _) => (false, reason),
            (Ok(()), Advice::Retry | Advice::RetryAfter(_)) => (true, Reason::Advised),
            (Ok(()), Advice::Keep) => (verdict == Verdict::Retry, Reason::Advised),
            (Ok(()), Advice::Stop) => (false, Reason::Advised),
        };
        let reason = match verdict {
            Verdict::Answer => Reason::Answer,
            Verdict::Fail => Reason::NotRetryable,
            Verdict::Retry => otherwise,
        };
        (verdict, if again { None } else { Some(reason) })
    }

    /// Whether the request may be repeated after `event`, and a send is left.
    fn permits(&self, event: Event) -> Result<(), Reason> {
        let max_retries = self.call.policy.borrow().max_retries();
        if let Err(why) = self.call.replay.permits(event) {
            return Err(Reason::NotRepeatable(why));
        }
        if self.call.number <= max_retries {
            return Ok(());
        }
        Err(self.call.replay.single_send(max_retries).map_or(Reason::RetriesExhausted, Reason::NotRepeatable))
    }

    fn end(&self, reason: Reason, outcome: &Outcome) -> Action<P> {
        self.call.end(self.call.number, reason, Some(outcome))
    }
}

/// Where the length of a wait came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WaitSource {
    /// The policy's delays and jitter.
    Computed,
    /// The server's `Retry-After`.
    RetryAfter,
    /// A custom policy.
    Custom,
    /// The move to a proxy that was not tried before.
    Proxy,
}

impl WaitSource {
    /// What it is called, in logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Computed => "policy",
            Self::RetryAfter => "Retry-After",
            Self::Custom => "custom policy",
            Self::Proxy => "next proxy",
        }
    }
}

impl fmt::Display for WaitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The time between two sends.
#[derive(Debug, PartialEq)]
#[must_use = "a wait that is not resumed leaves the call open"]
pub struct Pause<P = Policy> {
    call: Call<P>,
    wait: u64,
    source: WaitSource,
}

impl<P: Borrow<Policy>> Pause<P> {
    /// How long to wait, from the moment that [`Attempt::finish`] was told. It may be zero.
    pub const fn duration(&self) -> Duration {
        Duration::from_nanos(self.wait)
    }

    /// The moment at which the wait ends.
    pub const fn until(&self) -> Instant {
        self.call.now.after(self.wait)
    }

    /// How much of the wait is left at `now`; a clock that fell behind the call makes it no longer.
    pub fn left(&self, now: Instant) -> Duration {
        self.until().saturating_since(now).min(self.duration())
    }

    /// Where the length of the wait came from.
    pub const fn source(&self) -> WaitSource {
        self.source
    }

    /// Goes on: too early, the same wait again; at or after the total limit, the end of the call; else the next send.
    pub fn resume(mut self, now: Instant) -> Action<P> {
        if now < self.until() {
            return Action::Wait(self);
        }
        self.call.see(now);
        if self.call.is_over(self.call.now) {
            return self.call.end(self.call.number, Reason::TotalTimeout, None);
        }
        self.call.number = self.call.number.saturating_add(1);
        Action::Send(Attempt { call: self.call })
    }
}

#[inline]
fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
