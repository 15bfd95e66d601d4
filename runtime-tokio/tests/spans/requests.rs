//! What spans tell of a request.

use http::Method;
use retry_core::Policy;
use runtime_tokio::Retry;
use tracing::Level;

use crate::tree::Tree;
use crate::watched;

/// Nothing is sent to these.
async fn seen(method: &Method, url: &str) -> Tree {
    let tree = Tree::begin(Level::INFO);
    let send = async |_| Ok::<_, reqwest::Error>(http::Response::new("a page").into());
    watched(Retry::new(Policy::API).run(method.clone(), url, send)).await.unwrap();
    tree
}

#[tokio::test]
async fn both_spans_have_the_request_under_opentelemetrys_names() {
    let other = Method::from_bytes(b"PROPFIND").unwrap();
    let lower = Method::from_bytes(b"get").unwrap();
    let rows = [
        (
            Method::GET,
            "http://127.0.0.1:8080/orders/7",
            "otel.name=GET http.request.method=GET \
             server.address=127.0.0.1 server.port=8080 url.full=http://127.0.0.1:8080/orders/7",
        ),
        (
            Method::POST,
            "https://example.test",
            "otel.name=POST http.request.method=POST \
             server.address=example.test server.port=443 url.full=https://example.test/",
        ),
        (
            other,
            "http://[::1]/",
            "otel.name=HTTP http.request.method=_OTHER http.request.method_original=PROPFIND \
             server.address=::1 server.port=80 url.full=http://[::1]/",
        ),
        (lower, "not a URL", "otel.name=HTTP http.request.method=_OTHER http.request.method_original=get"),
    ];
    for (method, url, fields) in rows {
        let tree = seen(&method, url).await;
        let text =
            tree.text(|field| !field.starts_with("retry.") && !field.contains("status") && !field.contains("protocol"));
        let call = fields.replacen(" http", " call http", 1);
        assert_eq!(text, format!("call otel.kind=internal {call}\n  send otel.kind=client {fields}\n"));
    }
}

#[tokio::test]
async fn no_span_and_no_event_shows_a_secret() {
    for url in ["http://user:hunter2@localhost/?token=hunter2#hunter2", "user:hunter2@localhost", "/?hunter2"] {
        let text = seen(&Method::GET, url).await.text(|_| true);
        assert!(text.contains("send"), "{text}");
        assert!(!text.contains("hunter2"), "a secret is shown");
    }
}

#[tokio::test]
async fn a_filter_needs_one_target_and_one_level() {
    let tree = seen(&Method::GET, "http://localhost/").await;
    for metadata in tree.metadata() {
        assert_eq!((metadata.target(), *metadata.level()), ("runtime_tokio", Level::INFO), "{}", metadata.name());
    }
}
