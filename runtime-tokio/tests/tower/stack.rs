//! Stacks of services, and what goes through them.

use core::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Builder, Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use retry_core::{Jitter, Policy};
use runtime_tokio::{Error, Report, Retry, RetryService};
use tower::{Layer, Service, ServiceExt};

use crate::common::{SkipTimer, guarded};

/// What hyper-util's client sends and gives.
pub(crate) type Sent = Request<Full<Bytes>>;
pub(crate) type Given = <Client<HttpConnector, Full<Bytes>> as Service<Sent>>::Response;

/// Waits of 100, 200 and 400 ms, which take no time and are noted.
pub(crate) fn retry() -> (Retry<SkipTimer>, SkipTimer) {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build().unwrap();
    let timer = SkipTimer::default();
    (Retry::with_timer(policy, timer.clone()), timer)
}

/// hyper-util's clients, with what they send again unseen turned off.
pub(crate) fn builder() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.retry_canceled_requests(false);
    builder
}

/// A fresh client with connections of its own.
pub(crate) fn client() -> Client<HttpConnector, Full<Bytes>> {
    builder().build_http()
}

/// A fresh client under `retry`.
pub(crate) fn over<T: Clone>(retry: &Retry<T>) -> RetryService<Client<HttpConnector, Full<Bytes>>, T> {
    retry.layer(client())
}

/// What `service` gives for `request`; a panic if it hangs.
pub(crate) async fn send<S, R>(service: &S, request: R) -> Result<S::Response, S::Error>
where
    S: Service<R> + Clone,
{
    guarded(service.clone().oneshot(request)).await
}

pub(crate) fn get(url: impl AsRef<str>) -> Sent {
    Request::get(url.as_ref()).body(Full::default()).unwrap()
}

pub(crate) fn post(url: impl AsRef<str>, body: &'static str) -> Sent {
    Request::post(url.as_ref()).body(body.into()).unwrap()
}

/// What the call took that gave this response.
pub(crate) fn report<B>(response: &Response<B>) -> &Report {
    response.extensions().get().expect("each response has a report")
}

pub(crate) async fn text(response: Given) -> String {
    let bytes = guarded(response.into_body().collect()).await.unwrap().to_bytes();
    String::from_utf8(bytes.into()).unwrap()
}

/// The client's own error behind `error`.
pub(crate) fn source(error: &Error) -> Option<&ClientError> {
    core::error::Error::source(error).and_then(|source| source.downcast_ref())
}
