//! reqwest's client as what makes each send, of a kept request.

use core::future::Future;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use http::Method;
use reqwest::{Client, Response};
use retry_core::{Timer, Try};

use crate::client::kept::Kept;
use crate::client::proxies::Lane;
use crate::client::redirects::watch;
use crate::client::response::{ClientResponse, read};
use crate::fault::Fault;
use crate::io::Frame;
use crate::reply::Failed;
use crate::sender::Sender;

/// reqwest's clients. The request is copied for each send but the last.
pub(crate) struct ClientSender {
    route: Route,
    request: Kept,
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

impl ClientSender {
    pub(crate) fn new(route: Route, request: Kept, read: Read) -> Self {
        Self { route, request, read }
    }

    fn send_once(&mut self, this: &Try, timer: &impl Timer) -> impl Future<Output = Result<Response, Fault>> {
        async move {
            let mut followed = false;
            // The request goes out inside of the braces, so that the future has no room for it.
            let sent = {
                let request = self.request.next(this)?;
                match &mut self.route {
                    Route::Client(client) => client.execute(request),
                    // In a box: few calls go through a pool, and all would have to keep room for it.
                    Route::Pool(lane) => return Box::pin(lane.send(request, *this, timer)).await,
                }
            };
            match watch(pin!(sent), &mut followed).await {
                Ok(response) => Ok(response),
                Err(error) => Err(Fault::client(error, self.request.parts().1).after_redirect(followed)),
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
        self.request.is_replayable()
    }

    fn needs_preparation(&self) -> bool {
        self.request.needs_buffer()
    }

    fn prepare(&mut self) -> impl Future<Output = Result<(), Fault>> {
        self.request.buffer()
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
        self.request.parts()
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
