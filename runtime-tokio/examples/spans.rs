//! The spans of a call, printed by `tracing-subscriber`.
//!
//! The call goes to a server inside of this process, which is busy at first.

use core::error::Error;
use core::time::Duration;

use conformance::server::{Reply, Server};
use retry_core::{Jitter, Policy};
use runtime_tokio::{RetryExt, client_builder};
use tracing::Subscriber;
use tracing::subscriber::with_default;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    with_default(subscriber(std::io::stdout), || call(&server().url("/orders/7")))
}

/// Prints events, and spans when they end.
pub(crate) fn subscriber<W>(to: W) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    tracing_subscriber::fmt().with_writer(to).with_ansi(false).without_time().with_span_events(FmtSpan::CLOSE).finish()
}

pub(crate) fn server() -> Server {
    Server::start([Reply::status(503), Reply::status(200).body("a page")])
}

pub(crate) fn call(url: &str) -> Result<(), Box<dyn Error>> {
    // reqwest is built without a choice of TLS here; a program of one's own makes its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = client_builder().no_proxy().build()?;
        let policy = Policy::API.edit().base_delay(Duration::from_millis(20)).jitter(Jitter::None).build()?;
        let response = client.get(url).with_retry(policy).send().await?;
        assert_eq!(response.status(), 200, "the second send is answered");
        Ok(())
    })
}
