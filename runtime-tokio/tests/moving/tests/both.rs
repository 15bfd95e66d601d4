//! What the guide's page on moving over from reqwest-retry says of both, on the same servers.

#[path = "../../common/skip.rs"]
mod skip;

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Arc;

use conformance::server::{Fault, Point, Reply, Server, Tls};
use futures_util::stream;
use http::Extensions;
use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::{Body, Method, Request, Response};
use reqwest_middleware::{ClientBuilder, Error, Middleware, Next, Result};
use reqwest_retry::policies::ExponentialBackoff;
use reqwest_retry::{Jitter, RetryTransientMiddleware};
use retry_core::{Advice, Cause, NonIdempotent, Policy, PolicyBuilder, RetryAfter, WaitSource};
use runtime_tokio::{DnsFailure, Report, Retry, Seen};

use skip::{SkipTimer, client, guarded};

/// reqwest-retry, with three retries.
fn before() -> impl Middleware {
    let bounds = ExponentialBackoff::builder().retry_bounds(Duration::from_millis(1), Duration::from_millis(2));
    RetryTransientMiddleware::new_with_policy(bounds.jitter(Jitter::None).build_with_max_retries(3))
}

/// Waits of 100, 200 and 400 ms, which take no time.
fn retry() -> Retry<SkipTimer> {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(retry_core::Jitter::None).build();
    Retry::with_timer(policy.unwrap(), SkipTimer::default())
}

/// What the call took that gave this response.
fn report(response: &Response) -> &Report {
    response.extensions().get().expect("each response has a report")
}

/// Ours, with three retries and this change.
fn changed(change: fn(PolicyBuilder) -> PolicyBuilder) -> Retry<SkipTimer> {
    Retry::with_timer(change(retry().policy().edit()).build().unwrap(), SkipTimer::default())
}

/// How often a request goes out, under each of them.
struct Row {
    method: Method,
    reply: Reply,
    before: usize,
    after: usize,
    /// What makes it as it was before.
    change: fn(PolicyBuilder) -> PolicyBuilder,
}

#[tokio::test]
async fn what_is_sent_again() {
    let row = |method, reply, before, after, change| Row { method, reply, before, after, change };
    for row in [
        row(Method::GET, Reply::status(503), 4, 4, |same| same),
        row(Method::PUT, Fault::Reset.at(Point::Request), 4, 4, |same| same),
        row(Method::GET, Fault::Close.at(Point::Request), 4, 4, |same| same),
        row(Method::GET, Reply::status(404), 1, 1, |same| same),
        row(Method::GET, Reply::status(501), 4, 1, |policy| policy.add_status(501)),
        row(Method::POST, Reply::status(503), 4, 1, |policy| policy.non_idempotent(NonIdempotent::Always)),
        row(Method::PATCH, Fault::Reset.at(Point::Request), 4, 1, |policy| {
            policy.non_idempotent(NonIdempotent::Always)
        }),
        row(Method::GET, Reply::garbage(), 1, 4, |same| same),
    ] {
        let Row { method, reply, .. } = row;
        let sends = async |middleware: Arc<dyn Middleware>| {
            let server = Server::start([reply.clone()]);
            let client = ClientBuilder::new(client()).with_arc(middleware).build();
            let _ = guarded(client.request(method.clone(), server.url("/")).body("a body").send()).await;
            server.sends()
        };
        assert_eq!(sends(Arc::new(before())).await, row.before, "{method} before");
        assert_eq!(sends(Arc::new(changed(|same| same))).await, row.after, "{method} after");
        if row.before > row.after {
            assert_eq!(sends(Arc::new(changed(row.change))).await, row.before, "{method} changed");
        }
    }
}

#[tokio::test]
async fn a_stream_was_refused_and_is_sent_once() {
    let server = Server::start([Reply::status(503)]);
    let body = || Body::wrap_stream(stream::iter([Ok::<_, std::io::Error>("once")]));
    let client = ClientBuilder::new(client()).with(before()).build();
    let error = guarded(client.put(server.url("/")).body(body()).send()).await.unwrap_err();
    assert_eq!((error.is_middleware(), server.sends()), (true, 0));
    let client = ClientBuilder::new(self::client()).with(retry()).build();
    assert_eq!(guarded(client.put(server.url("/")).body(body()).send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 1);
}

#[tokio::test]
async fn what_the_server_asks_for_was_not_read() {
    let server = Server::start([Reply::status(429).header("Retry-After", "60"), Reply::status(200)]);
    let client = ClientBuilder::new(client()).with(before()).build();
    // The guard is shorter than what the server asks for.
    assert_eq!(guarded(client.get(server.url("/")).send()).await.unwrap().status(), 200);
    for (retry, source) in [
        (changed(|same| same), WaitSource::RetryAfter),
        (changed(|policy| policy.retry_after(RetryAfter::ignore())), WaitSource::Computed),
    ] {
        let server = Server::start([Reply::status(429).header("Retry-After", "60"), Reply::status(200)]);
        let client = ClientBuilder::new(self::client()).with(retry).build();
        let response = guarded(client.get(server.url("/")).send()).await.unwrap();
        assert_eq!(report(&response).waits().map(|(_, source)| source).collect::<Vec<_>>(), [source]);
    }
}

/// A resolver that knows no name, and counts how often it is asked.
#[derive(Clone, Default)]
struct Nowhere(Arc<AtomicUsize>);

impl Resolve for Nowhere {
    fn resolve(&self, _: Name) -> Resolving {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Err(DnsFailure::NoSuchName.into()) })
    }
}

#[tokio::test]
async fn what_no_retry_can_mend_was_retried() {
    let insist = |seen: &Seen<'_>| match seen.failure() {
        Some(failure) if matches!(failure.cause, Cause::Certificate | Cause::DnsNoSuchName) => Advice::Retry,
        _ => Advice::Keep,
    };
    let middlewares: [(Arc<dyn Middleware>, usize); 3] =
        [(Arc::new(before()), 4), (Arc::new(retry()), 1), (Arc::new(retry().advise(insist)), 4)];
    for (middleware, tries) in middlewares {
        // Nobody has told the client of this server's authority.
        let server = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
        let plain = runtime_tokio::client_builder().tls_certs_only([]).build().unwrap();
        let client = ClientBuilder::new(plain).with_arc(Arc::clone(&middleware)).build();
        assert!(guarded(client.get(server.url("/")).send()).await.is_err());
        assert_eq!((server.connections(), server.sends()), (tries, 0));

        let asked = Nowhere::default();
        let nowhere = runtime_tokio::client_builder().no_proxy().dns_resolver(asked.clone()).build().unwrap();
        let client = ClientBuilder::new(nowhere).with_arc(middleware).build();
        assert!(guarded(client.get("http://no-such-name.test/").send()).await.is_err());
        assert_eq!(asked.0.load(Ordering::Relaxed), tries);
    }
}

#[tokio::test]
async fn two_layers_multiplied() {
    let sends = async |layers: [Arc<dyn Middleware>; 2]| {
        let server = Server::start([Reply::status(503)]);
        let [outer, inner] = layers;
        let client = ClientBuilder::new(client()).with_arc(outer).with_arc(inner).build();
        assert_eq!(guarded(client.get(server.url("/")).send()).await.unwrap().status(), 503);
        server.sends()
    };
    assert_eq!(sends([Arc::new(before()), Arc::new(before())]).await, 16);
    assert_eq!(sends([Arc::new(retry()), Arc::new(before())]).await, 16, "so take the other one out");
    assert_eq!(sends([Arc::new(retry()), Arc::new(retry())]).await, 4);
}

/// Puts reqwest's error into one of its own.
struct Wrap;

#[async_trait::async_trait]
impl Middleware for Wrap {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        next.run(request, extensions).await.map_err(|error| Error::Middleware(anyhow::anyhow!(error).context("mine")))
    }
}

#[tokio::test]
async fn an_error_of_another_middleware_ended_the_call() {
    let middlewares: [(Arc<dyn Middleware>, usize); 2] = [(Arc::new(before()), 1), (Arc::new(retry()), 4)];
    for (middleware, sends) in middlewares {
        let server = Server::start([Fault::Reset.at(Point::Request)]);
        let client = ClientBuilder::new(client()).with_arc(middleware).with(Wrap).build();
        assert!(guarded(client.get(server.url("/")).send()).await.is_err());
        assert_eq!(server.sends(), sends);
    }
}
