//! A `Retry` as a middleware of reqwest-middleware.

use core::future::{Future, pending};

use http::{Extensions, Method};
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next};
use retry_core::{Timer, Try};

use crate::attach::RequestSettings;
use crate::client::kept::{Kept, gone};
use crate::client::redirects::watch;
use crate::error::Error;
use crate::fault::Fault;
use crate::io::Frame;
use crate::reply::Failed;
use crate::retry::Retry;
use crate::run::{Passed, carry_out};
use crate::sender::Sender;

/// A `Retry` is a middleware for every request of a client of `reqwest-middleware` (feature `middleware`).
///
/// It is transparent: what comes of a request is a response whenever there is one, also where retries were used up, as
/// it is without it. The response has a [`Report`](crate::Report) among its extensions, whose
/// [`kind`](crate::Report::kind) tells whether the call failed all the same;
/// [`return_last_response`](Retry::return_last_response) changes nothing here. Where there is no response, the
/// [`reqwest_middleware::Error::Middleware`] has an [`Error`](crate::Error) of this crate inside.
///
/// All else is as with [`send`](crate::Call::send): limits hold until the response's head is there, and a body that can be
/// produced once only makes the request go out once. The call is canceled by dropping it.
///
/// ```
/// use reqwest_middleware::{ClientBuilder, Error};
/// use retry_core::Policy;
/// use runtime_tokio::{Report, Retry};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = ClientBuilder::new(runtime_tokio::client_builder().build()?).with(Retry::new(Policy::API)).build();
/// match client.get("http://localhost/").send().await {
///     Ok(response) => {
///         println!("{}", response.status());
///         if let Some(report) = response.extensions().get::<Report>() {
///             println!("{} sends, failed as {:?}", report.attempts(), report.kind());
///         }
///     }
///     Err(Error::Middleware(error)) => match error.downcast_ref::<runtime_tokio::Error>() {
///         Some(error) => println!("{} after {} sends: {error}", error.code(), error.attempts()),
///         None => println!("another middleware failed: {error}"),
///     },
///     Err(Error::Reqwest(error)) => println!("the request could not be built: {error}"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Places
///
/// A client runs its middlewares in the order in which they were given. What comes after a `Retry` is inside each
/// attempt, what comes before it is around all of them. Inside, the extensions of the request are those of the caller, the
/// same ones in each attempt, and have the [`Try`] that it belongs to: `extensions.get::<Try>()` tells its number.
///
/// An error of a middleware inside is judged by what is in it: this crate's error is passed on as it is, since an inner
/// layer has done its work; reqwest's is judged as without a middleware, and retried or not; any other ends the call.
///
/// # Settings of one request
///
/// [`Call::settings`](crate::Call::settings) makes them, and they are put among the extensions of the request:
///
/// ```
/// use reqwest_middleware::ClientWithMiddleware;
/// use retry_core::NonIdempotent;
/// use runtime_tokio::Retry;
///
/// # async fn example(client: ClientWithMiddleware, retry: Retry) -> reqwest_middleware::Result<()> {
/// let search = retry.call().max_retries(5).non_idempotent(NonIdempotent::Always).settings();
/// let response = client.post("http://localhost/search").with_extension(search).send().await?;
/// # Ok(())
/// # }
/// ```
#[async_trait::async_trait]
impl<T: Timer + Clone + Send + Sync + 'static> Middleware for Retry<T> {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let (retry, settings) = RequestSettings::of(extensions, self);
        let sender = NextSender { next, extensions, request: Kept::new(request) };
        match carry_out(Ok(sender), retry, settings, pending::<()>()).await {
            Ok(Passed(response)) => Ok(response),
            Err(error) => Err(reqwest_middleware::Error::middleware::<Error>(error)),
        }
    }
}

/// What is left of the stack: the middlewares inside ours, and the client.
struct NextSender<'a> {
    next: Next<'a>,
    extensions: &'a mut Extensions,
    request: Kept,
}

impl Sender for NextSender<'_> {
    type Received = Response;

    fn admit<T>(&mut self, frame: &Frame<T>) -> Result<(), Fault> {
        self.request.admit(frame)
    }

    fn is_replayable(&self) -> bool {
        self.request.is_replayable()
    }

    fn needs_preparation(&self) -> bool {
        self.request.needs_buffer()
    }

    fn prepare(&mut self) -> impl Future<Output = Result<(), Fault>> {
        self.request.buffer()
    }

    async fn send<T: Timer>(&mut self, this: Try, _: &Frame<T>) -> Result<Response, Failed> {
        let request = self.request.next(&this).ok_or_else(gone)?;
        self.extensions.insert(this);
        let sent = self.next.clone().run(request, self.extensions);
        let url = self.request.parts().1;
        watch(sent, |error, followed| Fault::of_stack(error, url).after_redirect(followed).into()).await
    }

    fn request(&self) -> (&Method, &str) {
        self.request.parts()
    }
}
