//! tower's `Retry`, over reqwest's client as a service and over a closure. Where there is nothing to wait for its policy
//! makes no timer: that is in its hands, and the cheapest it can do.

use std::future::{Future, Ready, ready};

use futures_util::future::Either;
use reqwest::{Client, Request, Response};
use tower::ServiceExt;
use tower::retry::backoff::{Backoff, ExponentialBackoff, ExponentialBackoffMaker, MakeBackoff};
use tower::retry::{Policy, Retry};
use tower::service_fn;

use super::{Settings, Subject, client, is_busy};

/// tower brings the loop and the waits; what is retried is the user's to write.
#[derive(Clone)]
struct Transient {
    left: u32,
    backoff: Option<ExponentialBackoff>,
}

impl Transient {
    fn new(settings: &Settings) -> Self {
        let jitter = if settings.jitter { 0.5 } else { 0.0 };
        let backoff = (!settings.wait.is_zero()).then(|| {
            ExponentialBackoffMaker::new(settings.wait, settings.longest_wait(), jitter, Default::default())
                .expect("a backoff within the bounds")
                .make_backoff()
        });
        Self { left: settings.retries, backoff }
    }

    fn wait(&mut self, result: &reqwest::Result<Response>) -> Option<Either<tokio::time::Sleep, Ready<()>>> {
        let failed = match result {
            Ok(response) => is_busy(response.status()),
            Err(error) => error.is_connect(),
        };
        if !failed || self.left == 0 {
            return None;
        }
        self.left -= 1;
        Some(match &mut self.backoff {
            Some(backoff) => Either::Left(backoff.next_backoff()),
            None => Either::Right(ready(())),
        })
    }
}

impl Policy<Request, Response, reqwest::Error> for Transient {
    type Future = Either<tokio::time::Sleep, Ready<()>>;

    fn retry(&mut self, _: &mut Request, result: &mut reqwest::Result<Response>) -> Option<Self::Future> {
        self.wait(result)
    }

    fn clone_request(&mut self, request: &Request) -> Option<Request> {
        if self.left == 0 { None } else { request.try_clone() }
    }
}

impl Policy<(), Response, reqwest::Error> for Transient {
    type Future = Either<tokio::time::Sleep, Ready<()>>;

    fn retry(&mut self, (): &mut (), result: &mut reqwest::Result<Response>) -> Option<Self::Future> {
        self.wait(result)
    }

    fn clone_request(&mut self, (): &()) -> Option<()> {
        (self.left > 0).then_some(())
    }
}

pub struct Requests {
    client: Client,
    settings: Settings,
    policy: Transient,
}

impl Subject for Requests {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), policy: Transient::new(settings) }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        Retry::new(self.policy.clone(), &self.client).oneshot(super::request(&self.settings))
    }
}

pub struct Closures {
    client: Client,
    settings: Settings,
    policy: Transient,
}

impl Subject for Closures {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), policy: Transient::new(settings) }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        let Self { client, settings, policy } = self;
        let service = service_fn(|()| client.request(settings.method.clone(), settings.url.clone()).send());
        Retry::new(policy.clone(), service).oneshot(())
    }
}
