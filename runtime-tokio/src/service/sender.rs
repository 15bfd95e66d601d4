//! A service as what makes each send.

use core::error::Error as StdError;
use core::future::{Future, poll_fn};
use std::sync::Arc;

use http::{HeaderName, Method, Request, Response};
use http_body::Body;
use retry_core::{Timer, Try};
use tower_service::Service;

use crate::fault::{Fault, Gone};
use crate::headers::{count, prepare};
use crate::io::Frame;
use crate::reply::Failed;
use crate::sender::Sender;
use crate::service::url::url;

/// A service. The request is copied for each send but the last.
pub(crate) struct ServiceSender<S, B> {
    /// Ready for the first send. Later ones go through copies of it: they have to become ready themselves, and one that is
    /// dropped while it waits for that takes nobody's place.
    service: S,
    method: Method,
    url: String,
    /// `None` when it has gone out for the last time.
    request: Option<Request<B>>,
    /// The header that tells the number of earlier sends.
    count: Option<Arc<HeaderName>>,
}

impl<S, B: Clone> ServiceSender<S, B> {
    pub(crate) fn new(ready: S, request: Request<B>) -> Self {
        let (method, url) = (request.method().clone(), url(&request));
        Self { service: ready, method, url, request: Some(request), count: None }
    }

    fn next(&mut self, this: Try) -> Option<Request<B>> {
        let mut request = if this.is_last { self.request.take() } else { self.request.clone() }?;
        count(request.headers_mut(), self.count.as_deref(), this);
        request.extensions_mut().insert(this);
        Some(request)
    }
}

impl<S, B, R> Sender for ServiceSender<S, B>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<Box<dyn StdError + Send + Sync>>,
    B: Clone,
    R: Body,
{
    type Received = Response<R>;

    fn admit<T>(&mut self, Frame { retry, settings, .. }: &Frame<T>) -> Result<(), Fault> {
        if let Some(request) = &mut self.request {
            self.count = prepare(request.headers_mut(), retry, settings)?;
        }
        Ok(())
    }

    // Not an `async fn`: that would keep its arguments a second time.
    fn send<T: Timer>(&mut self, this: Try, _: &Frame<T>) -> impl Future<Output = Result<Response<R>, Failed>> {
        async move {
            let sent = if this.number == 1 {
                let request = self.next(this).ok_or(Fault::Gone(Gone))?;
                self.service.call(request)
            } else {
                let mut service = self.service.clone();
                poll_fn(|cx| service.poll_ready(cx)).await.map_err(Fault::unready)?;
                let request = self.next(this).ok_or(Fault::Gone(Gone))?;
                service.call(request)
            };
            Ok(sent.await.map_err(Fault::called)?)
        }
    }

    fn request(&self) -> (&Method, &str) {
        (&self.method, &self.url)
    }
}
