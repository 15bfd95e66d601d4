//! Servers that give surf's HTTP/1 client always more to read, and never what it waits for: it stays in one poll.

#![cfg(all(any(feature = "h1", feature = "h1-tls"), not(feature = "curl")))]

#[path = "common/skip.rs"]
mod skip;

use core::future::Future;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use retry_core::{Instant, Policy, Reason, Timer, UnixTime};
use runtime_async_std::{Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use surf::http::Response;
use surf::middleware::{Middleware, Next};
use surf::{Client, Request};

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
    /// The server, and a URL of it. The answer to one connection is `head`, and then nothing but `0`s.
    fn start(head: String) -> (Arc<Self>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let flood = Arc::new(Self::default());
        let server = Arc::clone(&flood);
        thread::spawn(move || server.serve(listener.accept().expect("a connection").0, &head));
        (flood, url)
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

    fn has_run_out(&self) -> bool {
        self.ran_out.load(Ordering::SeqCst)
    }
}

/// Ends a flood with its test, be it that this fails.
struct Over(Arc<Flood>);

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
        while !self.1.began.load(Ordering::SeqCst) {
            async_std::task::sleep(Duration::from_millis(1)).await;
        }
        async_std::task::sleep(Duration::from_millis(30)).await;
        self.0.advance(end.saturating_since(self.now()));
    }
}

fn retry(flood: &Arc<Flood>) -> Retry<FloodTimer> {
    Retry::with_timer(Policy::API, FloodTimer(SkipTimer::default(), Arc::clone(flood)))
}

const CHUNKED: &str = "transfer-encoding: chunked\r\n\r\n";

#[async_std::test]
async fn a_chunk_size_without_end_is_cut_while_it_comes() {
    let (flood, url) = Flood::start(format!("HTTP/1.1 200 OK\r\n{CHUNKED}"));
    let _over = Over(Arc::clone(&flood));
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
        if is_first { next.run(request, client).await } else { Ok(Response::new(200).into()) }
    }
}

#[async_std::test]
async fn a_response_that_is_let_go_is_not_read_until_its_chunk_size_ends() {
    let (flood, url) = Flood::start(format!("HTTP/1.1 503 Busy\r\n{CHUNKED}"));
    let _over = Over(Arc::clone(&flood));
    let seen = Arc::<Mutex<Vec<bool>>>::default();
    let client = client().with(retry(&flood)).with(Looks(Arc::clone(&flood), Arc::clone(&seen)));
    assert_eq!(guarded(client.get(url).send()).await.expect("an answer").status(), 200);
    assert_eq!(*seen.lock().expect("nobody panics here"), [false, false]);
}
