//! A pool of proxies: one client for each, built once, and the guard that gives a probe back.

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Method;
use reqwest::{Client, IntoUrl, Request, RequestBuilder, Response};
use retry_core::{Circuit, Instant, Policy, Pool, Rotation, Ticket, Timer, Trail, Try};

use crate::call::Call;
use crate::client::fault::ClientFault;
use crate::client::redirects::watch;
use crate::fault::Fault;
use crate::retry::Retry;
use crate::timer::TokioTimer;

/// Requests through a pool of proxies. Clones share everything.
///
/// Each proxy has a client of its own, built once, with reqwest's hidden retries off. Requests are made from the pool:
/// a builder of another client has that client's settings, which none of the pool's has, so it cannot be given a pool.
///
/// ```no_run
/// use retry_core::Policy;
/// use runtime_tokio::Retry;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Retry::new(Policy::API)
///     .proxies(["http://p1.example:8080", "http://p2.example:8080"], |_, builder| builder.user_agent("example"))
///     .rotate_on_status(&[403])
///     .build()?;
/// let response = pool.get("http://localhost/").with(|request| request.header("accept", "text/html")).send().await?;
/// # Ok(())
/// # }
/// ```
///
/// The answer of a proxy to a plain `http` request cannot be told from the origin's: a 407 or 502 of the proxy itself is
/// a response there. Inside a tunnel (`https`) the two are kept apart.
#[derive(Clone, Debug)]
pub struct ProxyPool<T = TokioTimer> {
    retry: Retry<T>,
    clients: Arc<Clients>,
}

impl<T> ProxyPool<T> {
    pub(crate) fn new(retry: Retry<T>, clients: Arc<Clients>) -> Self {
        Self { retry, clients }
    }
}

impl<T: Timer + Clone> ProxyPool<T> {
    /// A GET through the pool.
    pub fn get(&self, url: impl IntoUrl) -> Call<RequestBuilder, T> {
        self.request(Method::GET, url)
    }

    /// A POST through the pool. Give it its body by [`Call::with`].
    pub fn post(&self, url: impl IntoUrl) -> Call<RequestBuilder, T> {
        self.request(Method::POST, url)
    }

    /// A request through the pool.
    pub fn request(&self, method: Method, url: impl IntoUrl) -> Call<RequestBuilder, T> {
        let mut call = Call::new(self.clients.first.request(method, url), self.retry.clone());
        call.settings.own().client.clients = Some(Arc::clone(&self.clients));
        call
    }

    /// How each proxy is doing, in the order of the pool.
    pub fn status(&self) -> Vec<ProxyStatus> {
        let now = self.retry.timer.now();
        let state = self.clients.lock();
        let status = |(name, circuit): (&String, &Circuit)| ProxyStatus {
            proxy: name.clone(),
            failures: circuit.failures(),
            rests_for: circuit.rests_until().map(|until| until.saturating_since(now)),
            is_probed: circuit.is_probed(),
        };
        self.clients.names.iter().zip(&state.circuits).map(status).collect()
    }
}

/// How one proxy is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProxyStatus {
    /// Its URL, without userinfo.
    pub proxy: String,
    /// How many times in a row it failed.
    pub failures: u32,
    /// After how long it may be used again; zero if one send may probe it now. `None`: it does not rest.
    pub rests_for: Option<Duration>,
    /// Whether a send is probing it.
    pub is_probed: bool,
}

/// The clients of a pool, and what it knows of its proxies.
pub(crate) struct Clients {
    names: Arc<[String]>,
    clients: Vec<Client>,
    /// The same as the first of them, which every pool has.
    first: Client,
    rotation: Rotation,
    state: Mutex<State>,
}

struct State {
    circuits: Vec<Circuit>,
    turn: Option<usize>,
}

impl Clients {
    pub(crate) fn new(names: Arc<[String]>, clients: Vec<Client>, first: Client, rotation: Rotation) -> Self {
        let state = Mutex::new(State { circuits: vec![Circuit::default(); clients.len()], turn: None });
        Self { names, clients, first, rotation, state }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `work` at the pool, for as long as one choice takes.
    fn pool<O>(&self, work: impl FnOnce(&mut Pool<'_>) -> O) -> O {
        let State { circuits, turn } = &mut *self.lock();
        work(&mut Pool::new(&self.rotation, circuits, turn))
    }

    /// `policy` with the statuses that the pool moves on after.
    pub(crate) fn statuses(&self, policy: Policy) -> Policy {
        self.rotation.policy(policy, 1)
    }

    /// The way of one call through the pool.
    pub(crate) fn lane(self: &Arc<Self>) -> Box<Lane> {
        let trail = Trail::new(vec![false; self.clients.len()]);
        Box::new(Lane { clients: Arc::clone(self), trail, untried: None })
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names.iter()).finish()
    }
}

/// The way of one call through a pool.
pub(crate) struct Lane {
    clients: Arc<Clients>,
    trail: Trail<Vec<bool>>,
    untried: Option<Duration>,
}

impl Lane {
    pub(crate) async fn send(&mut self, request: Request, this: Try, timer: &impl Timer) -> Result<Response, Fault> {
        self.untried = None;
        let is_tunneled = request.url().scheme() == "https";
        let url = request.url().to_string();
        let ticket = self.clients.pool(|pool| pool.pick(&mut self.trail, this.sent_at));
        let lease = Lease { clients: &self.clients, ticket };
        let client = lease.client();
        let judge = |error, followed| Fault::client(error, &url).after_redirect(followed);
        match watch(client.execute(request), judge).await {
            Ok(response) => {
                lease.succeeded(&mut self.trail, response.status().as_u16());
                Ok(response)
            }
            Err(fault) => {
                let Some(cause) = fault.of_proxy(is_tunneled) else { return Err(fault) };
                self.untried = lease.failed(&mut self.trail, timer.now());
                Err(ClientFault::Proxy(cause, Box::new(fault)).into())
            }
        }
    }

    pub(crate) fn untried(&self) -> Option<Duration> {
        self.untried
    }

    pub(crate) fn proxy(&self) -> Option<u16> {
        self.trail.current().and_then(|proxy| u16::try_from(proxy).ok())
    }

    pub(crate) fn names(&self) -> Arc<[String]> {
        Arc::clone(&self.clients.names)
    }
}

/// The right to use a proxy for one send. Dropped without a reply, it gives a probe back.
struct Lease<'a> {
    clients: &'a Clients,
    ticket: Option<Ticket>,
}

impl<'a> Lease<'a> {
    fn client(&self) -> &'a Client {
        let client = self.ticket.as_ref().and_then(|ticket| self.clients.clients.get(ticket.proxy()));
        client.unwrap_or(&self.clients.first)
    }

    fn succeeded(mut self, trail: &mut Trail<Vec<bool>>, status: u16) {
        if let Some(ticket) = self.ticket.take() {
            self.clients.pool(|pool| pool.succeeded(ticket, trail, status));
        }
    }

    fn failed(mut self, trail: &mut Trail<Vec<bool>>, now: Instant) -> Option<Duration> {
        let ticket = self.ticket.take()?;
        self.clients.pool(|pool| pool.failed(ticket, trail, now))
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.clients.pool(|pool| pool.release(ticket));
        }
    }
}
