//! Who makes each send: the rest of surf's stack with a kept request, or the caller's own closure.

use core::future::{Future, ready};
use core::pin::{Pin, pin};
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use retry_core::{Timer, Try};
use surf::http::Method;
use surf::http::headers::HeaderName;
use surf::middleware::Next;
use surf::{Client, Request, Response, Url};

use crate::backend::{Guard, Phase};
use crate::buffer::{put, take};
use crate::call::Settings;
use crate::dns::look_up;
use crate::fault::{Fault, Gone};
use crate::lane::Lane;
use crate::layer::BoxFuture;
use crate::panicked::caught;
use crate::target::Target;
use crate::vendor::count;

/// Makes the sends of one call.
pub(crate) trait Sender {
    /// Whether [`prepare`](Self::prepare) has something to do before a request that may go out more than once.
    fn needs_preparation(&self) -> bool {
        false
    }

    /// Does once what has to be done before the first send.
    fn prepare(&mut self) -> impl Future<Output = Result<(), Fault>> {
        ready(Ok(()))
    }

    /// Sends once.
    fn send(&mut self, this: Try, timer: &impl Timer) -> impl Future<Output = Result<Response, Fault>>;

    /// The method and the URL of the request.
    fn request(&self) -> (Method, &str);

    /// Whether a send that was cut just now had not got as far as the client.
    fn is_unsent(&self) -> bool;

    /// The wait before the next send, where the last one failed by its proxy and another proxy is left to try.
    fn untried(&self) -> Option<Duration> {
        None
    }

    /// The place of the last send's proxy in the pool.
    fn proxy(&self) -> Option<u16> {
        None
    }
}

/// What is left of surf's stack: the middlewares inside ours, and the client.
pub(crate) struct Left<'a> {
    pub(crate) client: Client,
    pub(crate) next: Next<'a>,
    /// Whether it is the client alone.
    pub(crate) is_innermost: bool,
}

/// Sends by what is left of surf's stack.
pub(crate) struct NextSender<'a> {
    next: Next<'a>,
    route: Route,
    guard: Guard,
    target: Target,
    /// The request as it came, for the first send.
    whole: Option<Request>,
    /// What later sends are made of: surf's requests lose their body and extensions when they are cloned.
    spare: Option<Spare>,
    /// How much of a body of unknown length is read into memory.
    buffer: Option<usize>,
    /// The header that tells the number of earlier sends.
    count: Option<Arc<HeaderName>>,
}

/// Which client makes a send.
enum Route {
    /// Always the same.
    Client(Client),
    /// The same behind middlewares, guarded from them.
    Behind(Client),
    /// One of a pool's.
    Pool(Box<Lane>),
}

/// A send that has begun.
enum Sent<'a, P> {
    Client(BoxFuture<'a>),
    Pool(Pin<Box<P>>),
}

struct Spare {
    head: Request,
    body: Option<Bytes>,
}

impl<'a> NextSender<'a> {
    pub(crate) fn new(left: Left<'a>, request: Request, target: Target, settings: &Settings) -> Self {
        let Left { client, next, is_innermost } = left;
        // A pool's clients look no name up.
        let look_up_first = settings.extras.look_up_first && settings.clients.is_none();
        let guard = Guard { phase: Arc::default(), look_up_first };
        let route = match &settings.clients {
            None if is_innermost => Route::Client(client),
            None => Route::Behind(guard.around(client)),
            Some(clients) => Route::Pool(Box::new(clients.lane())),
        };
        let (buffer, count) = (settings.buffer_body, settings.extras.retry_count.clone());
        Self { next, route, guard, target, whole: Some(request), spare: None, buffer, count }
    }

    fn next_request(&mut self, this: Try) -> Option<Request> {
        if let Some(whole) = self.whole.take() {
            if !this.is_last && self.spare.is_none() {
                self.spare = Some(Spare { head: whole.clone(), body: None });
            }
            return Some(whole);
        }
        let Spare { head, body } = self.spare.as_ref()?;
        let mut request = head.clone();
        if let Some(body) = body {
            put(&mut request, body.clone());
        }
        Some(request)
    }
}

/// What failed on the way to `url`.
fn fault(error: surf::Error, guard: &Guard, url: &str) -> Fault {
    Fault::client(error, url).after_an_answer(guard.phase.is_answered())
}

impl Sender for NextSender<'_> {
    fn needs_preparation(&self) -> bool {
        self.whole.as_ref().is_some_and(|request| request.len() != Some(0))
    }

    async fn prepare(&mut self) -> Result<(), Fault> {
        let Some(request) = &mut self.whole else { return Ok(()) };
        let body = take(request, self.buffer).await?;
        let head = request.clone();
        put(request, body.clone());
        self.spare = Some(Spare { head, body: Some(body) });
        Ok(())
    }

    async fn send(&mut self, this: Try, timer: &impl Timer) -> Result<Response, Fault> {
        self.guard.phase.begin();
        // In a block, at the end of which the request is out of this future.
        let sent = {
            let Some(mut request) = self.next_request(this) else { return Err(Fault::Gone(Gone)) };
            count(&mut request, self.count.as_deref(), this);
            let (next, guard) = (self.next, &self.guard);
            match &mut self.route {
                Route::Client(client) => Sent::Client(Box::pin(guard.send(client.clone(), request))),
                Route::Behind(client) => Sent::Client(next.run(request, client.clone())),
                Route::Pool(lane) => {
                    let url = self.target.parts().1;
                    let send = move |client| async move {
                        let sent = next.run(request, guard.around(client)).await;
                        sent.map_err(|error| fault(error, guard, url))
                    };
                    Sent::Pool(Box::pin(lane.send(this, timer, url, send)))
                }
            }
        };
        let sent = match sent {
            Sent::Client(sent) => sent.await,
            Sent::Pool(sent) => return sent.await,
        };
        sent.map_err(|error| fault(error, &self.guard, self.target.parts().1))
    }

    fn request(&self) -> (Method, &str) {
        self.target.parts()
    }

    fn is_unsent(&self) -> bool {
        self.guard.phase.is_unsent()
    }

    fn untried(&self) -> Option<Duration> {
        match &self.route {
            Route::Client(_) | Route::Behind(_) => None,
            Route::Pool(lane) => lane.untried(),
        }
    }

    fn proxy(&self) -> Option<u16> {
        match &self.route {
            Route::Client(_) | Route::Behind(_) => None,
            Route::Pool(lane) => lane.proxy(),
        }
    }
}

/// The caller's closure.
pub(crate) struct Closure<U, F> {
    pub(crate) method: Method,
    pub(crate) url: U,
    pub(crate) send: F,
    pub(crate) phase: Phase,
    /// The URL, if its host is to be looked up before each send.
    pub(crate) look_up: Option<Url>,
}

impl<U, F, O, E> Sender for Closure<U, F>
where
    U: AsRef<str>,
    F: FnMut(Try) -> O,
    O: Future<Output = Result<Response, E>>,
    E: Into<surf::Error>,
{
    async fn send(&mut self, this: Try, _: &impl Timer) -> Result<Response, Fault> {
        self.phase.begin();
        if let Some(url) = &self.look_up {
            self.phase.look_up();
            look_up(url).await;
        }
        self.phase.hand_over();
        let sent = caught(pin!((self.send)(this))).await;
        let sent = sent.map_or_else(|panicked| Err(panicked.into()), |sent| sent.map_err(Into::into));
        sent.map_err(|error| Fault::client(error, self.url.as_ref()))
    }

    fn request(&self) -> (Method, &str) {
        (self.method, self.url.as_ref())
    }

    fn is_unsent(&self) -> bool {
        self.phase.is_unsent()
    }
}
