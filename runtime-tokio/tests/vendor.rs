//! Headers that no standard names, over a real socket: what the server says, and how it is told of retries.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use core::error::Error as _;
use core::time::Duration;

use conformance::server::{Fault, Point, Reply, Server};
use http::{HeaderName, Method};
use retry_core::{Advice, ErrorKind, Jitter, OverCap, Policy, Reason, RetryAfter, WaitSource};
use runtime_tokio::{Retry, RetryCountError, RetryExt, Seen};
use skip::{SkipTimer, client, guarded, millis};

const COUNT: HeaderName = HeaderName::from_static("x-retry-count");

/// Waits of 100, 200 and 400 ms.
fn retry() -> (Retry<SkipTimer>, SkipTimer) {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    let timer = SkipTimer::default();
    (Retry::with_timer(policy.expect("a valid policy"), timer.clone()), timer)
}

/// A reply with these headers, and then one that is fine.
fn once(status: u16, headers: &[(&str, &str)]) -> Server {
    let reply = Reply::status(status).body("first");
    let reply = headers.iter().fold(reply, |reply, (name, value)| reply.header(name, *value));
    Server::start([reply, Reply::status(200).body("second")])
}

#[tokio::test]
async fn nothing_is_read_unless_it_is_asked_for() {
    let server = once(503, &[("retry-after-ms", "2000"), ("x-should-retry", "false")]);
    let (retry, timer) = retry();
    let call = client().get(server.url("/")).with_retry(&retry);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200);
    assert_eq!((server.sends(), timer.waits()), (2, millis(&[100])));
    assert_eq!(server.requests()[1].header("x-retry-count"), None);
    // Asked for by all calls, and not by this one.
    let (server, retry) = (once(409, &[("x-should-retry", "true")]), retry.vendor_headers(true));
    let call = client().get(server.url("/")).with_retry(&retry).vendor_headers(false);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 409);
}

#[tokio::test]
async fn a_wait_in_milliseconds_beats_retry_after_and_is_bounded_like_it() {
    let own = [("Retry-After", "7")];
    let hints = RetryAfter::replace();
    for (headers, hints, wait) in [
        (&[("retry-after-ms", "1500")][..], hints, 1500),
        (&[("x-ms-retry-after-ms", "1500")], hints, 1500),
        (&[("Retry-After-Ms", "20"), own[0]], hints, 20),
        (&[own[0], ("retry-after-ms", "9000")], hints, 9000),
        (&[("retry-after-ms", "1200"), ("x-ms-retry-after-ms", "1300"), ("retry-after-ms", "soon")], hints, 1300),
        (&[("retry-after-ms", "0"), own[0]], hints, 7000),
        (&[("retry-after-ms", "-5"), own[0]], hints, 7000),
        (&[("retry-after-ms", "soon")], hints, 100),
        (&[("retry-after-ms", "99999999999999999999999")], hints, 60_000),
        (&[("retry-after-ms", "120000")], hints.cap(Duration::from_secs(90)), 90_000),
        (&[("retry-after-ms", "20")], RetryAfter::at_least(), 100),
        (&[("retry-after-ms", "2000")], RetryAfter::ignore(), 100),
    ] {
        let (server, (retry, timer)) = (once(429, headers), retry());
        let call = client().get(server.url("/")).with_retry(&retry).retry_after(hints).vendor_headers(true);
        let (response, report) = guarded(call.send_with_report()).await.unwrap();
        assert_eq!(
            (response.status().as_u16(), server.sends(), timer.waits()),
            (200, 2, millis(&[wait])),
            "{headers:?}"
        );
        let source = if wait == 100 { WaitSource::Computed } else { WaitSource::RetryAfter };
        assert_eq!(report.waits().map(|(_, source)| source).collect::<Vec<_>>(), [source], "{headers:?}");
    }
    // A part of a millisecond counts.
    let (server, (retry, timer)) = (once(503, &[("retry-after-ms", "1500.5")]), retry());
    guarded(client().get(server.url("/")).with_retry(&retry.vendor_headers(true)).send()).await.unwrap();
    assert_eq!(timer.waits(), [Duration::from_micros(1_500_500)]);
}

#[tokio::test]
async fn a_wait_in_milliseconds_above_the_cap_can_end_the_call() {
    let (server, (retry, _)) = (once(429, &[("retry-after-ms", "60001"), ("Retry-After", "1")]), retry());
    let strict = RetryAfter::replace().over_cap(OverCap::GiveUp);
    let call = client().get(server.url("/")).with_retry(&retry).retry_after(strict).vendor_headers(true);
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), server.sends()), (ErrorKind::RetryAfterTooLong, 1));
}

#[tokio::test]
async fn the_server_says_whether_to_send_again() {
    for (status, word, sends) in [
        (503, "false", 1),
        (503, "true", 2),
        (503, "perhaps", 2),
        (409, "true", 2),
        (409, "false", 1),
        (404, "perhaps", 1),
        // An error's header only.
        (200, "true", 1),
        (302, "true", 1),
    ] {
        let (server, (retry, timer)) = (once(status, &[("x-should-retry", word)]), retry());
        let retry = retry.vendor_headers(true);
        let call = client().get(server.url("/")).with_retry(&retry);
        let (response, report) = guarded(call.send_with_report()).await.unwrap();
        let answer = if sends == 1 { status } else { 200 };
        assert_eq!((response.status().as_u16(), server.sends()), (answer, sends), "{status} {word}");
        let reason = if (status, word) == (503, "false") { Reason::Advised } else { Reason::Answer };
        assert_eq!((report.reason(), timer.waits().len()), (reason, sends - 1), "{status} {word}");
        // Whichever response is the answer, its body is there.
        let server = once(status, &[("x-should-retry", word)]);
        let fetched = guarded(client().get(server.url("/")).with_retry(&retry).fetch()).await.unwrap();
        assert_eq!(&fetched.body()[..], if sends == 1 { &b"first"[..] } else { b"second" }, "{status} {word}");
    }
}

#[tokio::test]
async fn a_status_that_only_the_server_wants_again_has_its_hint_read() {
    let headers = [("x-should-retry", "true"), ("Retry-After", "3")];
    let (server, (retry, timer)) = (once(409, &headers), retry());
    guarded(client().get(server.url("/")).with_retry(&retry.vendor_headers(true)).send()).await.unwrap();
    assert_eq!(timer.waits(), millis(&[3000]));
}

#[tokio::test]
async fn the_servers_word_breaks_no_limit() {
    let always = || Server::start([Reply::status(409).header("x-should-retry", "true")]);
    let (retry, _) = retry();
    let retry = retry.vendor_headers(true);
    let server = always();
    // The last send's answer is one: nobody is asked whether there should be another.
    assert_eq!(guarded(client().get(server.url("/")).with_retry(&retry).send()).await.unwrap().status(), 409);
    assert_eq!(server.sends(), 4);
    let server = always();
    assert_eq!(guarded(client().post(server.url("/")).with_retry(&retry).send()).await.unwrap().status(), 409);
    assert_eq!(server.sends(), 1, "a POST goes out once");
    let server = always();
    let call = client().get(server.url("/")).with_retry(&retry).total_timeout(Duration::from_millis(250));
    assert_eq!(guarded(call.send()).await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(server.sends(), 2);
}

#[tokio::test]
async fn the_users_own_word_goes_before_the_servers() {
    for (own, word, sends) in [
        (Advice::Keep, "false", 1),
        (Advice::Retry, "false", 2),
        (Advice::RetryAfter(Duration::from_millis(5)), "false", 2),
        (Advice::Stop, "true", 1),
        (Advice::Keep, "true", 2),
    ] {
        let (server, (retry, _)) = (once(503, &[("x-should-retry", word)]), retry());
        let retry = retry
            .vendor_headers(true)
            .advise(move |seen: &Seen<'_>| if seen.attempt() == 1 { own } else { Advice::Keep });
        guarded(client().get(server.url("/")).with_retry(&retry).send()).await.unwrap();
        assert_eq!(server.sends(), sends, "{own:?} {word}");
    }
}

#[tokio::test]
async fn a_closures_responses_are_read_too() {
    let (server, (retry, timer)) = (once(409, &[("x-should-retry", "true"), ("retry-after-ms", "20")]), retry());
    let (url, client) = (server.url("/"), client());
    let retry = retry.vendor_headers(true).retry_count_header(COUNT);
    let response = guarded(retry.run(Method::GET, &url, |_| client.get(&url).send())).await.unwrap();
    assert_eq!((response.status().as_u16(), timer.waits()), (200, millis(&[20])));
    assert_eq!(server.requests()[1].header("x-retry-count"), None, "its requests are its own");
}

/// The values of the header at each send.
fn counts(server: &Server) -> Vec<Option<String>> {
    server.requests().iter().map(|request| request.header("x-retry-count").map(str::to_owned)).collect()
}

#[tokio::test]
async fn the_server_is_told_how_often_a_request_was_sent_before() {
    let script =
        || Server::start([Reply::status(503), Fault::Reset.at(Point::Request), Reply::status(503), Reply::status(200)]);
    let (retry, _) = retry();
    let retry = retry.retry_count_header(COUNT);
    let told = |first: Option<&str>| [first, Some("1"), Some("2"), Some("3")].map(|count| count.map(str::to_owned));

    let server = script();
    guarded(client().get(server.url("/")).with_retry(&retry).send()).await.unwrap();
    assert_eq!(counts(&server), told(None));
    let server = script();
    guarded(client().put(server.url("/")).body("same").with_retry(&retry).fetch()).await.unwrap();
    assert_eq!(counts(&server), told(None));
    assert!(server.requests().iter().all(|request| request.body == b"same" || request.body.is_empty()));
    // The request's own is replaced, once there is something to tell.
    let server = script();
    guarded(client().get(server.url("/")).header("X-Retry-Count", "9").with_retry(&retry).send()).await.unwrap();
    assert_eq!(counts(&server), told(Some("9")));
    let names = |(name, _): &(String, String)| name.eq_ignore_ascii_case("x-retry-count");
    assert!(server.requests().iter().all(|request| request.headers.iter().filter(|line| names(line)).count() == 1));
    // Each call counts for itself, and may choose.
    let server = script();
    guarded(client().get(server.url("/")).with_retry(&retry).retry_count_header(None).send()).await.unwrap();
    assert_eq!(counts(&server), [None, None, None, None]);
}

#[tokio::test]
async fn a_name_that_would_make_the_request_another_is_refused_in_advance() {
    for name in [
        "Content-Length",
        "transfer-encoding",
        "host",
        "connection",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "keep-alive",
        "proxy-connection",
        "idempotency-key",
    ] {
        let (server, (retry, _)) = (once(503, &[]), retry());
        let call = client().put(server.url("/")).body("hello").with_retry(&retry);
        let call = call.retry_count_header(name.parse::<HeaderName>().unwrap());
        let error = guarded(call.send()).await.expect_err(name);
        assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Validation, 0, 0), "{name}");
        let source = error.source().and_then(|source| source.downcast_ref::<RetryCountError>());
        assert_eq!(source.map(|source| source.name()), Some(name.to_ascii_lowercase().as_str()), "{error}");
        assert!(error.to_string().contains("retry_count_header is "), "{error}");
    }
}
