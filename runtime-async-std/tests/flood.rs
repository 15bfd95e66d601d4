//! Servers that give surf's HTTP/1 client always more to read, and never what it waits for: it stays in one poll.

#![cfg(all(any(feature = "h1", feature = "h1-tls"), not(feature = "curl")))]

#[path = "common/skip.rs"]
mod skip;

use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use retry_core::{Instant, Policy, Reason, Timer, UnixTime, Why};
use runtime_async_std::{AsyncStdTimer, Call, Error, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use surf::middleware::{Middleware, Next};
use surf::{Client, Request, RequestBuilder, Response};

/// A server that floods each connection until it is dropped, but not for longer than 2 s.
#[derive(Default)]
struct Flood {
    began: AtomicBool,
    /// Nobody looks at the flood any more.
    is_over: AtomicBool,
    /// A flood has come to its own end.
    ran_out: AtomicBool,
}

impl Flood {
    /// The server, a URL of it, and what ends it. The answer to one connection is `head`, and then nothing but `0`s.
    fn start(head: String) -> (Arc<Self>, String, Over) {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let flood = Arc::new(Self::default());
        let server = Arc::clone(&flood);
        thread::spawn(move || server.serve(listener.accept().expect("a connection").0, &head));
        let over = Over(Arc::clone(&flood), one);
        (flood, url, over)
    }

    fn serve(&self, mut stream: TcpStream, head: &str) {
        let most = Duration::from_secs(2);
        stream.set_write_timeout(Some(most)).expect("a timeout above zero");
        let units = [b'0'; 64 * 1024];
        let end = std::time::Instant::now() + most;
        let asked = stream.read(&mut [0; 4096]).is_ok() && stream.write_all(head.as_bytes()).is_ok();
        while asked && !self.is_over.load(Ordering::SeqCst) && stream.write_all(&units).is_ok() {
            self.began.store(true, Ordering::SeqCst);
            if std::time::Instant::now() > end {
                // Told before the client can notice.
                self.ran_out.store(true, Ordering::SeqCst);
                return;
            }
        }
    }

    /// Ends when the client is in the flood.
    async fn under_way(&self) {
        while !self.began.load(Ordering::SeqCst) {
            async_std::task::sleep(Duration::from_millis(1)).await;
        }
        async_std::task::sleep(Duration::from_millis(30)).await;
    }

    fn has_run_out(&self) -> bool {
        self.ran_out.load(Ordering::SeqCst)
    }
}

/// One flood at a time: each keeps a thread of async-std, which has few, and others' limits pass meanwhile.
static ONE: Mutex<()> = Mutex::new(());

/// Ends a flood with its test, be it that this fails.
struct Over(Arc<Flood>, #[expect(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

/// Limits pass when the flood has begun and the client is in it, and at no other time.
#[derive(Clone)]
struct FloodTimer(SkipTimer, Arc<Flood>);

impl Timer for FloodTimer {
    fn now(&self) -> Instant {
        self.0.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.0.wall()
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.0.sleep(duration)
    }

    async fn limit(&self, duration: Duration) {
        let end = self.now().saturating_add(duration);
        self.1.under_way().await;
        self.0.advance(end.saturating_since(self.now()));
    }
}

fn retry(flood: &Arc<Flood>) -> Retry<FloodTimer> {
    retry_under(Policy::API, flood)
}

fn retry_under(policy: Policy, flood: &Arc<Flood>) -> Retry<FloodTimer> {
    Retry::with_timer(policy, FloodTimer(SkipTimer::default(), Arc::clone(flood)))
}

const CHUNKED: &str = "transfer-encoding: chunked\r\n\r\n";

/// What ends a call.
type Ends = fn(Call<RequestBuilder, FloodTimer>, Arc<Flood>) -> Pin<Box<dyn Future<Output = Result<Response, Error>>>>;

const LIMIT: Duration = Duration::from_secs(10);

#[async_std::test]
async fn a_header_line_without_end_is_cut_while_it_comes_by_whatever_may_end_the_call() {
    let ways: [(Reason, Ends); 4] = [
        (Reason::TotalTimeout, |call, _| Box::pin(call.total_timeout(LIMIT).send())),
        (Reason::NotRepeatable(Why::RetriesOff), |call, _| Box::pin(call.attempt_timeout(LIMIT).send())),
        (Reason::TotalTimeout, |call, _| Box::pin(call.deadline_at(AsyncStdTimer.now().saturating_add(LIMIT)).send())),
        (Reason::Canceled, |call, flood| Box::pin(call.cancel_on(async move { flood.under_way().await }).send())),
    ];
    for (reason, ends) in ways {
        let (flood, url, _over) = Flood::start("HTTP/1.1 200 OK\r\nx-line: ".into());
        let call = client().get(url).with_retry(retry(&flood)).total_timeout(None).max_retries(0);
        let error = guarded(ends(call, Arc::clone(&flood))).await.unwrap_err();
        assert!(!flood.has_run_out(), "it was cut only when the flood was over: {error}");
        assert_eq!((error.reason(), error.attempts()), (reason, 1));
    }
}

#[async_std::test]
async fn a_chunk_size_without_end_is_cut_while_it_comes() {
    let (flood, url, _over) = Flood::start(format!("HTTP/1.1 200 OK\r\n{CHUNKED}"));
    let call = client().get(url).with_retry(retry(&flood)).total_timeout(Duration::from_secs(10));
    let error = guarded(call.fetch()).await.unwrap_err();
    assert!(!flood.has_run_out(), "it was cut only when the flood was over: {error}");
    assert_eq!((error.reason(), error.attempts()), (Reason::TotalTimeout, 1));
}

/// Looks whether the flood has run out, at each attempt.
struct Looks(Arc<Flood>, Arc<Mutex<Vec<bool>>>);

#[async_trait::async_trait]
impl Middleware for Looks {
    async fn handle(&self, request: Request, client: Client, next: Next<'_>) -> surf::Result {
        let is_first = {
            let mut seen = self.1.lock().expect("nobody panics here");
            seen.push(self.0.has_run_out());
            seen.len() == 1
        };
        if is_first { next.run(request, client).await } else { Ok(surf::http::Response::new(200).into()) }
    }
}

/// It is part of a wait, so a call without limits does not read on either.
#[async_std::test]
async fn a_response_that_is_let_go_is_not_read_until_its_chunk_size_ends() {
    let without = Policy::API.edit().total_timeout(None).build().expect("a policy");
    for policy in [Policy::API, without] {
        let (flood, url, _over) = Flood::start(format!("HTTP/1.1 503 Busy\r\n{CHUNKED}"));
        let seen = Arc::<Mutex<Vec<bool>>>::default();
        let looks = Looks(Arc::clone(&flood), Arc::clone(&seen));
        let client = client().with(retry_under(policy, &flood)).with(looks);
        assert_eq!(guarded(client.get(url).send()).await.expect("an answer").status(), 200);
        assert_eq!(*seen.lock().expect("nobody panics here"), [false, false]);
    }
}
