//! `runtime-tokio`, on the client that it recommends.

use std::future::Future;

use reqwest::{Client, Response};
use runtime_tokio::{Budgets, Error, Jitter, Policy, Ratio, Retry, RetryExt, Try};

use super::Settings;

fn client(settings: &Settings) -> Client {
    runtime_tokio::client_builder().no_proxy().pool_idle_timeout(settings.idle).build().expect("a client")
}

fn policy(settings: &Settings) -> Policy {
    let mut policy = Policy::API
        .edit()
        .max_retries(settings.retries)
        .base_delay(settings.wait)
        .max_delay(settings.longest_wait())
        .total_timeout(settings.limit);
    if !settings.jitter {
        policy = policy.jitter(Jitter::None);
    }
    policy.build().expect("a policy within the bounds")
}

/// A policy for this call alone.
pub struct Send {
    client: Client,
    settings: Settings,
    policy: Policy,
}

impl super::Subject for Send {
    type Error = Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), policy: policy(settings) }
    }

    fn call(&self) -> impl Future<Output = Result<Response, Error>> + core::marker::Send {
        let Self { client, settings, policy } = self;
        client.request(settings.method.clone(), settings.url.clone()).with_retry(policy).send()
    }
}

/// A `Retry` that many calls share.
pub struct SendShared {
    client: Client,
    settings: Settings,
    retry: Retry,
}

impl super::Subject for SendShared {
    type Error = Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), retry: Retry::new(policy(settings)) }
    }

    fn call(&self) -> impl Future<Output = Result<Response, Error>> + core::marker::Send {
        let Self { client, settings, retry } = self;
        client.request(settings.method.clone(), settings.url.clone()).with_retry(retry).send()
    }
}

/// The same with a budget for each origin, as in `Retry::fleet`.
pub struct Budgeted(SendShared);

impl super::Subject for Budgeted {
    type Error = Error;

    fn new(settings: &Settings) -> Self {
        let SendShared { client, settings, retry } = SendShared::new(settings);
        Self(SendShared { client, settings, retry: retry.budget(Budgets::per_origin(Ratio::default)) })
    }

    fn call(&self) -> impl Future<Output = Result<Response, Error>> + core::marker::Send {
        self.0.call()
    }
}

/// A closure of the caller's makes each send.
pub struct Run {
    client: Client,
    settings: Settings,
    retry: Retry,
}

impl super::Subject for Run {
    type Error = Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone(), retry: Retry::new(policy(settings)) }
    }

    fn call(&self) -> impl Future<Output = Result<Response, Error>> + core::marker::Send {
        let Self { client, settings, retry } = self;
        let Settings { method, url, .. } = settings;
        retry.run(method.clone(), url, move |_: Try| client.request(method.clone(), url.clone()).send())
    }
}
