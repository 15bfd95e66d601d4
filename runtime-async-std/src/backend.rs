//! The client that does the sending, behind a guard: it can be cut, and its panics are errors.

use core::pin::pin;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::Arc;

use surf::http::Error;
use surf::{Client, HttpClient, Request, Response, Url};

use crate::dns::{LookUp, is_named, look_up};
use crate::panicked::{Panicked, caught};
use crate::task::Task;

/// How the sends of one call are guarded against what a client may do: keep its thread, or panic. It knows how far a send
/// has come, as far as that can be told from outside the client.
#[derive(Debug)]
pub(crate) struct Guard {
    look_up_first: LookUp,
    step: AtomicU8,
    is_watched: AtomicBool,
}

const BEGUN: u8 = 0;
const LOOKING_UP: u8 = 1;
const HANDED_OVER: u8 = 2;
const ANSWERED: u8 = 3;

impl Guard {
    pub(crate) const fn new(look_up_first: LookUp) -> Self {
        Self { look_up_first, step: AtomicU8::new(BEGUN), is_watched: AtomicBool::new(false) }
    }

    /// Begins a send. `is_watched`: whether anything may end it before the client does.
    pub(crate) fn begin(&self, is_watched: bool) {
        self.step.store(BEGUN, Ordering::Relaxed);
        self.is_watched.store(is_watched, Ordering::Relaxed);
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    /// Whether the host of `url` has to be looked up before the client is given a request.
    pub(crate) fn looks_up(&self, url: &Url) -> bool {
        self.look_up_first.is_due(self.is_watched()) && is_named(url)
    }

    /// Looks the host of `url` up, where that comes first.
    pub(crate) async fn prepare(&self, url: &Url) {
        if self.looks_up(url) {
            // A middleware may send more than once: what was handed over stays so.
            let _ = self.step.compare_exchange(BEGUN, LOOKING_UP, Ordering::Relaxed, Ordering::Relaxed);
            look_up(url).await;
        }
    }

    pub(crate) fn hand_over(&self) {
        self.step.fetch_max(HANDED_OVER, Ordering::Relaxed);
    }

    /// Sends in a task of its own if the send is watched, and else where it is.
    pub(crate) async fn send(&self, client: &Client, request: Request) -> surf::Result {
        self.prepare(request.url()).await;
        self.hand_over();
        if self.is_watched() {
            in_task(client.clone(), request).await?.map(|response| *response)
        } else {
            caught(pin!(client.send(request))).await?
        }
    }

    /// What middlewares meet in place of the client: `client` with its settings, but with sends that are guarded.
    pub(crate) fn around(self: &Arc<Self>, client: Client) -> Client {
        let mut config = client.config().clone();
        let guarded = Arc::new(Guarded { client, guard: Arc::clone(self) });
        config.http_client = Some(guarded.clone());
        // The conversion fails only where it has to make a client.
        Client::try_from(config).unwrap_or_else(|_| Client::with_http_client(Guarded::clone(&guarded)))
    }

    fn answer(&self) {
        self.step.store(ANSWERED, Ordering::Relaxed);
    }

    /// Whether a server has answered: what a middleware sent after that may fail as it likes.
    pub(crate) fn is_answered(&self) -> bool {
        self.step.load(Ordering::Relaxed) == ANSWERED
    }

    /// Whether the client cannot have been given the request yet.
    pub(crate) fn is_unsent(&self) -> bool {
        self.step.load(Ordering::Relaxed) == LOOKING_UP
    }
}

/// Sends in a task of its own: surf's HTTP/1 client blocks its thread while it looks a name up, and a server that never
/// ends a header line keeps it in one poll. In a task, that is another thread than the one that watches the limits.
/// Dropping the send cancels the task.
pub(crate) fn in_task(client: Client, request: Request) -> Task<Result<surf::Result<Box<Response>>, Panicked>> {
    Task::spawn(async move { caught(pin!(async { client.send(request).await.map(Box::new) })).await })
}

#[derive(Clone, Debug)]
struct Guarded {
    client: Client,
    guard: Arc<Guard>,
}

#[async_trait::async_trait]
impl HttpClient for Guarded {
    async fn send(&self, request: surf::http::Request) -> Result<surf::http::Response, Error> {
        let sent = self.guard.send(&self.client, request.into()).await;
        sent.inspect(|_| self.guard.answer()).map(Into::into)
    }
}
