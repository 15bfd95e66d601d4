//! Calls over hyper-util's client: what goes out, and what comes back.

use core::error::Error as _;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use conformance::server::{Fault, Framing, Point, Reply, Server};
use http::header::HOST;
use http::{HeaderValue, Method, Request};
use http_body_util::{BodyExt, Empty, Full};
use retry_core::{ErrorKind, NonIdempotent, Policy, Reason, Try, Why};
use runtime_tokio::{Retry, TimedOut};
use tower::{BoxError, Layer, ServiceExt, service_fn};

use crate::common::{self, guarded, millis};
use crate::stack::{client, get, over, post, report, retry, send, source, text};

#[tokio::test]
async fn a_request_is_sent_until_it_is_answered_each_time_the_same() {
    let server = Server::start([Reply::status(503), Fault::Reset.at(Point::Request), Reply::status(200).body("done")]);
    let (retry, timer) = retry();
    let mut request = post(server.url("/order?id=7"), "an order");
    *request.method_mut() = Method::PUT;
    request.headers_mut().append("x-tag", HeaderValue::from_static("one"));
    request.headers_mut().append("x-tag", HeaderValue::from_static("two"));
    let response = send(&over(&retry), request).await.unwrap();
    let taken = report(&response);
    assert_eq!((taken.attempts(), taken.reason(), taken.kind()), (3, Reason::Answer, None));
    assert_eq!(timer.waits(), millis(&[100, 200]));
    assert_eq!((response.status().as_u16(), text(response).await.as_str()), (200, "done"));
    let seen = server.requests();
    assert_eq!(seen.len(), 3);
    for request in &seen {
        assert_eq!((request.method.as_str(), request.target.as_str()), ("PUT", "/order?id=7"));
        assert_eq!((request.body.as_slice(), &request.headers), (b"an order".as_slice(), &seen[0].headers));
    }
    let tags: Vec<_> =
        seen[2].headers.iter().filter(|(name, _)| name == "x-tag").map(|(_, tag)| tag.as_str()).collect();
    assert_eq!(tags, ["one", "two"]);
}

#[tokio::test]
async fn the_last_response_is_given_whatever_it_is() {
    let server = Server::start([Reply::status(503).body("the end")]);
    let response = send(&over(&retry().0), get(server.url("/"))).await.unwrap();
    let taken = report(&response);
    assert_eq!((taken.attempts(), taken.kind()), (4, Some(ErrorKind::RetryExhausted)));
    assert_eq!((response.status().as_u16(), text(response).await.as_str()), (503, "the end"));
    // At the total limit, too: the next wait does not fit.
    let policy = Policy::API.edit().total_timeout(Some(Duration::from_millis(500))).build().unwrap();
    let response = send(&over(&Retry::new(policy)), get(server.url("/"))).await.unwrap();
    let taken = report(&response);
    assert_eq!((taken.attempts(), taken.kind()), (1, Some(ErrorKind::Timeout)));
    assert_eq!(text(response).await, "the end");
}

#[tokio::test]
async fn a_post_goes_out_once_unless_it_may_be_repeated() {
    let server = Server::start([Reply::status(503)]);
    let (retry, _) = retry();
    let response = send(&over(&retry), post(server.url("/"), "order")).await.unwrap();
    let taken = report(&response);
    assert_eq!((taken.attempts(), taken.kind(), taken.single_send()), (1, None, Some(Why::Method)));
    assert_eq!((response.status().as_u16(), server.sends()), (503, 1));
    let policy = retry.policy().edit().non_idempotent(NonIdempotent::Always).build().unwrap();
    let service = over(&Retry::with_timer(policy, common::SkipTimer::default()));
    assert_eq!(report(&send(&service, post(server.url("/"), "order")).await.unwrap()).attempts(), 4);
    assert!(server.requests().iter().all(|request| request.body == b"order"));
}

#[tokio::test]
async fn the_error_keeps_the_clients_own() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let request = get(server.url("/path?token=hunter2").replace("://", "://user:hunter2@"));
    let error = send(&over(&retry().0), request).await.unwrap_err();
    assert!(source(&error).is_some_and(|error| !error.is_connect()), "{:?}", error.source());
    assert_eq!((error.attempts(), error.status()), (4, None));
    let start = format!("GET {}: ", server.url("/path"));
    assert!(error.to_string().starts_with(&start), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "a secret is shown");
    // It goes where boxed errors go.
    let boxed: BoxError = error.into();
    assert!(boxed.is::<runtime_tokio::Error>());
}

#[tokio::test]
async fn a_limit_cuts_the_send_and_ends_its_connection() {
    let server = Arc::new(Server::start([Fault::Stall.at(Point::Request)]));
    let policy = common::instant(1).edit().attempt_timeout(Some(Duration::from_secs(5))).build().unwrap();
    let service = over(&Retry::with_timer(policy, common::StallTimer::new(&server)));
    let error = send(&service, get(server.url("/"))).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 2));
    assert!(error.source().is_some_and(|source| source.is::<TimedOut>()));
    // The client stays; with the rest the timer goes.
    let client = service.into_inner();
    let mut server = Arc::into_inner(server).unwrap();
    let ended = tokio::task::spawn_blocking(move || {
        // Waits until the client has ended every connection.
        server.finish();
        server.connections()
    });
    assert_eq!(guarded(ended).await.unwrap(), 2);
    drop(client);
}

#[tokio::test]
async fn nothing_is_sent_after_the_call_is_dropped() {
    let server = Server::start([Reply::status(503)]);
    let waiting = Arc::new(tokio::sync::Notify::new());
    let told = Arc::clone(&waiting);
    let retry = Retry::new(Policy::API).on_retry(move |_| told.notify_one());
    let mut call = Box::pin(over(&retry).oneshot(get(server.url("/"))));
    guarded(async {
        tokio::select! {
            _ = &mut call => panic!("the call has ended"),
            () = waiting.notified() => {}
        }
    })
    .await;
    drop(call);
    assert_eq!(server.sends(), 1);
}

#[tokio::test]
async fn a_path_alone_is_reported_with_its_host() {
    // Such a request goes through a service that knows where to.
    let client = client();
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let url = server.url("");
    let inner = service_fn(move |mut request: Request<Full<Bytes>>| {
        let absolute = format!("{url}{}", request.uri());
        *request.uri_mut() = absolute.parse().unwrap();
        client.clone().oneshot(request)
    });
    let mut request = get("/path?token=hunter2");
    request.headers_mut().insert(HOST, HeaderValue::from_static("api.test:8080"));
    let error = send(&retry().0.layer(inner.clone()), request).await.unwrap_err();
    assert!(error.to_string().starts_with("GET http://api.test:8080/path: "), "{error}");
    let error = send(&retry().0.layer(inner), get("/path?token=hunter2")).await.unwrap_err();
    assert!(error.to_string().starts_with("GET (not an absolute URL): "), "{error}");
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

// What a client's error says counts only where it is known to be a client's.
#[cfg(feature = "hyper-util")]
#[tokio::test]
async fn a_request_that_the_client_refuses_is_no_send() {
    let mut version = get("http://127.0.0.1:1/");
    *version.version_mut() = http::Version::HTTP_09;
    let mut connect = get("http://127.0.0.1:1/");
    *connect.version_mut() = http::Version::HTTP_10;
    *connect.method_mut() = Method::CONNECT;
    let mut path = get("http://127.0.0.1:1/");
    *path.uri_mut() = http::Uri::from_static("/path");
    for request in [version, connect, path, get("https://127.0.0.1:1/"), get("ftp://127.0.0.1:1/")] {
        let shown = format!("{request:?}");
        let error = send(&over(&retry().0), request.clone()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Validation, 0), "{shown} {error}");
        assert!(source(&error).is_some(), "{shown}");
        let always = retry().0.advise(|_| retry_core::Advice::Retry);
        let error = send(&over(&always), request).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Validation, 0), "{shown} again {error}");
    }
}

#[tokio::test]
async fn a_service_inside_can_tell_the_attempts_apart() {
    let inner = service_fn(|request: Request<()>| async move {
        let this = *request.extensions().get::<Try>().ok_or("no attempt")?;
        let status = if this.number < 3 { 503 } else { 200 };
        Ok::<_, BoxError>(http::Response::builder().status(status).body(Empty::<Bytes>::new())?)
    });
    let response = send(&retry().0.layer(inner), Request::new(())).await.unwrap();
    assert_eq!((response.status().as_u16(), report(&response).attempts()), (200, 3));
}

#[tokio::test]
async fn a_body_that_is_streamed_to_the_caller_is_not_cut_by_us() {
    let server = Server::start([Reply::status(200).body("x".repeat(100)).framing(Framing::Declared(200))]);
    let response = send(&over(&retry().0), get(server.url("/"))).await.unwrap();
    assert_eq!(report(&response).attempts(), 1);
    assert!(guarded(response.into_body().collect()).await.is_err());
    assert_eq!(server.sends(), 1, "a fault of the body is the caller's");
}

/// A body that tells how often it was copied.
#[derive(Default)]
struct Counted(Arc<AtomicUsize>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

#[tokio::test]
async fn a_request_is_copied_for_each_send_but_the_last() {
    for (method, status, copies) in [(Method::GET, 503, 3), (Method::GET, 200, 1), (Method::POST, 503, 0)] {
        let inner = service_fn(move |_: Request<Counted>| async move {
            Ok::<_, BoxError>(http::Response::builder().status(status).body(Empty::<Bytes>::new())?)
        });
        let copied = Arc::new(AtomicUsize::new(0));
        let request = Request::builder().method(&method).body(Counted(Arc::clone(&copied))).unwrap();
        send(&retry().0.layer(inner), request).await.unwrap();
        assert_eq!(copied.load(Ordering::Relaxed), copies, "{method} {status}");
    }
}
