//! The middleware for all requests of a reqwest-middleware client, over real sockets.
#![cfg(feature = "middleware")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "../common/skip.rs"]
mod skip;

mod calls;
mod errors;
mod layers;
mod settings;

use core::time::Duration;

use reqwest::Response;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware};
use retry_core::{Jitter, Policy};
use runtime_tokio::{Error, Report, Retry};
use skip::{SkipTimer, client};

/// Waits of 100, 200 and 400 ms, which take no time.
fn retry() -> Retry<SkipTimer> {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    Retry::with_timer(policy.unwrap(), SkipTimer::default())
}

/// A fresh client with this one middleware.
fn with(middleware: impl Middleware) -> ClientWithMiddleware {
    ClientBuilder::new(client()).with(middleware).build()
}

/// What the call took that gave this response.
fn report(response: &Response) -> &Report {
    response.extensions().get().expect("each response has a report")
}

/// Our error in that of a client with middlewares.
fn ours(error: reqwest_middleware::Error) -> Error {
    match error {
        reqwest_middleware::Error::Middleware(error) => error.downcast().expect("an error of ours"),
        error @ reqwest_middleware::Error::Reqwest(_) => panic!("reqwest's own: {error}"),
    }
}
