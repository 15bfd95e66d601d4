//! Who makes each send: reqwest's client with a kept request, or the caller's own closure.

use core::error::Error as StdError;
use core::future::{Future, ready};
use core::mem;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use http::{HeaderName, Method};
use reqwest::{Client, Request, Response};
use retry_core::{Timer, Try};

use crate::buffer::{buffer, is_replayable};
use crate::fault::{Fault, Gone};
use crate::proxies::Lane;
use crate::redirects::watch;
use crate::target::Target;
use crate::vendor::count;

/// Makes the sends of one call.
pub(crate) trait Sender {
    /// Whether every send can have the same body.
    fn is_replayable(&self) -> bool {
        true
    }

    /// Whether [`prepare`](Self::prepare) has something to do.
    fn needs_preparation(&self) -> bool {
        false
    }

    /// Does once what has to be done before the first send.
    fn prepare(&mut self) -> impl Future<Output = Result<(), Fault>> {
        ready(Ok(()))
    }

    /// Sends once.
    fn send(&mut self, this: Try, timer: &impl Timer) -> impl Future<Output = Result<Response, Fault>>;

    /// The method and the URL of the request.
    fn request(&self) -> (&Method, &str);

    /// The wait before the next send, where the last one failed by its proxy and another proxy is left to try.
    fn untried(&self) -> Option<Duration> {
        None
    }

    /// The place of the last send's proxy in the pool.
    fn proxy(&self) -> Option<u16> {
        None
    }

    /// The names of the pool's proxies.
    fn proxies(&self) -> Option<Arc<[String]>> {
        None
    }
}

/// reqwest's clients. The request is copied for each send but the last.
pub(crate) struct ClientSender {
    route: Route,
    request: Kept,
    /// How much of a body is read into memory first; `None` where that is not needed.
    buffer: Option<usize>,
    /// The header that tells the number of earlier sends.
    count: Option<Arc<HeaderName>>,
}

/// Which client makes a send.
pub(crate) enum Route {
    /// Always the same.
    Client(Client),
    /// One of a pool's.
    Pool(Box<Lane>),
}

enum Kept {
    Whole(Request),
    /// What is left of it when it has gone out for the last time.
    Sent(Target),
}

impl ClientSender {
    pub(crate) fn new(route: Route, request: Request, buffer: Option<usize>, count: Option<Arc<HeaderName>>) -> Self {
        let buffer = buffer.filter(|_| !is_replayable(&request));
        Self { route, request: Kept::Whole(request), buffer, count }
    }

    fn next(&mut self, this: Try) -> Option<Request> {
        let mut request = self.copy_or_take(this)?;
        count(&mut request, self.count.as_deref(), this);
        Some(request)
    }

    fn copy_or_take(&mut self, this: Try) -> Option<Request> {
        let Kept::Whole(request) = &self.request else { return None };
        if !this.is_last {
            return request.try_clone();
        }
        let sent = Kept::Sent(Target::of(request));
        match mem::replace(&mut self.request, sent) {
            Kept::Whole(request) => Some(request),
            Kept::Sent(_) => None,
        }
    }

    fn lane(&self) -> Option<&Lane> {
        match &self.route {
            Route::Client(_) => None,
            Route::Pool(lane) => Some(lane),
        }
    }
}

impl Sender for ClientSender {
    fn is_replayable(&self) -> bool {
        self.buffer.is_some() || matches!(&self.request, Kept::Whole(request) if is_replayable(request))
    }

    fn needs_preparation(&self) -> bool {
        self.buffer.is_some()
    }

    async fn prepare(&mut self) -> Result<(), Fault> {
        match (&mut self.request, self.buffer) {
            (Kept::Whole(request), Some(limit)) => buffer(request, limit).await,
            (Kept::Whole(_), None) | (Kept::Sent(_), _) => Ok(()),
        }
    }

    // Not an `async fn`, here and below: that would keep its arguments a second time.
    fn send(&mut self, this: Try, timer: &impl Timer) -> impl Future<Output = Result<Response, Fault>> {
        async move {
            let mut followed = false;
            // The request goes out inside of the braces, so that the future has no room for it.
            let sent = {
                let Some(request) = self.next(this) else { return Err(Fault::Gone(Gone)) };
                match &mut self.route {
                    Route::Client(client) => client.execute(request),
                    // In a box: few calls go through a pool, and all would have to keep room for it.
                    Route::Pool(lane) => return Box::pin(lane.send(request, this, timer)).await,
                }
            };
            match watch(pin!(sent), &mut followed).await {
                Ok(response) => Ok(response),
                Err(error) => Err(Fault::client(error, self.request().1).after_redirect(followed)),
            }
        }
    }

    fn request(&self) -> (&Method, &str) {
        match &self.request {
            Kept::Whole(request) => (request.method(), request.url().as_str()),
            Kept::Sent(target) => target.parts(),
        }
    }

    fn untried(&self) -> Option<Duration> {
        self.lane().and_then(Lane::untried)
    }

    fn proxy(&self) -> Option<u16> {
        self.lane().and_then(Lane::proxy)
    }

    fn proxies(&self) -> Option<Arc<[String]>> {
        self.lane().map(Lane::names)
    }
}

/// The caller's closure.
pub(crate) struct Closure<U, F> {
    pub(crate) method: Method,
    pub(crate) url: U,
    pub(crate) send: F,
}

impl<U, F, O, E> Sender for Closure<U, F>
where
    U: AsRef<str>,
    F: FnMut(Try) -> O,
    O: Future<Output = Result<Response, E>>,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    fn send(&mut self, this: Try, _: &impl Timer) -> impl Future<Output = Result<Response, Fault>> {
        async move {
            let mut followed = false;
            match watch(pin!((self.send)(this)), &mut followed).await {
                Ok(response) => Ok(response),
                Err(error) => Err(Fault::of_closure(error.into(), self.url.as_ref()).after_redirect(followed)),
            }
        }
    }

    fn request(&self) -> (&Method, &str) {
        (&self.method, self.url.as_ref())
    }
}
