//! Sending again, met in the field: CASES G1, G4, G5. G2 and G3 are in `repeat.rs`.
#![cfg(feature = "reqwest")]

mod common;

use common::{client, guarded, instant};
use conformance::server::{Reply, Server};
use futures_util::stream;
use reqwest::{Body, Method};
use retry_core::Why;
use runtime_tokio::RetryExt;

#[tokio::test]
async fn g1_a_streamed_body_goes_out_once_and_its_reply_is_handed_over() {
    for status in [200, 503] {
        let server = Server::start([Reply::status(status).body("a reply")]);
        let chunks = stream::iter(["a ", "stream"].map(Ok::<_, std::io::Error>));
        let request = client().put(server.url("/")).body(Body::wrap_stream(chunks));
        let (response, report) = guarded(request.with_retry(instant(3)).send_with_report()).await.unwrap();
        assert_eq!((response.status().as_u16(), report.attempts(), server.sends()), (status, 1, 1));
        assert_eq!(guarded(response.text()).await.unwrap(), "a reply");
        assert_eq!((report.single_send(), &server.requests()[0].body[..]), (Some(Why::Body), &b"a stream"[..]));
    }
}

#[tokio::test]
async fn g4_redirects_are_one_attempt() {
    let away = || Reply::status(307).header("Location", "/elsewhere");
    let server = Server::start([away(), away(), away(), away(), away(), Reply::status(200)]);
    let (response, report) =
        guarded(client().get(server.url("/")).with_retry(instant(3)).send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts(), server.sends()), (200, 1, 6));
    assert_eq!(report.waits().count(), 0);
}

#[tokio::test]
async fn g5_methods_that_are_not_idempotent_are_sent_once() {
    for method in ["get", "POST", "PATCH", "CONNECT", "PROPFIND"] {
        let server = Server::start([Reply::status(503)]);
        let request = client().request(Method::from_bytes(method.as_bytes()).unwrap(), server.url("/"));
        let (response, report) = guarded(request.with_retry(instant(3)).send_with_report()).await.unwrap();
        assert_eq!((response.status().as_u16(), report.attempts(), server.sends()), (503, 1, 1), "{method}");
        assert_eq!(report.single_send(), Some(Why::Method));
        assert_eq!(server.requests()[0].method, method);
    }
    for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
        let server = Server::start([Reply::status(503)]);
        let request = client().request(Method::from_bytes(method.as_bytes()).unwrap(), server.url("/"));
        let error = guarded(request.with_retry(instant(3)).send()).await.unwrap_err();
        assert_eq!((error.attempts(), server.sends()), (4, 4), "{method}");
    }
}
