//! One request on its way through the core's loop: what a send is, and what the core is told of its reply.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::Poll;
use core::time::Duration;

use http::StatusCode;
use retry_core::trace::Recorder;
use retry_core::{
    Advice, Attempt, Budget, Event, Instant, Io, NonIdempotent, Outcome, Pause, Policy, Record, Replay, Timer, Try,
    Verdict, retry_after,
};

use crate::advise::{Head, Retrying, Seen};
use crate::budgets::CallBudget;
use crate::call::Settings;
use crate::fault::{Fault, TimedOut};
use crate::reply::{Failed, Received};
use crate::retry::{Extras, Retry};
use crate::sender::Sender;
use crate::settled::Settled;
use crate::spans::Spans;

/// What a call goes by. Nothing in it changes.
pub(crate) struct Frame<T> {
    pub(crate) retry: Retry<T>,
    pub(crate) settings: Settings,
}

impl<T> Frame<T> {
    /// What a caller has added, if it is there.
    fn extra<'a, O>(&'a self, read: impl FnOnce(&'a Extras) -> Option<O>) -> Option<O> {
        self.retry.extras.as_deref().and_then(read)
    }

    /// Whether the request of `sender` may go out again.
    pub(crate) fn replay(&self, sender: &impl Sender) -> Replay {
        let Self { retry: Retry { policy, .. }, settings, .. } = self;
        let consent =
            NonIdempotent::resolve(policy.non_idempotent(), settings.get(|own| own.consent), settings.has_key());
        Replay::new(sender.request().0.as_str(), sender.is_replayable(), consent)
    }

    /// Whether the whole call is recorded.
    pub(crate) fn is_traced(&self) -> bool {
        self.retry.extras.as_ref().is_some_and(|extras| extras.trace)
    }

    /// Who records the whole call, if that is wanted.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.settings.get(|own| own.recorder.get())
    }

    pub(crate) fn returns_last_response(&self) -> bool {
        self.retry.extras.as_ref().is_some_and(|extras| extras.return_last_response)
    }

    #[cfg(feature = "reqwest")]
    pub(crate) fn retries(&self, status: StatusCode) -> bool {
        self.retry.policy.statuses().contains(status.as_u16())
    }
}

/// A call's side of [`drive`](retry_core::drive).
pub(crate) struct CallIo<'a, S, T> {
    pub(crate) sender: &'a mut S,
    pub(crate) frame: &'a Frame<T>,
    pub(crate) replay: Replay,
    /// Whether the record is wanted even if nothing fails.
    pub(crate) report: bool,
    pub(crate) budget: CallBudget,
    /// How many sends were begun.
    pub(crate) begun: u32,
    /// When the call began, as soon as that matters.
    pub(crate) started: Option<Instant>,
    /// When what had to be done before the first send was done, if there was anything.
    pub(crate) ready: Instant,
    /// Kept apart, and only from the first failure on.
    pub(crate) record: Option<Box<Record>>,
    /// The failure that was let go last, if that was no response.
    pub(crate) last: Option<Box<Failed>>,
    /// The status of the response that was let go last, if that was one. Apart, because that asks for no memory.
    pub(crate) last_status: Option<StatusCode>,
    pub(crate) spans: Spans,
}

impl<'a, S: Sender, T: Timer> CallIo<'a, S, T> {
    pub(crate) fn new(sender: &'a mut S, frame: &'a Frame<T>, replay: Replay, report: bool) -> Self {
        let spans = Spans::open(|| Some(sender.request()));
        let budgets = frame.extra(|extras| extras.budgets.as_ref());
        let budget = budgets.map(|budgets| budgets.of(sender.request().1)).unwrap_or_default();
        Self {
            sender,
            frame,
            replay,
            report,
            budget,
            begun: 0,
            started: None,
            ready: Instant::EPOCH,
            record: None,
            last: None,
            last_status: None,
            spans,
        }
    }

    /// The time before the first send, which the machine knows nothing of.
    pub(crate) fn prepared(&self) -> Duration {
        self.started.map_or(Duration::ZERO, |started| self.ready.saturating_since(started))
    }

    /// Whether `received` is the answer, and nobody but the table is asked or told about it.
    fn is_plain(&self, received: &S::Received) -> bool {
        let retry = &self.frame.retry;
        let is_asked = retry.extras.is_some() || self.report || self.sender.untried().is_some();
        !is_asked && !retry.policy.statuses().contains(received.status().as_u16())
    }

    /// What the core is told of `reply`, after all who have a say in it were asked, and all who record it were told.
    #[cold]
    fn judge(&mut self, attempt: &Attempt<&Policy>, reply: &Result<S::Received, Failed>) -> Outcome {
        let event = match reply {
            Ok(received) => Event::Status(received.status().as_u16()),
            // Made of a response by the caller's closure: that is what came back.
            Err(Failed { fault, .. }) if fault.status().is_some() => {
                Event::Status(fault.status().map_or(0, |status| status.as_u16()))
            }
            Err(failed) => Event::Failure(failed.fault.failure()),
        };
        self.spans.judged(event, reply);
        let (advice, again) = self.advice(attempt, event, reply);
        if reply.as_ref().is_err_and(|failed| failed.fault.is_unbegun()) {
            // The client began nothing.
            self.begun = self.begun.saturating_sub(1);
        } else if again || reply.is_err() || self.report || attempt.number() > 1 {
            let proxy = self.sender.proxy();
            self.record.get_or_insert_default().reply(attempt, event, self.frame.retry.timer.now(), proxy);
        }
        let hint = match reply {
            Ok(received) if again => {
                let headers = received.headers();
                let vendors = self.frame.extra(|extras| extras.server_wait(headers));
                vendors.or_else(|| retry_after::from_headers(headers, || self.frame.retry.timer.wall()))
            }
            Ok(_) | Err(_) => None,
        };
        let outcome = Outcome { event, hint, advice, untried: self.sender.untried() };
        if let Some(recorder) = self.frame.recorder() {
            recorder.outcome(&outcome, self.sender.proxy());
        }
        outcome
    }

    /// The custom policy's word, and whether the reply is going to be sent again as far as it can be told here.
    fn advice(&self, attempt: &Attempt<&Policy>, event: Event, reply: &Result<S::Received, Failed>) -> (Advice, bool) {
        let Some(verdict) = attempt.verdict(event) else { return (Advice::Keep, false) };
        let again = verdict == Verdict::Retry || self.sender.untried().is_some();
        if !again && self.frame.retry.extras.is_none() {
            // Nobody is there who could want another send.
            return (Advice::Keep, false);
        }
        if Settled::is(reply) {
            return (Advice::Stop, false);
        }
        let advice = self.frame.extra(|extras| extras.advise.as_ref()).map_or(Advice::Keep, |policy| {
            let (method, url) = self.sender.request();
            let now = self.frame.retry.timer.now();
            policy.advise(&Seen {
                method,
                url,
                attempt: attempt.number(),
                elapsed: self.prepared() + attempt.elapsed(now),
                remaining: attempt.remaining(now),
                verdict,
                event,
                head: reply.as_ref().map(Head::of),
            })
        });
        let advice = match (advice, reply) {
            (Advice::Keep, Ok(received)) => self
                .frame
                .extra(|extras| Some(extras.server_advice(received.status(), received.headers())))
                .unwrap_or(Advice::Keep),
            (advice, _) => advice,
        };
        let again = match advice {
            Advice::Keep => again,
            Advice::Retry | Advice::RetryAfter(_) => true,
            Advice::Stop => false,
        };
        (advice, again)
    }
}

impl<S: Sender, T: Timer> Io for CallIo<'_, S, T> {
    type Reply = Result<S::Received, Failed>;

    fn send(&mut self, this: Try) -> impl Future<Output = Self::Reply> {
        let span = self.spans.send(this, || self.sender.request());
        self.begun = self.begun.saturating_add(1);
        if let Some(recorder) = self.frame.recorder() {
            recorder.send(this);
        }
        self.started.get_or_insert(this.sent_at);
        span.begin(|| self.sender.send(this, self.frame))
    }

    #[inline]
    fn is_timed(&self, reply: &Self::Reply) -> bool {
        !reply.as_ref().is_ok_and(|received| self.is_plain(received))
    }

    #[inline]
    fn outcome(&mut self, attempt: &Attempt<&Policy>, reply: &Self::Reply) -> Outcome {
        match reply {
            Ok(received) if self.is_plain(received) => {
                let event = Event::Status(received.status().as_u16());
                self.spans.judged(event, reply);
                Outcome { event, hint: None, advice: Advice::Keep, untried: None }
            }
            reply => self.judge(attempt, reply),
        }
    }

    fn timed_out(&mut self, this: Try) -> Self::Reply {
        Err(Fault::TimedOut(TimedOut { is_total: this.is_total }).into())
    }

    fn retrying(&mut self, this: Try, outcome: &Outcome, pause: &Pause<&Policy>) {
        if let Some(record) = &mut self.record {
            record.pause(pause);
        }
        if let Some(recorder) = self.frame.recorder() {
            recorder.wait(pause);
        }
        self.spans.waiting(this, outcome.event, pause, || self.budget.level());
        if let Some(hook) = self.frame.extra(|extras| extras.on_retry.as_ref()) {
            let (method, url) = self.sender.request();
            let (wait, source) = (pause.duration(), pause.source());
            let budget = self.budget.level();
            hook(&Retrying { method, url, attempt: this.number, event: outcome.event, wait, source, budget });
        }
    }

    fn discard(&mut self, reply: Self::Reply) -> impl Future<Output = ()> {
        let mut unread = None;
        (self.last, self.last_status) = match reply {
            Ok(received) => {
                let status = received.status();
                unread = received.drain();
                (None, Some(status))
            }
            Err(failed) => (Some(Box::new(failed)), None),
        };
        poll_fn(move |cx| unread.as_mut().map_or(Poll::Ready(()), |unread| Pin::new(unread).poll(cx)))
    }
}
