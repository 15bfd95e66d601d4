//! Carries a call out.

use core::error::Error as StdError;
use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;

use futures_util::TryFutureExt;
use http::Method;
use reqwest::{RequestBuilder, Response};
use retry_core::{End, Event, Finished, NonIdempotent, Reason, Replay, Timer, Try, drive, within};

use crate::call::{Call, Settings};
use crate::error::Error;
use crate::fault::{Fault, TimedOut};
use crate::fetched::Fetched;
use crate::io::{CallIo, Frame, Read};
use crate::key;
use crate::reply::{Failed, Received};
use crate::report::Report;
use crate::retry::Retry;
use crate::rng::CallRng;
use crate::sender::{ClientSender, Closure, Route, Sender};
use crate::settled::Settled;
use crate::target::Target;

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
        self.go(Read::Head, false).map_ok(|(received, _)| received.into_response())
    }

    /// Like [`send`](Self::send), with a [`Report`] of what the call took. An [`Error`] has one, too.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_with_report(self) -> impl Future<Output = Result<(Response, Report), Error>> {
        self.go(Read::Head, true).map_ok(|(received, report)| (received.into_response(), report))
    }

    /// Sends the request until it is answered and the whole body is there, so that a body that breaks off is retried.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and with [`ErrorKind::ResponseRead`](retry_core::ErrorKind::ResponseRead) for a body above [`max_body`](Self::max_body),
    /// which is not retried.
    pub fn fetch(self) -> impl Future<Output = Result<Fetched, Error>> {
        let read = self.settings.read();
        self.go(read, false).map_ok(|(received, _)| received.into_fetched())
    }

    /// Like [`fetch`](Self::fetch), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`fetch`](Self::fetch).
    pub fn fetch_with_report(self) -> impl Future<Output = Result<(Fetched, Report), Error>> {
        let read = self.settings.read();
        self.go(read, true).map_ok(|(received, report)| (received.into_fetched(), report))
    }

    fn go(self, read: Read, report: bool) -> impl Future<Output = Result<(Received, Report), Error>> {
        let Self { request, retry, cancel, settings } = self;
        carry_out(
            sender(request, &settings).and_then(|sender| Ready::new(sender, retry, settings, read, report)),
            cancel,
        )
    }
}

/// reqwest's request taken apart, with the header that an idempotency key asks for.
fn sender(request: RequestBuilder, settings: &Settings) -> Result<ClientSender, Error> {
    let (client, request) = request.build_split();
    let mut request = request.map_err(|error| Error::invalid(Fault::unbuilt(error), None))?;
    if let Some(key) = &settings.key {
        match key.header() {
            Ok(value) => _ = request.headers_mut().entry(key::HEADER).or_insert(value),
            Err(error) => return Err(Error::invalid(Fault::Key(error), Some(Target::of(&request)))),
        }
    }
    let route = settings.clients.as_ref().map_or(Route::Client(client), |clients| Route::Pool(clients.lane()));
    Ok(ClientSender::new(route, request, settings))
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
        self.go(Closure { method, url, send }, false).map_ok(|(received, _)| received.into_response())
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
        self.go(Closure { method, url, send }, true).map_ok(|(received, report)| (received.into_response(), report))
    }

    fn go<S: Sender>(self, sender: S, report: bool) -> impl Future<Output = Result<(Received, Report), Error>> {
        let Self { retry, cancel, settings, .. } = self;
        carry_out(Ready::new(sender, retry, settings, Read::Head, report), cancel)
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

impl Settings {
    /// How much `fetch` reads: all bodies where a custom policy may want to see them, or the server may say that any of
    /// them is the answer, or the last response is to be handed over whatever it is.
    fn read(&self) -> Read {
        if self.extras.advise.is_some() || self.extras.vendor_headers || self.extras.return_last_response {
            Read::Every(self.max_body)
        } else {
            Read::Answer(self.max_body)
        }
    }
}

/// A call that is ready to go. Its future keeps one of it and nothing twice: all that comes after borrows.
struct Ready<S, T> {
    sender: S,
    frame: Frame<T>,
    rng: CallRng,
}

impl<S: Sender, T: Timer> Ready<S, T> {
    fn new(sender: S, retry: Retry<T>, settings: Settings, read: Read, report: bool) -> Result<Self, Error> {
        let policy = match settings.policy {
            // A whole policy of this call's own knows nothing of the pool.
            Ok(policy) => settings.clients.as_ref().map_or(policy, |clients| clients.statuses(policy)),
            Err(error) => return Err(Error::invalid(Fault::Policy(error), target(&sender))),
        };
        let consent = NonIdempotent::resolve(policy.non_idempotent(), settings.consent, settings.key.is_some());
        let replay = Replay::new(sender.request().0.as_str(), sender.is_replayable(), consent);
        let rng = CallRng::new(retry.begin());
        let (timer, extras, deadline) = (retry.timer, settings.extras, settings.deadline);
        Ok(Self { sender, frame: Frame { policy, timer, extras, replay, deadline, read, report }, rng })
    }

    async fn run<C: Future>(&mut self, mut cancel: Pin<&mut C>) -> Result<(Received, Report), Error> {
        let Self { sender, frame, rng } = self;
        let mut io = CallIo::new(sender, frame);
        let finished = {
            let mut work = pin!(call(&mut io, frame, rng));
            // What is ready at the same moment counts in this order: cancel, reply, limit.
            poll_fn(|cx| match cancel.as_mut().poll(cx) {
                Poll::Ready(_) => Poll::Ready(None),
                Poll::Pending => work.as_mut().poll(cx).map(Some),
            })
            .await
        };
        let (reply, end) = match finished {
            Some(Finished::Done(reply, end)) => (Some(reply), end),
            Some(Finished::GiveUp(reply, end)) => (reply, end),
            None => (None, io.end(Reason::Canceled)),
        };
        io.result(reply, end)
    }
}

/// Not an `async fn`: that would keep its arguments a second time.
fn carry_out<S: Sender, T: Timer, C: Future>(
    ready: Result<Ready<S, T>, Error>,
    cancel: C,
) -> impl Future<Output = Result<(Received, Report), Error>> {
    let mut ready = ready;
    async move {
        match ready {
            Ok(ref mut ready) => ready.run(pin!(cancel)).await,
            Err(error) => Err(error),
        }
    }
}

/// The call from its start to its end, unless it is dropped.
async fn call<S: Sender, T: Timer>(
    io: &mut CallIo<'_, S, T>,
    frame: &Frame<T>,
    rng: &mut CallRng,
) -> Finished<Result<Received, Failed>> {
    let Frame { policy, timer, replay, .. } = frame;
    let mut deadline = frame.deadline;
    if io.sender.needs_preparation() {
        // The limit of the call counts from here, not from the first send.
        let started = *io.started.insert(timer.now());
        let own = policy.total_timeout().map(|limit| started.saturating_add(limit));
        deadline = own.into_iter().chain(deadline).min();
        let (fault, reason) = match within(timer, started, deadline, pin!(io.sender.prepare())).await {
            Some(Ok(())) => (None, Reason::Answer),
            Some(Err(fault)) => (Some(fault), Reason::NotRetryable),
            None => (Some(Fault::TimedOut(TimedOut { is_total: true })), Reason::TotalTimeout),
        };
        io.prepared = timer.now().saturating_since(started);
        if let Some(fault) = fault {
            let event = Some(Event::Failure(fault.failure()));
            return Finished::GiveUp(Some(Err(fault.into())), End { event, ..io.end(reason) });
        }
    }
    let mut budget = io.budget.clone();
    drive(policy, *replay, deadline, timer, &mut budget, rng, io).await
}

impl<S: Sender, T: Timer> CallIo<'_, S, T> {
    /// An end that the machine was not asked about.
    fn end(&self, reason: Reason) -> End {
        let elapsed = self.started.map_or(Duration::ZERO, |started| self.frame.timer.now().saturating_since(started));
        End { attempts: self.begun, elapsed, reason, event: None, asked: None }
    }

    /// What the caller gets.
    fn result(mut self, reply: Option<Result<Received, Failed>>, mut end: End) -> Result<(Received, Report), Error> {
        let Frame { policy, replay, extras, .. } = self.frame;
        // A send that the client refused to begin is none.
        end.attempts = self.begun;
        if end.attempts > 0 && end.reason != Reason::Canceled {
            end.elapsed += self.prepared;
        }
        let report = Report::new(end, replay.single_send(policy.max_retries()), self.record.take());
        let report = report.with_proxies(self.sender.proxies());
        let (failed, mut received) = match reply {
            Some(Ok(received)) => (Some(Failed::from(received.status())), Some(received)),
            Some(Err(Failed { fault: Fault::Nested(error), .. })) => return Err(error),
            Some(Err(failed)) => (Some(failed), None),
            None => (self.last.take(), None),
        };
        if let Some(received) = &mut received
            && (end.attempts > 1 || end.reason != Reason::Answer)
        {
            Settled::mark(received.head_mut());
        }
        match received {
            Some(received) if end.kind().is_none() || extras.return_last_response => Ok((received, report)),
            received => Err(Error::new(report, target(self.sender), failed, received)),
        }
    }
}

fn target(sender: &impl Sender) -> Option<Target> {
    let (method, url) = sender.request();
    Some(Target::new(method, url))
}
