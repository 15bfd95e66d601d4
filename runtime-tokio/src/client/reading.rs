//! Bodies that are read inside the attempt, so that one that breaks off is retried.

use core::future::Future;
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use reqwest::Response;
use retry_core::{Timer, Try};

use crate::client::fault::{BodyTooLarge, ClientFault};
use crate::client::fetched::Fetched;
use crate::client::response::ClientResponse;
use crate::fault::Fault;
use crate::io::Frame;
use crate::reply::Failed;
use crate::sender::Sender;

/// A sender whose responses are read.
pub(crate) struct Reading<S> {
    pub(crate) sender: S,
    pub(crate) bodies: Bodies,
}

/// Which bodies belong to the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// Those of responses on which the call can end well.
    Answers,
    /// All.
    Every,
}

impl<S: Sender<Received = Response>> Sender for Reading<S> {
    type Received = ClientResponse;

    fn admit<T>(&mut self, frame: &Frame<T>) -> Result<(), Fault> {
        self.sender.admit(frame)
    }

    fn is_replayable(&self) -> bool {
        self.sender.is_replayable()
    }

    fn needs_preparation(&self) -> bool {
        self.sender.needs_preparation()
    }

    fn prepare(&mut self) -> impl Future<Output = Result<(), Fault>> {
        self.sender.prepare()
    }

    // Not an `async fn`: that would keep its arguments a second time.
    fn send<T: Timer>(&mut self, this: Try, frame: &Frame<T>) -> impl Future<Output = Result<ClientResponse, Failed>> {
        async move {
            let body = {
                let response = self.sender.send(this, frame).await?;
                let retried = frame.retries(response.status());
                if self.bodies == Bodies::Answers && retried && !this.ends_on_response {
                    return Ok(ClientResponse::Unread(response));
                }
                // In a box, so that a call need not keep room for it besides the send's.
                Box::pin(read(response, frame.settings.max_body(), retried))
            };
            body.await
        }
    }

    fn request(&self) -> (&Method, &str) {
        self.sender.request()
    }

    fn untried(&self) -> Option<Duration> {
        self.sender.untried()
    }

    fn proxy(&self) -> Option<u16> {
        self.sender.proxy()
    }

    fn proxies(&self) -> Option<Arc<[String]>> {
        self.sender.proxies()
    }
}

/// `response` with its body, or what came of it under a status that is `retried` anyway.
async fn read(mut response: Response, limit: usize, retried: bool) -> Result<ClientResponse, Failed> {
    match read_body(&mut response, limit).await {
        (_, Some(fault)) if !retried => Err(Failed { fault: fault.into(), status: Some(response.status()) }),
        (body, fault) => Ok(ClientResponse::Read(Box::new(Fetched::new(response, body, fault)))),
    }
}

/// Reads the body of `response`, at most `limit` bytes of it: what came, and what broke it off.
async fn read_body(response: &mut Response, limit: usize) -> (Bytes, Option<ClientFault>) {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return (Bytes::new(), Some(ClientFault::TooLarge(BodyTooLarge { limit })));
    }
    let mut body = Vec::new();
    let fault = loop {
        match response.chunk().await {
            Ok(Some(chunk)) if chunk.len() > limit.saturating_sub(body.len()) => {
                break Some(ClientFault::TooLarge(BodyTooLarge { limit }));
            }
            Ok(Some(chunk)) => {
                let needed = body.len().saturating_add(chunk.len());
                if needed > body.capacity() {
                    // Doubling, but never to more than may be kept.
                    body.reserve_exact(needed.max(body.capacity().saturating_mul(2)).min(limit) - body.len());
                }
                body.extend_from_slice(&chunk);
            }
            Ok(None) => break None,
            Err(error) => break Some(ClientFault::body(error)),
        }
    };
    (body.into(), fault)
}
