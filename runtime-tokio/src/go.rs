//! Carries a call out.

use core::error::Error as StdError;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;
use core::time::Duration;

use http::Method;
use reqwest::{RequestBuilder, Response};
use retry_core::{End, Event, Finished, Instant, NonIdempotent, Reason, Replay, Timer, Try, drive, within};

use crate::buffer::is_replayable;
use crate::call::{Call, Settings};
use crate::error::{Error, Fault, TimedOut};
use crate::fetched::Fetched;
use crate::io::{CallIo, Read};
use crate::key;
use crate::reply::{Failed, Received};
use crate::report::Report;
use crate::retry::Retry;
use crate::rng::CallRng;
use crate::sender::{ClientSender, Closure, Sender};
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
    pub async fn send(self) -> Result<Response, Error> {
        let (received, _) = self.go(Read::Head, false).await?;
        Ok(received.into_response())
    }

    /// Like [`send`](Self::send), with a [`Report`] of what the call took. An [`Error`] has one, too.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_with_report(self) -> Result<(Response, Report), Error> {
        let (received, report) = self.go(Read::Head, true).await?;
        Ok((received.into_response(), report))
    }

    /// Sends the request until it is answered and the whole body is there, so that a body that breaks off is retried.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and with [`ErrorKind::ResponseRead`](retry_core::ErrorKind::ResponseRead) for a body above [`max_body`](Self::max_body),
    /// which is not retried.
    pub async fn fetch(self) -> Result<Fetched, Error> {
        let read = self.settings.read();
        let (received, _) = self.go(read, false).await?;
        Ok(received.into_fetched())
    }

    /// Like [`fetch`](Self::fetch), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`fetch`](Self::fetch).
    pub async fn fetch_with_report(self) -> Result<(Fetched, Report), Error> {
        let read = self.settings.read();
        let (received, report) = self.go(read, true).await?;
        Ok((received.into_fetched(), report))
    }

    async fn go(self, read: Read, report: bool) -> Result<(Received, Report), Error> {
        let Self { request, retry, cancel, settings } = self;
        let (client, request) = request.build_split();
        let mut request = request.map_err(|error| Error::invalid(Fault::unbuilt(error), None))?;
        if let Some(key) = &settings.key {
            match key.header() {
                Ok(value) => _ = request.headers_mut().entry(key::HEADER).or_insert(value),
                Err(error) => return Err(Error::invalid(Fault::Key(error), Some(Target::of(&request)))),
            }
        }
        let replayable = is_replayable(&request);
        let buffer = settings.buffer_body.filter(|_| !replayable);
        let sender = ClientSender::new(client, request, buffer);
        carry_out(sender, replayable || buffer.is_some(), retry, settings, cancel, read, report).await
    }
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
    pub async fn run<U, F, O, E>(self, method: Method, url: U, send: F) -> Result<Response, Error>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let (received, _) = self.go(Closure { method, url, send }, false).await?;
        Ok(received.into_response())
    }

    /// Like [`run`](Self::run), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub async fn run_with_report<U, F, O, E>(self, method: Method, url: U, send: F) -> Result<(Response, Report), Error>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let (received, report) = self.go(Closure { method, url, send }, true).await?;
        Ok((received.into_response(), report))
    }

    async fn go<S: Sender>(self, sender: S, report: bool) -> Result<(Received, Report), Error> {
        let Self { retry, cancel, settings, .. } = self;
        carry_out(sender, true, retry, settings, cancel, Read::Head, report).await
    }
}

impl<T: Timer + Clone> Retry<T> {
    /// [`Call::run`] without settings of its own.
    ///
    /// # Errors
    ///
    /// As [`Call::send`].
    pub async fn run<U, F, O, E>(&self, method: Method, url: U, send: F) -> Result<Response, Error>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        self.call().run(method, url, send).await
    }
}

impl Settings {
    /// How much `fetch` reads: all bodies where a custom policy may want to see them, or the last response is to be
    /// handed over whatever it is.
    fn read(&self) -> Read {
        if self.extras.advise.is_some() || self.extras.return_last_response {
            Read::Every(self.max_body)
        } else {
            Read::Answer(self.max_body)
        }
    }
}

async fn carry_out<S: Sender, T: Timer, C: Future>(
    sender: S,
    replayable: bool,
    retry: Retry<T>,
    settings: Settings,
    cancel: C,
    read: Read,
    report: bool,
) -> Result<(Received, Report), Error> {
    let target = |sender: &S| Some(Target::new(sender.request().0, sender.request().1));
    let policy = match settings.policy {
        Ok(policy) => policy,
        Err(error) => return Err(Error::invalid(Fault::Policy(error), target(&sender))),
    };
    let consent = NonIdempotent::resolve(policy.non_idempotent(), settings.consent, settings.key.is_some());
    let replay = Replay::new(sender.request().0.as_str(), replayable, consent);
    let mut rng = CallRng::new(retry.begin());
    let mut io = CallIo::new(sender, &retry.timer, &policy, &settings.extras, read, report);
    let finished = or_cancel(io.call(replay, settings.deadline, &mut rng), cancel).await;

    let (reply, mut end) = match finished {
        Some(Finished::Done(reply, end)) => (Some(reply), end),
        Some(Finished::GiveUp(reply, end)) => (reply, end),
        None => (None, io.end(Reason::Canceled)),
    };
    // A send that the client refused to begin is none.
    end.attempts = io.begun;
    let report = Report::new(end, replay.single_send(policy.max_retries()), io.record.take());
    let (failed, mut received) = match reply {
        Some(Ok(received)) => (Some(Failed::from(received.status())), Some(received)),
        Some(Err(Failed { fault: Fault::Nested(error), .. })) => return Err(error),
        Some(Err(failed)) => (Some(failed), None),
        None => (io.last.take(), None),
    };
    if let Some(received) = &mut received
        && (end.attempts > 1 || end.reason != Reason::Answer)
    {
        Settled::mark(received.head_mut());
    }
    match received {
        Some(received) if end.kind().is_none() || settings.extras.return_last_response => Ok((received, report)),
        received => Err(Error::new(report, target(&io.sender), failed, received)),
    }
}

impl<S: Sender, T: Timer> CallIo<'_, S, T> {
    /// The call from its start to its end, unless it is dropped.
    async fn call(
        &mut self,
        replay: Replay,
        deadline: Option<Instant>,
        rng: &mut CallRng,
    ) -> Finished<Result<Received, Failed>> {
        let (policy, timer) = (self.policy, self.timer);
        let mut budget = self.budget.clone();
        if !self.sender.needs_preparation() {
            return drive(policy, replay, deadline, timer, &mut budget, rng, self).await;
        }
        // The limit of the call counts from here, not from the first send.
        let started = *self.started.insert(timer.now());
        let own = policy.total_timeout().map(|limit| started.saturating_add(limit));
        let deadline = own.into_iter().chain(deadline).min();
        let (fault, reason) = match within(timer, started, deadline, self.sender.prepare()).await {
            Some(Ok(())) => return drive(policy, replay, deadline, timer, &mut budget, rng, self).await,
            Some(Err(fault)) => (fault, Reason::NotRetryable),
            None => (Fault::TimedOut(TimedOut { is_total: true }), Reason::TotalTimeout),
        };
        let event = Some(Event::Failure(fault.failure()));
        Finished::GiveUp(Some(Err(fault.into())), End { event, ..self.end(reason) })
    }

    /// An end that the machine was not asked about.
    fn end(&self, reason: Reason) -> End {
        let elapsed = self.started.map_or(Duration::ZERO, |started| self.timer.now().saturating_since(started));
        End { attempts: self.begun, elapsed, reason, event: None, asked: None }
    }
}

/// The output of `work`, unless `cancel` completes first. What is ready at the same moment counts as canceled.
async fn or_cancel<W: Future, C: Future>(work: W, cancel: C) -> Option<W::Output> {
    let mut work = pin!(work);
    let mut cancel = pin!(cancel);
    poll_fn(|cx| match cancel.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(None),
        Poll::Pending => work.as_mut().poll(cx).map(Some),
    })
    .await
}
