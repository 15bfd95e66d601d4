//! What one call does: the same as `send`, but that its last response is handed over.

use core::error::Error as _;
use core::time::Duration;
use std::sync::{Arc, Mutex};

use conformance::server::{Fault, Point, Reply, Server};
use futures_util::stream;
use http::HeaderName;
use reqwest::Body;
use retry_core::{Advice, ErrorKind, Event, Policy, Reason, TokenBucket, WaitSource, Why};
use runtime_tokio::{Budgets, Retry, Retrying, Seen};

use crate::skip::{SkipTimer, guarded, millis};
use crate::{ours, report, retry, with};

fn once() -> Body {
    Body::wrap_stream(stream::iter([Ok::<_, std::io::Error>("once")]))
}

#[tokio::test]
async fn every_request_is_retried_and_the_response_tells_what_it_took() {
    let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200).body("ok")]);
    let client = with(retry());
    let response = guarded(client.get(server.url("/")).send()).await.unwrap();
    let took = report(&response);
    assert_eq!((took.attempts(), took.reason(), took.kind()), (3, Reason::Answer, None));
    assert_eq!(took.waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[100, 200]));
    assert_eq!(response.text().await.unwrap(), "ok");
    let second = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!((report(&second).attempts(), report(&second).record().count()), (1, 1));
    assert_eq!(server.sends(), 4);
}

#[tokio::test]
async fn the_last_response_is_handed_over_where_retries_are_used_up() {
    let server = Server::start([Reply::status(503).body("to the end")]);
    // A client's word on it does not matter here.
    let client = with(retry().return_last_response(false));
    let response = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends()), (503, 4));
    assert_eq!((report(&response).kind(), report(&response).attempts()), (Some(ErrorKind::RetryExhausted), 4));
    assert_eq!(response.text().await.unwrap(), "to the end", "never an empty body in place of the real one");
}

#[tokio::test]
async fn each_end_with_a_response_in_hand_has_its_kind() {
    let busy = Reply::status(429).header("Retry-After", "3000");
    let server = Server::start([busy]);
    let policy = |change: fn(retry_core::PolicyBuilder) -> retry_core::PolicyBuilder| {
        Retry::with_timer(change(Policy::API.edit()).build().unwrap(), SkipTimer::default())
    };
    let give_up = retry_core::RetryAfter::replace().over_cap(retry_core::OverCap::GiveUp);
    let strict = Retry::with_timer(Policy::API.edit().retry_after(give_up).build().unwrap(), SkipTimer::default());
    let spent = Budgets::shared(TokenBucket::aws_2_0().filled(5));
    for (retry, kind, attempts) in [
        (policy(|policy| policy.total_timeout(Some(Duration::from_secs(30)))), Some(ErrorKind::Timeout), 1),
        (strict, Some(ErrorKind::RetryAfterTooLong), 1),
        (policy(|policy| policy).budget(spent), Some(ErrorKind::BudgetSpent), 2),
        (policy(|policy| policy.max_retries(1)), Some(ErrorKind::RetryExhausted), 2),
        (policy(|policy| policy.max_retries(0)), None, 1),
        (policy(|policy| policy).advise(|_: &Seen<'_>| Advice::Stop), None, 1),
    ] {
        let response = guarded(with(retry).get(server.url("/")).send()).await.unwrap();
        assert_eq!(response.status(), 429);
        assert_eq!((report(&response).kind(), report(&response).attempts()), (kind, attempts));
    }
}

#[tokio::test]
async fn without_a_response_the_error_is_ours_and_has_reqwests_inside() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let error = guarded(with(retry()).get(server.url("/a?token=1")).send()).await.unwrap_err();
    assert!(error.is_middleware());
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("GET {}: retries used up after 4 attempts in 0.7 s: ", server.url("/a"))),
        "{text}"
    );
    // reqwest-middleware's error gives its content's source for its own.
    assert!(error.source().unwrap().downcast_ref::<reqwest::Error>().unwrap().is_request());
    let ours = ours(error);
    assert_eq!((ours.kind(), ours.attempts(), server.sends()), (ErrorKind::RetryExhausted, 4, 4));
    assert_eq!(ours.report().kind(), Some(ours.kind()));
    assert!(matches!(ours.event(), Some(Event::Failure(failure)) if failure.kind() == ErrorKind::Network));
    assert!(
        ours.source().unwrap().downcast_ref::<reqwest::Error>().unwrap().url().is_none_or(|url| url.query().is_none())
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_sent_is_none_that_was_sent() {
    let error = ours(guarded(with(retry()).get("ftp://127.0.0.1/").send()).await.unwrap_err());
    assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0));
}

#[tokio::test]
async fn bodies_go_out_whole_at_every_send_or_once() {
    let client = with(retry());
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let put = client.put(server.url("/")).header("content-type", "text/plain").body("the body");
    assert_eq!(guarded(put.send()).await.unwrap().status(), 200);
    let sent = server.requests();
    assert_eq!(sent.len(), 2);
    assert!(
        sent.iter().all(|request| request.body == b"the body" && request.header("content-type") == Some("text/plain"))
    );

    let server = Server::start([Reply::status(503)]);
    let streamed = guarded(client.put(server.url("/")).body(once()).send()).await.unwrap();
    assert_eq!((streamed.status().as_u16(), report(&streamed).single_send()), (503, Some(Why::Body)));
    let post = guarded(client.post(server.url("/")).body("order").send()).await.unwrap();
    assert_eq!((post.status().as_u16(), report(&post).single_send()), (503, Some(Why::Method)));
    let bodies: Vec<_> = server.requests().iter().map(|request| request.body.clone()).collect();
    assert_eq!(bodies, [&b"once"[..], b"order"]);
}

#[tokio::test]
async fn headers_of_vendors_are_read_and_retries_are_counted() {
    let wait = Reply::status(503).header("retry-after-ms", "1500");
    let stop = Reply::status(503).header("x-should-retry", "false");
    let server = Server::start([wait, stop]);
    let count = HeaderName::from_static("x-retry-count");
    let client = with(retry().vendor_headers(true).retry_count_header(count));
    let response = guarded(client.get(server.url("/")).send()).await.unwrap();
    assert_eq!(report(&response).waits().collect::<Vec<_>>(), [(Duration::from_millis(1500), WaitSource::RetryAfter)]);
    assert_eq!((report(&response).attempts(), report(&response).kind()), (2, None));
    let counts: Vec<_> =
        server.requests().iter().map(|request| request.header("x-retry-count").map(str::to_owned)).collect();
    assert_eq!(counts, [None, Some("1".to_owned())]);
    let refused = with(retry().retry_count_header(HeaderName::from_static("host")));
    let error = ours(guarded(refused.get(server.url("/")).send()).await.unwrap_err());
    assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0));
    assert!(error.source().unwrap().is::<runtime_tokio::RetryCountError>());
}

#[tokio::test]
async fn hooks_custom_policies_and_traces_are_those_of_the_retry() {
    let server = Server::start([Reply::status(409), Reply::status(503), Reply::status(200)]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&told);
    let retry = retry()
        .advise(
            |seen: &Seen<'_>| {
                if seen.status().is_some_and(|status| status == 409) { Advice::Retry } else { Advice::Keep }
            },
        )
        .on_retry(move |retry: &Retrying<'_>| hook.lock().unwrap().push((retry.url.to_owned(), retry.event)))
        .trace(true);
    let response = guarded(with(retry).get(server.url("/a")).send()).await.unwrap();
    assert_eq!(response.status(), 200);
    let url = server.url("/a");
    assert_eq!(*told.lock().unwrap(), [(url.clone(), Event::Status(409)), (url, Event::Status(503))]);
    let trace = report(&response).trace().expect("a trace");
    assert!(trace.replay().differences().is_empty());
    assert_eq!(trace.replay().decisions.len(), 3);
}

#[tokio::test]
async fn a_call_can_be_spawned_and_dropped() {
    let server = Arc::new(Server::start([Reply::status(503).header("Retry-After", "50")]));
    let client = with(Retry::new(Policy::API));
    let call = tokio::spawn(client.get(server.url("/")).send());
    guarded(async {
        while server.sends() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    call.abort();
    assert!(guarded(call).await.unwrap_err().is_cancelled());
    let metrics = tokio::runtime::Handle::current().metrics();
    assert_eq!(server.sends(), 1);
    drop(client);
    guarded(async {
        while metrics.num_alive_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}
