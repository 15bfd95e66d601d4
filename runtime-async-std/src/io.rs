//! One request on its way through the core's loop: what a send is, and what the core is told of its reply.

use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retry_core::trace::{Recorder, Trace};
use retry_core::{
    Advice, Attempt, Budget, End, Event, Instant, Io, Outcome, Pause, Policy, Record, Timer, Try, Verdict, Why,
    retry_after,
};
use surf::http::headers::{AGE, DATE, HeaderName, RETRY_AFTER};

use crate::advise::{Retrying, Seen};
use crate::budgets::CallBudget;
use crate::fault::{Fault, TimedOut};
use crate::reply::{Failed, Received, check, drain, read};
use crate::report::Report;
use crate::retry::Extras;
use crate::sender::Sender;
use crate::settled::Settled;
use crate::spans::Spans;
use crate::target::Target;

/// How much of a response belongs to the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Its head.
    Head,
    /// The body of any response on which the call can end well, up to this many bytes.
    Answer(usize),
    /// Every body, up to this many bytes.
    Every(usize),
}

/// How far a call has come. It is kept apart from the run, so that it outlives one that is dropped.
#[derive(Default)]
pub(crate) struct Progress(Mutex<Come>);

#[derive(Default)]
pub(crate) struct Come {
    /// How many sends earlier runs of the same call have begun: a middleware outside may run the rest more than once.
    pub(crate) earlier: u32,
    /// How many sends were begun since.
    pub(crate) begun: u32,
    /// The seed of the call, unless the operating system is to give one.
    pub(crate) seed: Option<u64>,
    /// When the call began, as soon as that matters.
    pub(crate) started: Option<Instant>,
    /// Kept only from the first failure on.
    pub(crate) record: Option<Box<Record>>,
    /// Records the whole of the last run, if that is wanted.
    pub(crate) recorder: Option<Recorder>,
    /// What it has recorded, when the run is over.
    pub(crate) trace: Option<Box<Trace>>,
    /// The failure of the reply that was let go last.
    pub(crate) last: Option<Failed>,
    /// What the request was for.
    pub(crate) target: Option<Target>,
    /// The names of the pool's proxies.
    pub(crate) proxies: Option<Arc<[String]>>,
}

impl Progress {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Come> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Come {
    /// How many sends were begun.
    pub(crate) fn attempts(&self) -> u32 {
        self.earlier.saturating_add(self.begun)
    }

    /// Begins a run.
    pub(crate) fn begin(&mut self) {
        self.earlier = self.attempts();
        self.begun = 0;
        self.recorder = None;
    }

    /// A report of all this.
    pub(crate) fn report(&mut self, end: End, single_send: Option<Why>) -> Report {
        // A run that was dropped was given up.
        self.traced(End { attempts: self.begun, ..end });
        let report = Report::new(end, single_send, self.record.take()).with_trace(self.trace.take());
        report.with_proxies(self.proxies.clone())
    }

    /// Ends the record of a run.
    pub(crate) fn traced(&mut self, end: End) {
        if let Some(recorder) = self.recorder.take() {
            self.trace = Some(Box::new(recorder.end(end)));
        }
    }
}

/// A call's side of [`drive`](retry_core::drive).
pub(crate) struct CallIo<'a, S, T> {
    pub(crate) sender: &'a mut S,
    pub(crate) timer: &'a T,
    pub(crate) policy: &'a Policy,
    pub(crate) extras: &'a Extras,
    /// Whether a future of the caller's may end the call.
    pub(crate) cancels: bool,
    pub(crate) budget: CallBudget,
    pub(crate) read: Read,
    /// Whether the record is wanted even if nothing fails.
    pub(crate) report: bool,
    pub(crate) progress: &'a Progress,
    pub(crate) spans: Spans,
}

impl<S: Sender, T: Timer> CallIo<'_, S, T> {
    fn retries(&self, status: u16) -> bool {
        self.policy.statuses().contains(status)
    }

    /// The custom policy's word, and whether the reply is going to be sent again as far as it can be told here.
    fn advice(&self, attempt: &Attempt<&Policy>, event: Event, reply: &Result<Received, Failed>) -> (Advice, bool) {
        let Some(verdict) = attempt.verdict(event) else { return (Advice::Keep, false) };
        if Settled::is(reply) {
            return (Advice::Stop, false);
        }
        let advice = self.extras.advise.as_ref().map_or(Advice::Keep, |policy| {
            let (method, url) = self.sender.request();
            let now = self.timer.now();
            policy.advise(&Seen {
                method,
                url,
                attempt: attempt.number(),
                elapsed: attempt.elapsed(now),
                remaining: attempt.remaining(now),
                verdict,
                event,
                reply: reply.as_ref(),
            })
        });
        let advice = match (advice, reply) {
            (Advice::Keep, Ok(received)) => self.extras.server_advice(received),
            (advice, _) => advice,
        };
        let again = match advice {
            Advice::Keep => verdict == Verdict::Retry || self.sender.untried().is_some(),
            Advice::Retry | Advice::RetryAfter(_) => true,
            Advice::Stop => false,
        };
        (advice, again)
    }

    /// What the server's Retry-After asks for.
    fn hint(&self, received: &Received) -> Option<Duration> {
        let lines = |name: HeaderName| {
            let values = received.head().header(name);
            values.into_iter().flat_map(|values| values.iter().map(|value| value.as_str().as_bytes()))
        };
        let headers = received.head();
        headers.header(RETRY_AFTER)?;
        let reference = retry_after::reference(lines(DATE), headers.header(AGE).is_some(), || self.timer.wall());
        retry_after::hint(lines(RETRY_AFTER), reference)
    }
}

impl<S: Sender, T: Timer> Io for CallIo<'_, S, T> {
    type Reply = Result<Received, Failed>;

    fn send(&mut self, this: Try) -> impl Future<Output = Self::Reply> {
        let span = {
            let (method, url) = self.sender.request();
            self.spans.send(this, (method.as_ref(), url))
        };
        let work = async move {
            {
                let mut come = self.progress.lock();
                // Not the send's number, which counts those that the client refused to begin.
                come.begun = come.begun.saturating_add(1);
                if let Some(recorder) = &come.recorder {
                    recorder.send(this);
                }
                come.started.get_or_insert(this.sent_at);
            }
            let is_watched = this.deadline.is_some() || self.cancels;
            let response = self.sender.send(this, is_watched, self.timer).await?;
            check(&response)?;
            let retried = self.retries(response.status().into());
            let limit = match self.read {
                Read::Answer(limit) if !retried || this.ends_on_response => limit,
                Read::Every(limit) => limit,
                Read::Head | Read::Answer(_) => return Ok(Received::Unread(response)),
            };
            let (method, _) = self.sender.request();
            // In a box, because most calls have no use for its room.
            let read = Box::pin(read(*response, method, limit, retried, is_watched));
            read.await.map(|fetched| Received::Read(Box::new(fetched)))
        };
        span.around(work)
    }

    fn outcome(&mut self, attempt: &Attempt<&Policy>, reply: &Self::Reply) -> Outcome {
        let event = match reply {
            Ok(received) => Event::Status(received.status().into()),
            Err(failed) => Event::Failure(failed.fault.failure()),
        };
        self.spans.judged(event, reply);
        let (advice, again) = self.advice(attempt, event, reply);
        let hint = match reply {
            Ok(received) if again => self.extras.server_wait(received.headers()).or_else(|| self.hint(received)),
            Ok(_) | Err(_) => None,
        };
        let outcome = Outcome { event, hint, advice, untried: self.sender.untried() };
        let mut come = self.progress.lock();
        if let Err(Failed { fault: Fault::Invalid(_), .. }) = reply {
            // The client began nothing.
            come.begun = come.begun.saturating_sub(1);
        } else if again || reply.is_err() || self.report || attempt.number() > 1 {
            come.record.get_or_insert_default().reply(attempt, event, self.timer.now(), self.sender.proxy());
        }
        if let Some(recorder) = &come.recorder {
            recorder.outcome(&outcome, self.sender.proxy());
        }
        outcome
    }

    fn timed_out(&mut self, this: Try) -> Self::Reply {
        Err(Fault::TimedOut(TimedOut { is_total: this.is_total, is_unsent: self.sender.is_unsent() }).into())
    }

    fn retrying(&mut self, this: Try, outcome: &Outcome, pause: &Pause<&Policy>) {
        let mut come = self.progress.lock();
        if let Some(record) = &mut come.record {
            record.pause(pause);
        }
        if let Some(recorder) = &come.recorder {
            recorder.wait(pause);
        }
        drop(come);
        self.spans.waiting(this, outcome.event, pause, || self.budget.level());
        if let Some(hook) = &self.extras.on_retry {
            let (method, url) = self.sender.request();
            let (wait, source) = (pause.duration(), pause.source());
            let budget = self.budget.level();
            hook(&Retrying { method, url, attempt: this.number, event: outcome.event, wait, source, budget });
        }
    }

    async fn discard(&mut self, reply: Self::Reply) {
        let (last, unread) = match reply {
            Ok(Received::Unread(response)) => (response.status().into(), Some(response)),
            Ok(Received::Read(fetched)) => (fetched.status().into(), None),
            Err(failed) => (failed, None),
        };
        self.progress.lock().last = Some(last);
        if let Some(response) = unread {
            // In a box, because few calls come here and all would have to have room for it.
            Box::pin(drain(*response, self.sender.request().0)).await;
        }
    }
}
