//! One row a call: what came back, and what a subscriber saw of it.

use core::future::poll_fn;
use core::pin::Pin;
use core::time::Duration;
use std::net::TcpListener;
use std::sync::Arc;

use conformance::server::{Fault, Framing, Point, Proxy, Reply, Server, Via};
use http::Method;
use retry_core::{ErrorKind, Jitter, Policy, TokenBucket, Try};
use runtime_tokio::{Budgets, Retry, RetryExt, TokioTimer};
use tracing::{Instrument, Level, Metadata, Span, info, info_span};

use crate::skip::{SkipTimer, client};
use crate::tree::Tree;
use crate::watched;

/// What a call of a row is made with.
struct Stage {
    server: Server,
    client: reqwest::Client,
    timer: SkipTimer,
    retry: Retry<SkipTimer>,
}

type Work = fn(Arc<Stage>) -> Pin<Box<dyn Future<Output = ()>>>;

struct Row {
    name: &'static str,
    script: Vec<Reply>,
    call: Work,
    tree: &'static str,
}

impl Stage {
    fn new(script: Vec<Reply>) -> Self {
        let policy = Policy::API.edit().jitter(Jitter::None).build().unwrap();
        let timer = SkipTimer::over(TokioTimer);
        let retry = Retry::with_timer(policy, timer.clone());
        Self { server: Server::start(script), client: client(), timer, retry }
    }

    fn get(&self) -> reqwest::RequestBuilder {
        self.client.get(self.server.url("/"))
    }
}

/// What every span of these calls has, and `requests.rs` looks at.
fn is_shown(field: &str) -> bool {
    !["otel.kind", "otel.name", "http.request.method", "server.address", "server.port", "url.full"].contains(&field)
}

/// The call of a row.
macro_rules! call {
    (|$stage:ident| $work:expr) => {
        |$stage: Arc<Stage>| Box::pin(async move { $work })
    };
}

fn rows() -> Vec<Row> {
    let busy = || Reply::status(503);
    let well = || Reply::status(200).body("a page");
    vec![
        Row {
            name: "an answer",
            script: vec![well()],
            call: call!(|stage| drop(stage.get().with_retry(&stage.retry).send().await.unwrap())),
            tree: "\
call retry.attempts=1 retry.reason=answered http.response.status_code=200
  send http.response.status_code=200 network.protocol.version=1.1
",
        },
        Row {
            name: "a second send",
            script: vec![busy(), well()],
            call: call!(|stage| drop(stage.get().with_retry(&stage.retry).fetch().await.unwrap())),
            tree: "\
call retry.attempts=2 retry.reason=answered http.response.status_code=200
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503 retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 http.response.status_code=200 network.protocol.version=1.1
",
        },
        Row {
            name: "the server names the wait, and the retries are used up",
            script: vec![Reply::status(429).header("Retry-After", "7")],
            call: call!(|stage| {
                let error = stage.get().with_retry(&stage.retry).max_retries(1).send().await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::RetryExhausted);
            }),
            tree: "\
call retry.attempts=2 retry.reason=retries used up http.response.status_code=429 error.type=RETRY_EXHAUSTED otel.status_code=ERROR
  send http.response.status_code=429 network.protocol.version=1.1 error.type=429 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=429 error.type=429 retry.wait_seconds=7.0 retry.wait_source=Retry-After
  send http.request.resend_count=1 http.response.status_code=429 network.protocol.version=1.1 error.type=429 otel.status_code=ERROR
",
        },
        Row {
            name: "a call that gives its last response has not failed",
            script: vec![busy()],
            call: call!(|stage| {
                let call = stage.get().with_retry(&stage.retry).max_retries(0).return_last_response(true);
                assert_eq!(call.send().await.unwrap().status(), 503);
            }),
            tree: "\
call retry.attempts=1 retry.reason=failed, retries off http.response.status_code=503
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
",
        },
        Row {
            name: "an answer that a client's span calls an error, and the call does not",
            script: vec![Reply::status(404)],
            call: call!(|stage| drop(stage.get().with_retry(&stage.retry).send().await.unwrap())),
            tree: "\
call retry.attempts=1 retry.reason=answered http.response.status_code=404
  send http.response.status_code=404 network.protocol.version=1.1 error.type=404 otel.status_code=ERROR
",
        },
        Row {
            name: "a request that may go out once only",
            script: vec![busy()],
            call: call!(|stage| {
                let post = stage.client.post(stage.server.url("/")).with_retry(&stage.retry);
                assert_eq!(post.send().await.unwrap().status(), 503);
            }),
            tree: "\
call retry.attempts=1 retry.reason=failed, method not idempotent http.response.status_code=503
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
",
        },
        Row {
            name: "a connection that is refused",
            script: vec![well()],
            call: call!(|stage| {
                let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
                let get = stage.client.get(format!("http://127.0.0.1:{port}/")).with_retry(&stage.retry);
                get.max_retries(1).send().await.unwrap_err();
            }),
            tree: "\
call retry.attempts=2 retry.reason=retries used up error.type=RETRY_EXHAUSTED otel.status_code=ERROR
  send error.type=NETWORK_ERROR otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 error.type=NETWORK_ERROR retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 error.type=NETWORK_ERROR otel.status_code=ERROR
",
        },
        Row {
            name: "a body that breaks off",
            script: vec![Reply::status(200).body("half").framing(Framing::Declared(9)), well()],
            call: call!(|stage| drop(stage.get().with_retry(&stage.retry).fetch().await.unwrap())),
            tree: "\
call retry.attempts=2 retry.reason=answered http.response.status_code=200
  send http.response.status_code=200 error.type=RESPONSE_READ_ERROR otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 error.type=RESPONSE_READ_ERROR retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 http.response.status_code=200 network.protocol.version=1.1
",
        },
        Row {
            name: "a send that is cut, and what a closure says of its own",
            script: vec![well()],
            call: call!(|stage| {
                let url = stage.server.url("/");
                let send = async |this: Try| {
                    info!("begun");
                    if this.number == 1 { stage.timer.stall().await } else { stage.client.get(&url).send().await }
                };
                let call = stage.retry.call().attempt_timeout(Duration::from_secs(5));
                call.run(Method::GET, &url, send).await.unwrap();
            }),
            tree: "\
call retry.attempts=2 retry.reason=answered http.response.status_code=200
  send error.type=TIMEOUT otel.status_code=ERROR
    event message=begun
  event message=waiting to send again http.request.resend_count=1 error.type=TIMEOUT retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 http.response.status_code=200 network.protocol.version=1.1
    event message=begun
",
        },
        Row {
            name: "the total limit",
            script: vec![busy().header("Retry-After", "30")],
            call: call!(|stage| {
                let call = stage.get().with_retry(&stage.retry).total_timeout(Duration::from_secs(20));
                assert_eq!(call.send().await.unwrap_err().kind(), ErrorKind::Timeout);
            }),
            tree: "\
call retry.attempts=1 retry.reason=time limit reached http.response.status_code=503 error.type=TIMEOUT otel.status_code=ERROR
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
",
        },
        Row {
            name: "a budget, and its refusal",
            script: vec![busy()],
            call: call!(|stage| {
                let budget = Budgets::shared(TokenBucket::aws_2_1().capacity(20));
                let retry = stage.retry.clone().budget(budget);
                let error = stage.get().with_retry(&retry).max_retries(9).send().await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::BudgetSpent);
            }),
            tree: "\
call retry.attempts=2 retry.reason=retry budget spent http.response.status_code=503 error.type=BUDGET_SPENT otel.status_code=ERROR
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503 retry.wait_seconds=1.0 retry.wait_source=policy retry.budget_left=6
  send http.request.resend_count=1 http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
",
        },
        Row {
            name: "canceled before the first send",
            script: vec![well()],
            call: call!(|stage| {
                let call = stage.get().with_retry(&stage.retry).cancel_on(core::future::ready(()));
                assert_eq!(call.send().await.unwrap_err().kind(), ErrorKind::Canceled);
            }),
            tree: "\
call retry.attempts=0 retry.reason=canceled
",
        },
        Row {
            name: "canceled in a send",
            script: vec![Fault::Stall.at(Point::Request)],
            call: call!(|stage| {
                let begun = stalled(&stage);
                let call = stage.get().with_retry(&stage.retry).cancel_on(begun);
                assert_eq!(call.send().await.unwrap_err().kind(), ErrorKind::Canceled);
            }),
            tree: "\
call retry.attempts=1 retry.reason=canceled
  send
",
        },
        Row {
            name: "dropped in a send",
            script: vec![busy(), Fault::Stall.at(Point::Request)],
            call: call!(|stage| {
                tokio::select! {
                    biased;
                    _ = stage.get().with_retry(&stage.retry).send() => panic!("the call has ended"),
                    () = stalled(&stage) => {}
                }
            }),
            tree: "\
call retry.attempts=2 retry.reason=canceled
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503 retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1
",
        },
        Row {
            name: "a setting out of its bounds",
            script: vec![well()],
            call: call!(|stage| {
                let call = stage.get().with_retry(&stage.retry).attempt_timeout(Duration::ZERO);
                assert_eq!(call.send().await.unwrap_err().kind(), ErrorKind::Validation);
            }),
            tree: "\
call retry.attempts=0 retry.reason=failed error.type=VALIDATION_ERROR otel.status_code=ERROR
",
        },
        Row {
            name: "a pool's proxy that fails",
            script: vec![well()],
            call: call!(|stage| {
                let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
                let live = Proxy::http([Via::Pass]);
                let proxies = [format!("http://{dead}"), live.url()];
                let pool = stage.retry.clone().proxies(proxies, |_, builder| builder).build().unwrap();
                pool.get(stage.server.url("/")).send().await.unwrap();
            }),
            tree: "\
call retry.attempts=2 retry.reason=answered http.response.status_code=200
  send error.type=PROXY_ERROR otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 error.type=PROXY_ERROR retry.wait_seconds=0.0 retry.wait_source=next proxy
  send http.request.resend_count=1 http.response.status_code=200 network.protocol.version=1.1
",
        },
        Row {
            name: "a layer inside of another",
            script: vec![busy()],
            call: call!(|stage| {
                let url = stage.server.url("/");
                let send = |_| stage.client.get(&url).with_retry(&stage.retry).max_retries(0).send();
                assert_eq!(stage.retry.run(Method::GET, &url, send).await.unwrap().status(), 503);
            }),
            tree: "\
call retry.attempts=1 retry.reason=stopped by a custom policy http.response.status_code=503
  send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
    call retry.attempts=1 retry.reason=failed, retries off http.response.status_code=503
      send http.response.status_code=503 network.protocol.version=1.1 error.type=503 otel.status_code=ERROR
",
        },
        Row {
            name: "a layer inside of another, canceled",
            script: vec![busy()],
            call: call!(|stage| {
                let url = stage.server.url("/");
                let cancel = core::future::ready::<()>;
                let send = |_| stage.client.get(&url).with_retry(&stage.retry).cancel_on(cancel(())).send();
                let error = stage.retry.run(Method::GET, &url, send).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Canceled);
            }),
            tree: "\
call retry.attempts=1 retry.reason=failed
  send
    call retry.attempts=0 retry.reason=canceled
",
        },
        Row {
            name: "a span of the caller's",
            script: vec![well()],
            call: call!(|stage| {
                let call = async {
                    stage.get().with_retry(&stage.retry).send().await.unwrap();
                    info!("got it");
                };
                call.instrument(info_span!("caller")).await;
            }),
            tree: "\
caller
  call retry.attempts=1 retry.reason=answered http.response.status_code=200
    send http.response.status_code=200 network.protocol.version=1.1
  event message=got it
",
        },
    ]
}

/// Completes when the server has read a request that it does not answer.
async fn stalled(stage: &Stage) {
    while stage.server.stalls() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn each_call_has_a_span_and_each_send_one_inside_of_it() {
    let mut wrong = String::new();
    for Row { name, script, call, tree } in rows() {
        let stage = Arc::new(Stage::new(script));
        let seen = Tree::begin(Level::INFO);
        watched(call(stage)).await;
        let text = seen.text(is_shown);
        if text != tree {
            wrong += &format!("\n{name}: seen\n{text}and not\n{tree}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test]
async fn what_the_client_logs_is_inside_of_the_sends_span() {
    let stage = Stage::new(vec![Reply::status(200)]);
    let seen = Tree::begin(Level::TRACE);
    watched(stage.get().with_retry(&stage.retry).send()).await.unwrap();
    let text = seen.text(|_| false);
    assert!(text.starts_with("call\n  send\n    event\n"), "{text}");
    assert!(seen.metadata().iter().any(|metadata| metadata.target().starts_with("hyper")));
}

#[tokio::test]
async fn a_closure_finds_the_sends_span_before_its_future_is_polled() {
    let stage = Stage::new(vec![Reply::status(503), Reply::status(200)]);
    let seen = Tree::begin(Level::INFO);
    let mut current = Vec::new();
    let call = stage.retry.run(Method::GET, stage.server.url("/"), |_| {
        current.push(Span::current().metadata().map(Metadata::name));
        stage.get().send()
    });
    watched(call).await.unwrap();
    assert_eq!(current, [Some("send"); 2]);
    assert!(seen.is_closed());
}

#[tokio::test]
async fn both_spans_end_with_the_call_though_its_response_is_held() {
    let stage = Stage::new(vec![Reply::status(200).body("a page")]);
    let seen = Tree::begin(Level::INFO);
    let mut call = Box::pin(stage.get().with_retry(&stage.retry).send());
    assert_eq!(seen.text(|_| false), "", "a call that is not polled has not begun");
    let mut text = String::new();
    let response = watched(poll_fn(|cx| {
        let poll = call.as_mut().poll(cx);
        if poll.is_pending() {
            text = seen.text(|_| false);
        }
        poll
    }));
    let response = response.await.unwrap();
    assert_eq!(text, "call (open)\n  send (open)\n");
    assert_eq!(seen.text(|_| false), "call\n  send\n");
    assert_eq!(response.status(), 200);
}
