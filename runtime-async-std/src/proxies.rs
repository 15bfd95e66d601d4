//! A pool of proxies: one client for each, built once.

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retry_core::{Circuit, Policy, Pool, Rotation, Timer};
use surf::http::Method;
use surf::{Client, RequestBuilder, Url};

use crate::call::Call;
use crate::lane::Lane;
use crate::retry::Retry;
use crate::timer::AsyncStdTimer;

/// Requests through a pool of proxies. Clones share everything.
///
/// Each proxy has a client of its own, built once. Requests are made from the pool: a builder of another client has that
/// client's settings, which none of the pool's has, so it cannot be given a pool.
///
/// ```no_run
/// use retry_core::Policy;
/// use runtime_async_std::Retry;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Retry::new(Policy::API)
///     .proxies(["http://p1.example:8080", "http://p2.example:8080"], |_, builder| builder)
///     .rotate_on_status(&[403])
///     .build()?;
/// let response = pool.get("http://localhost/").with(|request| request.header("accept", "text/html")).send().await?;
/// # Ok(())
/// # }
/// ```
///
/// The answer of a proxy to a plain `http` request cannot be told from the origin's: a 407 or 502 of the proxy itself is
/// a response there. Inside a tunnel (`https`) the two are kept apart.
///
/// Inside a tunnel, some versions of libcurl say the same of a proxy that refuses it (7.88 does, 8.22 does not), or that
/// hangs up instead of an answer, and of a connection to the origin that breaks. Such a failure keeps its kind, `Network`,
/// and may have been sent; it counts as one of the proxy's in a row, and the next send takes another proxy, after an
/// ordinary wait.
#[derive(Clone, Debug)]
pub struct ProxyPool<T = AsyncStdTimer> {
    retry: Retry<T>,
    clients: Arc<Clients>,
}

impl<T> ProxyPool<T> {
    pub(crate) fn new(retry: Retry<T>, clients: Arc<Clients>) -> Self {
        Self { retry, clients }
    }
}

impl<T: Timer + Clone> ProxyPool<T> {
    /// A GET through the pool. What is no URL is an error of the call, and does not panic.
    pub fn get(&self, url: impl AsRef<str>) -> Call<RequestBuilder, T> {
        self.request(Method::Get, url)
    }

    /// A POST through the pool. Give it its body by [`Call::with`].
    pub fn post(&self, url: impl AsRef<str>) -> Call<RequestBuilder, T> {
        self.request(Method::Post, url)
    }

    /// A request through the pool.
    pub fn request(&self, method: Method, url: impl AsRef<str>) -> Call<RequestBuilder, T> {
        let (url, wrong) = match Url::parse(url.as_ref()) {
            Ok(url) => (url, None),
            Err(error) => (self.clients.placeholder.clone(), Some(error)),
        };
        let mut call = Call::new(self.clients.first.request(method, url), self.retry.clone());
        call.settings.clients = Some(Arc::clone(&self.clients));
        call.settings.url = wrong;
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

/// The client of one proxy.
#[derive(Clone)]
pub(crate) struct ProxyClient {
    pub(crate) client: Client,
    /// Whether it is one of SOCKS, which makes every connection a tunnel.
    pub(crate) is_socks: bool,
}

/// The clients of a pool, and what it knows of its proxies.
pub(crate) struct Clients {
    names: Arc<[String]>,
    clients: Vec<ProxyClient>,
    /// That of the first of them, which every pool has.
    first: Client,
    /// Stands where a URL is none. It is never sent to.
    placeholder: Url,
    rotation: Rotation,
    state: Mutex<State>,
}

struct State {
    circuits: Vec<Circuit>,
    turn: Option<usize>,
}

impl Clients {
    /// `None` for a pool of none.
    pub(crate) fn new(names: Arc<[String]>, clients: Vec<ProxyClient>, rotation: Rotation) -> Option<Self> {
        let first = clients.first()?.client.clone();
        let placeholder = Url::parse(names.first()?).ok()?;
        let state = Mutex::new(State { circuits: vec![Circuit::default(); clients.len()], turn: None });
        Some(Self { names, clients, first, placeholder, rotation, state })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `work` at the pool, for as long as one choice takes.
    pub(crate) fn pool<O>(&self, work: impl FnOnce(&mut Pool<'_>) -> O) -> O {
        let State { circuits, turn } = &mut *self.lock();
        work(&mut Pool::new(&self.rotation, circuits, turn))
    }

    /// `policy` with the statuses that the pool moves on after.
    pub(crate) fn statuses(&self, policy: Policy) -> Policy {
        self.rotation.policy(policy, 1)
    }

    /// The way of one call through the pool.
    pub(crate) fn lane(self: &Arc<Self>) -> Lane {
        Lane::new(Arc::clone(self), self.clients.len())
    }

    /// The client of the proxy at `place`, or of the first one.
    pub(crate) fn client(&self, place: Option<usize>) -> (&Client, bool) {
        let taken = place.and_then(|place| self.clients.get(place));
        taken.map_or((&self.first, false), |taken| (&taken.client, taken.is_socks))
    }

    pub(crate) fn names(&self) -> Arc<[String]> {
        Arc::clone(&self.names)
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names.iter()).finish()
    }
}
