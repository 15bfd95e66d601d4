//! Puts a scene on, under a guard of real time.

use core::future::{Future, pending};
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::{panic, thread};

use conformance::server::Server;
use retry_core::{ErrorKind, Event, Instant, Policy, Timer, UnixTime};
use runtime_async_std::{Error, Report, Retry, RetryExt};
use surf::Client;

use crate::backend::Backend;
use crate::row::{Expected, Row, Seen, Sent};
use crate::scene::{Place, Scene, Time};
use crate::skip::SkipTimer;

/// How long a row waits for what should take milliseconds.
const GUARD: Duration = Duration::from_secs(20);

/// What came of a row.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) of: Expected,
    /// The error's text.
    pub(crate) text: String,
}

/// Whether anything may end a call before the client does. Where nothing may, its sends are polled where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limits {
    /// Those of the scene, and a future of the caller's.
    All,
    Without,
}

/// What comes of `row`, or `None` if the client hangs. Without limits, a scene of them has none.
pub(crate) fn run(row: &Row, place: &Place, backend: Backend, limits: Limits) -> Option<Came> {
    let (scene, expected) = ((row.scene)(place), row.expected(backend));
    if limits == Limits::Without && scene.time != Time::Real {
        return Some(Came { of: expected, text: String::new() });
    }
    on_a_thread(move || carry_out(scene, expected.seen, backend, limits))
}

fn carry_out(mut scene: Scene, count: Seen, backend: Backend, limits: Limits) -> Came {
    let server = scene.server.take().map(Arc::new);
    let props = core::mem::take(&mut scene.props);
    let (result, report) = async_std::task::block_on(send(scene, server.clone(), backend, limits));
    let (kind, sent, text) = match result {
        Ok(()) => (None, Sent::Answered, String::new()),
        Err(error) => {
            let (kind, sent) = told(&error);
            (Some(kind), sent, format!("{error}; {:?}", error.surf()))
        }
    };
    let server = server.map(|server| {
        let mut server = only(server);
        server.finish();
        server
    });
    drop(props);

    let seen = match (count, &server) {
        (Seen::Requests(_), Some(server)) => Seen::Requests(server.sends()),
        (Seen::Connections(_), Some(server)) => Seen::Connections(server.connections()),
        (_, None) | (Seen::Nothing, _) => Seen::Nothing,
    };
    Came { of: Expected { kind, sent, attempts: report.attempts(), seen }, text }
}

/// The server, when the last limit has let go of it.
fn only(mut server: Arc<Server>) -> Server {
    loop {
        match Arc::try_unwrap(server) {
            Ok(server) => return server,
            Err(shared) => server = shared,
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn told(error: &Error) -> (ErrorKind, Sent) {
    match (error.event(), error.kind()) {
        (Some(Event::Status(_)), ErrorKind::RetryExhausted) => (ErrorKind::Http, Sent::Answered),
        (Some(Event::Status(_)), kind) => (kind, Sent::Answered),
        (Some(Event::Failure(failure)), ErrorKind::RetryExhausted) => (failure.kind(), Sent::Reached(failure.reached)),
        (Some(Event::Failure(failure)), kind) => (kind, Sent::Reached(failure.reached)),
        (None, kind) => (kind, Sent::Untold),
    }
}

async fn send(
    scene: Scene,
    server: Option<Arc<Server>>,
    backend: Backend,
    limits: Limits,
) -> (Result<(), Error>, Report) {
    let client = match scene.client {
        Some(client) => Client::with_http_client(client),
        None => backend.client(scene.timeout, server.as_deref().filter(|_| scene.trusts)),
    };
    let policy = Policy::API.edit().base_delay(Duration::ZERO).max_retries(1);
    let policy = (scene.policy)(policy).build().expect("the scene's policy is valid");
    let cancel: Pin<Box<dyn Future<Output = ()>>> = match (scene.time, &server) {
        (Time::Canceled, Some(server)) => Box::pin(stalled(Arc::clone(server), 1)),
        (_, _) => Box::pin(pending()),
    };
    let stalls = server.filter(|_| scene.time == Time::AtStalls);
    let timer = StallTimer { clock: SkipTimer::default(), stalls, limits: Arc::default() };
    let request = (scene.request)(client.get(scene.url));
    let call = request.with_retry(Retry::with_timer(policy, timer)).max_body(scene.max_body);
    let result = match (scene.fetch, limits) {
        (false, Limits::All) => call.cancel_on(cancel).send_with_report().await.map(|(_, report)| report),
        (true, Limits::All) => call.cancel_on(cancel).fetch_with_report().await.map(|(_, report)| report),
        (false, Limits::Without) => call.total_timeout(None).send_with_report().await.map(|(_, report)| report),
        (true, Limits::Without) => call.total_timeout(None).fetch_with_report().await.map(|(_, report)| report),
    };
    match result {
        Ok(report) => (Ok(()), report),
        Err(error) => {
            let report = error.report().clone();
            (Err(error), report)
        }
    }
}

/// A clock whose limits pass when the server stalls, where it does; elsewhere they are real.
struct StallTimer {
    clock: SkipTimer,
    stalls: Option<Arc<Server>>,
    /// How many limits there were.
    limits: Arc<AtomicUsize>,
}

impl Timer for StallTimer {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.clock.wall()
    }

    async fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }

    async fn limit(&self, duration: Duration) {
        match &self.stalls {
            Some(server) => {
                let number = self.limits.fetch_add(1, Ordering::Relaxed) + 1;
                stalled(Arc::clone(server), number).await;
            }
            None => self.clock.limit(duration).await,
        }
    }
}

/// Ends when the server has stalled so often.
async fn stalled(server: Arc<Server>, stalls: usize) {
    while server.stalls() < stalls {
        async_std::task::sleep(Duration::from_millis(1)).await;
    }
    // What the server wrote before is on its way; the client reads it before the limit passes.
    async_std::task::sleep(Duration::from_millis(5)).await;
}

/// What `work` gives on a thread of its own, or `None` if it hangs.
fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, wait) = mpsc::channel();
    let thread = thread::spawn(move || {
        // Nobody listens any more where the guard has fired.
        let _ = done.send(work());
    });
    match wait.recv_timeout(GUARD) {
        Ok(output) => Some(output),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Ok(()) => None,
            Err(report) => panic::resume_unwind(report),
        },
    }
}
