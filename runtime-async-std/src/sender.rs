//! Who makes each send: the rest of surf's stack with a kept request, or the caller's own closure.

use core::future::{Future, ready};
use core::mem;
use core::pin::{Pin, pin};
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use retry_core::{Timer, Try};
use surf::http::Method;
use surf::middleware::Next;
use surf::{Client, Request, Response, Url};

use crate::backend::{Guard, in_task};
use crate::buffer::{put, take};
use crate::call::Settings;
use crate::dns::LookUp;
use crate::fault::{Fault, Gone};
use crate::lane::Lane;
use crate::layer::BoxFuture;
use crate::panicked::{Panicked, caught};
use crate::target::Target;
use crate::task::Task;
use crate::vendor::count;

/// What comes of a send.
pub(crate) type Sent = Result<Box<Response>, Fault>;

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

    /// Sends once. `is_watched`: whether anything may end the send before the client does.
    ///
    /// The response is in a box from here on, because it is handed on from future to future.
    fn send(&mut self, this: Try, is_watched: bool, timer: &impl Timer) -> impl Future<Output = Sent>;

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
    target: Target,
    /// The request as it came until the first send, and then a copy of it, if another send may follow.
    request: Option<Request>,
    is_whole: bool,
    /// What a copy lacks: surf's requests lose their body and extensions when they are cloned.
    body: Option<Bytes>,
    settings: &'a Settings,
}

/// Which client makes a send.
enum Route {
    /// Always the same.
    Client(Client, Guard),
    /// The same behind middlewares, guarded from them.
    Behind(Client, Arc<Guard>),
    /// One of a pool's.
    Pool(Box<Lane>, Arc<Guard>),
}

impl Route {
    fn guard(&self) -> &Guard {
        match self {
            Self::Client(_, guard) => guard,
            Self::Behind(_, guard) | Self::Pool(_, guard) => guard,
        }
    }
}

/// A send that has begun.
enum Begun<'a, P> {
    /// By the client as it is, whose panics nobody has caught yet.
    Bare(BoxFuture<'a>),
    Task(Task<Result<surf::Result<Box<Response>>, Panicked>>),
    Guarded(BoxFuture<'a>),
    Pool(Pin<Box<P>>),
}

impl<'a> NextSender<'a> {
    // Out of line, all of it would be moved once more.
    #[inline(always)]
    pub(crate) fn new(left: Left<'a>, request: Request, target: Target, settings: &'a Settings) -> Self {
        let Left { client, next, is_innermost } = left;
        let look_up_first = settings.extras.look_up_first;
        let route = match &settings.clients {
            None if is_innermost => Route::Client(client, Guard::new(look_up_first)),
            None => {
                let guard = Arc::new(Guard::new(look_up_first));
                Route::Behind(guard.around(client), guard)
            }
            // A pool's clients look no name up.
            Some(clients) => Route::Pool(Box::new(clients.lane()), Arc::new(Guard::new(LookUp::Never))),
        };
        Self { next, route, target, request: Some(request), is_whole: true, body: None, settings }
    }

    /// A copy of the request.
    fn copy(&self) -> Option<Request> {
        let mut copy = self.request.clone()?;
        if let Some(body) = &self.body {
            put(&mut copy, body.clone());
        }
        Some(copy)
    }
}

/// What failed on the way to `url`.
fn fault(error: surf::Error, guard: &Guard, url: &str) -> Fault {
    Fault::client(error, url).after_an_answer(guard.is_answered())
}

impl Sender for NextSender<'_> {
    fn needs_preparation(&self) -> bool {
        self.request.as_ref().is_some_and(|request| request.len() != Some(0))
    }

    async fn prepare(&mut self) -> Result<(), Fault> {
        let Some(request) = &mut self.request else { return Ok(()) };
        let body = take(request, self.settings.buffer_body).await?;
        put(request, body.clone());
        self.body = Some(body);
        Ok(())
    }

    async fn send(&mut self, this: Try, is_watched: bool, timer: &impl Timer) -> Sent {
        self.route.guard().begin(is_watched);
        let sent = {
            // In a block, at the end of which the request is out of this future.
            let begun = {
                // As it came it goes out once, and what is kept then is the copy.
                let is_whole = mem::take(&mut self.is_whole);
                let request = if is_whole { self.request.take() } else { self.copy() };
                let Some(mut request) = request else { return Err(Fault::Gone(Gone)) };
                if is_whole && !this.is_last {
                    self.request.get_or_insert_with(|| request.clone());
                }
                count(&mut request, self.settings.extras.retry_count.as_deref(), this);
                let next = self.next;
                match &mut self.route {
                    Route::Client(client, guard) if guard.looks_up(request.url()) => {
                        Begun::Guarded(Box::pin(guard.send(client, request)))
                    }
                    Route::Client(client, guard) => {
                        guard.hand_over();
                        let client = client.clone();
                        if is_watched {
                            Begun::Task(in_task(client, request))
                        } else {
                            Begun::Bare(next.run(request, client))
                        }
                    }
                    Route::Behind(client, _) => Begun::Guarded(next.run(request, client.clone())),
                    Route::Pool(lane, guard) => {
                        let url = self.target.parts().1;
                        let send = move |client| async move {
                            let sent = next.run(request, guard.around(client)).await;
                            sent.map_err(|error| fault(error, guard, url))
                        };
                        Begun::Pool(Box::pin(lane.send(this, timer, url, send)))
                    }
                }
            };
            match begun {
                Begun::Bare(sent) => {
                    let sent = caught(pin!(async { sent.await.map(Box::new) })).await;
                    sent.unwrap_or_else(|panicked| Err(panicked.into()))
                }
                Begun::Task(sent) => sent.await.unwrap_or_else(|panicked| Err(panicked.into())),
                Begun::Guarded(sent) => sent.await.map(Box::new),
                Begun::Pool(sent) => return sent.await.map(Box::new),
            }
        };
        sent.map_err(|error| fault(error, self.route.guard(), self.target.parts().1))
    }

    fn request(&self) -> (Method, &str) {
        self.target.parts()
    }

    fn is_unsent(&self) -> bool {
        self.route.guard().is_unsent()
    }

    fn untried(&self) -> Option<Duration> {
        match &self.route {
            Route::Client(..) | Route::Behind(..) => None,
            Route::Pool(lane, _) => lane.untried(),
        }
    }

    fn proxy(&self) -> Option<u16> {
        match &self.route {
            Route::Client(..) | Route::Behind(..) => None,
            Route::Pool(lane, _) => lane.proxy(),
        }
    }
}

/// The caller's closure.
pub(crate) struct Closure<U, F> {
    pub(crate) method: Method,
    pub(crate) url: U,
    pub(crate) send: F,
    pub(crate) guard: Guard,
    /// The URL, if its host may have to be looked up.
    pub(crate) look_up: Option<Url>,
}

impl<U, F, O, E> Sender for Closure<U, F>
where
    U: AsRef<str>,
    F: FnMut(Try) -> O,
    O: Future<Output = Result<Response, E>>,
    E: Into<surf::Error>,
{
    async fn send(&mut self, this: Try, is_watched: bool, _: &impl Timer) -> Sent {
        self.guard.begin(is_watched);
        if let Some(url) = &self.look_up {
            self.guard.prepare(url).await;
        }
        self.guard.hand_over();
        let sent = caught(pin!((self.send)(this))).await;
        let sent = sent.map_or_else(|panicked| Err(panicked.into()), |sent| sent.map_err(Into::into));
        sent.map(Box::new).map_err(|error| Fault::client(error, self.url.as_ref()))
    }

    fn request(&self) -> (Method, &str) {
        (self.method, self.url.as_ref())
    }

    fn is_unsent(&self) -> bool {
        self.guard.is_unsent()
    }
}
