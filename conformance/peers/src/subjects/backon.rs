//! backon: a closure that is called again. It sees errors alone, so answers are made errors first.

use std::future::Future;

use backon::{ExponentialBuilder, Retryable};
use reqwest::{Client, Response};

use super::{Settings, Subject, build_and_send, client, copy, is_transient, request, send};

fn builder(settings: &Settings) -> ExponentialBuilder {
    let builder = ExponentialBuilder::new()
        .with_min_delay(settings.wait)
        .with_max_delay(settings.longest_wait())
        .with_max_times(settings.retries as usize);
    if settings.jitter { builder.with_jitter() } else { builder }
}

/// Has a request and copies it for each send.
pub struct Copies {
    client: Client,
    settings: Settings,
    builder: ExponentialBuilder,
}

impl Subject for Copies {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), builder: builder(settings) }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        let request = request(&self.settings);
        (move || send(&self.client, copy(&request))).retry(self.builder).when(is_transient)
    }
}

/// Builds the request for each send.
pub struct Closures {
    client: Client,
    settings: Settings,
    builder: ExponentialBuilder,
}

impl Subject for Closures {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), builder: builder(settings) }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        (|| build_and_send(&self.client, &self.settings)).retry(self.builder).when(is_transient)
    }
}
