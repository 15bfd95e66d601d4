//! reqwest's client as what makes each send, of a kept request.

use core::future::Future;
use core::mem;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use http::{HeaderName, Method};
use reqwest::{Client, Request, Response};
use retry_core::{Timer, Try};

use crate::client::buffer::{buffer, is_replayable};
use crate::client::proxies::Lane;
use crate::client::redirects::watch;
use crate::client::response::{ClientResponse, read};
use crate::fault::{Fault, Gone};
use crate::io::Frame;
use crate::reply::Failed;
use crate::sender::Sender;
use crate::target::Target;
use crate::vendor::count;

/// reqwest's clients. The request is copied for each send but the last.
pub(crate) struct ClientSender {
    route: Route,
    request: Kept,
    /// How much of a body is read into memory first; `None` where that is not needed.
    buffer: Option<usize>,
    /// The header that tells the number of earlier sends.
    count: Option<Arc<HeaderName>>,
    read: Read,
}

/// How much of a response belongs to the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Its head.
    Head,
    /// The body of any response on which the call can end well.
    Answer,
    /// Every body.
    Every,
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
    pub(crate) fn new(
        route: Route,
        request: Request,
        buffer: Option<usize>,
        count: Option<Arc<HeaderName>>,
        read: Read,
    ) -> Self {
        let buffer = buffer.filter(|_| !is_replayable(&request));
        Self { route, request: Kept::Whole(request), buffer, count, read }
    }

    fn next(&mut self, this: &Try) -> Option<Request> {
        let mut request = self.copy_or_take(this)?;
        count(request.headers_mut(), self.count.as_deref(), *this);
        Some(request)
    }

    fn copy_or_take(&mut self, this: &Try) -> Option<Request> {
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

    fn send_once(&mut self, this: &Try, timer: &impl Timer) -> impl Future<Output = Result<Response, Fault>> {
        async move {
            let mut followed = false;
            // The request goes out inside of the braces, so that the future has no room for it.
            let sent = {
                let Some(request) = self.next(this) else { return Err(Fault::Gone(Gone)) };
                match &mut self.route {
                    Route::Client(client) => client.execute(request),
                    // In a box: few calls go through a pool, and all would have to keep room for it.
                    Route::Pool(lane) => return Box::pin(lane.send(request, *this, timer)).await,
                }
            };
            match watch(pin!(sent), &mut followed).await {
                Ok(response) => Ok(response),
                Err(error) => Err(Fault::client(error, self.request().1).after_redirect(followed)),
            }
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
    type Received = ClientResponse;

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
    fn send<T: Timer>(&mut self, this: &Try, frame: &Frame<T>) -> impl Future<Output = Result<ClientResponse, Failed>> {
        async move {
            let body = {
                let response = self.send_once(this, &frame.timer).await?;
                let retried = frame.retries(response.status());
                let is_read = match self.read {
                    Read::Head => false,
                    Read::Answer => !retried || this.ends_on_response,
                    Read::Every => true,
                };
                if !is_read {
                    return Ok(ClientResponse::Unread(response));
                }
                // In a box: whoever reads bodies himself need not keep room for it.
                Box::pin(read(response, frame.settings.max_body(), retried))
            };
            body.await
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
