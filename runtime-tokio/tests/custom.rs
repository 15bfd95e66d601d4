//! Custom policies, closures, hooks and nested layers over a real socket.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex};

use conformance::server::{Fault, Point, Reply, Server};
use http::Method;
use retry_core::{Advice, ErrorKind, Event, Jitter, NonIdempotent, Policy, Reason, Try, Verdict, WaitSource};
use runtime_tokio::{Retry, RetryExt, Seen};
use skip::{SkipTimer, client, guarded, millis};

fn retry() -> (Retry<SkipTimer>, SkipTimer) {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    let timer = SkipTimer::default();
    (Retry::with_timer(policy.expect("a valid policy"), timer.clone()), timer)
}

#[tokio::test]
async fn a_custom_policy_brings_its_own_delays() {
    // Five retries, n seconds before the n-th, for 502, 503 and 504 alone: sends at 0, 1, 3, 6, 10 and 15 s.
    let own = |seen: &Seen<'_>| match seen.status().map(|status| status.as_u16()) {
        Some(502..=504) => Advice::RetryAfter(Duration::from_secs(seen.attempt().into())),
        _ => Advice::Stop,
    };
    let server = Server::start([502, 503, 504, 502, 503, 504].map(Reply::status));
    let (retry, _) = retry();
    let call = client().get(server.url("/")).with_retry(&retry).max_retries(5).advise(own);
    let error = guarded(call.send()).await.unwrap_err();
    let sends: Vec<_> = error.report().record().map(|entry| entry.start).collect();
    assert_eq!(sends, millis(&[0, 1000, 3000, 6000, 10_000, 15_000]));
    assert!(error.report().waits().all(|(_, source)| source == WaitSource::Custom));

    let server = Server::start([Reply::status(500)]);
    let call = client().get(server.url("/")).with_retry(&retry).max_retries(5).advise(own);
    let (response, report) = guarded(call.send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends(), report.reason()), (500, 1, Reason::Advised));
}

#[tokio::test]
async fn always_with_a_policy_that_stops_on_responses_repeats_a_post_after_a_reset_only() {
    let stop = |seen: &Seen<'_>| if seen.status().is_some() { Advice::Stop } else { Advice::Keep };
    let (retry, _) = retry();
    let post = |server: &Server| {
        let call = client().post(server.url("/")).with_retry(&retry).non_idempotent(NonIdempotent::Always);
        guarded(call.advise(stop).send())
    };
    let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(503)]);
    assert_eq!(post(&server).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 2);
    let server = Server::start([Reply::status(503)]);
    assert_eq!(post(&server).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 1);
}

#[tokio::test]
async fn c6_a_header_of_the_servers_own_is_read_by_a_custom_policy() {
    let server = || Server::start([Reply::status(429).header("x-should-retry", "false")]);
    let reads = |seen: &Seen<'_>| match seen.headers().and_then(|headers| headers.get("x-should-retry")) {
        Some(value) if value == "false" => Advice::Stop,
        _ => Advice::Keep,
    };
    let (retry, _) = retry();
    let one = server();
    let call = client().get(one.url("/")).with_retry(&retry).advise(reads);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 429);
    assert_eq!(one.sends(), 1);
    let four = server();
    assert!(guarded(client().get(four.url("/")).with_retry(&retry).send()).await.is_err());
    assert_eq!(four.sends(), 4);
}

#[tokio::test]
async fn g6_an_error_in_the_body_of_a_200_can_be_sent_again() {
    let server = || Server::start([Reply::status(200).body("SlowDown"), Reply::status(200).body("the object")]);
    let (retry, _) = retry();
    let plain = server();
    assert_eq!(guarded(client().get(plain.url("/")).with_retry(&retry).fetch()).await.unwrap().body(), "SlowDown");
    assert_eq!(plain.sends(), 1);
    let reading = server();
    let own = |seen: &Seen<'_>| if seen.body() == Some(b"SlowDown") { Advice::Retry } else { Advice::Keep };
    let page = guarded(client().get(reading.url("/")).with_retry(&retry).advise(own).fetch()).await.unwrap();
    assert_eq!((&page.body()[..], reading.sends()), (&b"the object"[..], 2));
}

#[tokio::test]
async fn a_custom_policy_sees_everything_and_is_asked_only_where_it_counts() {
    let (retry, _) = retry();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let retry = retry.advise(move |seen: &Seen<'_>| {
        assert_eq!((seen.method().as_str(), seen.url().ends_with("/page?q=1")), ("GET", true));
        assert_eq!(seen.remaining(), Some(Duration::from_secs(180) - seen.elapsed()));
        assert_eq!(seen.error().is_some(), seen.failure().is_some());
        let what = (seen.attempt(), seen.elapsed().as_millis(), seen.status().map(|status| status.as_u16()));
        log.lock().unwrap().push((what, seen.verdict()));
        Advice::Keep
    });
    let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(503), Reply::status(404)]);
    let call = client().get(server.url("/page?q=1")).with_retry(&retry);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 404);
    let expected =
        [((1, 0, None), Verdict::Retry), ((2, 100, Some(503)), Verdict::Retry), ((3, 300, Some(404)), Verdict::Answer)];
    assert_eq!(*seen.lock().unwrap(), expected);

    // Not asked: a request that may not be repeated, and the last send.
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let retry = retry.advise(move |_: &Seen<'_>| {
        count.fetch_add(1, Ordering::SeqCst);
        Advice::Retry
    });
    let server = Server::start([Reply::status(200)]);
    guarded(client().post(server.url("/")).with_retry(&retry).send()).await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    guarded(client().get(server.url("/")).with_retry(&retry).max_retries(2).send()).await.unwrap();
    assert_eq!((asked.load(Ordering::SeqCst), server.sends()), (2, 4));
}

#[tokio::test]
async fn advice_cannot_break_a_limit() {
    let (retry, timer) = retry();
    let server = Server::start([Reply::status(200).header("Retry-After", "2")]);
    let forever = |_: &Seen<'_>| Advice::Retry;
    let call = client().get(server.url("/")).with_retry(&retry).total_timeout(Duration::from_secs(5)).advise(forever);
    let error = guarded(call.max_retries(1000).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 3), "hints are read: sends at 0, 2 and 4 s");
    assert_eq!(timer.waited(), Duration::from_secs(4));
    assert_eq!(error.into_response().unwrap().status(), 200);

    let late = |_: &Seen<'_>| Advice::RetryAfter(Duration::MAX);
    let call = client().get(server.url("/")).with_retry(&retry).advise(late);
    assert_eq!(guarded(call.send()).await.unwrap_err().kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_closure_makes_each_send() {
    let (retry, timer) = retry();
    let server = Server::start([Reply::status(503), Fault::Reset.at(Point::Request), Reply::status(200)]);
    let client = client();
    let mut tokens = vec!["third", "second", "first"];
    let (url, body) = (server.url("/orders"), String::from("borrowed"));
    let order = body.as_str();
    let call = retry.call().non_idempotent(NonIdempotent::Always).run_with_report(Method::POST, &url, |this: Try| {
        let token = tokens.pop().expect("three sends");
        client.post(&url).bearer_auth(token).header("x-attempt", this.number).body(order.to_owned()).send()
    });
    let (response, report) = guarded(call).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts()), (200, 3));
    assert_eq!(timer.waited(), Duration::from_millis(300));
    let sent: Vec<_> =
        server.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    assert_eq!(sent, ["first", "second", "third"].map(|token| Some(format!("Bearer {token}"))));

    let server = Server::start([Reply::status(503)]);
    let url = server.url("/");
    let once = retry.run(Method::POST, &url, |_| client.post(&url).send());
    assert_eq!(guarded(once).await.unwrap().status(), 503, "a POST goes out once");
    let error = guarded(retry.run(Method::GET, &url, |_| client.get(&url).send())).await.unwrap_err();
    assert_eq!((error.code(), error.attempts(), server.sends()), ("RETRY_EXHAUSTED", 4, 5));
}

#[tokio::test]
async fn a_closures_own_error_is_judged_by_the_reqwest_error_inside_or_ends_the_call() {
    #[derive(Debug)]
    struct Wrapped(reqwest::Error);
    impl core::fmt::Display for Wrapped {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("wrapped")
        }
    }
    impl core::error::Error for Wrapped {
        fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let (retry, _) = retry();
    let client = client();
    let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(200)]);
    let url = server.url("/");
    let wrapping = |_| async { client.get(&url).send().await.map_err(Wrapped) };
    assert_eq!(guarded(retry.run(Method::GET, &url, wrapping)).await.unwrap().status(), 200);

    let failing = |_| async { Err::<reqwest::Response, _>("no token") };
    let error = guarded(retry.run(Method::GET, "not a URL", failing)).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Unknown, 1));
    assert_eq!(error.to_string(), "GET (not an absolute URL): failed after 1 attempt in 0.0 s: no token");
}

#[tokio::test]
async fn nested_layers_do_not_multiply() {
    let (retry, _) = retry();
    let client = client();
    for inner_returns_response in [false, true] {
        let server = Server::start([Reply::status(503)]);
        let url = server.url("/");
        let outer = retry.run(Method::GET, &url, |_| {
            client.get(&url).with_retry(&retry).return_last_response(inner_returns_response).send()
        });
        match guarded(outer).await {
            Ok(response) => assert_eq!((response.status().as_u16(), inner_returns_response), (503, true)),
            Err(error) => {
                assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 4));
                assert!(!inner_returns_response);
                assert!(error.into_response().is_some());
            }
        }
        assert_eq!(server.sends(), 4);
    }
    // What the inner layer did not work on is the outer one's.
    let server = Server::start([Reply::status(404), Reply::status(200)]);
    let url = server.url("/");
    let policy = retry.policy().edit().add_status(404).build().unwrap();
    let outer = retry.call().policy(policy).run(Method::GET, &url, |_| client.get(&url).with_retry(&retry).send());
    assert_eq!(guarded(outer).await.unwrap().status(), 200);
}

#[tokio::test]
async fn nested_layers_do_not_multiply_where_the_callers_error_is_around_ours() {
    #[derive(Debug)]
    struct Wrapped(runtime_tokio::Error);
    impl core::fmt::Display for Wrapped {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("wrapped")
        }
    }
    impl core::error::Error for Wrapped {
        fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let (retry, _) = retry();
    let client = client();
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let url = server.url("/");
    let outer =
        retry.run(Method::GET, &url, |_| async { client.get(&url).with_retry(&retry).send().await.map_err(Wrapped) });
    let error = guarded(outer).await.unwrap_err();
    assert_eq!((error.kind(), server.sends()), (ErrorKind::Network, 4));
}

#[tokio::test]
async fn a_status_that_the_closure_makes_an_error_is_judged_as_that_status() {
    let (retry, _) = retry();
    let client = client();
    let get = |server: &Server| {
        let (url, client) = (server.url("/?token=hunter2"), client.clone());
        let send = move |_| {
            let request = client.get(&url);
            async move { request.send().await?.error_for_status() }
        };
        guarded(retry.run(Method::GET, server.url("/"), send))
    };
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    assert_eq!(get(&server).await.unwrap().status(), 200);
    let server = Server::start([Reply::status(503)]);
    let error = get(&server).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 4));
    assert_eq!(error.status().map(|status| status.as_u16()), Some(503));
    let server = Server::start([Reply::status(404)]);
    let error = get(&server).await.unwrap_err();
    assert_eq!((error.kind(), error.code(), error.attempts()), (ErrorKind::Http, "HTTP_ERROR", 1));
    assert!(!format!("{error} {error:?}").contains("hunter2"), "a secret is shown");
}

#[tokio::test]
async fn the_last_response_can_be_had_as_ok() {
    let (retry, _) = retry();
    let retry = retry.return_last_response(true);
    let server = Server::start([Reply::status(503).body("the end")]);
    let (response, report) =
        guarded(client().get(server.url("/")).with_retry(&retry).send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts()), (503, 4));
    assert_eq!(report.reason(), Reason::RetriesExhausted);
    assert_eq!(response.text().await.unwrap(), "the end");
    // Also where the time runs out before a body would have been read.
    let slow =
        retry.policy().edit().base_delay(Duration::from_secs(20)).max_delay(Duration::from_secs(60)).build().unwrap();
    let call = client().get(server.url("/")).with_retry(&retry).policy(slow).total_timeout(Duration::from_secs(15));
    assert_eq!(guarded(call.fetch()).await.unwrap().body(), "the end");
    // A failure stays one.
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    assert!(guarded(client().get(server.url("/")).with_retry(&retry).send()).await.is_err());
}

#[tokio::test]
async fn fetchs_final_error_has_its_body() {
    let (retry, _) = retry();
    let server = Server::start([Reply::status(503).body("why")]);
    let error = guarded(client().get(server.url("/")).with_retry(&retry).fetch()).await.unwrap_err();
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "why");
    let slow = retry.policy().edit().base_delay(Duration::from_secs(10)).build().unwrap();
    let early = client().get(server.url("/")).with_retry(&retry).policy(slow).total_timeout(Duration::from_secs(15));
    let error = guarded(early.fetch()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "why", "handed over unread");
}

#[tokio::test]
async fn a_hook_is_told_of_each_wait() {
    let (retry, _) = retry();
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    let retry = retry.on_retry(move |retrying| {
        let shown = format!("{retrying:?}");
        assert!(!shown.contains("secret"), "{shown}");
        log.lock().unwrap().push((retrying.attempt, retrying.event, retrying.wait, retrying.source));
    });
    let busy = Reply::status(429).header("Retry-After", "3");
    let server = Server::start([Reply::status(503), busy, Reply::status(200)]);
    guarded(client().get(server.url("/?token=secret")).with_retry(&retry).send()).await.unwrap();
    let expected = [
        (1, Event::Status(503), Duration::from_millis(100), WaitSource::Computed),
        (2, Event::Status(429), Duration::from_secs(3), WaitSource::RetryAfter),
    ];
    assert_eq!(*told.lock().unwrap(), expected);
}
