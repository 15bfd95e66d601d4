//! A client of the user's own, with none of surf's backends: what it does is what surf's may do, too.

#[path = "common/skip.rs"]
mod skip;

use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll};
use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex};

use async_std::io::{BufReader, Read};
use async_std::task;
use retry_core::{Advice, ErrorKind, Event, Policy, Reached, Reason};
use runtime_async_std::{Error, Panicked, Retry, RetryExt, Seen, TimedOut};
use skip::{SkipTimer, guarded};
use surf::http::{Body, Error as HttpError, Method, Request, Response};
use surf::middleware::{Middleware, Next};
use surf::{Client, HttpClient};

/// A client that answers as this function does.
struct Own<F>(F);

impl<F> core::fmt::Debug for Own<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Own")
    }
}

#[async_trait::async_trait]
impl<F, O> HttpClient for Own<F>
where
    F: Fn(Request) -> O + Send + Sync + Unpin + 'static,
    O: Future<Output = Result<Response, HttpError>> + Send + 'static,
{
    async fn send(&self, request: Request) -> Result<Response, HttpError> {
        (self.0)(request).await
    }
}

/// A client, and how often it was asked.
fn client<F, O>(send: F) -> (Client, Arc<AtomicUsize>)
where
    F: Fn(usize) -> O + Send + Sync + Unpin + 'static,
    O: Future<Output = Result<Response, HttpError>> + Send + 'static,
{
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    (Client::with_http_client(Own(move |_| send(count.fetch_add(1, Ordering::SeqCst)))), asked)
}

fn retry() -> Retry<SkipTimer> {
    Retry::with_timer(Policy::API, SkipTimer::default()).look_up_first(false)
}

const URL: &str = "http://example.test/";

#[async_std::test]
async fn a_client_of_ones_own_is_asked_again() {
    let (client, asked) = client(|n| async move { Ok(Response::new(if n < 2 { 503 } else { 200 })) });
    let (response, report) = guarded(client.get(URL).with_retry(retry()).send_with_report()).await.unwrap();
    assert_eq!((response.status(), report.attempts(), asked.load(Ordering::SeqCst)), (surf::StatusCode::Ok, 3, 3));
    let page = guarded(client.get(URL).with_retry(retry()).fetch()).await.unwrap();
    assert_eq!(page.body().len(), 0, "an empty body without a length is whole");
}

#[async_std::test]
async fn a_name_that_nobody_knows_does_not_keep_a_mock_from_being_asked() {
    let (client, asked) = client(|_| async { Ok(Response::new(200)) });
    // No system asks anybody for a label of 64 letters.
    let call = client.get(format!("http://{}/", "x".repeat(64))).with_retry(retry().look_up_first(true));
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[async_std::test]
async fn a_panic_of_the_client_is_an_error_of_the_send() {
    let (client, asked) = client(|n| async move {
        assert_ne!(n, 0, "no such status");
        Ok(Response::new(200))
    });
    let call = client.get(URL).with_retry(retry());
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200, "it is retried");
    asked.store(0, Ordering::SeqCst);
    let error = guarded(client.post(URL).with_retry(retry()).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 1));
    let Some(Event::Failure(failure)) = error.event() else { panic!("{error:?}") };
    assert_eq!(failure.reached, Reached::MaybeSent);
    assert!(error.surf().unwrap().downcast_ref::<Panicked>().is_some());
    assert!(error.to_string().contains("the client panicked: "), "{error}");
    // A closure's client, too.
    asked.store(0, Ordering::SeqCst);
    let run = retry().call().max_retries(1).run(Method::Get, URL, |_| client.get(URL).send());
    assert_eq!(guarded(run).await.unwrap().status(), 200);
}

#[async_std::test]
async fn sends_that_the_client_refuses_to_begin_are_not_counted_however_often_they_are_repeated() {
    let (client, asked) = client(|n| async move {
        if n % 3 == 2 { Ok(Response::new(200)) } else { Err(HttpError::from_str(400, "missing hostname")) }
    });
    let get = || client.get(URL).with_retry(retry()).advise(|_: &Seen<'_>| Advice::Retry);
    let (_, report) = guarded(get().max_retries(2).send_with_report()).await.unwrap();
    assert_eq!((report.attempts(), asked.load(Ordering::SeqCst)), (1, 3));
    let error = guarded(get().max_retries(1).send()).await.unwrap_err();
    assert_eq!((error.attempts(), asked.load(Ordering::SeqCst)), (0, 5));
}

/// A body that panics when it is read.
struct Bad;

impl Read for Bad {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut [u8]) -> Poll<std::io::Result<usize>> {
        panic!("no such chunk")
    }
}

#[async_std::test]
async fn a_panic_in_a_body_is_an_error_of_the_send_and_nothing_to_a_response_that_is_let_go() {
    let (client, asked) = client(|n| async move {
        let mut response = Response::new(if n == 0 { 503 } else { 200 });
        response.set_body(Body::from_reader(BufReader::new(Bad), None));
        Ok(response)
    });
    assert_eq!(guarded(client.get(URL).with_retry(retry()).send()).await.unwrap().status(), 200);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let error = guarded(client.get(URL).with_retry(retry()).max_retries(0).fetch()).await.unwrap_err();
    assert_eq!((error.kind(), error.status().map(u16::from)), (ErrorKind::Transport, Some(200)));
    assert!(error.surf().unwrap().downcast_ref::<Panicked>().is_some());
}

/// Holds a thread up until it is opened.
#[derive(Default)]
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    fn pass(&self) {
        let open = self.0.lock().expect("nobody panics here");
        drop(self.1.wait_while(open, |open| !*open).expect("nobody panics here"));
    }

    fn open(&self) {
        *self.0.lock().expect("nobody panics here") = true;
        self.1.notify_all();
    }
}

#[async_std::test]
async fn a_client_that_blocks_its_thread_is_cut_in_time_and_sends_nothing_after() {
    let (gate, sent) = (Arc::new(Gate::default()), Arc::new(AtomicUsize::new(0)));
    let (blocks, counts) = (Arc::clone(&gate), Arc::clone(&sent));
    // As surf's HTTP/1 client: a lookup that blocks, and then a connection that has to be waited for.
    let (client, asked) = client(move |_| {
        let (gate, sent) = (Arc::clone(&blocks), Arc::clone(&counts));
        async move {
            gate.pass();
            async_std::task::yield_now().await;
            sent.fetch_add(1, Ordering::SeqCst);
            Ok(Response::new(200))
        }
    });
    let limit = Duration::from_millis(30);
    let error = guarded(client.get(URL).with_retry(retry()).total_timeout(limit).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 1));
    let cut = core::error::Error::source(&error).unwrap().downcast_ref::<TimedOut>();
    assert_eq!(cut.map(TimedOut::is_total), Some(true));
    // Dropped while it blocks: the same.
    let call = client.get(URL).with_retry(retry());
    assert!(async_std::future::timeout(limit, call.send()).await.is_err());
    gate.open();
    while Arc::strong_count(&sent) > 2 {
        async_std::task::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0, "the tasks are gone, and none of them has sent");
    assert!(asked.load(Ordering::SeqCst) >= 1);
}

#[async_std::test]
async fn each_send_under_a_limit_has_a_task_of_its_own_wherever_it_goes() {
    let tasks = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&tasks);
    let (client, _) = client(move |n| {
        seen.lock().expect("nobody panics here").push(task::current().id());
        async move { Ok(Response::new(if n % 2 == 0 { 503 } else { 200 })) }
    });
    let here = task::current().id();
    for (url, looks_up) in [("http://127.0.0.1/", true), ("http://[::1]/", true), (URL, false)] {
        let retry = retry().look_up_first(looks_up);
        let layered = client.clone().with(retry.clone());
        assert_eq!(guarded(client.get(url).with_retry(&retry).send()).await.expect("an answer").status(), 200, "{url}");
        assert_eq!(guarded(layered.get(url).send()).await.expect("an answer").status(), 200, "{url}");
        let tasks = core::mem::take(&mut *tasks.lock().expect("nobody panics here"));
        assert_eq!(tasks.iter().map(|task| *task != here).collect::<Vec<_>>(), [true; 4], "{url}");
    }
}

/// Counts what comes by, and adds a header.
struct Counts(Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Middleware for Counts {
    async fn handle(&self, mut request: surf::Request, client: Client, next: Next<'_>) -> surf::Result {
        self.0.fetch_add(1, Ordering::SeqCst);
        request.insert_header("x-counted", "yes");
        next.run(request, client).await
    }
}

#[async_std::test]
async fn what_comes_after_a_clients_layer_is_in_each_attempt_and_what_comes_before_around_all() {
    let (before, after) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (client, asked) = client(|_| async { Ok(Response::new(503)) });
    let client = client.with(Counts(Arc::clone(&before))).with(retry()).with(Counts(Arc::clone(&after)));
    assert_eq!(guarded(client.get(URL).send()).await.unwrap().status(), 503);
    let counts = [&before, &after, &asked].map(|count| count.load(Ordering::SeqCst));
    assert_eq!(counts, [1, 4, 4]);
}

/// Answers without asking anybody.
struct Cached;

#[async_trait::async_trait]
impl Middleware for Cached {
    async fn handle(&self, request: surf::Request, client: Client, next: Next<'_>) -> surf::Result {
        match request.url().path() {
            "/cached" => Ok(Response::new(200).into()),
            "/broken" => Err(surf::Error::from_str(500, "the cache is broken")),
            _ => Ok(match next.run(request, client).await {
                Ok(response) => response,
                Err(error) => {
                    assert!(error.downcast_ref::<Error>().is_some(), "it sees our error");
                    Response::new(502).into()
                }
            }),
        }
    }
}

#[async_std::test]
async fn a_middleware_of_the_client_has_its_say() {
    let (client, asked) = client(|_| async { Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset).into()) });
    let client = client.with(Cached);
    let get = |path: &str| client.get(format!("http://example.test{path}")).with_retry(retry());
    let (response, report) = guarded(get("/cached").send_with_report()).await.unwrap();
    assert_eq!((response.status(), report.attempts()), (surf::StatusCode::Ok, 0));
    let error = guarded(get("/broken").send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Unknown, 0));
    assert_eq!(error.surf().unwrap().to_string(), "the cache is broken");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    // It may make a response of a failure.
    let (response, report) = guarded(get("/").send_with_report()).await.unwrap();
    assert_eq!((response.status(), report.attempts()), (surf::StatusCode::BadGateway, 4));
    assert_eq!(guarded(get("/").fetch()).await.unwrap().status(), 502);
}

/// Runs the rest twice, as surf's own redirects might.
struct Twice;

#[async_trait::async_trait]
impl Middleware for Twice {
    async fn handle(&self, request: surf::Request, client: Client, next: Next<'_>) -> surf::Result {
        drop(next.run(request.clone(), client.clone()).await?);
        next.run(request, client).await
    }
}

#[async_std::test]
async fn a_middleware_that_runs_the_rest_twice_has_its_sends_counted() {
    let (client, asked) = client(|_| async { Ok(Response::new(503)) });
    let client = client.with(Twice);
    let error = guarded(client.get(URL).with_retry(retry()).max_retries(1).send()).await.unwrap_err();
    assert_eq!((error.attempts(), asked.load(Ordering::SeqCst)), (4, 4));
}

/// Runs the rest twice, and gives the first response.
struct First;

#[async_trait::async_trait]
impl Middleware for First {
    async fn handle(&self, request: surf::Request, client: Client, next: Next<'_>) -> surf::Result {
        let first = next.run(request.clone(), client.clone()).await;
        drop(next.run(request, client).await);
        first
    }
}

#[async_std::test]
async fn each_response_is_judged_as_that_of_its_own_run() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let statuses = [503, 503, 200, 200, 503, 503];
    let (client, _) = client(move |_| {
        let status = statuses[count.fetch_add(1, Ordering::SeqCst)];
        async move { Ok(Response::new(status)) }
    });
    let client = client.with(First);
    let get = || client.get(URL).with_retry(retry()).max_retries(1);
    let error = guarded(get().send_with_report()).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::RetryExhausted, Some(surf::StatusCode::ServiceUnavailable)));
    let (response, report) = guarded(get().send_with_report()).await.unwrap();
    assert_eq!((response.status(), report.attempts()), (surf::StatusCode::Ok, 1));
    assert_eq!(asked.load(Ordering::SeqCst), 6);
}

/// Is never ready.
struct Never;

impl Future for Never {
    type Output = Result<Response, HttpError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Pending
    }
}

#[async_std::test]
async fn a_client_that_never_answers_is_cut() {
    let (client, asked) = client(|_| Never);
    let call = client.get(URL).with_retry(retry()).attempt_timeout(Duration::from_millis(20)).max_retries(1);
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 2));
    // On a busy machine a send may be cut before its client is asked.
    assert!(asked.load(Ordering::SeqCst) <= 2);
}
