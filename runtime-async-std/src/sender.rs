//! Who makes each send: the rest of surf's stack with a kept request, or the caller's own closure.

use core::future::{Future, ready};
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use retry_core::{Timer, Try};
use surf::http::Method;
use surf::http::headers::HeaderName;
use surf::middleware::Next;
use surf::{Client, Request, Response, Url};

use crate::backend::{Phase, caught, guard};
use crate::buffer::{put, take};
use crate::call::Settings;
use crate::dns::look_up;
use crate::fault::{Fault, Gone};
use crate::lane::Lane;
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
pub(crate) struct NextSender<'a> {
    next: Next<'a>,
    route: Route,
    phase: Arc<Phase>,
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
    /// Always the same, guarded.
    Client(Client),
    /// One of a pool's.
    Pool(Lane),
}

struct Spare {
    head: Request,
    body: Option<Bytes>,
}

impl<'a> NextSender<'a> {
    pub(crate) fn new(next: Next<'a>, client: Client, request: Request, settings: &Settings) -> Self {
        let phase = Arc::<Phase>::default();
        let route = match &settings.clients {
            None => Route::Client(guard(client, &phase, settings.extras.look_up_first)),
            Some(clients) => Route::Pool(clients.lane()),
        };
        let target = Target::of(&request);
        let (buffer, count) = (settings.buffer_body, settings.extras.retry_count.clone());
        Self { next, route, phase, target, whole: Some(request), spare: None, buffer, count }
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
        let Some(mut request) = self.next_request(this) else { return Err(Fault::Gone(Gone)) };
        count(&mut request, self.count.as_deref(), this);
        self.phase.begin();
        let (next, phase, url) = (self.next, &self.phase, self.target.parts().1);
        let send = async |request, client| {
            let sent = next.run(request, client).await;
            sent.map_err(|error| Fault::client(error, url).after_an_answer(phase.is_answered()))
        };
        match &mut self.route {
            Route::Client(client) => send(request, client.clone()).await,
            Route::Pool(lane) => lane.send(this, timer, url, |client| send(request, guard(client, phase, false))).await,
        }
    }

    fn request(&self) -> (Method, &str) {
        self.target.parts()
    }

    fn is_unsent(&self) -> bool {
        self.phase.is_unsent()
    }

    fn untried(&self) -> Option<Duration> {
        match &self.route {
            Route::Client(_) => None,
            Route::Pool(lane) => lane.untried(),
        }
    }

    fn proxy(&self) -> Option<u16> {
        match &self.route {
            Route::Client(_) => None,
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
        let response = caught::<_, _, surf::Error>(pin!((self.send)(this))).await;
        response.map_err(|error| Fault::client(error, self.url.as_ref()))
    }

    fn request(&self) -> (Method, &str) {
        (self.method, self.url.as_ref())
    }

    fn is_unsent(&self) -> bool {
        self.phase.is_unsent()
    }
}
