//! Each way to make a GET: bare, ours, and each peer at its best documented setting.
//!
//! A subject either is given a request once, which it has to copy if it may go out again (`send`), or makes each send by
//! a closure, which builds the request anew (`run`). Crates that can do both are here twice.

mod again;
mod backon;
mod bare;
mod ours;
mod reqwest_own;
mod reqwest_retry;
pub mod surf;
mod tokio_retry;
mod tower;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Method, Response, StatusCode, Url};

/// The default total limit.
pub const LIMIT: Duration = Duration::from_secs(180);

/// What all subjects are told alike.
#[derive(Clone, Debug)]
pub struct Settings {
    pub method: Method,
    pub url: Url,
    /// Sends after the first one, at most.
    pub retries: u32,
    /// The first wait; each further one is twice as long, up to half a minute or this.
    pub wait: Duration,
    /// Whether waits are drawn, in the way that the subject has for it.
    pub jitter: bool,
    /// The limit of the whole call.
    pub limit: Option<Duration>,
    /// How long a client keeps a connection that nobody uses. reqwest's default is 90 s.
    pub idle: Duration,
}

impl Settings {
    /// A GET with the defaults: three retries after 1, 2 and 4 s, with jitter, without a limit.
    pub fn get(port: u16, path: &str) -> Self {
        let url = Url::parse(&format!("http://127.0.0.1:{port}{path}")).expect("a URL");
        let wait = Duration::from_secs(1);
        Self { method: Method::GET, url, retries: 3, wait, jitter: true, limit: None, idle: Duration::from_secs(90) }
    }

    /// Exact waits, beginning with this one.
    pub fn waits(self, wait: Duration) -> Self {
        Self { wait, jitter: false, ..self }
    }

    pub fn limit(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }

    fn longest_wait(&self) -> Duration {
        self.wait.max(Duration::from_secs(30))
    }
}

/// A client made ready for calls that are all alike.
pub trait Subject: Send + Sync + Sized + 'static {
    type Error: Debug + Send + 'static;

    fn new(settings: &Settings) -> Self;

    /// One call, to the head of its answer. The subject's own future, in nothing else.
    fn call(&self) -> impl Future<Output = Result<Response, Self::Error>> + Send;
}

/// A subject without a limit of its own, under tokio's.
pub struct Limited<S>(S, Option<Duration>);

impl<S: Subject> Subject for Limited<S> {
    type Error = Option<S::Error>;

    fn new(settings: &Settings) -> Self {
        Self(S::new(settings), settings.limit)
    }

    async fn call(&self) -> Result<Response, Self::Error> {
        match self.1 {
            Some(limit) => match tokio::time::timeout(limit, self.0.call()).await {
                Ok(result) => result.map_err(Some),
                Err(_) => Err(None),
            },
            None => self.0.call().await.map_err(Some),
        }
    }
}

/// A subject whichever it is, as scenarios see it. What is boxed here is boxed once for many calls.
pub trait Calls: Send + Sync {
    /// Calls one after the other, each to the end of its answer's body.
    fn fetch(&self, count: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// A call as a task of its own, that is not expected to end. Tells the size of the task's future, in bytes.
    fn spawn(self: Arc<Self>) -> usize;

    /// The size of a call's future, in bytes.
    fn future_size(&self) -> usize;
}

impl<S: Subject> Calls for S {
    fn fetch(&self, count: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            for _ in 0..count {
                let response = self.call().await.expect("an answer");
                response.bytes().await.expect("a body");
            }
        })
    }

    fn spawn(self: Arc<Self>) -> usize {
        let task = async move { drop(self.call().await.expect("an answer")) };
        let size = size_of_val(&task);
        tokio::spawn(task);
        size
    }

    fn future_size(&self) -> usize {
        size_of_val(&self.call())
    }
}

/// How a subject is given what to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// reqwest alone.
    Bare,
    /// A request, once.
    Request,
    /// A closure for each send.
    Closure,
    /// A request, once, and a budget that calls share.
    Budget,
}

/// A subject's row in the tables.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub label: &'static str,
    pub style: Style,
}

impl Entry {
    pub fn is_ours(&self) -> bool {
        OURS.contains(&self.name)
    }
}

const OURS: [&str; 4] = ["send", "send-shared", "run", "budget"];

macro_rules! subjects {
    ($($name:literal, $label:literal, $style:ident, $plain:ty, $limited:ty;)*) => {
        /// All subjects over reqwest; the first is the baseline.
        pub const ALL: &[Entry] = &[$(Entry { name: $name, label: $label, style: Style::$style }),*];

        /// The subject of that name.
        pub fn make(name: &str, settings: &Settings) -> Arc<dyn Calls> {
            match (name, settings.limit.is_some()) {
                $(($name, false) => Arc::new(<$plain>::new(settings)),)*
                $(($name, true) => Arc::new(<$limited>::new(settings)),)*
                _ => panic!("no subject is called {name}"),
            }
        }
    };
}

subjects! {
    "bare", "bare reqwest", Bare, bare::Bare, Limited<bare::Bare>;
    "send", "**ours**, `send`, a `Policy`", Request, ours::Send, ours::Send;
    "send-shared", "**ours**, `send`, a `&Retry`", Request, ours::SendShared, ours::SendShared;
    "budget", "**ours**, `send` with a budget", Budget, ours::Budgeted, ours::Budgeted;
    "run", "**ours**, `run`", Closure, ours::Run, ours::Run;
    "reqwest-own", "reqwest's own retry", Request, reqwest_own::Own, Limited<reqwest_own::Own>;
    "reqwest-retry", "reqwest-retry", Request, reqwest_retry::Middleware, Limited<reqwest_retry::Middleware>;
    "tower", "tower, `Retry` over the client", Request, tower::Requests, Limited<tower::Requests>;
    "tower-run", "tower, `Retry` over a closure", Closure, tower::Closures, Limited<tower::Closures>;
    "backon", "backon, closure that copies", Request, backon::Copies, Limited<backon::Copies>;
    "backon-run", "backon, closure", Closure, backon::Closures, Limited<backon::Closures>;
    "again", "again, closure that copies", Request, again::Copies, Limited<again::Copies>;
    "again-run", "again, closure", Closure, again::Closures, Limited<again::Closures>;
    "tokio-retry", "tokio-retry, closure that copies", Request, tokio_retry::Copies, Limited<tokio_retry::Copies>;
    "tokio-retry-run", "tokio-retry, closure", Closure, tokio_retry::Closures, Limited<tokio_retry::Closures>;
}

/// Those that send again, without a budget.
pub fn retrying() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().filter(|entry| matches!(entry.style, Style::Request | Style::Closure))
}

/// The entry of that name.
pub fn entry(name: &str) -> &'static Entry {
    ALL.iter().find(|entry| entry.name == name).expect("a subject of the table")
}

/// reqwest's client with its defaults. The environment's proxies are no part of what is measured.
fn builder(settings: &Settings) -> ClientBuilder {
    Client::builder().no_proxy().pool_idle_timeout(settings.idle)
}

fn client(settings: &Settings) -> Client {
    builder(settings).build().expect("a client")
}

/// What peers that judge errors are told to retry: the statuses that we retry, and failures to connect.
fn is_transient(error: &reqwest::Error) -> bool {
    error.is_connect() || error.status().is_some_and(is_busy)
}

fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502..=504)
}

/// Makes a request, and an error of an answer that is one: how peers that judge errors see statuses.
async fn send(client: &Client, request: reqwest::Request) -> reqwest::Result<Response> {
    client.execute(request).await?.error_for_status()
}

/// The same with a request built here.
async fn build_and_send(client: &Client, settings: &Settings) -> reqwest::Result<Response> {
    client.request(settings.method.clone(), settings.url.clone()).send().await?.error_for_status()
}

fn request(settings: &Settings) -> reqwest::Request {
    reqwest::Request::new(settings.method.clone(), settings.url.clone())
}

fn copy(request: &reqwest::Request) -> reqwest::Request {
    request.try_clone().expect("a request without a stream")
}
