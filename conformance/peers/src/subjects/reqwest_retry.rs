//! reqwest-middleware with reqwest-retry, whose schedule is retry-policies'. Its tracing is off: it would cost it more.

use std::future::Future;

use reqwest::Response;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error};
use reqwest_retry::RetryTransientMiddleware;
use retry_policies::Jitter;
use retry_policies::policies::ExponentialBackoff;

use super::{Settings, Subject, client};

pub struct Middleware {
    client: ClientWithMiddleware,
    settings: Settings,
}

impl Subject for Middleware {
    type Error = Error;

    fn new(settings: &Settings) -> Self {
        let policy = ExponentialBackoff::builder()
            .retry_bounds(settings.wait, settings.longest_wait())
            .jitter(if settings.jitter { Jitter::Full } else { Jitter::None })
            .build_with_max_retries(settings.retries);
        let middleware = RetryTransientMiddleware::new_with_policy(policy);
        Self { client: ClientBuilder::new(client(settings)).with(middleware).build(), settings: settings.clone() }
    }

    fn call(&self) -> impl Future<Output = Result<Response, Error>> + Send {
        self.client.request(self.settings.method.clone(), self.settings.url.clone()).send()
    }
}
