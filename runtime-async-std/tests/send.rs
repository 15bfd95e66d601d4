//! The main job over a real socket, with waits that take no time.

#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "common/skip.rs"]
mod skip;

use core::time::Duration;
use std::sync::Arc;

use conformance::server::{Fault, Point, Reply, Server};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{ErrorKind, NonIdempotent, OverCap, Policy, Reason, RetryAfter, Timer, WaitSource, Why};
use runtime_async_std::{Retry, RetryExt, StatusError, TimedOut};
use skip::{SkipTimer, StallTimer, client, guarded, millis};
use surf::http::Method;

fn plain() -> Policy {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(retry_core::Jitter::None);
    policy.build().expect("a valid policy")
}

#[async_std::test]
async fn a_busy_server_is_asked_again_until_it_answers() {
    let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200).body("ok")]);
    let timer = SkipTimer::default();
    let retry = Retry::with_timer(plain(), timer.clone());
    let call = client().get(server.url("/")).with_retry(&retry).send_with_report();
    let (mut response, report) = guarded(call).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.body_string().await.unwrap(), "ok");
    assert_eq!((report.attempts(), server.sends()), (3, 3));
    assert_eq!(report.waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[100, 200]));
    assert_eq!(timer.waited(), Duration::from_millis(300));
    assert_eq!((report.reason(), report.single_send(), report.earlier()), (Reason::Answer, None, 0));
}

#[async_std::test]
async fn retries_used_up_are_an_error_that_keeps_the_last_response() {
    let server = Server::start([Reply::status(500).body("first"), Reply::status(503).body("last")]);
    let timer = SkipTimer::default();
    let retry = Retry::with_timer(plain(), timer.clone());
    let error = guarded(client().get(server.url("/a?token=1")).with_retry(&retry).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::RetryExhausted, "RETRY_EXHAUSTED"));
    assert_eq!((error.attempts(), server.sends()), (4, 4));
    assert_eq!(timer.waited(), Duration::from_millis(700), "no wait after the last send");
    let text = format!("GET {}: retries used up after 4 attempts in 0.7 s: 503 Service Unavailable", server.url("/a"));
    assert_eq!(error.to_string(), text);
    let source = core::error::Error::source(&error).unwrap().downcast_ref::<StatusError>();
    assert_eq!(source.map(|source| source.status().into()), Some(503));
    let first = error.report().record().next().unwrap();
    assert_eq!(first.event, retry_core::Event::Status(500));
    assert_eq!(error.into_response().unwrap().body_string().await.unwrap(), "last");
}

#[async_std::test]
async fn a_post_goes_out_once_and_its_reply_is_handed_over() {
    let server = Server::start([Reply::status(503).body("busy")]);
    for method in [Method::Post, Method::Patch, Method::PropFind] {
        let before = server.sends();
        let call = client().request(method, server.url("/")).with_retry(Policy::API).send_with_report();
        let (mut response, report) = guarded(call).await.unwrap();
        assert_eq!((response.status().into(), server.sends() - before), (503, 1));
        assert_eq!(report.single_send(), Some(Why::Method));
        assert_eq!(report.reason(), Reason::NotRepeatable(Why::Method));
        assert_eq!(response.body_string().await.unwrap(), "busy");
    }
}

#[async_std::test]
async fn a_post_that_fails_gives_that_very_failure() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let error = guarded(client().post(server.url("/")).with_retry(Policy::API).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Network, 1, 1));
    assert_eq!(error.reason(), Reason::NotRepeatable(Why::Method));
}

#[async_std::test]
async fn the_requests_own_word_on_repeating_wins_in_both_directions() {
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let retry = Retry::with_timer(plain(), SkipTimer::default());
    let call = client().post(server.url("/")).body("order").with_retry(&retry).non_idempotent(NonIdempotent::Always);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200);
    assert!(server.requests().iter().all(|request| request.body == b"order"));

    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let always = plain().edit().non_idempotent(NonIdempotent::Always).build().unwrap();
    let call = client().post(server.url("/")).with_retry(always).non_idempotent(NonIdempotent::Never);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 1);
}

#[async_std::test]
async fn retries_off_hand_the_reply_over() {
    let server = Server::start([Reply::status(503)]);
    for policy in [Policy::NONE, plain().edit().max_retries(0).build().unwrap()] {
        let (response, report) =
            guarded(client().get(server.url("/")).with_retry(policy).send_with_report()).await.unwrap();
        assert_eq!(response.status(), 503);
        assert_eq!((report.attempts(), report.single_send()), (1, Some(Why::RetriesOff)));
    }
    assert_eq!(server.sends(), 2);
}

#[async_std::test]
async fn a_body_that_breaks_off_is_retried_where_it_is_read_inside_the_attempt() {
    let torn = Reply::status(200).body("half of this arrives").fault(Fault::Close, Point::HalfBody);
    let server = Server::start([torn.clone(), Reply::status(200).body(r#"{"n": 7}"#)]);
    let retry = Retry::with_timer(plain(), SkipTimer::default());
    let (page, report) = guarded(client().get(server.url("/")).with_retry(&retry).fetch_with_report()).await.unwrap();
    assert_eq!((report.attempts(), server.sends()), (2, 2));
    assert_eq!(page.json::<serde_json::Value>().unwrap()["n"], 7);
    assert_eq!(page.text().unwrap(), r#"{"n": 7}"#);
    assert_eq!(page.into_response().body_string().await.unwrap(), r#"{"n": 7}"#);

    let error =
        guarded(client().get(Server::start([torn]).url("/")).with_retry(Policy::NONE).fetch()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::ResponseRead, 1));
}

#[async_std::test]
async fn a_body_above_the_callers_limit_is_no_success_and_not_retried() {
    let server = Server::start([Reply::status(200).body(vec![b'x'; 1000])]);
    let fetch = |limit| client().get(server.url("/")).with_retry(Policy::API).max_body(limit).fetch();
    assert_eq!(guarded(fetch(1000)).await.unwrap().body().len(), 1000);
    let error = guarded(fetch(999)).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::ResponseRead, 1));
    assert_eq!(error.status().map(u16::from), Some(200));
    assert!(error.to_string().ends_with("the response's body is larger than 999 bytes"), "{error}");
}

#[async_std::test]
async fn the_servers_hint_replaces_the_computed_wait() {
    let server = Server::start([
        Reply::status(429).header("Retry-After", "7"),
        Reply::status(503).header("Retry-After", "Sun, 01 Mar 2026 12:00:40 GMT"),
        Reply::status(500).header("Retry-After", "0"),
        Reply::status(200),
    ]);
    let retry = Retry::with_timer(plain(), SkipTimer::default());
    let (_, report) = guarded(client().get(server.url("/")).with_retry(&retry).send_with_report()).await.unwrap();
    let waits: Vec<_> = report.waits().collect();
    let expected = [
        (Duration::from_secs(7), WaitSource::RetryAfter),
        (Duration::from_secs(33), WaitSource::RetryAfter),
        (Duration::from_millis(400), WaitSource::Computed),
    ];
    assert_eq!(waits, expected);
}

#[async_std::test]
async fn settings_of_one_request_hold_for_it_alone() {
    let server = Server::start([Reply::status(429).header("Retry-After", "30")]);
    let retry = Retry::with_timer(plain(), SkipTimer::default());
    let get = || client().get(server.url("/")).with_retry(&retry);
    let capped = get().retry_after(RetryAfter::replace().cap(Duration::from_secs(5)));
    let error = guarded(capped.send()).await.unwrap_err();
    let waits: Vec<_> = error.report().waits().map(|(wait, _)| wait).collect();
    assert_eq!(waits, millis(&[5000, 5000, 5000]));
    assert_eq!(guarded(get().max_retries(1).send()).await.unwrap_err().attempts(), 2);
    assert_eq!(guarded(get().policy(Policy::NONE).send()).await.unwrap().status(), 429);
    let error = guarded(get().send()).await.unwrap_err();
    assert_eq!(error.report().waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[30_000; 3]));
}

#[async_std::test]
async fn a_hint_above_the_cap_can_end_the_call() {
    let server = Server::start([Reply::status(429).header("Retry-After", "3000")]);
    let strict = RetryAfter::replace().over_cap(OverCap::GiveUp);
    let call = client().get(server.url("/")).with_retry(Policy::API).retry_after(strict);
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("RETRY_AFTER_TOO_LONG", 1));
    assert_eq!(error.report().asked(), Some(Duration::from_secs(3000)));
    assert_eq!(error.into_response().unwrap().status(), 429);
}

#[async_std::test]
async fn a_wait_that_cannot_finish_in_time_is_not_begun() {
    let server = Server::start([Reply::status(503).body("still here")]);
    let timer = SkipTimer::default();
    let retry = Retry::with_timer(plain(), timer.clone());
    let call = client().get(server.url("/")).with_retry(&retry).max_retries(10);
    let error = guarded(call.total_timeout(Duration::from_secs(1)).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason()), (ErrorKind::Timeout, Reason::TotalTimeout));
    assert_eq!((error.attempts(), server.sends()), (4, 4));
    assert_eq!(timer.waited(), Duration::from_millis(700));
    assert_eq!(error.into_response().unwrap().body_string().await.unwrap(), "still here");
}

#[async_std::test]
async fn a_send_is_cut_at_its_own_limit_and_repeated() {
    let server = Arc::new(Server::start([Fault::Stall.at(Point::Request), Reply::status(200)]));
    let retry = Retry::with_timer(plain(), StallTimer::new(&server));
    let call = client().get(server.url("/")).with_retry(&retry).attempt_timeout(Duration::from_secs(5));
    let (response, report) = guarded(call.send_with_report()).await.unwrap();
    assert_eq!((response.status().into(), report.attempts(), server.sends()), (200, 2, 2));
}

#[async_std::test]
async fn a_send_is_cut_at_the_total_limit_and_not_repeated() {
    let server = Server::start([Fault::Stall.at(Point::HalfHead)]);
    let limit = Duration::from_millis(50);
    let both = client().get(server.url("/")).with_retry(Policy::API).total_timeout(limit).attempt_timeout(limit);
    let error = guarded(both.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 1));
    let cut = core::error::Error::source(&error).unwrap().downcast_ref::<TimedOut>();
    assert_eq!(cut.map(TimedOut::is_total), Some(true));
}

#[async_std::test]
async fn what_cannot_be_sent_is_not_sent() {
    let server = Server::start([Reply::status(200)]);
    let client = client();
    // What surf's builder takes for a URL or a header: the rest it panics at.
    let wrong = [
        client.get("gopher+x://localhost/"),
        client.get(server.url("/")).header("bad name", "x"),
        client.get(server.url("/")).header("x", "line\nbreak"),
        client.get(server.url("/")).header("x", "line\rbreak"),
        client.get(server.url("/")).header("x", "nul\0"),
    ];
    for request in wrong {
        let error = guarded(request.with_retry(Policy::API).send()).await.unwrap_err();
        assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0), "{error}");
        assert_eq!(error.report().record().count(), 0);
    }
    let error = guarded(client.get(server.url("/")).with_retry(Policy::API).attempt_timeout(Duration::ZERO).send());
    let error = error.await.unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0));
    assert!(error.to_string().contains("attempt_timeout is 0ns"), "{error}");
    assert_eq!(server.sends(), 0);
}

#[async_std::test]
async fn a_body_that_cannot_be_produced_again_goes_out_once() {
    let stream = || surf::Body::from_reader(async_std::io::Cursor::new("once"), None);
    let server = Server::start([Reply::status(200)]);
    let call = client().put(server.url("/")).body(stream()).with_retry(Policy::API);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200);

    let server = Server::start([Reply::status(503).body("untouched")]);
    let call = client().put(server.url("/")).body(stream()).with_retry(Policy::API);
    let (mut response, report) = guarded(call.send_with_report()).await.unwrap();
    assert_eq!((response.status().into(), server.sends()), (503, 1));
    assert_eq!(report.single_send(), Some(Why::Body));
    assert_eq!(response.body_string().await.unwrap(), "untouched");

    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let call = client().put(server.url("/")).body(stream()).with_retry(Policy::API);
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason()), (ErrorKind::Network, Reason::NotRepeatable(Why::Body)));
    assert!(error.to_string().contains("body not replayable"), "{error}");
}

#[async_std::test]
async fn the_same_seed_and_the_same_replies_give_the_same_waits() {
    let server = Server::start([Reply::status(503)]);
    let waits = |retry: Retry<SkipTimer>| {
        let call = client().get(server.url("/")).with_retry(retry).send();
        async move { guarded(call).await.unwrap_err().report().waits().map(|(wait, _)| wait).collect::<Vec<_>>() }
    };
    let seeded = |seed| Retry::with_timer(Policy::API, SkipTimer::default()).seed(seed);
    let shared = seeded(7);
    let (first, second) = (waits(shared.clone()).await, waits(shared).await);
    assert_eq!(first, waits(seeded(7)).await);
    assert_eq!(second, waits(seeded(8)).await, "call k takes its words from seed + k");
    assert_ne!(first, second);
    let unseeded = || Retry::with_timer(Policy::API, SkipTimer::default());
    assert_ne!(waits(unseeded()).await, waits(unseeded()).await);
}

#[async_std::test]
async fn the_futures_spawn() {
    async fn generic<T: Timer + Clone + Send + Sync + 'static>(timer: T, url: String) -> (u16, u16, u16) {
        let retry = Retry::with_timer(Policy::API, timer);
        let (client, other) = (client(), retry.clone());
        let again = url.clone();
        let sent =
            async_std::task::spawn(async move { client.get(url).with_retry(&retry).send().await.unwrap().status() });
        let client = self::client();
        let read = async_std::task::spawn(async move {
            let run = other.run(Method::Get, &again, |_| client.get(&again).send()).await.unwrap().status();
            (client.get(&again).with_retry(other).fetch().await.unwrap().status(), run)
        });
        let (sent, (read, run)) = (sent.await, read.await);
        (sent.into(), read.into(), run.into())
    }
    let server = Server::start([Reply::status(200)]);
    assert_eq!(guarded(generic(SkipTimer::default(), server.url("/"))).await, (200, 200, 200));
    assert_eq!(guarded(generic(runtime_async_std::AsyncStdTimer, server.url("/"))).await, (200, 200, 200));
}

#[async_std::test]
async fn the_waits_of_a_seed_are_those_of_every_runtime() {
    // SPEC 3: call k takes its words from seed + k, one for each retry; wait = lo + floor(word * n / 2^64).
    let server = Server::start([Reply::status(503)]);
    let retry = Retry::with_timer(Policy::API, SkipTimer::default()).seed(u64::MAX);
    for call in 0..2_u64 {
        let error = guarded(client().get(server.url("/")).with_retry(&retry).send()).await.unwrap_err();
        let mut words = Xoshiro256PlusPlus::seed_from_u64(u64::MAX.wrapping_add(call));
        let expected: Vec<_> = [1_000_000_000_u128, 2_000_000_000, 4_000_000_000]
            .map(|delay| delay - delay / 10 + ((u128::from(words.next_u64()) * (delay / 5)) >> 64))
            .map(|wait| Duration::from_nanos(u64::try_from(wait).unwrap()))
            .to_vec();
        assert_eq!(error.report().waits().map(|(wait, _)| wait).collect::<Vec<_>>(), expected);
    }
}

#[cfg(all(feature = "h1", not(feature = "curl")))]
#[async_std::test]
async fn what_the_client_takes_for_a_whole_answer_and_is_none_is_retried() {
    let wrong = [
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ];
    for text in wrong {
        let server = Server::start([Reply::raw(text), Reply::status(200).body("whole")]);
        let retry = Retry::with_timer(plain(), SkipTimer::default());
        let page = guarded(client().get(server.url("/")).with_retry(&retry).fetch()).await.unwrap();
        assert_eq!((page.text().unwrap().as_ref(), server.sends()), ("whole", 2), "{text}");
    }
}

#[async_std::test]
async fn a_scheme_that_is_not_https_or_http_is_never_sent() {
    for url in ["file:///x", "ftp://127.0.0.1:1/", "mailto:x"] {
        let call = client().get(url).with_retry(Retry::with_timer(plain(), SkipTimer::default()));
        let error = guarded(call.send()).await.unwrap_err();
        assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0), "{url}");
    }
}
