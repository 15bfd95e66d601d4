//! A service without a socket that holds its callers to tower's contract.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Empty;
use tower::{BoxError, Service};

/// Panics if it is called without being ready. Clones share what is to come, and are not ready themselves.
pub(crate) struct Strict {
    shared: Arc<Mutex<Shared>>,
    state: State,
    /// What comes of the wait that has begun.
    waits: Option<Readiness>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Waiting,
    Ready,
}

#[derive(Default)]
struct Shared {
    readiness: VecDeque<Readiness>,
    replies: VecDeque<Reply>,
    /// How many clones are ready and were not called, and how many wait for it.
    ready: usize,
    waiting: usize,
    calls: usize,
}

/// What comes of one clone that is to become ready. Without a word about it, it is ready at once.
pub(crate) enum Readiness {
    Now,
    /// After this many polls.
    Later(usize),
    Never,
    Fails(BoxError),
}

/// What comes of one call.
pub(crate) enum Reply {
    Status(u16),
    Fails(BoxError),
    Hangs,
}

impl Strict {
    pub(crate) fn new(
        readiness: impl IntoIterator<Item = Readiness>,
        replies: impl IntoIterator<Item = Reply>,
    ) -> Self {
        let (readiness, replies) = (readiness.into_iter().collect(), replies.into_iter().collect());
        let shared = Shared { readiness, replies, ..Shared::default() };
        Self { shared: Arc::new(Mutex::new(shared)), state: State::Idle, waits: None }
    }

    /// These statuses, one a call.
    pub(crate) fn of(statuses: impl IntoIterator<Item = u16>) -> Self {
        Self::new([], statuses.into_iter().map(Reply::Status))
    }

    pub(crate) fn calls(&self) -> usize {
        self.shared.lock().unwrap().calls
    }

    /// How many clones are ready and were not called, or wait for it.
    pub(crate) fn taken(&self) -> usize {
        let shared = self.shared.lock().unwrap();
        shared.ready + shared.waiting
    }

    /// A look at the same service, which takes nobody's place.
    pub(crate) fn watch(&self) -> Self {
        self.clone()
    }

    fn turn(&mut self, state: State) {
        let mut shared = self.shared.lock().unwrap();
        match self.state {
            State::Idle => {}
            State::Waiting => shared.waiting -= 1,
            State::Ready => shared.ready -= 1,
        }
        match state {
            State::Idle => {}
            State::Waiting => shared.waiting += 1,
            State::Ready => shared.ready += 1,
        }
        self.state = state;
    }
}

impl Clone for Strict {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), state: State::Idle, waits: None }
    }
}

impl Drop for Strict {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.turn(State::Idle);
        }
    }
}

impl Service<Request<()>> for Strict {
    type Response = Response<Empty<Bytes>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if self.state == State::Ready {
            return Poll::Ready(Ok(()));
        }
        self.turn(State::Waiting);
        let next = || self.shared.lock().unwrap().readiness.pop_front().unwrap_or(Readiness::Now);
        match self.waits.take().unwrap_or_else(next) {
            Readiness::Now | Readiness::Later(0) => {
                self.turn(State::Ready);
                Poll::Ready(Ok(()))
            }
            Readiness::Later(polls) => {
                self.waits = Some(Readiness::Later(polls - 1));
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Readiness::Never => {
                self.waits = Some(Readiness::Never);
                Poll::Pending
            }
            Readiness::Fails(error) => {
                self.turn(State::Idle);
                Poll::Ready(Err(error))
            }
        }
    }

    fn call(&mut self, request: Request<()>) -> Self::Future {
        assert_eq!(self.state, State::Ready, "called without being ready");
        self.turn(State::Idle);
        let mut shared = self.shared.lock().unwrap();
        shared.calls += 1;
        let reply = shared.replies.pop_front().expect("there is a reply for each call");
        Box::pin(async move {
            let _request = request;
            match reply {
                Reply::Status(status) => Ok(Response::builder().status(status).body(Empty::new())?),
                Reply::Fails(error) => Err(error),
                Reply::Hangs => core::future::pending().await,
            }
        })
    }
}
