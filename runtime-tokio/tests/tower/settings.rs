//! What a `Retry` and a request can set, each over a real socket.

use core::error::Error as _;
use core::time::Duration;
use std::sync::{Arc, Mutex};

use conformance::server::{Reply, Server};
use http::{HeaderName, Request};
use retry_core::{Advice, ErrorKind, Event, Jitter, NonIdempotent, Policy, Reason, TokenBucket, WaitSource};
use runtime_tokio::{Budgets, PolicyError, Retry, RetryCountError};
use tower::Layer;

use crate::common::{SkipTimer, millis};
use crate::stack::{client, get, over, post, report, retry, send};
use crate::strict::Strict;

const COUNT: HeaderName = HeaderName::from_static("x-retry-count");

fn busy() -> Server {
    Server::start([Reply::status(503)])
}

#[tokio::test]
async fn what_the_server_asks_for() {
    let replies = [Reply::status(503).header("Retry-After", "7"), Reply::status(503), Reply::status(200)];
    let (server, (retry, timer)) = (Server::start(replies), retry());
    let response = send(&over(&retry), get(server.url("/"))).await.unwrap();
    let sources: Vec<_> = report(&response).waits().map(|(_, source)| source).collect();
    assert_eq!((timer.waits(), sources), (millis(&[7000, 200]), vec![WaitSource::RetryAfter, WaitSource::Computed]));
}

#[tokio::test]
async fn vendor_headers() {
    let replies = [
        Reply::status(503).header("retry-after-ms", "1500"),
        Reply::status(409).header("x-should-retry", "true"),
        Reply::status(503).header("x-should-retry", "false"),
    ];
    let (server, (retry, timer)) = (Server::start(replies), retry());
    let response = send(&over(&retry.vendor_headers(true)), get(server.url("/"))).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends(), timer.waits()), (503, 3, millis(&[1500, 200])));
    assert_eq!(report(&response).kind(), None, "the server says that this is the answer");
}

#[tokio::test]
async fn the_number_of_earlier_sends_in_a_header() {
    let (server, (retry, _)) = (busy(), retry());
    send(&over(&retry.clone().retry_count_header(COUNT)), get(server.url("/"))).await.unwrap();
    let counts: Vec<_> = server.requests().iter().map(|seen| seen.header(COUNT.as_str()).map(String::from)).collect();
    assert_eq!(counts, [None, Some("1".into()), Some("2".into()), Some("3".into())]);
    let wrong = retry.retry_count_header(http::header::HOST);
    let error = send(&over(&wrong), get(server.url("/?token=hunter2"))).await.unwrap_err();
    assert!(error.source().is_some_and(|source| source.is::<RetryCountError>()));
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Validation, 0, 4));
    assert!(error.to_string().starts_with(&format!("GET {}: ", server.url("/"))), "{error}");
}

#[tokio::test]
async fn budgets() {
    let (server, (retry, _)) = (busy(), retry());
    let service = over(&retry.clone().budget(Budgets::shared(TokenBucket::aws_2_0().filled(5))));
    let response = send(&service, get(server.url("/"))).await.unwrap();
    assert_eq!((report(&response).kind(), server.sends()), (Some(ErrorKind::BudgetSpent), 2));

    // One for each origin, and one for all requests that do not tell theirs.
    let budgets = Budgets::per_origin(|| TokenBucket::aws_2_0().filled(5));
    let retry = retry.budget(budgets.clone());
    let strict = Strict::of([503; 16]);
    let mut attempts = Vec::new();
    for (uri, host) in [
        ("http://one.test/a", None),
        ("/b", Some("one.test")),
        ("http://one.test:81/", None),
        ("https://one.test/", None),
        ("/a?1", None),
        ("/b?2", None),
        ("/b?2", Some("not a host")),
    ] {
        let mut request = Request::new(());
        *request.uri_mut() = uri.parse().unwrap();
        if let Some(host) = host {
            request.headers_mut().insert("host", host.parse().unwrap());
        }
        let response = send(&retry.layer(strict.watch()), request).await.unwrap();
        attempts.push(report(&response).attempts());
    }
    assert_eq!(attempts, [2, 1, 2, 2, 2, 1, 1]);
    assert!(budgets.level("http://one.test").is_some());
}

#[tokio::test]
async fn a_hook_and_a_custom_policy() {
    let server = Server::start([Reply::status(503), Reply::status(404).header("x-code", "busy"), Reply::status(503)]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let (log, (retry, _)) = (Arc::clone(&told), retry());
    let url = server.url("/?q=1");
    let retry = retry
        .on_retry(move |retrying| {
            log.lock().unwrap().push((retrying.url.to_owned(), retrying.attempt, retrying.event, retrying.wait));
        })
        .advise(|seen| match (seen.attempt(), seen.headers().and_then(|headers| headers.get("x-code"))) {
            (_, Some(code)) if code == "busy" => Advice::RetryAfter(Duration::from_secs(9)),
            (3, None) => Advice::Stop,
            _ => Advice::Keep,
        });
    let response = send(&over(&retry), get(&url)).await.unwrap();
    let expected = [
        (url.clone(), 1, Event::Status(503), Duration::from_millis(100)),
        (url, 2, Event::Status(404), Duration::from_secs(9)),
    ];
    assert_eq!(*told.lock().unwrap(), expected);
    assert_eq!((report(&response).attempts(), report(&response).kind()), (3, None));
}

#[tokio::test]
async fn a_trace_and_a_seed() {
    let server = busy();
    let policy = Policy::API.edit().jitter(Jitter::Full).build().unwrap();
    let calls = async |seed| {
        let service = over(&Retry::with_timer(policy, SkipTimer::default()).seed(seed).trace(true));
        let mut calls = Vec::new();
        for _ in 0..2 {
            let response = send(&service, get(server.url("/"))).await.unwrap();
            let trace = report(&response).trace().unwrap();
            assert!(trace.replay().differences().is_empty());
            calls.push(report(&response).waits().map(|(wait, _)| wait).collect::<Vec<_>>());
        }
        calls
    };
    let first = calls(7).await;
    assert_eq!(first, calls(7).await);
    // The second call of a seed is the first of the next one.
    assert_eq!(first[1], calls(8).await[0]);
    assert_ne!(first[0], first[1]);
}

#[tokio::test]
async fn settings_of_one_request() {
    let (server, (retry, timer)) = (busy(), retry());
    let service = over(&retry);
    let mut request = get(server.url("/"));
    retry.call().max_retries(5).trace(true).attach(request.extensions_mut());
    let response = send(&service, request).await.unwrap();
    assert_eq!((report(&response).attempts(), timer.waits().len()), (6, 5), "on the timer of the layer");
    assert!(report(&response).trace().is_some());
    // They are the request's alone.
    assert_eq!(report(&send(&service, get(server.url("/"))).await.unwrap()).attempts(), 4);

    let mut request = post(server.url("/"), "order");
    retry.call().non_idempotent(NonIdempotent::Always).max_retries(1).attach(request.extensions_mut());
    assert_eq!(report(&send(&service, request).await.unwrap()).attempts(), 2);

    let mut request = get(server.url("/"));
    retry.call().total_timeout(Duration::from_millis(250)).attach(request.extensions_mut());
    let response = send(&service, request).await.unwrap();
    assert_eq!((report(&response).attempts(), report(&response).reason()), (2, Reason::TotalTimeout));

    let before = server.sends();
    let mut request = get(server.url("/"));
    retry.call().total_timeout(Duration::ZERO).attach(request.extensions_mut());
    let error = send(&service, request).await.unwrap_err();
    assert!(error.source().is_some_and(|source| source.is::<PolicyError>()), "{error}");
    assert_eq!((error.attempts(), server.sends()), (0, before));
}

#[tokio::test]
async fn an_idempotency_key() {
    let (server, (retry, _)) = (busy(), retry());
    let service = retry.layer(client());
    let mut request = post(server.url("/"), "order");
    retry.call().settings().idempotency_key("order-7").attach(request.extensions_mut());
    assert_eq!(report(&send(&service, request).await.unwrap()).attempts(), 4);
    assert!(server.requests().iter().all(|seen| seen.header("idempotency-key") == Some("\"order-7\"")));

    // The caller's own header stays.
    let mut request = post(server.url("/"), "order");
    request.headers_mut().insert("idempotency-key", "mine".parse().unwrap());
    retry.call().settings().idempotency_key("order-7").attach(request.extensions_mut());
    send(&service, request).await.unwrap();
    assert_eq!(server.requests().last().unwrap().header("idempotency-key"), Some("mine"));

    let (before, mut request) = (server.sends(), post(server.url("/"), "order"));
    retry.call().settings().idempotency_key("\u{fc}").attach(request.extensions_mut());
    let error = send(&service, request).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Validation, 0, before));
}
