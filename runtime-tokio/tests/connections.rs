//! What becomes of connections (SPEC 11): a reply that is retried is let go, and the wait does not move.
#![cfg(feature = "reqwest")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

mod common;

use core::time::Duration;
use std::sync::Arc;

use common::{SkipTimer, Turns, builder, client, guarded};
use conformance::server::{Fault, Framing, Point, Reply, Server};
use reqwest::Client;
use retry_core::{Instant, Jitter, Policy, Timer, UnixTime};
use runtime_tokio::{Report, Retry, RetryExt};

/// Waits of 20 ms: the real time that a body which does not end may cost here.
const WAIT: Duration = Duration::from_millis(20);

fn retry(wait: Duration) -> (Retry<Turns>, SkipTimer) {
    let policy = Policy::API.edit().base_delay(wait).factor(1.0).jitter(Jitter::None).build().unwrap();
    let timer = Turns::default();
    (Retry::with_timer(policy, timer.clone()), timer.0)
}

fn busy() -> Reply {
    Reply::status(503)
}

/// Every wait was as long as it should be, whatever went on in it.
fn assert_waits(report: &Report, wait: Duration) {
    let entries: Vec<_> = report.record().collect();
    assert!(entries.len() > 1);
    for pair in entries.windows(2) {
        assert_eq!(pair[1].start, pair[0].start + pair[0].took + wait);
    }
}

/// CASES H1: a server that serves one connection at a time.
#[tokio::test]
async fn h1_a_server_with_one_connection_at_a_time_does_not_hang() {
    for wait in [WAIT, Duration::ZERO] {
        for reply in [busy().body("x".repeat(5000)).framing(Framing::Chunked), busy().framing(Framing::Chunked), busy()]
        {
            let script = [reply.clone(), reply.clone(), Reply::status(200).body("the answer")];
            let server = Server::builder().script(script).one_connection_at_a_time().start();
            let (retry, _) = retry(wait);
            let call = client().get(server.url("/")).with_retry(retry).send_with_report();
            let (response, report) = guarded(call).await.unwrap();
            assert_waits(&report, wait);
            assert_eq!(guarded(response.text()).await.unwrap(), "the answer");
            assert_eq!((report.attempts(), server.sends()), (3, 3), "{reply:?}");
            if !wait.is_zero() {
                assert_eq!(server.connections(), 1, "{reply:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_body_that_does_not_end_frees_the_only_connection_too() {
    let replies = [
        Reply::status(503).body([b'.'; 1024]).framing(Framing::Endless),
        Reply::status(503).body([b'.'; 1024]).framing(Framing::EndlessChunks),
        busy().body("never whole").fault(Fault::Stall, Point::HalfBody),
        busy().body("never whole").framing(Framing::Declared(1 << 40)).fault(Fault::Stall, Point::HalfBody),
        busy().body(vec![b'x'; 1 << 20]),
        busy().body("slowly".repeat(100)).drip(Duration::from_millis(5)),
    ];
    for reply in replies {
        for wait in [WAIT, Duration::ZERO] {
            let script = [reply.clone(), reply.clone(), Reply::status(200).body("the answer")];
            let server = Server::builder().script(script).one_connection_at_a_time().start();
            let (retry, timer) = retry(wait);
            let call = client().get(server.url("/")).with_retry(retry).fetch_with_report();
            let (page, report) = guarded(call).await.unwrap();
            assert_eq!((&page.body()[..], report.attempts()), (&b"the answer"[..], 3));
            assert_waits(&report, wait);
            assert_eq!(Duration::from_nanos(timer.now().as_nanos()), wait * 2);
            assert_eq!((server.sends(), server.connections()), (3, 3));
        }
    }
}

#[tokio::test]
async fn a_small_error_body_costs_no_connection() {
    let bodies = [0, 1, 1000, 60_000];
    for framing in [Framing::Length, Framing::Chunked] {
        for size in bodies {
            let reply = busy().body(vec![b'x'; size]).framing(framing);
            let server = Server::start([reply.clone(), reply, Reply::status(200).body("ok")]);
            let (retry, timer) = retry(WAIT);
            let call = client().get(server.url("/")).with_retry(retry).send_with_report();
            let (_, report) = guarded(call).await.unwrap();
            assert_waits(&report, WAIT);
            assert_eq!((server.sends(), server.connections()), (3, 1), "{framing:?} {size}");
            assert_eq!((timer.limits_passed(), timer.waits()), (0, vec![WAIT, WAIT]), "no limit has passed");
        }
    }
}

#[tokio::test]
async fn a_large_error_body_is_not_even_begun() {
    let server = Server::start([busy().body(vec![b'x'; 1 << 20]), Reply::status(200)]);
    let (retry, timer) = retry(WAIT);
    // Then nothing but a drain would set a limit.
    let call = client().get(server.url("/")).with_retry(retry).total_timeout(None);
    let (_, report) = guarded(call.send_with_report()).await.unwrap();
    assert_waits(&report, WAIT);
    assert_eq!((server.connections(), timer.limits_set(), timer.waits()), (2, 0, vec![WAIT]));
}

/// In its waits, the server hangs up.
#[derive(Clone, Debug)]
struct HangsUp(SkipTimer, Arc<Server>);

impl Timer for HangsUp {
    fn now(&self) -> Instant {
        self.0.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.0.wall()
    }

    async fn sleep(&self, duration: Duration) {
        self.1.hang_up();
        self.0.sleep(duration).await;
    }

    async fn limit(&self, duration: Duration) {
        self.0.limit(duration).await;
    }
}

/// Where a stream can be ended alone, a drain gains nothing. Nothing else would set a limit here.
#[tokio::test]
async fn nothing_is_drained_over_http2() {
    let stalled = busy().body("never whole").fault(Fault::Stall, Point::HalfBody);
    let script = [stalled, Reply::status(200)];
    for http2 in [false, true] {
        let server = Server::builder().script(script.clone());
        let (server, client) = match http2 {
            false => (server, builder()),
            true => (server.http2(), builder().http2_prior_knowledge()),
        };
        let (server, client) = (Arc::new(server.start()), client.build().unwrap());
        let timer = SkipTimer::default();
        let policy = Policy::API.edit().base_delay(WAIT).total_timeout(None).build().unwrap();
        let retry = Retry::with_timer(policy, HangsUp(timer.clone(), Arc::clone(&server)));
        let response = guarded(client.get(server.url("/")).with_retry(retry).send()).await.unwrap();
        assert_eq!((response.status().as_u16(), timer.limits_set()), (200, if http2 { 0 } else { 1 }));
    }
}

#[tokio::test]
async fn an_error_body_over_http2_costs_no_connection() {
    let script = [busy().body(vec![b'x'; 10_000]), busy().body("small"), Reply::status(200)];
    let server = Server::builder().script(script).http2().start();
    let client = builder().http2_prior_knowledge().build().unwrap();
    let (retry, _) = retry(WAIT);
    let call = client.get(server.url("/")).with_retry(retry).send_with_report();
    let (response, report) = guarded(call).await.unwrap();
    assert_waits(&report, WAIT);
    assert_eq!((response.status().as_u16(), server.sends(), server.connections()), (200, 3, 1));
}

/// The connection on which the second request goes out was closed by the server after the first.
async fn stale(client: &Client, server: &Server) {
    let first = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!(guarded(first.text()).await.unwrap(), "first");
}

/// CASES F5: a kept connection that turns out closed.
#[tokio::test]
async fn f5_a_kept_connection_found_closed() {
    for round in 0..30 {
        let script = [Reply::status(200).body("first").close_silently(), Reply::status(200).body("second")];
        let (retry, _) = retry(WAIT);

        let (server, client) = (Server::start(script.clone()), client());
        stale(&client, &server).await;
        let response = guarded(client.get(server.url("/")).with_retry(&retry).send()).await.unwrap();
        assert_eq!(guarded(response.text()).await.unwrap(), "second");

        let (server, client) = (Server::start(script), common::client());
        stale(&client, &server).await;
        if round % 2 == 0 {
            // The client may or may not have noticed by now.
            tokio::task::yield_now().await;
        }
        let sent = guarded(client.post(server.url("/")).body("an order").with_retry(&retry).send()).await;
        let arrived = server.requests().iter().filter(|request| request.body == b"an order").count();
        match sent {
            Ok(_) => assert_eq!(arrived, 1),
            Err(error) => assert!(arrived <= 1 && error.attempts() == 1, "{arrived} {error:?}"),
        }
    }
}
