//! The error, lossless: reqwest's own error inside, the last response in hand, and one line that says what happened.
#![cfg(feature = "reqwest")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

mod common;

use core::error::Error as StdError;
use core::time::Duration;

use common::{SkipTimer, builder, client, guarded, instant, trusting};
use conformance::server::{Fault, Framing, Point, Reply, Server, StreamFault, Tls};
use futures_util::stream;
use reqwest::{Body, Client, RequestBuilder, StatusCode};
use retry_core::{ErrorKind, Event, Instant, Jitter, Policy, Reason, Timer, UnixTime};
use runtime_tokio::{Error, Retry, RetryExt, StatusError, TimedOut};

fn client_error(error: &Error) -> &reqwest::Error {
    error.source().and_then(|source| source.downcast_ref()).unwrap_or_else(|| panic!("no reqwest::Error in {error:?}"))
}

/// All that reqwest's error says of itself, and of what is inside.
fn says(error: &reqwest::Error) -> String {
    let flags = [
        ("builder", error.is_builder()),
        ("redirect", error.is_redirect()),
        ("status", error.is_status()),
        ("timeout", error.is_timeout()),
        ("request", error.is_request()),
        ("connect", error.is_connect()),
        ("dns", error.is_dns()),
        ("body", error.is_body()),
        ("decode", error.is_decode()),
        ("upgrade", error.is_upgrade()),
    ];
    let mut said =
        format!("{:?} {:?} {:?}", flags.map(|(name, is)| if is { name } else { "" }), error.status(), error.url());
    let mut next: Option<&dyn StdError> = Some(error);
    while let Some(error) = next {
        said += &format!(" > {error}");
        next = error.source();
    }
    said
}

/// The same request with us and without us, up to the head or up to the body's end.
async fn compare(name: &str, request: impl Fn() -> RequestBuilder, body: bool) {
    let bare = match guarded(request().send()).await {
        Ok(mut response) => loop {
            if let Err(error) = guarded(response.chunk()).await {
                break error;
            }
        },
        Err(error) => error,
    };
    let call = request().with_retry(instant(1));
    let ours = if body { guarded(call.fetch()).await.unwrap_err() } else { guarded(call.send()).await.unwrap_err() };
    assert_eq!(says(client_error(&ours)), says(&bare), "{name}");
}

/// What the server of a row does, what its client is, and whether the fault is in the body.
type Row = (&'static str, fn() -> Server, fn(&Server) -> Client, bool);

fn plain(_: &Server) -> Client {
    client()
}

fn trusting_client(server: &Server) -> Client {
    trusting(server).build().unwrap()
}

fn tls(tls: Tls) -> Server {
    Server::builder().script([Reply::status(200)]).tls([tls]).start()
}

const ROWS: &[Row] = &[
    ("closed", || Server::start([Fault::Close.at(Point::Request)]), plain, false),
    ("reset", || Server::start([Fault::Reset.at(Point::Request)]), plain, false),
    ("garbage", || Server::start([Reply::garbage()]), plain, false),
    ("circle", || Server::start([Reply::status(302).header("Location", "/")]), plain, false),
    ("ftp", || Server::start([Reply::status(302).header("Location", "ftp://example.test/")]), plain, false),
    ("certificate", || tls(Tls::SelfSigned), trusting_client, false),
    ("alert", || tls(Tls::Alert(40)), trusting_client, false),
    ("hello", || tls(Tls::Fault(Fault::Close)), trusting_client, false),
    ("torn", || Server::start([Fault::Close.at(Point::HalfBody)]), plain, true),
    ("short", || Server::start([Reply::status(200).body("x").framing(Framing::Declared(9))]), plain, true),
    ("gzip", || Server::start([Reply::cut_gzip()]), plain, true),
    (
        "stalled",
        || Server::start([Fault::Stall.at(Point::Request)]),
        |_| builder().timeout(Duration::from_millis(20)).build().unwrap(),
        false,
    ),
    (
        "refused stream",
        || {
            let refused = StreamFault::Reset(StreamFault::REFUSED_STREAM);
            Server::builder().script([refused.reply()]).http2().start()
        },
        |_| builder().http2_prior_knowledge().build().unwrap(),
        false,
    ),
];

#[tokio::test]
async fn reqwests_error_is_inside_and_says_what_it_says_without_us() {
    for (name, server, client, body) in ROWS {
        let server = server();
        let client = client(&server);
        compare(name, || client.get(server.url("/")), *body).await;
    }
    for url in ["ftp://example.test/", "relative", "http://"] {
        compare(url, || client().get(url), false).await;
    }
    compare("header", || client().get("http://localhost/").header("x", "a\nb"), false).await;
}

/// CASES E2, and SPEC 10: the last response is in hand, and can be read.
#[tokio::test]
async fn the_last_response_can_be_read() {
    let seconds = |n| Policy::API.edit().base_delay(Duration::from_secs(n)).jitter(Jitter::None).build().unwrap();
    let short = seconds(1).edit().total_timeout(Some(Duration::from_millis(500))).build().unwrap();
    for (policy, kind, attempts) in [(seconds(0), ErrorKind::RetryExhausted, 4), (short, ErrorKind::Timeout, 1)] {
        for fetch in [false, true] {
            let server = Server::start([Reply::status(503).header("x-why", "tired").body("come back later")]);
            let call = client().get(server.url("/")).with_retry(policy);
            let error =
                if fetch { guarded(call.fetch()).await.unwrap_err() } else { guarded(call.send()).await.unwrap_err() };
            assert_eq!((error.kind(), error.attempts(), error.event()), (kind, attempts, Some(Event::Status(503))));
            let status = error.source().and_then(|source| source.downcast_ref::<StatusError>()).unwrap();
            assert_eq!((status.status(), error.status()), (StatusCode::SERVICE_UNAVAILABLE, Some(status.status())));
            let response = error.into_response().unwrap();
            assert_eq!((response.status().as_u16(), &response.headers()["x-why"]), (503, &"tired".parse().unwrap()));
            assert_eq!(response.url().as_str(), server.url("/"));
            assert_eq!(guarded(response.text()).await.unwrap(), "come back later");
        }
    }
}

#[tokio::test]
async fn an_error_without_a_response_has_none() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let error = guarded(client().get(server.url("/")).with_retry(instant(1)).send()).await.unwrap_err();
    assert_eq!(error.status(), None);
    assert!(error.into_response().is_none());
}

/// A machine that is suspended in a wait: it ends an hour late.
#[derive(Clone, Debug, Default)]
struct Suspended(SkipTimer);

impl Timer for Suspended {
    fn now(&self) -> Instant {
        self.0.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.0.wall()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.sleep(duration + Duration::from_secs(3600)).await;
    }

    async fn limit(&self, duration: Duration) {
        self.0.limit(duration).await;
    }
}

#[tokio::test]
async fn a_call_that_ends_in_a_wait_has_let_its_response_go_and_still_has_a_source() {
    let server = Server::start([Reply::status(503).body("later")]);
    let policy = Policy::API.edit().jitter(Jitter::None).build().unwrap();
    let retry = Retry::with_timer(policy, Suspended::default());
    let error = guarded(client().get(server.url("/")).with_retry(retry).send()).await.unwrap_err();
    assert_eq!((error.reason(), error.attempts(), server.sends()), (Reason::TotalTimeout, 1, 1));
    assert_eq!(error.status(), Some(StatusCode::SERVICE_UNAVAILABLE));
    assert!(error.source().is_some_and(|source| source.is::<StatusError>()));
    let text = error.to_string();
    assert!(text.ends_with("/: time limit reached after 1 attempt in 3601.0 s: 503 Service Unavailable"), "{text}");
    assert!(error.into_response().is_none());
}

#[tokio::test]
async fn our_own_limit_is_a_type_of_ours() {
    let server = Server::start([Fault::Stall.at(Point::Request)]);
    let limit = Duration::from_millis(20);
    for is_total in [false, true] {
        let call = client().get(server.url("/")).with_retry(instant(0));
        let call = if is_total { call.total_timeout(limit) } else { call.attempt_timeout(limit) };
        let error = guarded(call.send()).await.unwrap_err();
        let source = error.source().and_then(|source| source.downcast_ref::<TimedOut>()).unwrap();
        assert_eq!((error.kind(), source.is_total()), (ErrorKind::Timeout, is_total));
    }
}

/// A call of this script, with waits of 2.4 s that take no time.
async fn text(script: Vec<Reply>, request: impl FnOnce(&Client, &str) -> RequestBuilder) -> String {
    let server = Server::start(script);
    let policy = Policy::API.edit().base_delay(Duration::from_millis(2400)).factor(1.0).jitter(Jitter::None);
    let policy = policy.statuses(&[429, 503, 520]).build().unwrap();
    let retry = Retry::with_timer(policy, SkipTimer::default());
    let request = request(&client(), &server.url("/path?token=1#part"));
    let error = guarded(request.with_retry(retry).send()).await.unwrap_err();
    error.to_string().replace(&server.addr().to_string(), "host")
}

#[tokio::test]
async fn one_line_says_what_happened() {
    let get = |client: &Client, url: &str| client.get(url);
    assert_eq!(
        text(vec![Reply::status(503)], get).await,
        "GET http://host/path: retries used up after 4 attempts in 7.2 s: 503 Service Unavailable"
    );
    assert_eq!(
        text(vec![Reply::status(520)], get).await,
        "GET http://host/path: retries used up after 4 attempts in 7.2 s: 520"
    );
    assert_eq!(
        text(vec![Reply::status(503), Fault::Reset.at(Point::Request)], |client, url| client.put(url)).await,
        "PUT http://host/path: retries used up after 4 attempts in 7.2 s: Connection reset by peer (os error 104)"
    );
    assert_eq!(
        text(vec![Fault::Reset.at(Point::Request)], |client, url| client.post(url)).await,
        "POST http://host/path: failed, method not idempotent after 1 attempt in 0.0 s: \
         Connection reset by peer (os error 104)"
    );
    assert_eq!(
        text(vec![Fault::Reset.at(Point::Request)], |client, url| {
            client.put(url).body(Body::wrap_stream(stream::iter([Ok::<_, Error>("bytes")])))
        })
        .await,
        "PUT http://host/path: failed, body not replayable after 1 attempt in 0.0 s: \
         Connection reset by peer (os error 104)"
    );
    assert_eq!(
        text(vec![Reply::status(302).header("Location", "ftp://example.test/?token=1")], get).await,
        "GET http://host/path: failed after 1 attempt in 0.0 s: URL scheme is not allowed"
    );
    assert_eq!(
        text(vec![Reply::status(200)], |client, _| client.get("ftp://user:password@example.test/a?b")).await,
        "GET ftp://example.test/a: failed before the first attempt: URL scheme is not allowed"
    );
    let long = vec![Reply::status(429).header("Retry-After", "3000")];
    assert_eq!(
        text(long, get).await,
        "GET http://host/path: another attempt would exceed the time limit, stopped after 3 attempts in 120.0 s: 429 Too Many Requests \
         (the server asked for a wait of 3000s)"
    );
}
