//! Carries a call out.

use core::future::{Future, poll_fn};
use core::mem;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};
use std::sync::Arc;

use pin_project_lite::pin_project;
use retry_core::{End, Event, Reason, Timer, Try};
use surf::http::Method;
use surf::{RequestBuilder, Response, Url};

use crate::backend::Guard;
use crate::call::{Call, Settings};
use crate::dns::LookUp;
use crate::error::Error;
use crate::fault::Fault;
use crate::fetched::Fetched;
use crate::io::{Progress, Read};
use crate::layer::{Once, RequestLayer, Told};
use crate::reply::{Failed, Received, collect, read};
use crate::report::Report;
use crate::retry::Retry;
use crate::run::{self, Ended, Run, stopped};
use crate::sender::Closure;
use crate::settled::on_the_way;
use crate::target::Target;

impl<T: Timer + Send + Sync + 'static, C: Future> Call<RequestBuilder, T, C> {
    /// Sends the request until it is answered, and hands the response over when its head is there.
    ///
    /// The limits hold until then; the body, read by the caller, is not cut by us. Nor is it checked: where a response
    /// has to be whole, [`fetch`](Self::fetch) it, because surf's HTTP/1 client takes a body that breaks off for whole.
    ///
    /// # Errors
    ///
    /// [`Error`] says why the call stopped, and keeps the last failure or response. Note that with the default policy a
    /// GET that is answered 503 to the end is an error, while a POST that is answered 503 is `Ok`: it may not be
    /// repeated, so its reply is handed over as it is.
    pub fn send(self) -> impl Future<Output = Result<Response, Error>> {
        self.sending(Read::Head, false, |once, response, told| {
            if told.is_none() {
                return Ok(response);
            }
            once.answer(response, told).map(|answered| answered.response)
        })
    }

    /// Like [`send`](Self::send), with a [`Report`] of what the call took. An [`Error`] has one, too.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_with_report(self) -> impl Future<Output = Result<(Response, Report), Error>> {
        self.sending(Read::Head, true, |once, response, told| {
            once.answer(response, told).map(|answered| (answered.response, answered.report))
        })
    }

    /// Sends the request until it is answered and the whole body is there, so that a body that breaks off is retried.
    ///
    /// The bytes that came are compared with what was announced, whatever the client says.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and with [`ErrorKind::ResponseRead`](retry_core::ErrorKind::ResponseRead) for a body above [`max_body`](Self::max_body),
    /// which is not retried.
    pub fn fetch(self) -> impl Future<Output = Result<Fetched, Error>> {
        self.fetched(false, |(fetched, _)| fetched)
    }

    /// Like [`fetch`](Self::fetch), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`fetch`](Self::fetch).
    pub fn fetch_with_report(self) -> impl Future<Output = Result<(Fetched, Report), Error>> {
        self.fetched(true, |both| both)
    }

    fn fetched<O>(
        self,
        report: bool,
        take: impl FnOnce((Fetched, Report)) -> O,
    ) -> impl Future<Output = Result<O, Error>> {
        let (read, limit) = (self.settings.read(), self.settings.max_body);
        let sent = self.sending(read, report, |once, response, told| {
            once.answer(response, told).map(|answered| (answered, Arc::clone(once)))
        });
        async move {
            // In boxes: a future has another in it twice, if that comes from outside.
            let (answered, once) = Box::pin(sent).await?;
            Box::pin(answered.fetched(limit, &once.progress)).await.map(take)
        }
    }

    /// The request on its way through its client's middlewares, of which the innermost is ours.
    fn sending<F, O>(self, read: Read, report: bool, answer: F) -> impl Future<Output = Result<O, Error>>
    where
        F: Fn(&Arc<Once<T>>, Response, Option<Told>) -> Result<O, Error>,
    {
        let progress = Progress::default();
        let Self { timer, seeds, settings, .. } = self;
        let once = Arc::new(Once { timer, settings, seeds, read, report, progress });
        let sent = self.request.middleware(RequestLayer(Arc::clone(&once))).send();
        Sending { sent: Some(sent), cancel: self.cancel, has_begun: false, once, answer }
    }
}

pin_project! {
    /// A request on its way.
    ///
    /// No async function: one has what it is given twice in it, and surf's own future is large.
    struct Sending<T, S, C, F> {
        // Dropped as soon as the call is canceled, and not when the future is.
        #[pin]
        sent: Option<S>,
        #[pin]
        cancel: C,
        has_begun: bool,
        once: Arc<Once<T>>,
        answer: F,
    }
}

impl<T, S, C, F, O> Future for Sending<T, S, C, F>
where
    T: Timer + Send + Sync + 'static,
    S: Future<Output = surf::Result>,
    C: Future,
    F: Fn(&Arc<Once<T>>, Response, Option<Told>) -> Result<O, Error>,
{
    type Output = Result<O, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let once = &**this.once;
        if !mem::replace(this.has_begun, true) {
            once.begin()?;
        }
        // What is ready at the same moment counts as canceled.
        if this.cancel.poll(cx).is_ready() {
            let canceled = canceled(&once.timer, &once.progress);
            this.sent.set(None);
            return Poll::Ready(Err(canceled));
        }
        let Some(sent) = this.sent.as_pin_mut() else { return Poll::Pending };
        let mut sent = on_the_way(true, || sent.poll(cx));
        let told = if let Poll::Ready(Ok(response)) = &mut sent { once.told(response) } else { None };
        match sent {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(response)) => Poll::Ready((this.answer)(this.once, response, told)),
            Poll::Ready(Err(error)) => Poll::Ready(Err(failed(error, &once.timer, &once.progress))),
        }
    }
}

impl<T: Timer + Send + Sync + 'static> Once<T> {
    fn begin(&self) -> Result<(), Error> {
        if let Some(fault) = self.settings.fault() {
            return Err(refused(fault, &self.progress));
        }
        if let Some(clients) = &self.settings.clients {
            self.progress.lock().proxies = Some(clients.names());
        }
        if let Some(seed) = self.seeds.begin() {
            self.progress.lock().seed = Some(seed);
        }
        Ok(())
    }

    /// What `response` is the end of. `told`: what our run has told of it.
    fn answer(&self, response: Response, told: Option<Told>) -> Result<Answered, Error> {
        let progress = &self.progress;
        let Some(Told { ended, fault }) = told else {
            // A middleware outside ours has an answer of its own.
            let event = Some(Event::Status(response.status().into()));
            let started = progress.lock().started;
            let report = report_of(End { event, ..stopped(Reason::Answer, &self.timer, started) }, progress);
            return Ok(Answered { response, report, fault: None, is_ours: false });
        };
        let ended = Ended { reply: Some(Ok(Received::Unread(response.into()))), ..ended };
        let (received, report) = ended.into_result(progress, self.settings.extras.return_last_response)?;
        Ok(Answered { response: received.into_response(), report, fault, is_ours: true })
    }
}

/// The good end of a request's call.
struct Answered {
    response: Response,
    report: Report,
    /// What broke off the body that was read inside the attempt.
    fault: Option<Arc<Fault>>,
    /// Whether the response is that of a run, or a middleware's own.
    is_ours: bool,
}

impl Answered {
    /// With its body, as the middlewares outside ours have left it.
    async fn fetched(self, limit: usize, progress: &Progress) -> Result<(Fetched, Report), Error> {
        let Self { mut response, report, fault, is_ours } = self;
        let failed = if is_ours {
            let (body, failed) = collect(&mut response, limit).await;
            match failed {
                None => return Ok((Fetched::new(response, body, fault), report)),
                Some(fault) => Failed { fault, status: Some(response.status()) },
            }
        } else {
            let method = progress.lock().target.as_ref().map_or(Method::Get, |target| target.parts().0);
            match read(response, method, limit, false, true).await {
                Ok(fetched) => return Ok((fetched, report)),
                Err(failed) => failed,
            }
        };
        let event = Some(Event::Failure(failed.fault.failure()));
        let report = report.ending(Reason::NotRetryable, event);
        Err(Error::new(report, progress.lock().target.clone(), Some(failed), None))
    }
}

impl<T: Timer, C: Future> Call<(), T, C> {
    /// Lets `send` make each send, and sends again as the policy says.
    ///
    /// Nothing is copied: what is to be the same at every send, and what is to differ (a refreshed token), is the
    /// closure's. `method` decides whether the request may go out again; `url` is for reports and custom policies, and
    /// its host is what is looked up where that is done [first](Retry::look_up_first).
    ///
    /// The closure's client is used as it is: where it blocks its thread, no limit can cut it.
    ///
    /// An [`Error`] of this crate that the closure gives, or that is inside its error, is passed on as it is, since an
    /// inner layer has done its work; any other is judged as surf's would be.
    ///
    /// ```
    /// use retry_core::{Policy, Try};
    /// use runtime_async_std::Retry;
    /// use surf::http::Method;
    ///
    /// # async fn example(client: surf::Client, order: &str) -> Result<(), runtime_async_std::Error> {
    /// let retry = Retry::new(Policy::API);
    /// let url = "http://localhost/orders/7";
    /// let response = retry
    ///     .call()
    ///     .max_retries(5)
    ///     .run(Method::Put, url, |this: Try| client.put(url).header("x-attempt", this.number.to_string()).body(order).send())
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
        E: Into<surf::Error>,
    {
        let (response, _) = Box::pin(self.go(method, url, send, false)).await?;
        Ok(response)
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
        E: Into<surf::Error>,
    {
        Box::pin(self.go(method, url, send, true)).await
    }

    async fn go<U, F, O, E>(self, method: Method, url: U, send: F, report: bool) -> Result<(Response, Report), Error>
    where
        U: AsRef<str>,
        F: FnMut(Try) -> O,
        O: Future<Output = Result<Response, E>>,
        E: Into<surf::Error>,
    {
        let Self { timer, seeds, cancel, settings, .. } = self;
        let progress = Progress::default();
        progress.lock().target = Some(Target::new(method, url.as_ref()));
        if let Some(fault) = settings.fault() {
            return Err(refused(fault, &progress));
        }
        progress.lock().seed = seeds.begin();
        let look_up_first = settings.extras.look_up_first;
        let look_up = (look_up_first != LookUp::Never).then(|| Url::parse(url.as_ref()).ok()).flatten();
        let mut sender = Closure { method, url, send, guard: Guard::new(look_up_first), look_up };
        let run = Run { timer: &timer, settings: &settings, read: Read::Head, report, progress: &progress };
        let ended = or_cancel(pin!(run.carry_out(&mut sender, true)), pin!(cancel)).await;
        let ended = ended.ok_or_else(|| canceled(&timer, &progress))?;
        let (received, report) = ended.into_result(&progress, settings.extras.return_last_response)?;
        Ok((received.into_response(), report))
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
        E: Into<surf::Error>,
    {
        self.call().run(method, url, send).await
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

/// A call that has begun no send, because nobody could.
fn refused(fault: Fault, progress: &Progress) -> Error {
    let target = progress.lock().target.clone();
    let end = run::refused(&fault, target.as_ref().map(Target::parts));
    Error::new(Report::new(end, None, None), target, Some(fault.into()), None)
}

fn canceled<T: Timer>(timer: &T, progress: &Progress) -> Error {
    let started = progress.lock().started;
    let report = report_of(stopped(Reason::Canceled, timer, started), progress);
    let mut come = progress.lock();
    Error::new(report, come.target.clone(), come.last.take(), None)
}

/// An error that has come through the middlewares of the client: ours, or one of theirs.
fn failed<T: Timer>(error: surf::Error, timer: &T, progress: &Progress) -> Error {
    let target = progress.lock().target.clone();
    let fault = match Fault::client(error, target.as_ref().map_or("", |target| target.parts().1)) {
        Fault::Nested(error) => return error,
        fault => fault,
    };
    let started = progress.lock().started;
    let event = Some(Event::Failure(fault.failure()));
    let report = report_of(End { event, ..stopped(Reason::NotRetryable, timer, started) }, progress);
    Error::new(report, target, Some(fault.into()), None)
}

/// A report of an end that no run has told.
fn report_of(end: End, progress: &Progress) -> Report {
    let mut come = progress.lock();
    let end = End { attempts: come.attempts(), ..end };
    come.report(end, None)
}

/// The output of `work`, unless `cancel` completes first. What is ready at the same moment counts as canceled.
fn or_cancel<W: Future, C: Future>(
    mut work: Pin<&mut W>,
    mut cancel: Pin<&mut C>,
) -> impl Future<Output = Option<W::Output>> {
    poll_fn(move |cx| match cancel.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(None),
        Poll::Pending => work.as_mut().poll(cx).map(Some),
    })
}
