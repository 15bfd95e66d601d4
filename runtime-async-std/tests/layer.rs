//! The middleware for all requests of a client, over a real socket.
#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "common/skip.rs"]
mod skip;

use core::time::Duration;

use async_std::io::Cursor;
use conformance::server::{Fault, Point, Reply, Server};
use retry_core::{ErrorKind, Event, Jitter, NonIdempotent, Policy, Reason};
use runtime_async_std::{Error, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use surf::http::Method;
use surf::middleware::{Logger, Redirect};
use surf::{Body, Request, Url};

fn retry() -> (Retry<SkipTimer>, SkipTimer) {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    let timer = SkipTimer::default();
    (Retry::with_timer(policy.expect("a valid policy"), timer.clone()), timer)
}

#[async_std::test]
async fn every_request_of_the_client_is_retried_and_the_last_response_handed_over() {
    let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200).body("ok")]);
    let (retry, timer) = retry();
    let client = client().with(retry);
    let mut response = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!(response.body_string().await.unwrap(), "ok");
    assert_eq!((server.sends(), timer.waited()), (3, Duration::from_millis(300)));
    assert_eq!(guarded(client.get(server.url("/")).recv_string()).await.unwrap(), "ok");

    let server = Server::start([Reply::status(503).body("to the end")]);
    let mut response = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!((response.status().into(), server.sends()), (503, 4));
    assert_eq!(response.body_string().await.unwrap(), "to the end", "never an empty body in place of the real one");
}

#[async_std::test]
async fn an_error_has_ours_inside() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let client = client().with(retry().0);
    let error = guarded(client.get(server.url("/")).send()).await.unwrap_err();
    let ours: Error = error.downcast().unwrap();
    assert_eq!((ours.kind(), ours.attempts(), server.sends()), (ErrorKind::RetryExhausted, 4, 4));
    assert!(matches!(ours.event(), Some(Event::Failure(failure)) if failure.kind() == ErrorKind::Network));
}

#[async_std::test]
async fn bodies_go_out_whole_at_every_send_or_once() {
    let (retry, _) = retry();
    let client = client().with(retry);
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let put = client.put(server.url("/")).content_type("text/plain").body("the body");
    assert_eq!(guarded(put.send()).await.unwrap().status(), 200);
    let sent = server.requests();
    assert_eq!(sent.len(), 2);
    assert!(
        sent.iter().all(|request| request.body == b"the body" && request.header("content-type") == Some("text/plain"))
    );

    let server = Server::start([Reply::status(503)]);
    let put = client.put(server.url("/")).body(Body::from_reader(Cursor::new("once"), None));
    assert_eq!(guarded(put.send()).await.unwrap().status(), 503);
    assert_eq!(guarded(client.post(server.url("/")).body("order").send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 2);
    assert_eq!(
        server.requests().iter().map(|request| request.body.clone()).collect::<Vec<_>>(),
        [&b"once"[..], b"order"]
    );
}

#[async_std::test]
async fn the_requests_own_layer_wins_and_two_do_not_multiply() {
    let (retry, timer) = retry();
    let client = client().with(retry.clone());
    let server = Server::start([Reply::status(503)]);
    let get = || client.get(server.url("/")).with_retry(&retry);
    let error = guarded(get().send()).await.unwrap_err();
    assert_eq!((error.attempts(), server.sends()), (4, 4), "4 sends, not 16");
    let error = guarded(get().max_retries(5).send()).await.unwrap_err();
    assert_eq!((error.attempts(), server.sends()), (6, 10));
    assert_eq!(guarded(get().max_retries(0).send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 11);
    // A total limit of the request's own is longer than that of the client's layer.
    let before = timer.waited();
    let long = get().total_timeout(Duration::from_secs(400)).retry_after(retry.policy().retry_after());
    let slow = long.policy(
        Policy::API
            .edit()
            .base_delay(Duration::from_secs(100))
            .max_delay(Duration::from_secs(100))
            .total_timeout(Some(Duration::from_secs(400)))
            .build()
            .unwrap(),
    );
    let error = guarded(slow.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 4));
    assert!(timer.waited() - before > Duration::from_secs(180));
    // Neither do two of a client.
    let server = Server::start([Reply::status(503)]);
    let client = self::client().with(retry.clone()).with(retry.clone());
    assert_eq!(guarded(client.get(server.url("/")).send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 4);
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    assert!(guarded(client.get(server.url("/")).send()).await.is_err());
    assert_eq!(server.sends(), 4);
    // Or a closure around one.
    let run = retry.run(Method::Get, server.url("/"), |_| client.get(server.url("/")).send());
    assert_eq!(guarded(run).await.unwrap_err().attempts(), 4);
    assert_eq!(server.sends(), 8);
}

#[async_std::test]
async fn settings_can_be_put_on_a_request() {
    let (retry, _) = retry();
    let client = client().with(retry.clone());
    let server = Server::start([Reply::status(503)]);
    let request = |method| Request::new(method, Url::parse(&server.url("/")).unwrap());
    let mut more = request(Method::Get);
    retry.call().max_retries(5).attach(&mut more);
    assert_eq!(guarded(client.send(more)).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 6);
    let mut post = request(Method::Post);
    post.set_body("order");
    retry.call().non_idempotent(NonIdempotent::Always).max_retries(1).attach(&mut post);
    assert_eq!(guarded(client.send(post)).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 8);
    let mut wrong = request(Method::Get);
    retry.call().attempt_timeout(Duration::ZERO).attach(&mut wrong);
    let error: Error = guarded(client.send(wrong)).await.unwrap_err().downcast().unwrap();
    assert_eq!((error.code(), error.attempts(), error.reason()), ("VALIDATION_ERROR", 0, Reason::NotRetryable));
    assert_eq!(guarded(client.send(request(Method::Get))).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 12, "they hold for that request only");
}

#[async_std::test]
async fn with_redirects_and_logs_it_does_what_the_docs_say() {
    let (retry, _) = retry();
    // After ours: the look ahead and the request are one attempt.
    let server =
        Server::start([Reply::status(200), Reply::status(503), Reply::status(200), Reply::status(200).body("ok")]);
    let client = client().with(retry.clone()).with(Redirect::default()).with(Logger::new());
    assert_eq!(guarded(client.get(server.url("/")).recv_string()).await.unwrap(), "ok");
    assert_eq!(server.sends(), 4, "two attempts of two sends");
    // A look ahead that fails is an attempt that fails.
    let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(200)]);
    assert_eq!(guarded(client.get(server.url("/")).send()).await.unwrap().status(), 200);
    assert_eq!(server.sends(), 3);
    // Redirects are followed, and the body arrives.
    let server = Server::start([Reply::status(307).header("Location", "/there"), Reply::status(200)]);
    let put = client.put(server.url("/here")).body("the body");
    assert_eq!(guarded(put.send()).await.unwrap().status(), 200);
    let sent: Vec<_> = server.requests().iter().map(|request| (request.target.clone(), request.body.len())).collect();
    assert_eq!(sent, [("/here".into(), 0), ("/there".into(), 0), ("/there".into(), 8)]);
    // Before ours: the look ahead goes past it.
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let client = self::client().with(Redirect::default()).with(Logger::new()).with(retry.clone());
    assert!(guarded(client.get(server.url("/")).send()).await.is_err());
    assert_eq!(server.sends(), 1);
    let server = Server::start([Reply::status(200), Reply::status(503), Reply::status(200)]);
    let client = self::client().with(Redirect::default()).with(Logger::new());
    let (response, report) = guarded(client.get(server.url("/")).with_retry(&retry).send_with_report()).await.unwrap();
    assert_eq!((response.status().into(), report.attempts(), server.sends()), (200, 2, 3));
}

#[async_std::test]
async fn h1_a_server_of_one_connection_at_a_time() {
    let busy = || Reply::status(503).body(vec![b'x'; 5000]).framing(conformance::server::Framing::Chunked);
    let script = [busy(), busy(), Reply::status(200).body("the last")];
    let server = Server::builder().script(script).one_connection_at_a_time().start();
    let client = client().with(retry().0);
    assert_eq!(guarded(client.get(server.url("/")).recv_string()).await.unwrap(), "the last");
}

/// Not with curl, which waits for the body all the same.
#[cfg(not(feature = "curl"))]
#[async_std::test]
async fn the_answer_to_head_is_not_waited_for() {
    let server = Server::start([Reply::status(200).body("not sent")]);
    let page = guarded(client().head(server.url("/")).with_retry(retry().0).fetch()).await.unwrap();
    assert_eq!((page.status().into(), page.body().len()), (200, 0));
}

#[async_std::test]
async fn a_post_that_was_answered_with_a_redirect_has_arrived_whatever_comes_after() {
    let nobody = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    nobody.bind(&core::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let dead = nobody.local_addr().unwrap().as_socket().unwrap();
    let server = Server::start([Reply::status(307).header("Location", format!("http://{dead}/next"))]);
    let (retry, _) = retry();
    let policy = retry.policy().edit().non_idempotent(NonIdempotent::WhenUnsent).build().unwrap();
    let retry = Retry::with_timer(policy, SkipTimer::default());
    let client = client().with(retry).with(Redirect::default());
    assert!(guarded(client.post(server.url("/order")).body("order").send()).await.is_err());
    assert_eq!(server.sends(), 1, "the redirect was the answer to the only POST");
}
