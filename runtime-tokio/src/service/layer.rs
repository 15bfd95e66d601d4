//! A `Retry` as a layer, and what it makes of a service.

use core::error::Error as StdError;
use core::fmt;
use core::future::{Future, pending};
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use retry_core::Timer;
use tower_layer::Layer;
use tower_service::Service;

use crate::attach::RequestSettings;
use crate::error::Error;
use crate::fault::Fault;
use crate::retry::Retry;
use crate::run::{Passed, carry_out};
use crate::service::sender::ServiceSender;

impl<S, T: Clone> Layer<S> for Retry<T> {
    type Service = RetryService<S, T>;

    fn layer(&self, inner: S) -> Self::Service {
        RetryService { inner, retry: self.clone() }
    }
}

/// A service that sends a request again, through the service inside, as its [`Retry`] says.
///
/// It comes of [`Retry`] as a [`Layer`]; [the guide](crate::guide::tower) tells where in a stack it belongs.
///
/// Its response is the last one that came, whatever its status, with the [`Report`](crate::Report) among its extensions.
/// Its error is an [`Error`] whose source is the error of the service inside.
///
/// ```
/// use bytes::Bytes;
/// use http::Request;
/// use http_body_util::Empty;
/// use hyper_util::client::legacy::Client;
/// use hyper_util::rt::TokioExecutor;
/// use retry_core::Policy;
/// use runtime_tokio::{Report, Retry};
/// use tower::{Service, ServiceBuilder, ServiceExt};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build_http();
/// let mut service = ServiceBuilder::new().layer(Retry::new(Policy::API)).service(client);
///
/// let request = Request::get("http://localhost/").body(Empty::<Bytes>::new())?;
/// let response = service.ready().await?.call(request).await?;
/// let attempts = response.extensions().get().map(Report::attempts);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RetryService<S, T = crate::TokioTimer> {
    inner: S,
    retry: Retry<T>,
}

impl<S, T> RetryService<S, T> {
    /// The service inside.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The service inside.
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The service inside.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, T, B, R> Service<Request<B>> for RetryService<S, T>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Error: Into<Box<dyn StdError + Send + Sync>>,
    S::Future: Send,
    T: Timer + Clone + Send + Sync + 'static,
    B: Clone + Send + 'static,
    R: Body + Send + 'static,
{
    type Response = Response<R>;
    type Error = Error;
    type Future = RetryFuture<R>;

    /// Ready when the service inside is: that readiness is the first send's.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx).map_err(|error| match Fault::unready(error) {
            Fault::Nested(error) => error,
            fault => Error::invalid(fault, None),
        })
    }

    fn call(&mut self, request: Request<B>) -> RetryFuture<R> {
        // The one that is ready is the one that is called; its copy need not be.
        let copy = self.inner.clone();
        let inner = mem::replace(&mut self.inner, copy);
        let (retry, settings) = RequestSettings::of(request.extensions(), &self.retry);
        let sender = ServiceSender::new(inner, request);
        RetryFuture(Box::pin(carry_out(Ok(sender), retry, settings, pending::<()>())))
    }
}

impl<S: fmt::Debug, T> fmt::Debug for RetryService<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryService").field("inner", &self.inner).field("retry", &self.retry).finish()
    }
}

/// The call of a [`RetryService`]. Dropping it ends the call; nothing is sent after that.
///
/// It is in a box, one for each call: what it does is written as `async`, and such a future has no name that a
/// [`Service`] could tell. The box asks of all that is in it to be [`Send`], as most executors do.
#[must_use = "futures do nothing unless polled"]
pub struct RetryFuture<R>(Pin<Box<dyn Future<Output = Given<R>> + Send>>);

/// What carrying a call out gives.
type Given<R> = Result<Passed<Response<R>>, Error>;

impl<R> Future for RetryFuture<R> {
    type Output = Result<Response<R>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx).map_ok(|Passed(response)| response)
    }
}

impl<R> fmt::Debug for RetryFuture<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryFuture").finish_non_exhaustive()
    }
}
