//! reqwest without anything.

use std::future::Future;

use reqwest::{Client, Response};

use super::{Settings, Subject, client};

pub struct Bare {
    client: Client,
    settings: Settings,
}

impl Subject for Bare {
    type Error = reqwest::Error;

    fn new(settings: &Settings) -> Self {
        Self { client: client(settings), settings: settings.clone() }
    }

    fn call(&self) -> impl Future<Output = reqwest::Result<Response>> + Send {
        self.client.request(self.settings.method.clone(), self.settings.url.clone()).send()
    }
}
