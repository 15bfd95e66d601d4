//! The main job over a real socket, with waits that take no time.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use core::time::Duration;
use std::sync::Arc;

use conformance::server::{Fault, Framing, Point, Reply, Server};
use retry_core::{ErrorKind, NonIdempotent, OverCap, Policy, Reason, RetryAfter, Timer, WaitSource, Why};
use runtime_tokio::{Retry, RetryExt, StatusError, TimedOut};
use skip::{SkipTimer, StallTimer, client, guarded, millis};

fn plain() -> Policy {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(retry_core::Jitter::None);
    policy.build().expect("a valid policy")
}

#[tokio::test]
async fn a_busy_server_is_asked_again_until_it_answers() {
    let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200).body("ok")]);
    let timer = SkipTimer::default();
    let retry = Retry::with_timer(plain(), timer.clone());
    let call = client().get(server.url("/")).with_retry(&retry).send_with_report();
    let (response, report) = guarded(call).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.text().await.unwrap(), "ok");
    assert_eq!((report.attempts(), server.sends()), (3, 3));
    assert_eq!(report.waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[100, 200]));
    assert_eq!(timer.waited(), Duration::from_millis(300));
    assert_eq!((report.reason(), report.single_send(), report.earlier()), (Reason::Answer, None, 0));
}

#[tokio::test]
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
    assert_eq!(source.map(|source| source.status().as_u16()), Some(503));
    let first = error.report().record().next().unwrap();
    assert_eq!(first.event, retry_core::Event::Status(500));
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "last");
}

#[tokio::test]
async fn a_post_goes_out_once_and_its_reply_is_handed_over() {
    let server = Server::start([Reply::status(503).body("busy")]);
    for method in ["POST", "PATCH", "PROPFIND", "get"] {
        let method = http::Method::from_bytes(method.as_bytes()).unwrap();
        let before = server.sends();
        let call = client().request(method, server.url("/")).with_retry(Policy::API).send_with_report();
        let (response, report) = guarded(call).await.unwrap();
        assert_eq!((response.status().as_u16(), server.sends() - before), (503, 1));
        assert_eq!(report.single_send(), Some(Why::Method));
        assert_eq!(report.reason(), Reason::NotRepeatable(Why::Method));
        assert_eq!(response.text().await.unwrap(), "busy");
    }
}

#[tokio::test]
async fn a_post_that_fails_gives_that_very_failure() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let error = guarded(client().post(server.url("/")).with_retry(Policy::API).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Network, 1, 1));
    assert_eq!(error.reason(), Reason::NotRepeatable(Why::Method));
}

#[tokio::test]
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

#[tokio::test]
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

#[tokio::test]
async fn a_body_that_breaks_off_is_retried_where_it_is_read_inside_the_attempt() {
    let torn = Reply::status(200).body("half of this arrives").fault(Fault::Close, Point::HalfBody);
    let server = Server::start([torn.clone(), Reply::status(200).body(r#"{"n": 7}"#)]);
    let retry = Retry::with_timer(plain(), SkipTimer::default());
    let (page, report) = guarded(client().get(server.url("/")).with_retry(&retry).fetch_with_report()).await.unwrap();
    assert_eq!((report.attempts(), server.sends()), (2, 2));
    assert_eq!(page.json::<serde_json::Value>().unwrap()["n"], 7);
    assert_eq!(page.text().unwrap(), r#"{"n": 7}"#);
    assert_eq!(page.into_response().url().as_str(), server.url("/"));

    let server = Server::start([torn]);
    let response = guarded(client().get(server.url("/")).with_retry(&retry).send()).await.unwrap();
    assert!(response.text().await.unwrap_err().is_decode(), "a streamed body's error stays reqwest's own");
    assert_eq!(server.sends(), 1);
}

#[tokio::test]
async fn a_body_above_the_callers_limit_is_no_success_and_not_retried() {
    let server = Server::start([Reply::status(200).body(vec![b'x'; 1000])]);
    let fetch = |limit| client().get(server.url("/")).with_retry(Policy::API).max_body(limit).fetch();
    assert_eq!(guarded(fetch(1000)).await.unwrap().body().len(), 1000);
    let error = guarded(fetch(999)).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::ResponseRead, 1));
    assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
    assert!(error.to_string().ends_with("the response's body is larger than 999 bytes"), "{error}");
}

#[tokio::test]
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

#[tokio::test]
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

#[tokio::test]
async fn a_hint_above_the_cap_can_end_the_call() {
    let server = Server::start([Reply::status(429).header("Retry-After", "3000")]);
    let strict = RetryAfter::replace().over_cap(OverCap::GiveUp);
    let call = client().get(server.url("/")).with_retry(Policy::API).retry_after(strict);
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("RETRY_AFTER_TOO_LONG", 1));
    assert_eq!(error.report().asked(), Some(Duration::from_secs(3000)));
    assert_eq!(error.into_response().unwrap().status(), 429);
}

#[tokio::test]
async fn a_wait_that_cannot_finish_in_time_is_not_begun() {
    let server = Server::start([Reply::status(503).body("still here")]);
    let timer = SkipTimer::default();
    let retry = Retry::with_timer(plain(), timer.clone());
    let call = client().get(server.url("/")).with_retry(&retry).max_retries(10);
    let error = guarded(call.total_timeout(Duration::from_secs(1)).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason()), (ErrorKind::Timeout, Reason::TotalTimeout));
    assert_eq!((error.attempts(), server.sends()), (4, 4));
    assert_eq!(timer.waited(), Duration::from_millis(700));
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "still here");
}

#[tokio::test]
async fn a_send_is_cut_at_its_own_limit_and_repeated() {
    let server = Arc::new(Server::start([Fault::Stall.at(Point::Request), Reply::status(200)]));
    let retry = Retry::with_timer(plain(), StallTimer::new(&server));
    let call = client().get(server.url("/")).with_retry(&retry).attempt_timeout(Duration::from_secs(5));
    let (response, report) = guarded(call.send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts(), server.sends()), (200, 2, 2));
}

#[tokio::test]
async fn a_send_is_cut_at_the_total_limit_and_not_repeated() {
    let server = Server::start([Fault::Stall.at(Point::HalfHead)]);
    let limit = Duration::from_millis(50);
    let both = client().get(server.url("/")).with_retry(Policy::API).total_timeout(limit).attempt_timeout(limit);
    let error = guarded(both.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 1));
    let cut = core::error::Error::source(&error).unwrap().downcast_ref::<TimedOut>();
    assert_eq!(cut.map(TimedOut::is_total), Some(true));
}

#[tokio::test]
async fn what_cannot_be_sent_is_not_sent() {
    let server = Server::start([Reply::status(302).header("Location", "ftp://localhost/")]);
    let client = client();
    let wrong = [
        client.get("/relative"),
        client.get("http://"),
        client.get("ftp://localhost/"),
        client.get(server.url("/")).header("bad name", "x"),
        client.get(server.url("/")).header("x", "line\nbreak"),
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

    let error = guarded(client.get(server.url("/")).with_retry(Policy::API).send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts(), server.sends()), ("VALIDATION_ERROR", 1, 1), "a redirect was sent");
}

#[tokio::test]
async fn a_body_that_is_declared_too_large_is_not_even_begun() {
    let server = Server::start([Reply::status(200).body(vec![b'x'; 50]).framing(Framing::Declared(1_000_000_000))]);
    let error = guarded(client().get(server.url("/")).with_retry(Policy::API).fetch()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::ResponseRead, 1));
    assert!(error.to_string().contains("is larger than 10485760 bytes"), "{error}");
}

/// A test with a paused clock may be the first of its process, and far ahead of the clock of the others.
#[test]
fn a_paused_clock_of_another_test_changes_nothing() {
    let paused = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    paused.block_on(async {
        tokio::time::advance(Duration::from_secs(3600)).await;
        let _ = runtime_tokio::TokioTimer.now();
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let before = runtime_tokio::TokioTimer.now();
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(runtime_tokio::TokioTimer.now() > before);
        let server = Server::start([Reply::status(200)]);
        let soon = tokio::time::Instant::now() + Duration::from_secs(30);
        let call = client().get(server.url("/")).with_retry(Policy::API).deadline(soon);
        assert_eq!(guarded(call.send()).await.unwrap().status(), 200);
    });
}

#[tokio::test]
async fn a_body_that_cannot_be_produced_again_goes_out_once() {
    let stream = || reqwest::Body::wrap_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("once")]));
    let server = Server::start([Reply::status(200)]);
    let call = client().put(server.url("/")).body(stream()).with_retry(Policy::API);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200);

    let server = Server::start([Reply::status(503).body("untouched")]);
    let call = client().put(server.url("/")).body(stream()).with_retry(Policy::API);
    let (response, report) = guarded(call.send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends()), (503, 1));
    assert_eq!(report.single_send(), Some(Why::Body));
    assert_eq!(response.text().await.unwrap(), "untouched");

    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let call = client().put(server.url("/")).body(stream()).with_retry(Policy::API);
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason()), (ErrorKind::Network, Reason::NotRepeatable(Why::Body)));
    assert!(error.to_string().contains("body not replayable"), "{error}");
}

#[tokio::test]
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

#[tokio::test]
async fn the_futures_spawn() {
    async fn generic<T: Timer + Clone + Send + Sync + 'static>(timer: T, url: String) -> (u16, u16, u16) {
        let retry = Retry::with_timer(Policy::API, timer);
        let (client, other) = (client(), retry.clone());
        let again = url.clone();
        let sent = tokio::spawn(async move { client.get(url).with_retry(&retry).send().await.unwrap().status() });
        let client = self::client();
        let read = tokio::spawn(async move {
            let run = other.run(http::Method::GET, &again, |_| client.get(&again).send()).await.unwrap().status();
            (client.get(&again).with_retry(other).fetch().await.unwrap().status(), run)
        });
        let (sent, (read, run)) = (sent.await.unwrap(), read.await.unwrap());
        (sent.as_u16(), read.as_u16(), run.as_u16())
    }
    let server = Server::start([Reply::status(200)]);
    assert_eq!(guarded(generic(SkipTimer::default(), server.url("/"))).await, (200, 200, 200));
    assert_eq!(guarded(generic(runtime_tokio::TokioTimer, server.url("/"))).await, (200, 200, 200));
}

#[tokio::test]
async fn seeds_wrap_and_calls_that_are_not_retried_count() {
    let busy = Server::start([Reply::status(503)]);
    let good = Server::start([Reply::status(200)]);
    let waits = |retry: Retry<SkipTimer>| async {
        let call = client().get(busy.url("/")).with_retry(retry).send();
        guarded(call).await.unwrap_err().report().waits().map(|(wait, _)| wait).collect::<Vec<_>>()
    };
    let seeded = |seed| Retry::with_timer(Policy::API, SkipTimer::default()).seed(seed);
    let last = seeded(u64::MAX);
    guarded(client().get(good.url("/")).with_retry(&last).send()).await.unwrap();
    assert_eq!(waits(last).await, waits(seeded(0)).await, "the second call takes its words from u64::MAX + 1");
}

#[tokio::test]
async fn a_wait_of_zero_touches_no_timer() {
    let server = Server::start([Reply::status(503)]);
    let timer = SkipTimer::default();
    let policy = Policy::API.edit().base_delay(Duration::ZERO).build().unwrap();
    let call = client().get(server.url("/")).with_retry(Retry::with_timer(policy, timer.clone()));
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.attempts(), server.sends()), (4, 4));
    let waits: Vec<_> = error.report().waits().collect();
    assert_eq!(waits, [(Duration::ZERO, WaitSource::Computed); 3]);
    assert_eq!(timer.waits(), [] as [Duration; 0]);
}

#[tokio::test]
async fn e1_the_record_keeps_the_first_reply_of_a_call_whose_last_send_was_cut() {
    let server = Arc::new(Server::start([Reply::status(503), Fault::Stall.at(Point::Request)]));
    let retry = Retry::with_timer(plain(), StallTimer::new(&server));
    let call = client().get(server.url("/")).with_retry(retry).max_retries(10).total_timeout(Duration::from_secs(5));
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 2));
    let events: Vec<_> = error.report().record().map(|entry| entry.event).collect();
    assert_eq!(events[0], retry_core::Event::Status(503));
    assert!(matches!(events[1], retry_core::Event::Failure(cut) if cut.kind() == ErrorKind::Timeout));
    assert_eq!(error.elapsed(), Duration::from_secs(5));
}

#[tokio::test]
async fn a_long_call_keeps_its_last_eight_attempts() {
    let server = Server::start([Reply::status(503)]);
    let retry = Retry::with_timer(plain(), SkipTimer::default());
    let error = guarded(client().get(server.url("/")).with_retry(&retry).max_retries(10).send()).await.unwrap_err();
    let numbers: Vec<_> = error.report().record().map(|entry| entry.number).collect();
    assert_eq!((numbers, error.report().earlier()), ((4..=11).collect(), 3));
}

#[tokio::test]
async fn f8_a_streamed_body_that_stalls_is_an_error_of_the_body() {
    let _ = client();
    let client = runtime_tokio::client_builder().read_timeout(Duration::from_secs(60)).build().unwrap();
    let server = Server::start([Fault::Stall.at(Point::HalfBody)]);
    let response = guarded(client.get(server.url("/")).with_retry(Policy::API).send()).await.unwrap();
    // The head has come in real time. From here the clock skips to the client's own limit, its only timer.
    tokio::time::pause();
    assert!(response.text().await.unwrap_err().is_timeout());
    assert_eq!(server.sends(), 1);
}

/// D6: what an unseeded call waits in another process, printed for [`d6_two_processes_wait_differently`].
#[test]
#[ignore = "started by the test of two processes"]
fn d6_one_process() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let retry = Retry::with_timer(Policy::API, SkipTimer::default());
    let lost = |_| async { Err::<reqwest::Response, _>(Box::new(std::io::Error::other("lost"))) };
    let again = |_: &runtime_tokio::Seen<'_>| retry_core::Advice::Retry;
    let error = runtime.block_on(retry.call().advise(again).run(http::Method::GET, "http://a/", lost)).unwrap_err();
    println!("waits {:?}", error.report().waits().collect::<Vec<_>>());
}

#[test]
fn d6_two_processes_wait_differently() {
    let waits = || {
        let mut process = std::process::Command::new(std::env::current_exe().unwrap());
        let output = process.args(["--ignored", "--exact", "--nocapture", "d6_one_process"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find(|line| line.contains("waits [(")).expect("the waits are printed").to_owned()
    };
    assert_ne!(waits(), waits());
}
