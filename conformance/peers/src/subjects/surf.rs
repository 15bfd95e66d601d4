//! surf: bare, ours, and surf-retry.

use std::future::Future;

use retry_core::Policy;
use runtime_async_std::{Retry, RetryExt};
use surf::middleware::{Middleware, Next};
use surf::{Client, Request, Response};
use surf_retry::{ExponentialBackoff, RetryMiddleware};

/// The subjects, the first of which is the baseline, with their rows' labels.
pub const ALL: [(&str, &str); 7] = [
    ("bare", "bare surf"),
    ("send", "**ours**, `send`, a `Policy`"),
    ("layer", "**ours**, as the client's middleware"),
    ("send-limited", "**ours**, `send`, with `Policy::API`'s total limit"),
    ("layer-limited", "**ours**, as the client's middleware, with that limit"),
    ("surf-retry", "surf-retry"),
    ("idle", "a request's middleware that keeps a copy, and does nothing"),
];

/// A client made ready for calls that are all alike: each a GET to the end of its answer's body.
pub enum Subject {
    Bare(Client, String),
    Send(Client, String, Policy),
    Idle(Client, String),
}

/// What no retry over surf can do without: a place in the request's stack, and a copy of the request.
struct Idle;

#[surf::utils::async_trait]
impl Middleware for Idle {
    async fn handle(&self, request: Request, client: Client, next: Next<'_>) -> surf::Result<Response> {
        let copy = request.clone();
        let response = next.run(request, client).await;
        drop(copy);
        response
    }
}

impl Subject {
    /// Retries without a limit; of ours also with one.
    pub fn new(name: &str, url: &str, keeps_connections: bool) -> Self {
        let (name, policy) = match name.strip_suffix("-limited") {
            Some(name) => (name, Policy::API),
            None => (name, Policy::API.edit().total_timeout(None).build().expect("a policy within the bounds")),
        };
        let config = if keeps_connections { surf::Config::new() } else { runtime_async_std::client_config() };
        let client: Client = config.try_into().expect("a client");
        let url = url.to_owned();
        match name {
            "bare" => Self::Bare(client, url),
            "idle" => Self::Idle(client, url),
            "send" => Self::Send(client, url, policy),
            "layer" => Self::Bare(client.with(Retry::new(policy)), url),
            "surf-retry" => {
                let waits = ExponentialBackoff::builder().build_with_max_retries(3);
                Self::Bare(client.with(RetryMiddleware::new(3, waits, 1)), url)
            }
            _ => panic!("no subject is called {name}"),
        }
    }

    pub async fn call(&self) -> Vec<u8> {
        match self {
            Self::Bare(client, url) => read(client.get(url).send()).await,
            Self::Idle(client, url) => read(client.get(url).middleware(Idle).send()).await,
            Self::Send(client, url, policy) => read(client.get(url).with_retry(policy).send()).await,
        }
    }
}

async fn read<E: std::fmt::Debug>(sent: impl Future<Output = Result<surf::Response, E>>) -> Vec<u8> {
    let mut response = sent.await.expect("an answer");
    response.body_bytes().await.expect("a body")
}
