//! The spans of calls and sends, as a subscriber sees them. What they are is told by the guide of `runtime-tokio`.
#![cfg(feature = "h1")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "common/skip.rs"]
mod skip;
#[path = "../../runtime-tokio/tests/spans/tree.rs"]
mod tree;

use core::future::Future;
use core::pin::Pin;
use core::time::Duration;
use std::sync::Arc;

use conformance::server::{Fault, Framing, Point, Reply, Server};
use retry_core::{ErrorKind, Jitter, Policy, TokenBucket, Try};
use runtime_async_std::{AsyncStdTimer, Budgets, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use surf::http::{Method, Version};
use surf::{Client, Config, HttpClient, RequestBuilder, Url};
use tracing::{Instrument, Level, info, info_span};
use tree::Tree;

/// What a call of a row is made with.
struct Stage {
    server: Server,
    client: Client,
    timer: SkipTimer,
    retry: Retry<SkipTimer>,
}

impl Stage {
    fn new(script: Vec<Reply>) -> Self {
        let policy = Policy::API.edit().jitter(Jitter::None).build().unwrap();
        let timer = SkipTimer::over(AsyncStdTimer);
        let retry = Retry::with_timer(policy, timer.clone());
        Self { server: Server::start(script), client: client(), timer, retry }
    }

    fn get(&self) -> RequestBuilder {
        self.client.get(self.server.url("/"))
    }
}

type Work = fn(Arc<Stage>) -> Pin<Box<dyn Future<Output = ()>>>;

/// The name of a row, the server's script, the call, and what was seen of it.
type Row = (&'static str, Vec<Reply>, Work, &'static str);

/// The call of a row.
macro_rules! call {
    (|$stage:ident| $work:expr) => {
        |$stage: Arc<Stage>| Box::pin(async move { $work })
    };
}

fn is_shown(field: &str) -> bool {
    !["otel.kind", "otel.name", "http.request.method", "server.address", "server.port", "url.full"].contains(&field)
}

fn rows() -> Vec<Row> {
    let busy = || Reply::status(503);
    let well = || Reply::status(200).body("a page");
    vec![
        (
            "the server names the wait, and the second send is answered",
            vec![busy().header("Retry-After", "7"), well()],
            call!(|stage| drop(stage.get().with_retry(&stage.retry).fetch().await.unwrap())),
            "\
call retry.attempts=2 retry.reason=answered http.response.status_code=200
  send http.response.status_code=503 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503 retry.wait_seconds=7.0 retry.wait_source=Retry-After
  send http.request.resend_count=1 http.response.status_code=200
",
        ),
        (
            "a body that breaks off, and retries that are used up",
            vec![Reply::status(200).body("half").framing(Framing::Declared(9))],
            call!(|stage| {
                let error = stage.get().with_retry(&stage.retry).max_retries(1).fetch().await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::RetryExhausted);
            }),
            "\
call retry.attempts=2 retry.reason=retries used up error.type=RETRY_EXHAUSTED otel.status_code=ERROR
  send http.response.status_code=200 error.type=RESPONSE_READ_ERROR otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 error.type=RESPONSE_READ_ERROR retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 http.response.status_code=200 error.type=RESPONSE_READ_ERROR otel.status_code=ERROR
",
        ),
        (
            "a request that may go out once only",
            vec![busy()],
            call!(|stage| {
                let post = stage.client.post(stage.server.url("/")).with_retry(&stage.retry);
                assert_eq!(post.send().await.unwrap().status(), 503);
            }),
            "\
call retry.attempts=1 retry.reason=failed, method not idempotent http.response.status_code=503
  send http.response.status_code=503 error.type=503 otel.status_code=ERROR
",
        ),
        (
            "a budget, and its refusal",
            vec![busy()],
            call!(|stage| {
                let budget = Budgets::shared(TokenBucket::aws_2_1().capacity(20));
                let retry = stage.retry.clone().budget(budget);
                let error = stage.get().with_retry(&retry).max_retries(9).send().await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::BudgetSpent);
            }),
            "\
call retry.attempts=2 retry.reason=retry budget spent http.response.status_code=503 error.type=BUDGET_SPENT otel.status_code=ERROR
  send http.response.status_code=503 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503 retry.wait_seconds=1.0 retry.wait_source=policy retry.budget_left=6
  send http.request.resend_count=1 http.response.status_code=503 error.type=503 otel.status_code=ERROR
",
        ),
        (
            "a send that is cut, and what a closure says of its own",
            vec![well()],
            call!(|stage| {
                let url = stage.server.url("/");
                let send = async |this: Try| {
                    info!("begun");
                    if this.number == 1 { stage.timer.stall().await } else { stage.client.get(&url).send().await }
                };
                let call = stage.retry.call().attempt_timeout(Duration::from_secs(5));
                call.run(Method::Get, &url, send).await.unwrap();
            }),
            "\
call retry.attempts=2 retry.reason=answered http.response.status_code=200
  send error.type=TIMEOUT otel.status_code=ERROR
    event message=begun
  event message=waiting to send again http.request.resend_count=1 error.type=TIMEOUT retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 http.response.status_code=200
    event message=begun
",
        ),
        (
            "a layer of the client hands the last response over",
            vec![busy()],
            call!(|stage| {
                let policy = Policy::API.edit().jitter(Jitter::None).max_retries(1).build().unwrap();
                let client = client().with(Retry::with_timer(policy, stage.timer.clone()));
                assert_eq!(client.get(stage.server.url("/")).await.unwrap().status(), 503);
            }),
            "\
call retry.attempts=2 retry.reason=retries used up http.response.status_code=503 error.type=RETRY_EXHAUSTED otel.status_code=ERROR
  send http.response.status_code=503 error.type=503 otel.status_code=ERROR
  event message=waiting to send again http.request.resend_count=1 http.response.status_code=503 error.type=503 retry.wait_seconds=1.0 retry.wait_source=policy
  send http.request.resend_count=1 http.response.status_code=503 error.type=503 otel.status_code=ERROR
",
        ),
        (
            "canceled in a send",
            vec![Fault::Stall.at(Point::Request)],
            call!(|stage| {
                let begun = stalled(&stage);
                let call = stage.get().with_retry(&stage.retry).cancel_on(begun);
                assert_eq!(call.send().await.unwrap_err().kind(), ErrorKind::Canceled);
            }),
            "\
call retry.attempts=1 retry.reason=canceled
  send
",
        ),
        (
            "a setting out of its bounds",
            vec![well()],
            call!(|stage| {
                let call = stage.retry.call().attempt_timeout(Duration::ZERO);
                let url = stage.server.url("/");
                call.run(Method::Get, &url, |_| stage.client.get(&url).send()).await.unwrap_err();
            }),
            "\
call retry.attempts=0 retry.reason=failed error.type=VALIDATION_ERROR otel.status_code=ERROR
",
        ),
        (
            "a request that nobody can send",
            vec![well()],
            call!(|stage| drop(stage.client.get("ftp://localhost/").with_retry(&stage.retry).send().await.unwrap_err())),
            "\
call retry.attempts=0 retry.reason=failed error.type=VALIDATION_ERROR otel.status_code=ERROR
",
        ),
        (
            "a span of the caller's, and a client's word from the task that sends",
            vec![well()],
            call!(|stage| {
                let client: Client = Config::new().set_http_client(Talks).try_into().unwrap();
                let call = client.get(stage.server.url("/")).with_retry(&stage.retry).send();
                call.instrument(info_span!("caller")).await.unwrap();
            }),
            "\
caller
  call retry.attempts=1 retry.reason=answered http.response.status_code=200
    send http.response.status_code=200 network.protocol.version=2
      event message=sent
",
        ),
    ]
}

/// A client that says so when it sends.
#[derive(Debug)]
struct Talks;

#[async_trait::async_trait]
impl HttpClient for Talks {
    async fn send(&self, _: surf::http::Request) -> surf::Result<surf::http::Response> {
        info!("sent");
        let mut response = surf::http::Response::new(200);
        // surf's own client over HTTP/1 does not tell.
        response.set_version(Some(Version::Http2_0));
        Ok(response)
    }
}

/// Completes when the server has read a request that it does not answer.
async fn stalled(stage: &Stage) {
    while stage.server.stalls() == 0 {
        async_std::task::sleep(Duration::from_millis(1)).await;
    }
}

/// One test, because there is one subscriber: sends run on threads of async-std.
#[async_std::test]
async fn each_call_has_a_span_and_each_send_one_inside_of_it() {
    let seen = Tree::everywhere(Level::INFO);
    let mut wrong = String::new();
    for (name, script, call, tree) in rows() {
        guarded(call(Arc::new(Stage::new(script)))).await;
        // A task that was canceled may take its time.
        guarded(async {
            while !seen.is_closed() {
                async_std::task::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
        let text = seen.text(is_shown);
        if text != tree {
            wrong += &format!("\n{name}: seen\n{text}and not\n{tree}");
        }
        seen.clear();
    }
    assert!(wrong.is_empty(), "{wrong}");

    let url = "http://user:hunter2@[::1]/page?token=hunter2#hunter2";
    let client: Client = Config::new().set_http_client(Talks).try_into().unwrap();
    let retry = Retry::new(Policy::API);
    guarded(client.get(Url::parse(url).unwrap()).with_retry(&retry).send()).await.unwrap();
    let text = seen.text(|field| !is_shown(field));
    assert!(!text.contains("hunter2"), "a secret is shown");
    let request = "http.request.method=GET server.address=::1 server.port=80 \
                   url.full=http://REDACTED:REDACTED@[::1]/page?REDACTED";
    let [call, send] = [("internal", "GET call"), ("client", "GET")]
        .map(|(kind, name)| format!("otel.kind={kind} otel.name={name} {request}\n"));
    assert_eq!(text, format!("call {call}  send {send}    event\n"));
    for metadata in seen.metadata() {
        assert!(metadata.target() == "runtime_async_std" || metadata.is_event(), "{}", metadata.target());
    }
}
