//! reqwest's own retry: a policy of the client. It knows no wait. Its budget is off, as ours is by default.

use std::future::Future;

use reqwest::{Client, Response};

use super::{Settings, Subject, builder, is_busy};

pub struct Own {
    client: Client,
    settings: Settings,
}

impl Subject for Own {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        let policy = reqwest::retry::for_host("127.0.0.1")
            .no_budget()
            .max_retries_per_request(settings.retries)
            .classify_fn(|answer| match answer.status() {
                Some(status) if !is_busy(status) => answer.success(),
                Some(_) | None => answer.retryable(),
            });
        Self { client: builder(settings).retry(policy).build().expect("a client"), settings: settings.clone() }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        self.client.request(self.settings.method.clone(), self.settings.url.clone()).send()
    }
}
