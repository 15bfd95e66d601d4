//! Our places in surf's stack: around everything of one request, and around every request of a client.

use core::future::{Future, poll_fn, ready};
use core::pin::{Pin, pin};
use core::ptr;
use std::sync::Arc;

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
use crate::retry::{Retry, Seeds};
use crate::run::{Ended, Run};
use crate::sender::{Left, NextSender};
use crate::settled::{gives_way, on_the_way};
use crate::target::Target;
use crate::vendor;

/// The innermost middleware of one request.
pub(crate) struct RequestLayer<T>(pub(crate) Arc<Once<T>>);

/// What a request's layer works with.
pub(crate) struct Once<T> {
    pub(crate) timer: T,
    pub(crate) settings: Settings,
    pub(crate) seeds: Seeds,
    pub(crate) read: Read,
    pub(crate) report: bool,
    pub(crate) progress: Progress,
}

/// How a run of a request's layer ended, but for its response, which goes through the stack, as the middlewares of the
/// client expect it, and has this with it.
pub(crate) struct Told {
    pub(crate) ended: Ended,
    /// What broke the response's body off.
    pub(crate) fault: Option<Arc<Fault>>,
}

/// The mark of the response of a run, among several that may come of one call.
struct Mark<T>(Arc<Once<T>>, Told);

impl<T: Send + Sync + 'static> Once<T> {
    /// What is told of `response`, if it is that of a run, and not another that a middleware outside brought.
    pub(crate) fn told(&self, response: &mut Response) -> Option<Told> {
        let http: &mut surf::http::Response = response.as_mut();
        let mark = http.ext_mut().remove::<Mark<T>>()?;
        ptr::eq(&*mark.0, self).then_some(mark.1)
    }

    /// Whether more is wanted of a good end than its response.
    fn is_asked(&self) -> bool {
        self.report || self.read != Read::Head
    }
}

/// What is left of a stack, under way.
pub(crate) type BoxFuture<'a> = Pin<Box<dyn Future<Output = surf::Result> + Send + 'a>>;

impl<T: Timer + Send + Sync + 'static> Middleware for RequestLayer<T> {
    fn handle<'a, 'b, 'c>(&'a self, request: Request, client: Client, next: Next<'b>) -> BoxFuture<'c>
    where
        'a: 'c,
        'b: 'c,
    {
        let once = &self.0;
        let Once { timer, settings, read, report, progress, .. } = &**once;
        let run = Run { timer, settings, read: *read, report: *report, progress };
        around(run, request, Left { client, next, is_innermost: true }, |ended| {
            let Ended { reply: Some(Ok(received)), .. } = ended else {
                return ended.into_result(progress, false).map(into_response).map_err(into_surf);
            };
            if !once.is_asked() && ended.end.kind().is_none() {
                // Where nobody asks how it came, it is an answer as any other.
                return Ok(received.into_response());
            }
            let fault = received.fault();
            let mut response = received.into_response();
            response.insert_ext(Mark(Arc::clone(once), Told { ended: Ended { reply: None, ..ended }, fault }));
            Ok(response)
        })
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
        let Call { timer, seeds, settings, .. } = attached.map_or_else(|| self.call(), |attached| attached.0);
        let progress = Progress::default();
        progress.lock().seed = seeds.begin();
        let run = Run { timer: &timer, settings: &settings, read: Read::Head, report: false, progress: &progress };
        let left = Left { client, next, is_innermost: false };
        around(run, request, left, |ended| ended.into_result(&progress, true).map(into_response).map_err(into_surf))
            .await
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

/// Sends `request` by what is left of the stack as often as it takes, and gives what `finish` makes of the end.
///
/// No async function, and inlined: one has its arguments twice, a call moves them once more, and these are large.
#[inline(always)]
fn around<'a, T: Timer + Sync>(
    run: Run<'a, T>,
    mut request: Request,
    left: Left<'a>,
    finish: impl FnOnce(Ended) -> surf::Result + Send + 'a,
) -> BoxFuture<'a> {
    let target = Target::of(&request);
    run.progress.lock().target = Some(target.clone());
    if let Err(fault) = ready_to_send(run.settings, &mut request) {
        return Box::pin(ready(finish(Ended::invalid(fault, Some(target.parts())))));
    }
    let replayable = is_replayable(&request, run.settings.buffer_body);
    // In a box of its own, so that neither is a large one, which takes an allocator longer.
    let mut sender = Box::new(NextSender::new(left, request, target, run.settings));
    Box::pin(async move {
        let mut ended = pin!(run.carry_out(&mut *sender, replayable));
        finish(poll_fn(|cx| on_the_way(false, || ended.as_mut().poll(cx))).await)
    })
}

/// Adds what belongs to a request, and looks for what cannot be sent.
fn ready_to_send(settings: &Settings, request: &mut Request) -> Result<(), Fault> {
    scheme(request)?;
    settings.add_key(request)?;
    if let Some(count) = settings.extras.retry_count.as_deref() {
        header::check_name(count).map_err(Fault::Header)?;
        vendor::check_count(count).map_err(Fault::RetryCount)?;
    }
    header::check(request).map_err(Fault::Header)
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
