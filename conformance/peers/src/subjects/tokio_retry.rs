//! tokio-retry: a closure that is called again. It sees errors alone, so answers are made errors first.

use std::future::Future;
use std::time::Duration;

use reqwest::{Client, Response};
use tokio_retry::RetryIf;
use tokio_retry::strategy::{ExponentialBackoff, jitter};

use super::{Settings, Subject, build_and_send, client, copy, is_transient, request, send};

fn waits(settings: &Settings) -> impl Iterator<Item = Duration> + Send + use<> {
    // Its base is the factor, and its factor the unit: 2^1 times half of the wait comes first.
    let half = settings.wait.as_millis() as u64 / 2;
    let drawn = settings.jitter;
    ExponentialBackoff::from_millis(2)
        .factor(half)
        .max_delay(settings.longest_wait())
        .map(move |wait| if drawn { jitter(wait) } else { wait })
        .take(settings.retries as usize)
}

/// Has a request and copies it for each send.
pub struct Copies {
    client: Client,
    settings: Settings,
}

impl Subject for Copies {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone() }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        let request = request(&self.settings);
        let action = move || send(&self.client, copy(&request));
        RetryIf::start(waits(&self.settings), action, is_transient as fn(&reqwest::Error) -> bool)
    }
}

/// Builds the request for each send.
pub struct Closures {
    client: Client,
    settings: Settings,
}

impl Subject for Closures {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone() }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        let action = || build_and_send(&self.client, &self.settings);
        RetryIf::start(waits(&self.settings), action, is_transient as fn(&reqwest::Error) -> bool)
    }
}
