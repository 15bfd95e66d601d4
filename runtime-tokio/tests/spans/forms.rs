//! The forms that stand in a stack of others have the same spans. A call that failed is an error, though its last response is
//! handed over.

use core::future::Future;
use core::time::Duration;

use bytes::Bytes;
use conformance::server::{Reply, Server};
use http_body_util::Empty;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use retry_core::{Jitter, Policy};
use runtime_tokio::Retry;
use tower::{Layer, ServiceExt};
use tracing::Level;

use crate::skip::{SkipTimer, client};
use crate::tree::Tree;
use crate::watched;

const FAILED: &str = "\
call otel.name=GET call retry.attempts=2 http.response.status_code=503 error.type=RETRY_EXHAUSTED otel.status_code=ERROR
  send otel.name=GET http.response.status_code=503 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503
  send otel.name=GET http.request.resend_count=1 http.response.status_code=503 error.type=503 otel.status_code=ERROR
";

async fn text<F: Future>(call: impl FnOnce(Retry<SkipTimer>, String) -> F) -> String {
    let server = Server::start([Reply::status(503)]);
    let policy = Policy::API.edit().max_retries(1).base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    let retry = Retry::with_timer(policy.unwrap(), SkipTimer::default());
    let tree = Tree::begin(Level::INFO);
    watched(call(retry, server.url("/"))).await;
    tree.text(|field| {
        let others = [
            "otel.kind",
            "http.request.method",
            "network.",
            "server.",
            "url.",
            "retry.reason",
            "retry.wait",
            "retry.budget",
        ];
        !others.iter().any(|other| field.starts_with(other))
    })
}

#[tokio::test]
async fn a_layer_of_tower() {
    let call = async |retry: Retry<SkipTimer>, url: String| {
        let service = retry.layer(Client::builder(TokioExecutor::new()).build_http());
        let request = http::Request::get(url).body(Empty::<Bytes>::new()).unwrap();
        assert_eq!(service.oneshot(request).await.unwrap().status(), 503);
    };
    assert_eq!(text(call).await, FAILED);
}

#[tokio::test]
async fn a_middleware_of_reqwest_middleware() {
    let call = async |retry: Retry<SkipTimer>, url: String| {
        let client = reqwest_middleware::ClientBuilder::new(client()).with(retry).build();
        assert_eq!(client.get(url).send().await.unwrap().status(), 503);
    };
    assert_eq!(text(call).await, FAILED);
}
