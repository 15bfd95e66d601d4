//! The client that does the sending, behind a guard: it can be cut, and its panics are errors.

use core::pin::pin;
use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;

use surf::http::Error;
use surf::{Client, HttpClient, Request};

use crate::dns::look_up;
use crate::panicked::caught;
use crate::task::Task;

/// How far a send has come, as far as it can be told from outside the client.
#[derive(Debug, Default)]
pub(crate) struct Phase(AtomicU8);

const BEGUN: u8 = 0;
const LOOKING_UP: u8 = 1;
const HANDED_OVER: u8 = 2;
const ANSWERED: u8 = 3;

impl Phase {
    pub(crate) fn begin(&self) {
        self.0.store(BEGUN, Ordering::Relaxed);
    }

    /// A middleware may send more than once: what was handed over stays so.
    pub(crate) fn look_up(&self) {
        let _ = self.0.compare_exchange(BEGUN, LOOKING_UP, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(crate) fn hand_over(&self) {
        self.0.fetch_max(HANDED_OVER, Ordering::Relaxed);
    }

    fn answer(&self) {
        self.0.store(ANSWERED, Ordering::Relaxed);
    }

    /// Whether a server has answered: what a middleware sent after that may fail as it likes.
    pub(crate) fn is_answered(&self) -> bool {
        self.0.load(Ordering::Relaxed) == ANSWERED
    }

    /// Whether the client cannot have been given the request yet.
    pub(crate) fn is_unsent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == LOOKING_UP
    }
}

/// How the sends of one call are guarded against what a client may do: keep its thread, or panic.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) phase: Arc<Phase>,
    pub(crate) look_up_first: bool,
}

impl Guard {
    /// Sends in a task of its own: surf's HTTP/1 client blocks its thread while it looks a name up, and a server that
    /// never ends a header line keeps it in one poll. In a task, that is another thread than the one that watches the
    /// limits. Dropping the send cancels the task.
    pub(crate) async fn send(&self, client: Client, request: Request) -> surf::Result {
        if self.look_up_first {
            self.phase.look_up();
            look_up(request.url()).await;
        }
        self.phase.hand_over();
        Task::spawn(async move { caught(pin!(client.send(request))).await }).await?
    }

    /// What middlewares meet in place of the client: `client` with its settings, but with sends that are guarded.
    pub(crate) fn around(&self, client: Client) -> Client {
        let config = client.config().clone();
        let guarded = Guarded { client, guard: self.clone() };
        // The conversion fails only where it has to make a client.
        Client::try_from(config.set_http_client(guarded.clone())).unwrap_or_else(|_| Client::with_http_client(guarded))
    }
}

#[derive(Clone, Debug)]
struct Guarded {
    client: Client,
    guard: Guard,
}

#[async_trait::async_trait]
impl HttpClient for Guarded {
    async fn send(&self, request: surf::http::Request) -> Result<surf::http::Response, Error> {
        let sent = self.guard.send(self.client.clone(), request.into()).await;
        sent.inspect(|_| self.guard.phase.answer()).map(Into::into)
    }
}
