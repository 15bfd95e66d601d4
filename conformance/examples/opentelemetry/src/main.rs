//! The spans of a call, printed by OpenTelemetry's exporter to standard output.
//!
//! The call goes to a server inside of this process, which is busy at first. With an exporter for a collector in place of
//! this one, these are the spans that it gets.

use core::time::Duration;
use std::error::Error;

use conformance::server::{Reply, Server};
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use opentelemetry_stdout::SpanExporter;
use retry_core::{Jitter, Policy};
use runtime_tokio::{RetryExt, client_builder};
use tracing::subscriber::with_default;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::Registry;

fn main() -> Result<(), Box<dyn Error>> {
    let provider = SdkTracerProvider::builder().with_simple_exporter(SpanExporter::default()).build();
    let tracer = provider.tracer("example");
    // Without what only this bridge adds: lines of the source, threads, times of polls.
    let spans = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_level(false)
        .with_target(false)
        .with_filter(LevelFilter::INFO);
    let server = Server::start([Reply::status(503), Reply::status(200).body("a page")]);
    with_default(Registry::default().with(spans), || call(&server.url("/orders/7?token=not+printed")))?;
    provider.shutdown()?;
    Ok(())
}

fn call(url: &str) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let policy = Policy::API.edit().base_delay(Duration::from_millis(20)).jitter(Jitter::None).build()?;
        let client = client_builder().no_proxy().build()?;
        let response = client.get(url).with_retry(policy).send().await?;
        println!("{}", response.status());
        Ok(())
    })
}
