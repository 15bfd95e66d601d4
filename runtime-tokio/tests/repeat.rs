//! Repeating safely: consent, idempotency keys, and the same bytes at every send.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use core::time::Duration;

use conformance::server::{Fault, Point, Reply, Server};
use futures_util::stream;
use reqwest::{Body, RequestBuilder, multipart};
use retry_core::{ErrorKind, Jitter, NonIdempotent, Policy, Reason, Why};
use runtime_tokio::{IdempotencyKey, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use socket2::{Domain, Socket, Type};

fn retry() -> Retry<SkipTimer> {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    Retry::with_timer(policy.expect("a valid policy"), SkipTimer::default())
}

fn streamed(parts: &'static [&'static str]) -> Body {
    Body::wrap_stream(stream::iter(parts.iter().copied().map(Ok::<_, std::io::Error>)))
}

#[tokio::test]
async fn g2_bodies_are_equal_byte_for_byte_at_every_send() {
    type Make = fn(RequestBuilder) -> RequestBuilder;
    let cases: [(&str, Make, bool); 7] = [
        ("bytes", |request| request.body(vec![0_u8, 1, 255]), false),
        ("json", |request| request.json(&serde_json::json!({"n": 7})), false),
        ("form", |request| request.form(&[("field", "a value")]), false),
        ("empty", |request| request, false),
        ("stream", |request| request.body(streamed(&["one ", "two ", "three"])), true),
        ("multipart", |request| request.multipart(multipart::Form::new().text("field", "value")), true),
        (
            "multipart stream",
            |request| {
                request.multipart(multipart::Form::new().part("file", multipart::Part::stream(streamed(&["a", "b"]))))
            },
            true,
        ),
    ];
    for (name, make, buffered) in cases {
        let server = Server::start([Reply::status(503), Fault::Reset.at(Point::Request), Reply::status(200)]);
        let call = make(client().post(server.url("/"))).with_retry(retry()).non_idempotent(NonIdempotent::Always);
        let call = if buffered { call.buffer_body(1000) } else { call };
        assert_eq!(guarded(call.send()).await.unwrap().status(), 200, "{name}");
        let sent = server.requests();
        assert_eq!(sent.len(), 3, "{name}");
        for request in &sent {
            assert_eq!(request.body, sent[0].body, "{name}");
            for header in ["content-type", "content-length", "transfer-encoding"] {
                assert_eq!(request.header(header), sent[0].header(header), "{name}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_larger_than_its_buffer_or_fails_is_not_sent() {
    let server = Server::start([Reply::status(200)]);
    let put = |body| client().put(server.url("/")).body(body).with_retry(retry());
    assert_eq!(guarded(put(streamed(&["12345"])).buffer_body(5).send()).await.unwrap().status(), 200);
    let error = guarded(put(streamed(&["123", "456"])).buffer_body(5).send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0));
    assert!(error.to_string().ends_with("buffer_body: the request's body is larger than 5 bytes"), "{error}");
    let failing = || Body::wrap_stream(stream::iter([Ok("1"), Err(std::io::Error::other("no more"))]));
    let error = guarded(put(failing()).buffer_body(5).send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts(), server.sends()), ("VALIDATION_ERROR", 0, 1));
    // A body that never ends meets the limits of the call.
    let endless = || Body::wrap_stream(stream::pending::<Result<&str, std::io::Error>>());
    let error =
        guarded(put(endless()).buffer_body(5).total_timeout(Duration::from_millis(20)).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 0));
    let error = guarded(put(endless()).buffer_body(5).cancel_on(tokio::task::yield_now()).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Canceled, 0, 1));
}

#[tokio::test]
async fn the_time_that_a_body_took_counts_where_the_client_then_refuses_the_request() {
    let (timer, long) = (SkipTimer::default(), Duration::from_secs(40));
    let read = timer.clone();
    let slow = Body::wrap_stream(stream::once(async move {
        read.advance(long);
        Ok::<_, std::io::Error>("once")
    }));
    let retry = Retry::with_timer(Policy::API, timer);
    let call = client().put("ftp://localhost/").body(slow).with_retry(retry).buffer_body(5).send();
    let error = guarded(call).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Validation, 0));
    assert!(error.elapsed() >= long, "{:?}", error.elapsed());
}

#[tokio::test]
async fn when_unsent_repeats_what_cannot_have_arrived_and_nothing_else() {
    let unsent = |call: RequestBuilder| call.with_retry(retry()).non_idempotent(NonIdempotent::WhenUnsent);
    // F6: nobody listens twice, then somebody does.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&core::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let addr = socket.local_addr().unwrap().as_socket().unwrap();
    let server = std::sync::Mutex::new(None);
    let opening = retry().on_retry(move |retrying| {
        if retrying.attempt == 2 {
            let socket = socket.try_clone().unwrap();
            socket.listen(8).unwrap();
            let script = [Reply::status(200)];
            *server.lock().unwrap() = Some(Server::builder().listener(socket.into()).script(script).start());
        }
    });
    let call = client().post(format!("http://{addr}/")).with_retry(opening);
    let call = call.non_idempotent(NonIdempotent::WhenUnsent).send_with_report();
    let (response, report) = guarded(call).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts()), (200, 3));

    // Any response ends the call as Ok.
    let server = Server::start([Reply::status(503)]);
    assert_eq!(guarded(unsent(client().post(server.url("/"))).send()).await.unwrap().status(), 503);
    let page = guarded(unsent(client().post(server.url("/"))).fetch()).await.unwrap();
    assert_eq!((page.status().as_u16(), server.sends()), (503, 2));
}

#[tokio::test]
async fn a_post_that_was_answered_with_a_redirect_has_arrived_whatever_comes_after() {
    let nobody = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    nobody.bind(&core::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let dead = nobody.local_addr().unwrap().as_socket().unwrap();
    for status in [302, 303, 307] {
        let server = Server::start([Reply::status(status).header("Location", format!("http://{dead}/next"))]);
        let call = client().post(server.url("/order")).body("order").with_retry(retry());
        let error = guarded(call.non_idempotent(NonIdempotent::WhenUnsent).send()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Network, 1, 1), "{status}");
        let Some(retry_core::Event::Failure(failure)) = error.event() else { panic!("it failed") };
        assert_eq!(failure.reached, retry_core::Reached::MaybeSent);
        // So it has where a closure puts reqwest's error into another one.
        let (client, url, before) = (client(), server.url("/order"), server.sends());
        let send = |_| async { client.post(&url).body("order").send().await.map_err(std::io::Error::other) };
        let call = retry().call().non_idempotent(NonIdempotent::WhenUnsent).run(http::Method::POST, &url, send);
        let error = guarded(call).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts(), server.sends() - before), (ErrorKind::Network, 1, 1), "{status}");
    }
}

#[tokio::test]
async fn a_stream_that_is_always_ready_and_gives_nothing_meets_the_limit() {
    let server = Server::start([Reply::status(200)]);
    let empty = || Body::wrap_stream(stream::repeat_with(|| Ok::<_, std::io::Error>("")));
    let put = || client().put(server.url("/")).body(empty()).with_retry(retry()).buffer_body(5);
    let error = guarded(put().total_timeout(Duration::from_millis(20)).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    let error = guarded(put().cancel_on(tokio::task::yield_now()).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Canceled, 0, 0));
}

#[cfg(feature = "h2")]
#[tokio::test]
async fn f4_when_unsent_repeats_a_refused_stream_and_not_one_that_broke_inside() {
    use conformance::server::StreamFault;
    let unsent = |call: RequestBuilder| call.with_retry(retry()).non_idempotent(NonIdempotent::WhenUnsent);
    let _ = client();
    let h2 = runtime_tokio::client_builder().http2_prior_knowledge().build().unwrap();
    let refused = StreamFault::Reset(StreamFault::REFUSED_STREAM).reply();
    let server = Server::builder().script([refused, Reply::status(200)]).http2().start();
    assert_eq!(guarded(unsent(h2.post(server.url("/"))).send()).await.unwrap().status(), 200);
    assert_eq!(server.sends(), 2);
    let broken = StreamFault::Reset(StreamFault::INTERNAL_ERROR).reply();
    let server = Server::builder().script([broken]).http2().start();
    let error = guarded(unsent(h2.post(server.url("/"))).send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts(), server.sends()), ("TRANSPORT_ERROR", 1, 1));
    assert_eq!(error.reason(), Reason::NotRepeatable(Why::Method));
}

#[tokio::test]
async fn g3_an_idempotency_key_is_the_same_at_every_send_and_makes_a_post_repeatable() {
    let cases = [
        (IdempotencyKey::from(r#"a "key"\"#), r#""a \"key\"\\""#.to_owned()),
        (IdempotencyKey::verbatim("a-key"), "a-key".to_owned()),
    ];
    let random = IdempotencyKey::random();
    let text = random.to_string();
    for (key, sent) in cases.into_iter().chain([(random, text)]) {
        let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200)]);
        let call = client().post(server.url("/")).with_retry(retry()).idempotency_key(key);
        assert_eq!(guarded(call.send()).await.unwrap().status(), 200);
        let keys: Vec<_> = server.requests().iter().map(|r| r.header("idempotency-key").map(str::to_owned)).collect();
        assert_eq!(keys, vec![Some(sent); 3]);
    }
}

#[tokio::test]
async fn g3_a_key_that_the_caller_set_is_kept_and_does_not_opt_in_by_itself() {
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let own = || client().post(server.url("/")).header("Idempotency-Key", "mine").with_retry(retry());
    assert_eq!(guarded(own().send()).await.unwrap().status(), 503);
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let own = || client().post(server.url("/")).header("Idempotency-Key", "mine").with_retry(retry());
    assert_eq!(guarded(own().idempotency_key("ours").send()).await.unwrap().status(), 200);
    assert!(server.requests().iter().all(|request| request.header("idempotency-key") == Some("mine")));
    let server = Server::start([Reply::status(503)]);
    let never = client().post(server.url("/")).with_retry(retry()).idempotency_key("k");
    assert_eq!(guarded(never.non_idempotent(NonIdempotent::Never).send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 1);
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_a_typed_error() {
    let server = Server::start([Reply::status(200)]);
    let blank = [" ", " a", "a "].map(IdempotencyKey::verbatim);
    for key in ["", "line\nbreak", "snow \u{2603}", "tab\t", "\u{7f}"] {
        for key in [IdempotencyKey::from(key), IdempotencyKey::verbatim(key)].into_iter().chain(blank.clone()) {
            let call = client().post(server.url("/")).with_retry(retry()).idempotency_key(key);
            let error = guarded(call.send()).await.unwrap_err();
            assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0));
            assert!(core::error::Error::source(&error).unwrap().is::<runtime_tokio::KeyError>());
        }
    }
    assert_eq!(server.sends(), 0);
}

#[tokio::test]
async fn more_retries_than_the_policy_has() {
    // SPEC's own case: client 3, request 5 is six sends, 31 s of waits without jitter.
    let policy = Policy::API.edit().jitter(Jitter::None).build().unwrap();
    let timer = SkipTimer::default();
    let retry = Retry::with_timer(policy, timer.clone());
    let server = Server::start([Reply::status(503)]);
    let error = guarded(client().get(server.url("/")).with_retry(&retry).max_retries(5).send()).await.unwrap_err();
    assert_eq!((error.attempts(), server.sends(), timer.waited()), (6, 6, Duration::from_secs(31)));
    let once = client().get(server.url("/")).with_retry(&retry).max_retries(0).send_with_report();
    let (response, report) = guarded(once).await.unwrap();
    assert_eq!((response.status().as_u16(), report.single_send()), (503, Some(Why::RetriesOff)));
}
