//! Carries a call out.

use core::error::Error as StdError;
use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;

use http::Method;
use reqwest::{RequestBuilder, Response};
use retry_core::trace::{Recorder, Trace};
use retry_core::{End, Event, Finished, Instant, NonIdempotent, Reason, Replay, Timer, Try, drive, within};

use crate::call::{Call, Settings};
use crate::error::Error;
use crate::fault::{Fault, TimedOut};
use crate::fetched::Fetched;
use crate::io::{CallIo, Frame, Read};
use crate::key::{self, IdempotencyKey};
use crate::proxies::Clients;
use crate::reply::{Failed, Received};
use crate::report::Report;
use crate::retry::{Extras, Retry};
use crate::rng::CallRng;
use crate::sender::{ClientSender, Closure, Route, Sender};
use crate::settled::Settled;
use crate::spans::Spans;
use crate::target::Target;
use crate::vendor;

impl<T: Timer, C: Future> Call<RequestBuilder, T, C> {
    /// Sends the request until it is answered, and hands the response over when its head is there.
    ///
    /// The limits hold until then; the body, read by the caller, is not cut by us.
    ///
    /// # Errors
    ///
    /// [`Error`] says why the call stopped, and keeps the last failure or response. Note that with the default policy a
    /// GET that is answered 503 to the end is an error, while a POST that is answered 503 is `Ok`: it may not be
    /// repeated, so its reply is handed over as it is.
    pub fn send(self) -> impl Future<Output = Result<Response, Error>> {
        self.go(Read::Head)
    }

    /// Like [`send`](Self::send), with a [`Report`] of what the call took. An [`Error`] has one, too.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_with_report(self) -> impl Future<Output = Result<(Response, Report), Error>> {
        self.go(Read::Head)
    }

    /// Sends the request until it is answered and the whole body is there, so that a body that breaks off is retried.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and with [`ErrorKind::ResponseRead`](retry_core::ErrorKind::ResponseRead) for a body above [`max_body`](Self::max_body),
    /// which is not retried.
    pub fn fetch(self) -> impl Future<Output = Result<Fetched, Error>> {
        let read = self.read();
        self.go(read)
    }

    /// Like [`fetch`](Self::fetch), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`fetch`](Self::fetch).
    pub fn fetch_with_report(self) -> impl Future<Output = Result<(Fetched, Report), Error>> {
        let read = self.read();
        self.go(read)
    }

    /// How much `fetch` reads: all bodies where a custom policy may want to see them, or the server may say that any of
    /// them is the answer, or the last response is to be handed over whatever it is.
    fn read(&self) -> Read {
        let every = |extras: &Extras| extras.advise.is_some() || extras.vendor_headers || extras.return_last_response;
        if self.retry.extras.as_deref().is_some_and(every) { Read::Every } else { Read::Answer }
    }

    fn go<A: Answer>(self, read: Read) -> impl Future<Output = Result<A, Error>> {
        let Self { request, retry, cancel, settings } = self;
        let ready =
            sender(request, &retry, &settings).and_then(|sender| Ready::new(sender, retry, settings, read, A::REPORT));
        carry_out(ready, cancel)
    }
}

/// reqwest's request taken apart, with the header that an idempotency key asks for.
fn sender<T>(request: RequestBuilder, retry: &Retry<T>, settings: &Settings) -> Result<ClientSender, Error> {
    let (client, request) = request.build_split();
    let mut request = request.map_err(|error| Error::invalid(Fault::unbuilt(error), None))?;
    if let Some(value) = settings.get(|own| own.key.as_ref().map(IdempotencyKey::header)) {
        match value {
            Ok(value) => _ = request.headers_mut().entry(key::HEADER).or_insert(value),
            Err(error) => return Err(Error::invalid(Fault::Key(error), Some(Target::of(&request)))),
        }
    }
    let lane = settings.get(|own| own.clients.as_ref().map(Clients::lane));
    let route = lane.map_or(Route::Client(client), Route::Pool);
    let count = retry.extras.as_deref().and_then(|extras| extras.retry_count.clone());
    if let Err(error) = count.as_deref().map_or(Ok(()), vendor::check_count) {
        return Err(Error::invalid(Fault::RetryCount(error), Some(Target::of(&request))));
    }
    Ok(ClientSender::new(route, request, settings.get(|own| own.buffer_body), count))
}

impl<T: Timer, C: Future> Call<(), T, C> {
    /// Lets `send` make each send, and sends again as the policy says.
    ///
    /// Nothing is copied: what is to be the same at every send, and what is to differ (a refreshed token), is the
    /// closure's. `method` decides whether the request may go out again; `url` is for reports and custom policies.
    ///
    /// An error of the closure that is a [`reqwest::Error`], or has one among its sources, is judged as that; an
    /// [`Error`] of this crate is passed on as it is, since an inner layer has done its work; another one ends the
    /// call.
    ///
    /// ```
    /// use http::Method;
    /// use retry_core::{Policy, Try};
    /// use runtime_tokio::Retry;
    ///
    /// # async fn example(client: reqwest::Client, order: &str) -> Result<(), runtime_tokio::Error> {
    /// let retry = Retry::new(Policy::API);
    /// let url = "http://localhost/orders/7";
    /// let response = retry
    ///     .call()
    ///     .max_retries(5)
    ///     .run(Method::PUT, url, |this: Try| client.put(url).header("x-attempt", this.number).body(order.to_owned()).send())
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`send`](Call::send).
    pub fn run<U, F, O, E>(self, method: Method, url: U, send: F) -> impl Future<Output = Result<Response, Error>>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        self.go(Closure { method, url, send })
    }

    /// Like [`run`](Self::run), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_with_report<U, F, O, E>(
        self,
        method: Method,
        url: U,
        send: F,
    ) -> impl Future<Output = Result<(Response, Report), Error>>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        self.go(Closure { method, url, send })
    }

    fn go<S: Sender, A: Answer>(self, sender: S) -> impl Future<Output = Result<A, Error>> {
        let Self { retry, cancel, settings, .. } = self;
        carry_out(Ready::new(sender, retry, settings, Read::Head, A::REPORT), cancel)
    }
}

impl<T: Timer + Clone> Retry<T> {
    /// [`Call::run`] without settings of its own.
    ///
    /// # Errors
    ///
    /// As [`Call::send`].
    pub fn run<U, F, O, E>(
        &self,
        method: Method,
        url: U,
        send: F,
    ) -> impl Future<Output = Result<Response, Error>> + use<T, U, F, O, E>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        self.call().run(method, url, send)
    }
}

/// What a call gives.
trait Answer {
    /// Whether it has a report in it.
    const REPORT: bool;

    fn new(received: Received, report: impl FnOnce() -> Report) -> Self;
}

impl Answer for Response {
    const REPORT: bool = false;

    fn new(received: Received, _: impl FnOnce() -> Report) -> Self {
        received.into_response()
    }
}

impl Answer for Fetched {
    const REPORT: bool = false;

    fn new(received: Received, _: impl FnOnce() -> Report) -> Self {
        received.into_fetched()
    }
}

impl Answer for (Response, Report) {
    const REPORT: bool = true;

    fn new(received: Received, report: impl FnOnce() -> Report) -> Self {
        (received.into_response(), report())
    }
}

impl Answer for (Fetched, Report) {
    const REPORT: bool = true;

    fn new(received: Received, report: impl FnOnce() -> Report) -> Self {
        (received.into_fetched(), report())
    }
}

/// A call that is ready to go. Its future keeps one of it and nothing twice: all that comes after borrows.
struct Ready<S, T> {
    sender: S,
    frame: Frame<T>,
    rng: CallRng,
}

impl<S: Sender, T: Timer> Ready<S, T> {
    fn new(sender: S, retry: Retry<T>, mut settings: Settings, read: Read, report: bool) -> Result<Self, Error> {
        if let Some(error) = settings.get(|own| own.wrong) {
            return Err(Error::invalid(Fault::Policy(error), target(&sender)));
        }
        let rng = CallRng::new(retry.begin());
        let Retry { policy, timer, extras, .. } = retry;
        if extras.as_ref().is_some_and(|extras| extras.trace) {
            // The room for a recorder.
            settings.own();
        }
        // A whole policy of this call's own knows nothing of the pool.
        let policy = settings.get(|own| Some(own.clients.as_ref()?.statuses(policy))).unwrap_or(policy);
        let (own, has_key) = (settings.get(|own| own.consent), settings.get(|own| own.key.as_ref()).is_some());
        let consent = NonIdempotent::resolve(policy.non_idempotent(), own, has_key);
        let replay = Replay::new(sender.request().0.as_str(), sender.is_replayable(), consent);
        Ok(Self { sender, frame: Frame { policy, timer, extras, settings, replay, read, report }, rng })
    }
}

/// The call from its start to its end, unless it is dropped.
// Not an `async fn`: that would keep its arguments a second time.
fn carry_out<S: Sender, T: Timer, C: Future, A: Answer>(
    ready: Result<Ready<S, T>, Error>,
    cancel: C,
) -> impl Future<Output = Result<A, Error>> {
    let mut ready = ready;
    async move {
        let Ready { sender, frame, rng } = match ready {
            Ok(ref mut ready) => ready,
            Err(error) => {
                Spans::open(error.request()).ended(&error.report().end, Some(error.kind()));
                return Err(error);
            }
        };
        let mut io = CallIo::new(sender, frame);
        let mut cancel = pin!(cancel);
        let mut deadline = frame.settings.get(|own| own.deadline);
        if io.sender.needs_preparation() {
            let span = io.spans.call();
            let prepared = or_cancel(cancel.as_mut(), Box::pin(span.around(prepare(&mut io, frame))).as_mut()).await;
            match prepared {
                Some(Ok(rest)) => deadline = rest,
                Some(Err(ended)) => return io.result(Some(Err(ended.0)), ended.1),
                None => return io.canceled(),
            }
        }
        let Frame { policy, timer, replay, .. } = io.frame;
        let mut budget = io.budget.clone();
        if io.frame.is_traced() {
            let recorder = Recorder::new(*policy, *replay, deadline, rng.seed(), timer.now());
            budget = budget.recorded(&recorder);
            _ = io.frame.settings.get(|own| own.recorder.set(recorder).ok());
        }
        let span = io.spans.call();
        let finished =
            or_cancel(cancel, pin!(span.around(drive(policy, *replay, deadline, timer, &mut budget, rng, &mut io))))
                .await;
        match finished {
            Some(Finished::Done(reply, end)) => io.result(Some(reply), end),
            Some(Finished::GiveUp(reply, end)) => io.result(reply, end),
            None => io.canceled(),
        }
    }
}

/// What `work` gives, unless `cancel` completes first. What is ready at the same moment counts in this order: cancel,
/// reply, limit.
fn or_cancel<C: Future, W: Future>(
    mut cancel: Pin<&mut C>,
    mut work: Pin<&mut W>,
) -> impl Future<Output = Option<W::Output>> {
    poll_fn(move |cx| match cancel.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(None),
        Poll::Pending => work.as_mut().poll(cx).map(Some),
    })
}

/// Does what has to be done before the first send, and gives the call's deadline: its limit counts from here.
async fn prepare<S: Sender, T: Timer>(
    io: &mut CallIo<'_, S, T>,
    frame: &Frame<T>,
) -> Result<Option<Instant>, Box<(Failed, End)>> {
    let Frame { policy, timer, .. } = frame;
    let started = *io.started.insert(timer.now());
    let own = policy.total_timeout().map(|limit| started.saturating_add(limit));
    let deadline = own.into_iter().chain(frame.settings.get(|own| own.deadline)).min();
    let (fault, reason) = match within(timer, started, deadline, pin!(io.sender.prepare())).await {
        Some(Ok(())) => (None, Reason::Answer),
        Some(Err(fault)) => (Some(fault), Reason::NotRetryable),
        None => (Some(Fault::TimedOut(TimedOut { is_total: true })), Reason::TotalTimeout),
    };
    io.prepared = timer.now().saturating_since(started);
    match fault {
        None => Ok(deadline),
        Some(fault) => {
            let event = Some(Event::Failure(fault.failure()));
            Err(Box::new((fault.into(), End { event, ..io.end(reason) })))
        }
    }
}

impl<S: Sender, T: Timer> CallIo<'_, S, T> {
    /// An end that the machine was not asked about.
    fn end(&self, reason: Reason) -> End {
        let elapsed = self.started.map_or(Duration::ZERO, |started| self.frame.timer.now().saturating_since(started));
        End { attempts: self.begun, elapsed, reason, event: None, asked: None }
    }

    fn report(&mut self, end: End, trace: Option<Box<Trace>>) -> Report {
        let Frame { policy, replay, .. } = self.frame;
        let report = Report::new(end, replay.single_send(policy.max_retries()), self.record.take());
        let report = report.with_trace(trace);
        report.with_proxies(self.sender.proxies())
    }

    fn canceled<A: Answer>(self) -> Result<A, Error> {
        let end = self.end(Reason::Canceled);
        self.result(None, end)
    }

    /// What the caller gets.
    fn result<A: Answer>(mut self, reply: Option<Result<Received, Failed>>, mut end: End) -> Result<A, Error> {
        let trace = self.frame.recorder().map(|recorder| Box::new(recorder.end(end)));
        // A send that the client refused to begin is none.
        end.attempts = self.begun;
        let result = self.answer(reply, end, trace);
        self.spans.ended(&end, result.as_ref().err().map(Error::kind));
        result
    }

    fn answer<A: Answer>(
        &mut self,
        reply: Option<Result<Received, Failed>>,
        mut end: End,
        trace: Option<Box<Trace>>,
    ) -> Result<A, Error> {
        if end.attempts > 0 && end.reason != Reason::Canceled {
            end.elapsed += self.prepared;
        }
        let (failed, received) = match reply {
            Some(Ok(mut received)) => {
                if end.attempts > 1 || end.reason != Reason::Answer {
                    Settled::mark(received.head_mut());
                }
                let return_last = self.frame.extras.as_ref().is_some_and(|extras| extras.return_last_response);
                if end.kind().is_none() || return_last {
                    return Ok(A::new(received, || self.report(end, trace)));
                }
                (Some(received.status().into()), Some(received))
            }
            Some(Err(Failed { fault: Fault::Nested(error), .. })) => return Err(error),
            Some(Err(failed)) => (Some(failed), None),
            None => (self.last.take().map(|last| *last), None),
        };
        Err(Error::new(self.report(end, trace), target(self.sender), failed, received))
    }
}

fn target(sender: &impl Sender) -> Option<Target> {
    let (method, url) = sender.request();
    Some(Target::new(method, url))
}
