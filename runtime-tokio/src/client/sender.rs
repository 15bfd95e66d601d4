//! reqwest's client as what makes each send, of a kept request.

use core::future::Future;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use http::Method;
use reqwest::{Client, Response};
use retry_core::{Timer, Try};

use crate::client::kept::{Kept, gone};
use crate::client::proxies::Lane;
use crate::client::redirects::watch;
use crate::fault::Fault;
use crate::io::Frame;
use crate::reply::Failed;
use crate::sender::Sender;

/// reqwest's clients. The request is copied for each send but the last.
pub(crate) struct ClientSender {
    route: Route,
    request: Kept,
}

/// Which client makes a send.
pub(crate) enum Route {
    /// Always the same.
    Client(Client),
    /// One of a pool's.
    Pool(Box<Lane>),
}

impl ClientSender {
    #[inline]
    pub(crate) fn new(route: Route, request: Kept) -> Self {
        Self { route, request }
    }

    fn lane(&self) -> Option<&Lane> {
        match &self.route {
            Route::Client(_) => None,
            Route::Pool(lane) => Some(lane),
        }
    }
}

impl Sender for ClientSender {
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

    // Not an `async fn`: that would keep its arguments a second time.
    fn send<T: Timer>(&mut self, this: Try, frame: &Frame<T>) -> impl Future<Output = Result<Response, Failed>> {
        async move {
            match &mut self.route {
                Route::Client(client) => {
                    let sent = self.request.execute(client, &this).ok_or_else(gone)?;
                    let mut followed = false;
                    match watch(pin!(sent), &mut followed).await {
                        Ok(response) => Ok(response),
                        Err(error) => {
                            let fault = Fault::client(error, self.request.parts().1);
                            Err(fault.after_redirect(followed).into())
                        }
                    }
                }
                Route::Pool(lane) => {
                    let request = self.request.next(&this).ok_or_else(gone)?;
                    // In a box: few calls go through a pool, and all would have to keep room for it.
                    Ok(Box::pin(lane.send(request, this, &frame.retry.timer)).await?)
                }
            }
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
