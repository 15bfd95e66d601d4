//! What a call over reqwest is carried out by: `send`, `fetch` and `run`.

use core::error::Error as StdError;
use core::future::Future;

use http::Method;
use reqwest::{RequestBuilder, Response};
use retry_core::{Timer, Try};

use crate::call::Call;
use crate::client::closure::Closure;
use crate::client::fault::ClientFault;
use crate::client::fetched::Fetched;
use crate::client::kept::Kept;
use crate::client::proxies::Clients;
use crate::client::reading::{Bodies, Reading};
use crate::client::response::ClientResponse;
use crate::client::sender::{ClientSender, Route};
use crate::error::Error;
use crate::report::Report;
use crate::retry::{Extras, Retry};
use crate::run::{Answer, carry_out};
use crate::sender::Sender;

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
    #[inline(always)]
    pub fn send(self) -> impl Future<Output = Result<Response, Error>> {
        self.go(|sender| sender)
    }

    /// Like [`send`](Self::send), with a [`Report`] of what the call took. An [`Error`] has one, too.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    #[inline(always)]
    pub fn send_with_report(self) -> impl Future<Output = Result<(Response, Report), Error>> {
        self.go(|sender| sender)
    }

    /// Sends the request until it is answered and the whole body is there, so that a body that breaks off is retried.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and with [`ErrorKind::ResponseRead`](retry_core::ErrorKind::ResponseRead) for a body above [`max_body`](Self::max_body),
    /// which is not retried.
    #[inline(always)]
    pub fn fetch(self) -> impl Future<Output = Result<Fetched, Error>> {
        let bodies = self.bodies();
        self.go(move |sender| Reading { sender, bodies })
    }

    /// Like [`fetch`](Self::fetch), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`fetch`](Self::fetch).
    #[inline(always)]
    pub fn fetch_with_report(self) -> impl Future<Output = Result<(Fetched, Report), Error>> {
        let bodies = self.bodies();
        self.go(move |sender| Reading { sender, bodies })
    }

    /// What `fetch` reads: all bodies where a custom policy may want to see them, or the server may say that any of them is
    /// the answer, or the last response is to be handed over whatever it is.
    fn bodies(&self) -> Bodies {
        let every = |extras: &Extras| extras.advise.is_some() || extras.vendor_headers || extras.return_last_response;
        if self.retry.extras.as_deref().is_some_and(every) { Bodies::Every } else { Bodies::Answers }
    }

    #[inline(always)]
    fn go<S: Sender, A: Answer<S::Received>>(
        self,
        sender: impl FnOnce(ClientSender) -> S,
    ) -> impl Future<Output = Result<A, Error>> {
        let Self { request, mut retry, cancel, settings } = self;
        if let Some(clients) = settings.get(|own| own.client.clients.as_ref()) {
            // Here at last: a whole policy of this call's own knows nothing of the pool.
            retry.policy = clients.statuses(retry.policy);
        }
        let (client, request) = request.build_split();
        let lane = settings.get(|own| own.client.clients.as_ref().map(Clients::lane));
        let route = lane.map_or(Route::Client(client), Route::Pool);
        let sender = request
            .map(|request| sender(ClientSender::new(route, Kept::new(request))))
            .map_err(|error| Error::invalid(ClientFault::unbuilt(error).into(), None));
        carry_out(sender, retry, settings, cancel)
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
    #[inline(always)]
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
    #[inline(always)]
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

    #[inline(always)]
    fn go<S: Sender, A: Answer<S::Received>>(self, sender: S) -> impl Future<Output = Result<A, Error>> {
        let Self { retry, cancel, settings, .. } = self;
        carry_out(Ok(sender), retry, settings, cancel)
    }
}

impl<T: Timer + Clone> Retry<T> {
    /// [`Call::run`] without settings of its own.
    ///
    /// # Errors
    ///
    /// As [`Call::send`].
    #[inline(always)]
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

impl Answer<Self> for Response {
    const REPORT: bool = false;

    #[inline]
    fn new(received: Self, _: impl FnOnce() -> Report) -> Self {
        received
    }
}

impl Answer<ClientResponse> for Fetched {
    const REPORT: bool = false;

    fn new(received: ClientResponse, _: impl FnOnce() -> Report) -> Self {
        received.into_fetched()
    }
}

impl Answer<Response> for (Response, Report) {
    const REPORT: bool = true;

    fn new(received: Response, report: impl FnOnce() -> Report) -> Self {
        (received, report())
    }
}

impl Answer<ClientResponse> for (Fetched, Report) {
    const REPORT: bool = true;

    fn new(received: ClientResponse, report: impl FnOnce() -> Report) -> Self {
        (received.into_fetched(), report())
    }
}
