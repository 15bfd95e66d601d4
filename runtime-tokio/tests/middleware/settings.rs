//! Settings of one request, among its extensions.

use core::error::Error as _;
use core::time::Duration;

use conformance::server::{Reply, Server};
use futures_util::stream;
use http::Extensions;
use reqwest::{Body, Method, Request};
use reqwest_middleware::{ClientBuilder, Extension};
use retry_core::{ErrorKind, NonIdempotent, Policy, Reason};
use runtime_tokio::{BufferTooSmall, IdempotencyKey, KeyError, Retry};

use crate::skip::{SkipTimer, client, guarded};
use crate::{ours, report, retry, with};

#[tokio::test]
async fn they_hold_for_that_request_only() {
    let retry = retry();
    let client = with(retry.clone());
    let server = Server::start([Reply::status(503)]);
    let more = client.get(server.url("/")).with_extension(retry.call().max_retries(5).settings());
    assert_eq!(report(&guarded(more.send()).await.unwrap()).attempts(), 6);
    let mut post = client.post(server.url("/")).body("order");
    retry.call().non_idempotent(NonIdempotent::Always).max_retries(1).attach(post.extensions());
    assert_eq!(report(&guarded(post.send()).await.unwrap()).attempts(), 2);
    assert_eq!(report(&guarded(client.get(server.url("/")).send()).await.unwrap()).attempts(), 4);
    assert_eq!(server.sends(), 12);
    let wrong = client.get(server.url("/")).with_extension(retry.call().attempt_timeout(Duration::ZERO).settings());
    let error = ours(guarded(wrong.send()).await.unwrap_err());
    assert_eq!((error.code(), error.attempts(), error.reason()), ("VALIDATION_ERROR", 0, Reason::NotRetryable));
    assert_eq!(server.sends(), 12);
}

#[tokio::test]
async fn whatever_has_extensions_takes_them() {
    let retry = retry();
    let server = Server::start([Reply::status(503)]);
    let client = with(retry.clone());
    // A plain request of `http`.
    let mut request = http::Request::get(server.url("/")).body("").unwrap();
    retry.call().max_retries(1).attach(request.extensions_mut());
    let (parts, body) = request.into_parts();
    let mut extensions = parts.extensions.clone();
    let request = Request::try_from(http::Request::from_parts(parts, body)).unwrap();
    let response = guarded(client.execute_with_extensions(request, &mut extensions)).await.unwrap();
    assert_eq!(report(&response).attempts(), 2);
    // As long as they are there: for every clone of a builder, and every request of a client.
    let builder = client.get(server.url("/")).with_extension(retry.call().max_retries(0).settings());
    for builder in [builder.try_clone().unwrap(), builder] {
        assert_eq!(report(&guarded(builder.send()).await.unwrap()).attempts(), 1);
    }
    let settings = retry.call().max_retries(2).settings();
    let client = ClientBuilder::new(self::client()).with(retry).with_init(Extension(settings)).build();
    for _ in 0..2 {
        assert_eq!(report(&guarded(client.get(server.url("/")).send()).await.unwrap()).attempts(), 3);
    }
    assert_eq!(server.sends(), 10);
}

#[tokio::test]
async fn they_are_found_whatever_the_timer_of_the_client_is() {
    let server = Server::start([Reply::status(503)]);
    let timer = SkipTimer::default();
    let client = with(Retry::with_timer(Policy::API, timer.clone()));
    let own = Retry::new(Policy::MICROSERVICE).call().max_retries(1).settings();
    let response = guarded(client.get(server.url("/")).with_extension(own).send()).await.unwrap();
    assert_eq!((report(&response).attempts(), timer.waits().len()), (2, 1));
}

#[tokio::test]
async fn a_key_makes_a_post_repeatable() {
    let retry = retry();
    let client = with(retry.clone());
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let keyed = |key: IdempotencyKey| retry.call().settings().idempotency_key(key);
    let post = client.post(server.url("/")).body("order").with_extension(keyed("order-7".into()));
    assert_eq!(guarded(post.send()).await.unwrap().status(), 200);
    let keys: Vec<_> =
        server.requests().iter().map(|request| request.header("idempotency-key").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("\"order-7\"".to_owned()), Some("\"order-7\"".to_owned())]);

    let own = client.post(server.url("/")).header("idempotency-key", "mine").with_extension(keyed("other".into()));
    assert_eq!(guarded(own.send()).await.unwrap().status(), 200);
    assert_eq!(server.requests()[2].header("idempotency-key"), Some("mine"));

    let server = Server::start([Reply::status(503)]);
    let never = retry.call().non_idempotent(NonIdempotent::Never).settings().idempotency_key("order-7");
    let post = client.post(server.url("/")).body("order").with_extension(never);
    assert_eq!((guarded(post.send()).await.unwrap().status().as_u16(), server.sends()), (503, 1));
    let wrong = client.post(server.url("/")).with_extension(keyed("".into()));
    let error = ours(guarded(wrong.send()).await.unwrap_err());
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Validation, 0, 1));
    assert!(error.source().unwrap().is::<KeyError>());
}

#[tokio::test]
async fn a_body_can_be_read_into_memory_first() {
    let once = || Body::wrap_stream(stream::iter([Ok::<_, std::io::Error>("on"), Ok("ce")]));
    let retry = retry();
    let client = with(retry.clone());
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let put = |bytes| {
        let settings = retry.call().settings().buffer_body(bytes);
        client.request(Method::PUT, server.url("/")).body(once()).with_extension(settings).send()
    };
    let error = ours(guarded(put(3)).await.unwrap_err());
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Validation, 0, 0));
    assert_eq!(error.source().unwrap().downcast_ref::<BufferTooSmall>().unwrap().limit(), 3);
    assert_eq!(guarded(put(4)).await.unwrap().status(), 200);
    assert_eq!(server.requests().iter().map(|request| request.body.clone()).collect::<Vec<_>>(), [b"once", b"once"]);
}

#[tokio::test]
async fn they_show_no_secret() {
    let settings = retry().call().settings().idempotency_key("s3cret");
    assert!(!format!("{settings:?}").contains("s3cret"));
    let mut extensions = Extensions::new();
    settings.attach(&mut extensions);
    assert!(!format!("{extensions:?}").contains("s3cret"));
}
