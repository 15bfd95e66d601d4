//! One run of the core's loop, whoever asked for it.

use core::pin::pin;
use core::time::Duration;

use retry_core::trace::{Recorded, Recorder};
use retry_core::{End, ErrorKind, Event, Finished, Instant, NonIdempotent, Reason, Replay, Timer, Why, drive, within};

use surf::http::Method;

use crate::call::Settings;
use crate::error::Error;
use crate::fault::{Fault, TimedOut};
use crate::io::{CallIo, Progress, Read};
use crate::reply::{Failed, Received};
use crate::report::Report;
use crate::rng::{CallRng, random};
use crate::sender::Sender;
use crate::settled::Settled;
use crate::spans::Spans;

/// What a run needs beside the one who sends.
pub(crate) struct Run<'a, T> {
    pub(crate) timer: &'a T,
    pub(crate) settings: &'a Settings,
    pub(crate) read: Read,
    pub(crate) report: bool,
    pub(crate) progress: &'a Progress,
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) reply: Option<Result<Received, Failed>>,
    pub(crate) end: End,
    pub(crate) single_send: Option<Why>,
}

impl<T: Timer> Run<'_, T> {
    /// Sends until there is an answer, or none is to be had.
    pub(crate) async fn carry_out<S: Sender>(&self, sender: &mut S, replayable: bool) -> Ended {
        let Self { timer, settings, progress, .. } = *self;
        let of_pool;
        let policy = match (&settings.policy, &settings.clients) {
            (Ok(policy), None) => policy,
            (Ok(policy), Some(clients)) => {
                // A whole policy of this call's own knows nothing of the pool.
                of_pool = Box::new(clients.statuses(*policy));
                &of_pool
            }
            (Err(error), _) => return Ended::invalid(Fault::Policy(Box::new(*error)), Some(sender.request())),
        };
        let spans = {
            let (method, url) = sender.request();
            Spans::open(Some((method.as_ref(), url)))
        };
        let consent = NonIdempotent::resolve(policy.non_idempotent(), settings.consent, settings.key.is_some());
        let replay = Replay::new(sender.request().0.as_ref(), replayable, consent);
        let single_send = replay.single_send(policy.max_retries());
        // The limit of a call holds over all its runs, and over what comes before the first send.
        let prepares = single_send.is_none() && sender.needs_preparation();
        let (seed, started) = {
            let mut come = progress.lock();
            come.begin();
            if prepares {
                come.started.get_or_insert_with(|| timer.now());
            }
            (come.seed, come.started)
        };
        let own = started.zip(policy.total_timeout()).map(|(started, limit)| started.saturating_add(limit));
        let deadline = own.into_iter().chain(settings.deadline).min();

        let extras = &settings.extras;
        let seed = seed.or_else(|| extras.trace.then(random));
        let budget = extras.budgets.as_ref().map(|budgets| budgets.of(sender.request().1)).unwrap_or_default();
        let mut io = CallIo {
            sender,
            timer,
            policy,
            extras,
            cancels: settings.cancels,
            budget: budget.clone(),
            read: self.read,
            report: self.report,
            progress,
            spans,
        };
        if prepares {
            let span = io.spans.call();
            let prepared = span.around(Box::pin(prepare(io.sender, timer, started, deadline))).await;
            if let Err((fault, reason)) = prepared {
                let event = Some(Event::Failure(fault.failure()));
                let end = End { event, ..stopped(reason, timer, started) };
                return self.ended(Some(Err(fault.into())), end, single_send, io.spans);
            }
        }
        let recorder = seed.filter(|_| extras.trace);
        let recorder = recorder.map(|seed| Recorder::new(*policy, replay, deadline, seed, timer.now()));
        if recorder.is_some() {
            progress.lock().recorder.clone_from(&recorder);
        }
        let mut budget = Recorded::new(budget, recorder);
        let mut rng = CallRng::new(seed);
        let span = io.spans.call();
        let finished = span.around(drive(policy, replay, deadline, timer, &mut budget, &mut rng, &mut io)).await;
        let (reply, end) = match finished {
            Finished::Done(reply, end) => (Some(reply), end),
            Finished::GiveUp(reply, end) => (reply, end),
        };
        self.ended(reply, end, single_send, io.spans)
    }

    #[inline]
    fn ended(
        &self,
        mut reply: Option<Result<Received, Failed>>,
        mut end: End,
        single_send: Option<Why>,
        mut spans: Spans,
    ) -> Ended {
        {
            let mut come = self.progress.lock();
            come.traced(end);
            // A send that the client refused to begin is none.
            end.attempts = come.attempts();
        }
        if let Some(Ok(received)) = &mut reply
            && (end.attempts > 1 || end.reason != Reason::Answer)
        {
            Settled::mark(received.head_mut());
        }
        let ended = Ended { reply, end, single_send };
        spans.ended(&end, ended.failure());
        ended
    }
}

async fn prepare<S: Sender, T: Timer>(
    sender: &mut S,
    timer: &T,
    started: Option<Instant>,
    deadline: Option<Instant>,
) -> Result<(), (Fault, Reason)> {
    match within(timer, started.unwrap_or_default(), deadline, pin!(sender.prepare())).await {
        Some(prepared) => prepared.map_err(|fault| (fault, Reason::NotRetryable)),
        None => Err((Fault::TimedOut(TimedOut { is_total: true, is_unsent: true }), Reason::TotalTimeout)),
    }
}

/// The end of a call that begins no send, because nobody could.
pub(crate) fn refused(fault: &Fault, request: Option<(Method, &str)>) -> End {
    let failure = fault.failure();
    let event = Some(Event::Failure(failure));
    let end = End { attempts: 0, elapsed: Duration::ZERO, reason: Reason::NotRetryable, event, asked: None };
    let request = request.as_ref().map(|(method, url)| (method.as_ref(), *url));
    Spans::open(request).ended(&end, Some(failure.kind()));
    end
}

/// An end that the machine was not asked about.
pub(crate) fn stopped<T: Timer>(reason: Reason, timer: &T, started: Option<Instant>) -> End {
    let elapsed = started.map_or(Duration::ZERO, |started| timer.now().saturating_since(started));
    End { attempts: 0, elapsed, reason, event: None, asked: None }
}

impl Ended {
    /// A request that nobody can send: no send was begun.
    pub(crate) fn invalid(fault: Fault, request: Option<(Method, &str)>) -> Self {
        Self { end: refused(&fault, request), reply: Some(Err(fault.into())), single_send: None }
    }

    /// What the call failed with, if it did, also where its last response is handed over in spite of that.
    fn failure(&self) -> Option<ErrorKind> {
        match &self.reply {
            Some(Ok(_)) => self.end.kind(),
            Some(Err(Failed { fault: Fault::Nested(error), .. })) => Some(error.kind()),
            Some(Err(_)) | None => Some(self.end.kind().unwrap_or(ErrorKind::Http)),
        }
    }

    /// What the caller gets: a response, or an error that has lost nothing.
    pub(crate) fn into_result(self, progress: &Progress, last_as_ok: bool) -> Result<(Received, Report), Error> {
        let Self { reply, end, single_send } = self;
        let mut come = progress.lock();
        let report = come.report(end, single_send);
        let (failed, received) = match reply {
            Some(Ok(received)) => (Some(Failed::from(received.status())), Some(received)),
            Some(Err(Failed { fault: Fault::Nested(error), .. })) => return Err(error),
            Some(Err(failed)) => (Some(failed), None),
            None => (come.last.take(), None),
        };
        match received {
            Some(received) if report.end.kind().is_none() || last_as_ok => Ok((received, report)),
            received => Err(Error::new(report, come.target.clone(), failed, received)),
        }
    }
}
