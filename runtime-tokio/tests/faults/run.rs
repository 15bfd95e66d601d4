//! Puts a scene on, under a guard of real time.

use core::error::Error as StdError;
use core::future::{Future, pending};
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Arc, mpsc};
use std::thread;

use conformance::server::Server;
use retry_core::{ErrorKind, Event};
use runtime_tokio::{Error, Report, RetryExt};
use tokio::runtime::Runtime;
use tokio::task::{spawn_blocking, yield_now};

use crate::common;
use crate::row::{Expected, Row, Seen, Sent};
use crate::scene::{Place, SECRET, STEP, Scene, Time};

/// What came of a row.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) of: Expected,
    /// The error's texts.
    pub(crate) text: String,
    /// An output of the error that holds a secret.
    pub(crate) leak: Option<String>,
}

/// What comes of `row`, or `None` if the client hangs.
pub(crate) fn run(row: &Row, place: &Place) -> Option<Came> {
    let (scene, count) = ((row.scene)(place), row.expected().seen);
    common::on_a_thread(move || carry_out(scene, count))
}

fn carry_out(mut scene: Scene, count: Seen) -> Came {
    let runtime = runtime(scene.time);
    let server = scene.server.take().map(Arc::new);
    let props = core::mem::take(&mut scene.props);
    let (result, report) = runtime.block_on(send(scene, server.clone()));
    // With it the client's connections end, and what the server saw is final.
    drop(runtime);
    let server = server.map(|server| {
        let mut server = Arc::into_inner(server).expect("the runtime is gone, and all that used the server");
        server.finish();
        server
    });
    drop(props);

    let seen = match (count, &server) {
        (Seen::Requests(_), Some(server)) => Seen::Requests(server.sends()),
        (Seen::Connections(_), Some(server)) => Seen::Connections(server.connections()),
        (_, None) | (Seen::Nothing, _) => Seen::Nothing,
    };
    let (kind, sent, text, leak) = match result {
        Ok(()) => (None, Sent::Answered, String::new(), None),
        Err(error) => {
            let (kind, sent) = told(&error);
            (Some(kind), sent, tale(&error), outputs(&error).into_iter().find(|text| text.contains(SECRET)))
        }
    };
    Came { of: Expected { kind, sent, attempts: report.attempts(), seen }, text, leak }
}

/// All that the error and its sources print.
fn outputs(error: &Error) -> Vec<String> {
    let mut outputs = Vec::new();
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = next {
        outputs.extend([format!("{error}"), format!("{error:?}"), format!("{error:#?}")]);
        next = error.source();
    }
    outputs
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

/// The error and all its sources, and what came of each send.
fn tale(error: &Error) -> String {
    let mut tale = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        tale += &format!("\n    by {error}");
        source = error.source();
    }
    for entry in error.report().record() {
        tale += &format!("\n    send {}: {:?}", entry.number, entry.event);
    }
    tale
}

/// A runtime on this thread. Where time is not real, it does not go by itself at all.
fn runtime(time: Time) -> Runtime {
    let paused = matches!(time, Time::AtStalls | Time::Free);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(paused).build();
    runtime.expect("a runtime can be built")
}

async fn send(scene: Scene, server: Option<Arc<Server>>) -> (Result<(), Error>, Report) {
    // tokio's paused clock jumps to the next timer whenever nothing else is left to do, but not while a blocking task
    // runs. So this one runs for as long as the call.
    let (still, end) = mpsc::channel::<()>();
    let _ended = spawn_blocking(move || end.recv());
    let over = Over(Arc::default());

    let client = scene.client.build().expect("the scene's client can be built");
    let policy = (scene.policy)(common::instant(1).edit()).build().expect("the scene's policy is valid");
    let cancel: Pin<Box<dyn Future<Output = ()>>> = match (scene.time, &server) {
        (Time::Canceled, Some(server)) => Box::pin(over.or_stalls(Arc::clone(server), 1)),
        (_, _) => Box::pin(pending()),
    };
    let request = (scene.request)(client.get(scene.url));
    let call = request.with_retry(policy).max_body(scene.max_body).cancel_on(cancel);
    let call = async {
        let result = match scene.fetch {
            false => call.send_with_report().await.map(|(_, report)| report),
            true => call.fetch_with_report().await.map(|(_, report)| report),
        };
        match result {
            Ok(report) => (Ok(()), report),
            Err(error) => {
                let report = error.report().clone();
                (Err(error), report)
            }
        }
    };
    let came = tokio::select! {
        biased;
        came = call => came,
        () = go(scene.time, server, &over) => unreachable!("time goes on for ever"),
    };
    drop(still);
    came
}

/// Lets time go.
async fn go(time: Time, server: Option<Arc<Server>>, over: &Over) {
    if matches!(time, Time::Real | Time::Canceled) {
        return pending().await;
    }
    for stalls in 1.. {
        if let (Time::AtStalls, Some(server)) = (time, &server) {
            over.or_stalls(Arc::clone(server), stalls).await;
        }
        // What the server wrote before it stalled is on its way; the client reads it before a limit passes.
        for _ in 0..YIELDS {
            yield_now().await;
        }
        tokio::time::advance(STEP).await;
    }
}

/// More than tokio's turns between two looks at its sockets.
const YIELDS: usize = 256;

/// Set at the end of the call, so that nobody waits for a server after it.
struct Over(Arc<AtomicBool>);

impl Over {
    /// Ends when the server has stalled so often, or this is dropped.
    fn or_stalls(&self, server: Arc<Server>, stalls: usize) -> impl Future<Output = ()> + use<> {
        let over = Arc::clone(&self.0);
        async move {
            let wait = spawn_blocking(move || {
                while server.stalls() < stalls && !over.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
            });
            wait.await.expect("the waiting does not panic");
        }
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
