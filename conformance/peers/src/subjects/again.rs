//! again: a closure that is called again. It sees errors alone, so answers are made errors first.

use std::future::Future;

use again::RetryPolicy;
use reqwest::{Client, Response};

use super::{Settings, Subject, build_and_send, client, copy, is_transient, request, send};

fn policy(settings: &Settings) -> RetryPolicy {
    RetryPolicy::exponential(settings.wait)
        .with_max_delay(settings.longest_wait())
        .with_jitter(settings.jitter)
        .with_max_retries(settings.retries as usize)
}

/// Has a request and copies it for each send.
pub struct Copies {
    client: Client,
    settings: Settings,
    policy: RetryPolicy,
}

impl Subject for Copies {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), policy: policy(settings) }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        let request = request(&self.settings);
        self.policy.retry_if(move || send(&self.client, copy(&request)), is_transient)
    }
}

/// Builds the request for each send.
pub struct Closures {
    client: Client,
    settings: Settings,
    policy: RetryPolicy,
}

impl Subject for Closures {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), policy: policy(settings) }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        self.policy.retry_if(|| build_and_send(&self.client, &self.settings), is_transient)
    }
}
