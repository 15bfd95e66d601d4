//! Our places in surf's stack: around everything of one request, and around every request of a client.

use core::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use retry_core::Timer;
use surf::middleware::{Middleware, Next};
use surf::{Client, Request, Response, StatusCode};

use crate::buffer::is_replayable;
use crate::call::{Call, Settings};
use crate::error::Error;
use crate::fault::{Fault, UnsupportedScheme};
use crate::header;
use crate::io::{Progress, Read};
use crate::reply::Received;
use crate::report::Report;
use crate::retry::Retry;
use crate::run::{Ended, Run};
use crate::sender::NextSender;
use crate::settled::{gives_way, on_the_way};
use crate::target::Target;
use crate::vendor;

/// The innermost middleware of one request. What it has done it tells by [`Told`], past the middlewares outside it.
pub(crate) struct RequestLayer<T> {
    pub(crate) retry: Arc<Retry<T>>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) seed: Option<u64>,
    pub(crate) read: Read,
    pub(crate) report: bool,
    pub(crate) progress: Progress,
    pub(crate) told: Arc<Told>,
}

/// How the last run of a request's layer ended, but for a response: that one goes through the stack, as the middlewares
/// of the client expect it.
#[derive(Default)]
pub(crate) struct Told(Mutex<Option<(Ended, Option<Arc<Fault>>)>>);

/// The mark of the response of a run.
struct Mark(Arc<Told>);

impl Told {
    /// The end, and what broke the response's body off.
    pub(crate) fn take(&self) -> Option<(Ended, Option<Arc<Fault>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn tell(&self, ended: Ended, fault: Option<Arc<Fault>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((ended, fault));
    }

    /// Whether `response` is the one of which this tells, and not another that a middleware outside brought.
    pub(crate) fn is_of(self: &Arc<Self>, response: &Response) -> bool {
        response.ext::<Mark>().is_some_and(|mark| Arc::ptr_eq(&mark.0, self))
    }
}

#[async_trait::async_trait]
impl<T: Timer + Send + Sync + 'static> Middleware for RequestLayer<T> {
    async fn handle(&self, request: Request, client: Client, next: Next<'_>) -> surf::Result {
        let run = Run {
            timer: &self.retry.timer,
            settings: &self.settings,
            seed: self.seed,
            read: self.read,
            report: self.report,
            last_as_ok: self.settings.extras.return_last_response,
            progress: &self.progress,
        };
        let ended = on_the_way(false, pin!(around(run, request, client, next))).await;
        let Ended { reply: Some(Ok(received)), .. } = ended else {
            return ended.into_result(&self.progress, false).map(into_response).map_err(into_surf);
        };
        let fault = received.fault();
        let mut response = received.into_response();
        response.insert_ext(Mark(Arc::clone(&self.told)));
        self.told.tell(Ended { reply: None, ..ended }, fault);
        Ok(response)
    }
}

/// A `Retry` is a middleware for every request of a client.
///
/// It is transparent: what comes of a request is a response whenever there is one, also where retries were used up, as
/// it is without it. Where there is none, the [`surf::Error`] has an [`Error`](crate::Error) of this crate inside, to be
/// had by its `downcast` and `downcast_ref`.
///
/// ```
/// use retry_core::Policy;
/// use runtime_async_std::{Error, Retry};
///
/// # async fn example(client: surf::Client) {
/// let client = client.with(Retry::new(Policy::API));
/// match client.get("http://localhost/").await {
///     Ok(response) => println!("{}", response.status()),
///     Err(error) => println!("{:?}", error.downcast_ref::<Error>().map(Error::attempts)),
/// }
/// # }
/// ```
///
/// # Places
///
/// surf runs the middlewares of a client in the order in which they were given, and then those of the request. What
/// comes after a `Retry` is inside each attempt, what comes before it is around all of them.
///
/// - With [`Logger`](surf::middleware::Logger) before it, one call is one entry; after it, each attempt is.
/// - surf's [`Redirect`](surf::middleware::Redirect) sends a request without its body to see whether it is redirected,
///   and then the request. After a `Retry`, both are inside an attempt, and it has more than one send. Before a `Retry`,
///   the first one goes past it: it is not retried, and not cut.
///
/// # Settings of one request
///
/// [`with_retry`](crate::RetryExt::with_retry) on a request wins: the layer of the client gives way to it, so that
/// neither sends nor limits multiply. It also gives way, during such a call, to what a middleware of the client sends by
/// other clients. Without a request builder, [`Call::attach`] puts settings on a request.
#[async_trait::async_trait]
impl<T: Timer + Clone + Send + Sync + 'static> Middleware for Retry<T> {
    async fn handle(&self, mut request: Request, client: Client, next: Next<'_>) -> surf::Result {
        if gives_way() {
            return next.run(request, client).await;
        }
        let http: &mut surf::http::Request = request.as_mut();
        let attached = http.ext_mut().remove::<Attached<T>>();
        let Call { retry, settings, .. } = attached.map_or_else(|| self.call(), |attached| attached.0);
        let progress = Progress::default();
        let run = Run {
            timer: &retry.timer,
            settings: &settings,
            seed: retry.begin(),
            read: Read::Head,
            report: false,
            last_as_ok: true,
            progress: &progress,
        };
        let ended = around(run, request, client, next).await;
        ended.into_result(&progress, true).map(into_response).map_err(into_surf)
    }
}

/// What [`Call::attach`] puts among a request's extensions.
struct Attached<T>(Call<(), T>);

impl<T: Timer + Send + Sync + 'static> Call<(), T> {
    /// Puts these settings on a request, for the `Retry` of the client that is going to send it.
    ///
    /// They hold in place of all that the client's `Retry` has. A middleware that clones requests loses them, as it
    /// loses all extensions; surf's `Redirect` does not.
    ///
    /// ```
    /// use retry_core::Policy;
    /// use runtime_async_std::Retry;
    /// use surf::{Request, http::Method};
    ///
    /// # async fn example(client: surf::Client) -> surf::Result<()> {
    /// let retry = Retry::new(Policy::API);
    /// let client = client.with(retry.clone());
    /// let mut request = Request::new(Method::Get, surf::Url::parse("http://localhost/")?);
    /// retry.call().max_retries(5).attach(&mut request);
    /// let response = client.send(request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn attach(self, request: &mut Request) {
        request.set_ext(Attached(self));
    }
}

/// Runs what is left of the stack as often as it takes.
async fn around<T: Timer>(run: Run<'_, T>, mut request: Request, client: Client, next: Next<'_>) -> Ended {
    let settings = run.settings;
    run.progress.lock().target = Some(Target::of(&request));
    let sound = scheme(&request).and_then(|()| settings.add_key(&mut request));
    let count = settings.extras.retry_count.as_deref();
    let sound = sound.and_then(|()| count.map_or(Ok(()), header::check_name).map_err(Fault::Header));
    let sound = sound.and_then(|()| count.map_or(Ok(()), vendor::check_count).map_err(Fault::RetryCount));
    let sound = sound.and_then(|()| header::check(&request).map_err(Fault::Header));
    if let Err(fault) = sound {
        return Ended::invalid(fault, Some((request.method(), request.url().as_str())));
    }
    let replayable = is_replayable(&request, settings.buffer_body);
    let sender = NextSender::new(next, client, request, settings);
    run.carry_out(sender, replayable).await
}

/// Not every client of surf's refuses what it cannot send: one panics, and one speaks more than HTTP.
fn scheme(request: &Request) -> Result<(), Fault> {
    match request.url().scheme() {
        "http" | "https" => Ok(()),
        _ => Err(Fault::Scheme(UnsupportedScheme)),
    }
}

fn into_response((received, _): (Received, Report)) -> Response {
    received.into_response()
}

/// As surf's error, with the status that surf's own has, if there is one.
fn into_surf(error: Error) -> surf::Error {
    let status = error.surf().map_or(StatusCode::InternalServerError, surf::Error::status);
    surf::Error::new(status, error)
}
