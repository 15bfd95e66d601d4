//! A call's request, kept for the sends to come.

use core::future::Future;
use core::mem;
use std::sync::Arc;

use http::{HeaderName, Method};
use reqwest::{Client, Request, Response};
use retry_core::Try;

use crate::client::buffer::{buffer, is_replayable};
use crate::fault::{Fault, Gone};
use crate::headers::{count, prepare};
use crate::io::Frame;
use crate::reply::Failed;
use crate::target::Target;

/// A request that is copied for each send but the last.
pub(crate) struct Kept {
    request: Copies,
    /// How much of a body is read into memory first; `None` where that is not needed.
    buffer: Option<usize>,
    /// The header that tells the number of earlier sends.
    count: Option<Arc<HeaderName>>,
}

enum Copies {
    Whole(Request),
    /// What is left of it when it has gone out for the last time.
    Sent(Target),
}

impl Kept {
    #[inline]
    pub(crate) fn new(request: Request) -> Self {
        Self { request: Copies::Whole(request), buffer: None, count: None }
    }

    /// Adds what the call asks for: its headers, and the reading of its body.
    pub(crate) fn admit<T>(&mut self, Frame { retry, settings, .. }: &Frame<T>) -> Result<(), Fault> {
        if let Copies::Whole(request) = &mut self.request {
            self.count = prepare(request.headers_mut(), retry, settings)?;
            self.buffer = settings.get(|own| own.client.buffer_body).filter(|_| !is_replayable(request));
        }
        Ok(())
    }

    /// Begins one send by `client`. A function of its own, so that a call's future has no room for the request.
    pub(crate) fn execute(
        &mut self,
        client: &Client,
        this: &Try,
    ) -> Option<impl Future<Output = reqwest::Result<Response>> + use<>> {
        Some(client.execute(self.next(this)?))
    }

    /// The request of one send, unless it has gone out for the last time.
    #[inline]
    pub(crate) fn next(&mut self, this: &Try) -> Option<Request> {
        let mut next = self.copy_or_take(this);
        if let Some(request) = &mut next {
            count(request.headers_mut(), self.count.as_deref(), *this);
        }
        next
    }

    #[inline]
    fn copy_or_take(&mut self, this: &Try) -> Option<Request> {
        let Copies::Whole(request) = &self.request else { return None };
        if !this.is_last {
            return request.try_clone();
        }
        let sent = Copies::Sent(Target::of(request));
        match mem::replace(&mut self.request, sent) {
            Copies::Whole(request) => Some(request),
            Copies::Sent(_) => None,
        }
    }

    /// Whether every send can have the same body.
    pub(crate) fn is_replayable(&self) -> bool {
        self.buffer.is_some() || matches!(&self.request, Copies::Whole(request) if is_replayable(request))
    }

    /// Whether the body has to be read into memory before the first send.
    pub(crate) fn needs_buffer(&self) -> bool {
        self.buffer.is_some()
    }

    /// Reads the body into memory.
    pub(crate) async fn buffer(&mut self) -> Result<(), Fault> {
        match (&mut self.request, self.buffer) {
            (Copies::Whole(request), Some(limit)) => buffer(request, limit).await,
            (Copies::Whole(_), None) | (Copies::Sent(_), _) => Ok(()),
        }
    }

    /// The method and the URL.
    pub(crate) fn parts(&self) -> (&Method, &str) {
        match &self.request {
            Copies::Whole(request) => (request.method(), request.url().as_str()),
            Copies::Sent(target) => target.parts(),
        }
    }
}

/// What comes of a send whose request has gone out for the last time.
pub(crate) fn gone() -> Failed {
    Fault::Gone(Gone).into()
}
