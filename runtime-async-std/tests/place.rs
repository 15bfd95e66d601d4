//! Where a send is polled: in a task of its own where something may end it before the client does, and else where the
//! call is. What comes of a call is the same either way.

#[path = "common/skip.rs"]
mod skip;

use core::future::{Future, pending};
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::sync::{Arc, Mutex};

use async_std::io::{BufReader, Cursor, Read};
use async_std::task::{self, TaskId};
use retry_core::{Instant, Policy, Ratio};
use runtime_async_std::{Budgets, Call, DnsFailure, Error, Fetched, Retry, RetryExt};
use skip::{SkipTimer, guarded};
use surf::http::{Body, Error as HttpError, Request, Response};
use surf::middleware::{Middleware, Next};
use surf::{Client, HttpClient, RequestBuilder, StatusCode};

/// The tasks in which a client was polled, and then its body.
#[derive(Clone, Debug, Default)]
struct Tasks(Arc<Mutex<Vec<TaskId>>>);

impl Tasks {
    fn note(&self) {
        self.0.lock().expect("nobody panics here").push(task::current().id());
    }

    /// For each poll, whether it was in another task than this one.
    fn take_others(&self) -> Vec<bool> {
        let here = task::current().id();
        self.0.lock().expect("nobody panics here").drain(..).map(|task| task != here).collect()
    }
}

#[async_trait::async_trait]
impl HttpClient for Tasks {
    async fn send(&self, _: Request) -> Result<Response, HttpError> {
        self.note();
        let mut response = Response::new(200);
        response.set_body(Body::from_reader(BufReader::new(Empty(self.clone())), None));
        Ok(response)
    }
}

/// A body that ends at its first poll.
struct Empty(Tasks);

impl Read for Empty {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut [u8]) -> Poll<io::Result<usize>> {
        self.0.note();
        Poll::Ready(Ok(0))
    }
}

/// A middleware that does nothing, so that the client is behind one.
struct Nothing;

#[async_trait::async_trait]
impl Middleware for Nothing {
    async fn handle(&self, request: surf::Request, client: Client, next: Next<'_>) -> surf::Result {
        next.run(request, client).await
    }
}

const URL: &str = "http://example.test/";
const LONG: Duration = Duration::from_secs(24 * 3600);

fn policy() -> Policy {
    Policy::API.edit().total_timeout(None).build().expect("a policy")
}

fn retry(policy: Policy) -> Retry<SkipTimer> {
    Retry::with_timer(policy, SkipTimer::default()).look_up_first(false)
}

/// Fetches with what may end the call.
type Fetch = fn(Call<RequestBuilder, SkipTimer>) -> Pin<Box<dyn Future<Output = Result<Fetched, Error>>>>;

#[async_std::test]
async fn a_send_and_its_body_have_a_task_if_something_may_end_the_call_and_only_then() {
    let ways: [(&str, bool, Fetch); 5] = [
        ("nothing", false, |call| Box::pin(call.fetch())),
        ("the total limit", true, |call| Box::pin(call.total_timeout(LONG).fetch())),
        ("an attempt's limit", true, |call| Box::pin(call.attempt_timeout(LONG).fetch())),
        ("a deadline", true, |call| Box::pin(call.deadline_at(Instant::EPOCH.saturating_add(LONG)).fetch())),
        ("the caller's future", true, |call| Box::pin(call.cancel_on(pending::<()>()).fetch())),
    ];
    let tasks = Tasks::default();
    let client = Client::with_http_client(tasks.clone());
    for (what, has_task, fetch) in ways {
        guarded(fetch(client.get(URL).with_retry(retry(policy())))).await.expect("an answer");
        assert_eq!(tasks.take_others(), [has_task; 2], "{what}");
    }
}

#[async_std::test]
async fn it_is_the_same_behind_middlewares() {
    let tasks = Tasks::default();
    let client = Client::with_http_client(tasks.clone());
    for (limit, has_task) in [(None, false), (Some(LONG), true)] {
        let policy = policy().edit().total_timeout(limit).attempt_timeout(None).build().expect("a policy");
        let layered = client.clone().with(retry(policy)).with(Nothing);
        guarded(layered.get(URL).send()).await.expect("an answer");
        assert_eq!(tasks.take_others(), [has_task], "{limit:?}");
    }
}

/// A client that gives each kind of failure that is sent again, and then an answer.
#[derive(Debug, Default)]
struct Script(AtomicUsize);

#[async_trait::async_trait]
impl HttpClient for Script {
    async fn send(&self, _: Request) -> Result<Response, HttpError> {
        let mut response = Response::new(200);
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => {
                response.set_status(StatusCode::ServiceUnavailable);
                response.insert_header("Retry-After", "7");
            }
            1 => return Err(HttpError::new(502, io::Error::from(io::ErrorKind::ConnectionReset))),
            2 => return Err(HttpError::new(502, DnsFailure::Temporary)),
            3 => panic!("no such status"),
            4 => response.set_body(Body::from_reader(Cursor::new("half"), Some(8))),
            _ => response.set_body("whole"),
        }
        Ok(response)
    }
}

/// All that is told of a call under this limit, but times that a real clock has shown.
async fn told(limit: Option<Duration>) -> String {
    let budgets = Budgets::per_origin(Ratio::default);
    let retry = retry(policy()).seed(7).trace(true).budget(budgets.clone());
    let client = Client::with_http_client(Script::default());
    let call = client.get(URL).with_retry(&retry).total_timeout(limit).max_retries(5);
    let (page, report) = guarded(call.fetch_with_report()).await.expect("an answer");
    let attempts: Vec<_> = report.record().map(|entry| (entry.event, entry.wait)).collect();
    let trace = report.trace().expect("it was asked for");
    assert_eq!(trace.replay().differences(), []);
    let answers: Vec<_> = trace.sends.iter().filter_map(|sent| sent.reply).map(|reply| reply.budget).collect();
    let ends = (report.attempts(), report.reason(), report.single_send(), budgets.level(URL));
    format!("{attempts:#?}\n{answers:#?}\n{ends:?}\n{:?}", page.text())
}

#[async_std::test]
async fn what_comes_of_a_call_is_the_same_either_way() {
    let without = told(None).await;
    assert_eq!(without, told(Some(LONG)).await);
    assert!(without.contains("(6, Answer, None"), "each line of the script was come to: {without}");
}
