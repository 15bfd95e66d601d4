//! A subscriber that panics: the panic is its owner's, and goes no further than others.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use conformance::server::{Reply, Server};
use retry_core::Policy;
use runtime_tokio::RetryExt;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Panics whenever a field is recorded.
struct Clumsy;

impl Subscriber for Clumsy {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "runtime_tokio"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {
        panic!("it cannot record");
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A second panic while the first one unwinds would end the process.
#[test]
fn a_subscriber_that_panics_does_not_end_the_process() {
    let server = Server::start([Reply::status(200)]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = crate::skip::client();
    let call = AssertUnwindSafe(|| {
        tracing::subscriber::with_default(Clumsy, || {
            runtime.block_on(client.get(server.url("/")).with_retry(Policy::NONE).send())
        })
    });
    assert!(catch_unwind(call).is_err(), "it panics where it is called");
}
