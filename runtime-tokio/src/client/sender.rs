//! reqwest's client as what makes each send, of a kept request.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::sync::Arc;

use http::Method;
use pin_project_lite::pin_project;
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

    fn send<T: Timer>(&mut self, this: Try, frame: &Frame<T>) -> impl Future<Output = Result<Response, Failed>> {
        match &mut self.route {
            Route::Client(client) => {
                let Some(sent) = self.request.execute(client, &this) else { return Sending::Gone };
                let request = &self.request;
                let judge = |error, followed| Fault::client(error, request.parts().1).after_redirect(followed).into();
                Sending::Client { sent: watch(sent, judge) }
            }
            Route::Pool(lane) => {
                let Some(request) = self.request.next(&this) else { return Sending::Gone };
                let sent = async move { Ok(lane.send(request, this, &frame.retry.timer).await?) };
                Sending::Pool { sent: Box::pin(sent) }
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

pin_project! {
    /// A send. No `async` block: that would move the response once more.
    #[project = Projected]
    enum Sending<C, P> {
        Client { #[pin] sent: C },
        // In a box: few calls go through a pool, and all would have to keep room for it.
        Pool { sent: Pin<Box<P>> },
        Gone,
    }
}

impl<C, P> Future for Sending<C, P>
where
    C: Future<Output = Result<Response, Failed>>,
    P: Future<Output = Result<Response, Failed>>,
{
    type Output = Result<Response, Failed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            Projected::Client { sent } => sent.poll(cx),
            Projected::Pool { sent } => sent.as_mut().poll(cx),
            Projected::Gone => Poll::Ready(Err(gone())),
        }
    }
}
