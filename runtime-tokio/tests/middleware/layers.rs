//! Other middlewares before and after ours, and layers of ours around each other.

use std::sync::{Arc, Mutex};

use conformance::server::{Fault, Point, Reply, Server};
use http::{Extensions, Method};
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, Middleware, Next, Result};
use retry_core::{ErrorKind, NonIdempotent, Reason, Try, Why};
use runtime_tokio::{Retry, RetryExt};

use crate::skip::{client, guarded};
use crate::{ours, report, retry, with};

/// What a middleware has seen: the word that its caller put among the extensions, and the attempt.
type Log = Arc<Mutex<Vec<(&'static str, Option<u32>)>>>;

/// A word among the extensions.
#[derive(Clone)]
struct Word(&'static str);

/// How often something was among the extensions before.
#[derive(Clone, Default)]
struct Passed(u32);

struct Logger(Log);

#[async_trait::async_trait]
impl Middleware for Logger {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        let word = extensions.get::<Word>().map_or("none", |word| word.0);
        let attempt = extensions.get::<Try>().map(|this| this.number);
        self.0.lock().unwrap().push((word, attempt));
        extensions.get_or_insert_default::<Passed>().0 += 1;
        next.run(request, extensions).await
    }
}

#[tokio::test]
async fn what_comes_before_is_around_all_attempts_and_what_comes_after_inside_each() {
    let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200)]);
    let (before, after) = (Log::default(), Log::default());
    let client = ClientBuilder::new(client())
        .with(Logger(Arc::clone(&before)))
        .with(retry())
        .with(Logger(Arc::clone(&after)))
        .build();
    let request = client.get(server.url("/")).build().unwrap();
    let mut extensions = Extensions::new();
    extensions.insert(Word("mine"));
    let response = guarded(client.execute_with_extensions(request, &mut extensions)).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends()), (200, 3));
    assert_eq!(*before.lock().unwrap(), [("mine", None)]);
    assert_eq!(*after.lock().unwrap(), [("mine", Some(1)), ("mine", Some(2)), ("mine", Some(3))]);
    // The caller's own extensions were handed on, not copies.
    assert_eq!(extensions.get::<Passed>().unwrap().0, 4);
}

/// Answers by a call of its own, under our retries, in place of the rest of the stack.
struct Inside(bool);

#[async_trait::async_trait]
impl Middleware for Inside {
    async fn handle(&self, request: Request, _: &mut Extensions, _: Next<'_>) -> Result<Response> {
        let call = client().request(request.method().clone(), request.url().clone()).with_retry(&retry());
        let call = call.return_last_response(self.0);
        call.send().await.map_err(reqwest_middleware::Error::middleware)
    }
}

#[tokio::test]
async fn two_layers_do_not_multiply() {
    for reply in [Reply::status(503), Fault::Reset.at(Point::Request)] {
        let retry = retry();
        let server = Server::start([reply]);
        let url = server.url("/");
        // Two of one client, of which the inner one's report is the one that tells.
        let twice = ClientBuilder::new(client()).with(retry.clone()).with(retry.clone()).build();
        let attempts = match guarded(twice.get(&url).send()).await {
            Ok(response) => {
                assert_eq!(report(&response).kind(), Some(ErrorKind::RetryExhausted));
                report(&response).attempts()
            }
            Err(error) => ours(error).attempts(),
        };
        assert_eq!((attempts, server.sends()), (4, 4));
        // A closure around a client with one.
        let client = with(retry.clone());
        match guarded(retry.run(Method::GET, &url, |_| client.get(&url).send())).await {
            Ok(response) => assert_eq!(response.status(), 503),
            Err(error) => assert_eq!(error.attempts(), 4),
        }
        assert_eq!(server.sends(), 8);
        // One around a `send` of ours.
        for returns_last in [false, true] {
            let client = ClientBuilder::new(self::client()).with(retry.clone()).with(Inside(returns_last)).build();
            let before = server.sends();
            match guarded(client.get(&url).send()).await {
                Ok(response) => assert_eq!(response.status(), 503),
                Err(error) => assert_eq!(ours(error).attempts(), 4),
            }
            assert_eq!(server.sends() - before, 4);
        }
    }
}

#[tokio::test]
async fn the_requests_own_settings_win_in_every_layer() {
    let server = Server::start([Reply::status(503)]);
    let retry = retry();
    let client = ClientBuilder::new(client()).with(retry.clone()).with(retry.clone()).build();
    for (count, attempts) in [(0, 1), (5, 6)] {
        let before = server.sends();
        let request = client.get(server.url("/")).with_extension(retry.call().max_retries(count).settings());
        assert_eq!(report(&guarded(request.send()).await.unwrap()).attempts(), attempts);
        assert_eq!(server.sends() - before, attempts as usize);
    }
}

#[tokio::test]
async fn what_the_inner_layer_would_not_send_again_is_not_sent_again_outside() {
    let server = Server::start([Reply::status(503)]);
    let always = retry().policy().edit().non_idempotent(NonIdempotent::Always).build().unwrap();
    let outer = Retry::with_timer(always, crate::SkipTimer::default());
    let client = ClientBuilder::new(client()).with(outer).with(retry()).build();
    let response = guarded(client.post(server.url("/")).body("order").send()).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends()), (503, 1));
    assert_eq!(report(&response).single_send(), Some(Why::Method), "the inner layer's report tells why");
}

#[tokio::test]
async fn what_the_inner_layer_did_not_work_on_is_the_outer_ones() {
    let server = Server::start([Reply::status(500), Reply::status(200)]);
    let narrow = retry().policy().edit().statuses(&[503]).build().unwrap();
    let inner = Retry::with_timer(narrow, crate::SkipTimer::default());
    let client = ClientBuilder::new(client()).with(retry()).with(inner).build();
    let response = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends()), (200, 2));
    assert_eq!((report(&response).attempts(), report(&response).reason()), (2, Reason::Answer));
}

/// A body that has no end of pieces without bytes, made by a middleware: nothing comes over a wire so.
struct Nothing;

#[async_trait::async_trait]
impl Middleware for Nothing {
    async fn handle(&self, _: Request, _: &mut Extensions, _: Next<'_>) -> Result<Response> {
        let pieces = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(bytes::Bytes::new()));
        let response = http::Response::builder().status(503).body(reqwest::Body::wrap_stream(pieces));
        Ok(response.expect("a response").into())
    }
}

#[tokio::test]
async fn a_body_of_nothing_without_end_is_let_go() {
    let client = ClientBuilder::new(client()).with(retry()).with(Nothing).build();
    let response = guarded(client.get("http://localhost/").send()).await.unwrap();
    assert_eq!((response.status().as_u16(), report(&response).attempts()), (503, 4));
}
