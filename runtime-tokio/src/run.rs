//! Carries a call out, over any client: from its start to what the caller gets.

use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;

use retry_core::trace::Recorder;
use retry_core::{End, Event, Finished, Instant, Reason, Timer, drive, within};

use crate::call::Settings;
use crate::error::Error;
use crate::fault::{Fault, TimedOut};
use crate::io::{CallIo, Frame};
use crate::reply::{Failed, Received};
use crate::report::Report;
use crate::retry::Retry;
use crate::rng::CallRng;
use crate::sender::Sender;
use crate::settled::Settled;
use crate::spans::Spans;
use crate::target::Target;

/// What a call gives, made of a client's response.
pub(crate) trait Answer<R> {
    /// Whether it has a report in it.
    const REPORT: bool;

    /// Whether it is made of any last response, even of one on which the call failed.
    const TRANSPARENT: bool = false;

    fn new(received: R, report: impl FnOnce() -> Report) -> Self;
}

/// A response as the forms give it that stand in a stack of others: as it came, with its [`Report`] among its extensions.
#[cfg(any(feature = "middleware", feature = "tower"))]
pub(crate) struct Passed<R>(pub(crate) R);

#[cfg(any(feature = "middleware", feature = "tower"))]
impl<R: Received> Answer<R> for Passed<R> {
    const REPORT: bool = true;
    const TRANSPARENT: bool = true;

    fn new(mut received: R, report: impl FnOnce() -> Report) -> Self {
        let extensions = received.extensions_mut();
        match extensions.get_mut::<Report>().filter(|inner| Settled::by(&inner.end)) {
            // What a layer inside has worked on is what its own report tells of.
            Some(inner) => inner.end = inner.end_after(&report().end),
            None => _ = extensions.insert(report()),
        }
        Self(received)
    }
}

/// The call from its start to its end, unless it is dropped. Its future keeps one of each argument and nothing twice: all
/// that comes after borrows.
// Not an `async fn`: that would keep its arguments a second time.
#[inline(always)]
pub(crate) fn carry_out<S: Sender, T: Timer, C: Future, A: Answer<S::Received>>(
    sender: Result<S, Error>,
    retry: Retry<T>,
    settings: Settings,
    cancel: C,
) -> impl Future<Output = Result<A, Error>> {
    let (mut sender, mut settings) = (sender, settings);
    if retry.extras.as_ref().is_some_and(|extras| extras.trace) {
        // The room for a recorder.
        settings.own();
    }
    let frame = Frame { retry, settings };
    async move {
        let sender = match sender {
            Ok(ref mut sender) => sender,
            Err(error) => return Err(refused(error)),
        };
        let wrong = frame.settings.get(|own| own.wrong).map(Fault::Policy);
        if let Some(fault) = wrong.or_else(|| sender.admit(&frame).err()) {
            return Err(refused(Error::invalid(fault, target(sender))));
        }
        // A call that is refused takes no number.
        let mut rng = CallRng::new(frame.retry.begin());
        let replay = frame.replay(sender);
        let mut io = CallIo::new(sender, &frame, replay, A::REPORT);
        let mut cancel = pin!(cancel);
        let mut deadline = frame.settings.get(|own| own.deadline);
        if io.sender.needs_preparation() {
            let span = io.spans.call();
            let canceled = || Err(Box::new((None, CANCELED)));
            let prepared = or_cancel(cancel.as_mut(), Box::pin(span.around(prepare(&mut io))).as_mut(), canceled).await;
            match prepared {
                Ok(rest) => deadline = rest,
                Err(ended) => return io.result(ended.0.map(Err), ended.1),
            }
        }
        let Frame { retry: Retry { policy, timer, .. }, .. } = io.frame;
        let mut budget = io.budget.clone();
        if io.frame.is_traced() {
            let recorder = Recorder::new(*policy, replay, deadline, rng.seed(), timer.now());
            budget = budget.recorded(&recorder);
            _ = io.frame.settings.get(|own| own.recorder.set(recorder).ok());
        }
        let span = io.spans.call();
        let finished = or_cancel(
            cancel,
            pin!(span.around(drive(policy, replay, deadline, timer, &mut budget, &mut rng, &mut io))),
            || Finished::GiveUp(None, CANCELED),
        )
        .await;
        match finished {
            Finished::Done(Ok(received), end) if !Settled::by(&end) => Ok(io.answer(received, end)),
            Finished::Done(reply, end) => io.result(Some(reply), end),
            Finished::GiveUp(reply, end) => io.result(reply, end),
        }
    }
}

/// Tells of a call that ends before it begins.
fn refused(error: Error) -> Error {
    Spans::open(|| error.request()).ended(&error.report().end, Some(error.kind()));
    error
}

/// What `work` gives, unless `cancel` completes first: then what `canceled` does. What is ready at the same moment counts in
/// this order: cancel, reply, limit.
fn or_cancel<C: Future, W: Future>(
    mut cancel: Pin<&mut C>,
    mut work: Pin<&mut W>,
    canceled: impl Fn() -> W::Output,
) -> impl Future<Output = W::Output> {
    poll_fn(move |cx| match cancel.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(canceled()),
        Poll::Pending => work.as_mut().poll(cx),
    })
}

/// The end of a call that was given up, as far as it is known without the call.
const CANCELED: End = End { attempts: 0, elapsed: Duration::ZERO, reason: Reason::Canceled, event: None, asked: None };

/// Does what has to be done before the first send, and gives the call's deadline: its limit counts from here.
async fn prepare<S: Sender, T: Timer>(
    io: &mut CallIo<'_, S, T>,
) -> Result<Option<Instant>, Box<(Option<Failed>, End)>> {
    let frame = io.frame;
    let Frame { retry: Retry { policy, timer, .. }, .. } = frame;
    let started = *io.started.insert(timer.now());
    let own = policy.total_timeout().map(|limit| started.saturating_add(limit));
    let deadline = own.into_iter().chain(frame.settings.get(|own| own.deadline)).min();
    let (fault, reason) = match within(timer, started, deadline, pin!(io.sender.prepare())).await {
        Some(Ok(())) => (None, Reason::Answer),
        Some(Err(fault)) => (Some(fault), Reason::NotRetryable),
        None => (Some(Fault::TimedOut(TimedOut { is_total: true })), Reason::TotalTimeout),
    };
    match fault {
        None => {
            io.ready = timer.now();
            Ok(deadline)
        }
        Some(fault) => {
            let event = Some(Event::Failure(fault.failure()));
            Err(Box::new((Some(fault.into()), End { event, ..io.end(reason) })))
        }
    }
}

impl<S: Sender, T: Timer> CallIo<'_, S, T> {
    /// An end that the machine was not asked about.
    fn end(&self, reason: Reason) -> End {
        let elapsed =
            self.started.map_or(Duration::ZERO, |started| self.frame.retry.timer.now().saturating_since(started));
        End { attempts: self.begun, elapsed, reason, event: None, asked: None }
    }

    /// `told` is the end in the machine's own words, for the trace.
    fn report(&mut self, end: End, told: End) -> Report {
        let trace = self.frame.recorder().map(|recorder| Box::new(recorder.end(told)));
        let single_send = self.replay.single_send(self.frame.retry.policy.max_retries());
        let report = Report::new(end, single_send, self.record.take());
        let report = report.with_trace(trace);
        report.with_proxies(self.sender.proxies())
    }

    /// The end as the caller is told it.
    #[inline]
    fn told(&self, end: End) -> End {
        let is_known_here = end.reason == Reason::Canceled;
        let elapsed = if is_known_here { end.elapsed } else { end.elapsed + self.prepared() };
        // A send that the client refused to begin is none.
        End { attempts: self.begun, elapsed, ..end }
    }

    /// What the caller gets of a response that is handed over.
    #[inline]
    fn answer<A: Answer<S::Received>>(&mut self, received: S::Received, end: End) -> A {
        let told = self.told(end);
        self.spans.ended(&told, told.kind());
        A::new(received, || self.report(told, end))
    }

    /// What the caller gets of any other end.
    #[cold]
    fn result<A: Answer<S::Received>>(
        &mut self,
        reply: Option<Result<S::Received, Failed>>,
        end: End,
    ) -> Result<A, Error> {
        let end = if end.reason == Reason::Canceled { self.end(end.reason) } else { end };
        let told = self.told(end);
        let (failed, received) = match reply {
            Some(Ok(mut received)) => {
                if Settled::by(&told) {
                    Settled::mark(received.extensions_mut());
                }
                if told.kind().is_none() || A::TRANSPARENT || self.frame.returns_last_response() {
                    return Ok(self.answer(received, end));
                }
                (Some(received.status().into()), Some(received))
            }
            Some(Err(Failed { fault: Fault::Nested(error), .. })) => {
                self.spans.ended(&told, Some(error.kind()));
                return Err(error.after(&told));
            }
            Some(Err(failed)) => (Some(failed), None),
            None => (self.last.take().map(|last| *last).or(self.last_status.map(Failed::from)), None),
        };
        let error = Error::new(self.report(told, end), target(self.sender), failed);
        self.spans.ended(&told, Some(error.kind()));
        Err(match received {
            Some(received) => received.into_error(error),
            None => error,
        })
    }
}

fn target(sender: &impl Sender) -> Option<Target> {
    let (method, url) = sender.request();
    Some(Target::new(method, url))
}
