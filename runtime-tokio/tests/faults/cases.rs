//! Kinds of failure met in the field: CASES F, by their ids. F9 is in `main.rs`.

use core::error::Error as StdError;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use conformance::server::{Fault, Framing, Point, Reply, Server, StreamFault, Tls};
use futures_util::StreamExt;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Method, Response, Version};
use retry_core::{ErrorKind, Jitter, Policy};
use runtime_tokio::{DnsFailure, Retry, RetryExt};

use crate::common::{SkipTimer, builder, client, guarded, instant, trusting};

/// The set-up of the cases: 3 retries, 100 ms, 200 ms, 400 ms.
fn retry() -> (Retry<SkipTimer>, SkipTimer) {
    let timer = SkipTimer::default();
    let policy = Policy::API.edit().base_delay(core::time::Duration::from_millis(100)).jitter(Jitter::None).build();
    (Retry::with_timer(policy.expect("the policy is valid"), timer.clone()), timer)
}

fn over_http2(script: impl IntoIterator<Item = Reply>) -> (Server, Client) {
    let server = Server::builder().script(script).http2().start();
    (server, builder().http2_prior_knowledge().build().expect("a client can be built"))
}

#[tokio::test]
async fn f1_a_bad_certificate_is_a_verdict_though_the_client_calls_it_a_connect_error() {
    for tls in [Tls::SelfSigned, Tls::Expired, Tls::WrongName] {
        let server = Server::builder().script([Reply::status(200)]).tls([tls]).start();
        let client = trusting(&server).build().unwrap();
        let error = guarded(client.get(server.url("/")).with_retry(instant(3)).send()).await.unwrap_err();
        let expected = if cfg!(feature = "rustls") { "CERTIFICATE_ERROR" } else { "TLS_ERROR" };
        assert_eq!((error.code(), error.attempts(), server.connections()), (expected, 1, 1), "{tls:?}");
        let source = error.source().and_then(|source| source.downcast_ref::<reqwest::Error>());
        assert!(source.is_some_and(reqwest::Error::is_connect));
    }
}

#[tokio::test]
async fn f2_a_connection_closed_right_after_client_hello_is_a_fault_of_the_network() {
    let steps = [Tls::Fault(Fault::Close), Tls::Fault(Fault::Reset), Tls::Good];
    let server = Server::builder().script([Reply::status(200)]).tls(steps).start();
    let client = trusting(&server).build().unwrap();
    let call = client.get(server.url("/")).with_retry(instant(3)).send_with_report();
    let (response, report) = guarded(call).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts(), server.sends()), (200, 3, 1));
}

/// Says this so often, and then that it is loopback.
struct Flaky(DnsFailure, AtomicUsize);

impl Resolve for Flaky {
    fn resolve(&self, _: Name) -> Resolving {
        let left = self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let failure = self.0;
        Box::pin(async move {
            match left {
                Ok(_) => Err(failure.into()),
                Err(_) => Ok(Box::new(core::iter::once((core::net::Ipv4Addr::LOCALHOST, 0_u16).into())) as Addrs),
            }
        })
    }
}

#[tokio::test]
async fn f3_a_name_that_cannot_be_resolved_for_now_and_one_that_there_is_not() {
    let server = Server::start([Reply::status(200)]);
    let url = server.url("/").replace("127.0.0.1", "example.test");
    for (failure, attempts) in [(DnsFailure::Temporary, 3), (DnsFailure::NoSuchName, 1)] {
        let resolver = Arc::new(Flaky(failure, AtomicUsize::new(2)));
        let client = builder().dns_resolver(resolver).build().unwrap();
        let result = guarded(client.get(&url).with_retry(instant(3)).send_with_report()).await;
        match result {
            Ok((_, report)) => assert_eq!(report.attempts(), attempts, "{failure:?}"),
            Err(error) => assert_eq!((error.code(), error.attempts()), ("DNS_ERROR", attempts), "{failure:?}"),
        }
    }
    assert_eq!(server.sends(), 1);
}

/// Without `WhenUnsent`, which is in `repeat.rs`.
#[tokio::test]
async fn f4_streams_that_a_server_refuses_resets_or_is_too_busy_for() {
    if cfg!(not(feature = "h2")) {
        // The table has what becomes of them then.
        return;
    }
    let reset = |code| StreamFault::Reset(code).reply();
    let (retry, timer) = retry();

    let (server, client) = over_http2([reset(StreamFault::REFUSED_STREAM), Reply::status(200)]);
    let (response, report) = guarded(client.get(server.url("/")).with_retry(&retry).send_with_report()).await.unwrap();
    assert_eq!((response.version(), report.attempts(), server.sends()), (Version::HTTP_2, 2, 2));

    let (server, client) = over_http2([reset(StreamFault::INTERNAL_ERROR), Reply::status(200)]);
    let error = guarded(client.post(server.url("/")).with_retry(&retry).send()).await.unwrap_err();
    assert_eq!((error.code(), error.attempts(), server.sends()), ("TRANSPORT_ERROR", 1, 1));

    let before = timer.waits().len();
    let (server, client) = over_http2([reset(StreamFault::ENHANCE_YOUR_CALM)]);
    let error = guarded(client.get(server.url("/")).with_retry(&retry).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::RetryExhausted, 4, 4));
    let waits: Vec<_> = timer.waits()[before..].iter().map(core::time::Duration::as_millis).collect();
    assert_eq!(waits, [100, 200, 400]);
}

#[tokio::test]
async fn f8_a_body_that_breaks_off_is_retried_inside_the_attempt_and_an_error_on_a_stream() {
    let text = || Reply::status(200).body("half of this arrives");
    let faults = [
        text().framing(Framing::Declared(99)),
        text().framing(Framing::OpenChunks),
        text().framing(Framing::Chunked).fault(Fault::Close, Point::HalfBody),
        Reply::cut_gzip(),
        Fault::Close.at(Point::HalfBody),
        Fault::Reset.at(Point::HalfBody),
    ];
    for fault in faults {
        let server = Server::start([fault.clone(), Reply::status(200).body("whole")]);
        let call = client().get(server.url("/")).with_retry(instant(3)).fetch_with_report();
        let (page, report) = guarded(call).await.unwrap();
        assert_eq!((&page.body()[..], report.attempts(), server.sends()), (&b"whole"[..], 2, 2), "{fault:?}");

        let server = Server::start([fault.clone()]);
        let error = guarded(client().get(server.url("/")).with_retry(instant(3)).fetch()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 4), "{fault:?}");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(200));

        // A body that the caller streams is the caller's: its error is reqwest's own, and nothing is sent again.
        let server = Server::start([fault]);
        let response = guarded(client().get(server.url("/")).with_retry(instant(3)).send()).await.unwrap();
        let mut stream = response.bytes_stream();
        let error = loop {
            match guarded(stream.next()).await {
                Some(Ok(_)) => {}
                Some(Err(error)) => break error,
                None => panic!("a body that broke off is no success"),
            }
        };
        assert!(error.is_decode());
        assert_eq!(server.sends(), 1);
    }
}

/// reqwest calls both a decode error: a body that broke off, and one that is not the JSON that a closure wants.
#[tokio::test]
async fn json_that_is_other_than_a_closure_wants_is_no_fault_of_the_body() {
    let (retry, _) = retry();
    for (reply, attempts) in [(Reply::status(200).body("{}"), 1), (Fault::Close.at(Point::HalfBody), 4)] {
        let server = Server::start([reply]);
        let url = server.url("/");
        let send = async || -> reqwest::Result<Response> {
            let number: u32 = client().get(&url).send().await?.json().await?;
            panic!("{number} was not sent")
        };
        let run = retry.run(Method::GET, &url, |_| send());
        let error = guarded(run).await.unwrap_err();
        assert_eq!((error.attempts(), server.sends()), (attempts, attempts as usize), "{error:?}");
    }
}
