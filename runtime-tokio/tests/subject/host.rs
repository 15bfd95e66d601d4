//! The resolver: it is asked once per send, and decides where the send goes.

use core::error::Error;
use core::iter::{Once, once};
use core::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use runtime_tokio::DnsFailure;
use tokio::task::yield_now;

use crate::stage::{Stage, Target};

pub(crate) struct Host(Arc<Stage>);

impl Host {
    pub(crate) fn new(stage: Arc<Stage>) -> Self {
        Self(stage)
    }
}

impl Resolve for Host {
    fn resolve(&self, _: Name) -> Resolving {
        let found = resolve(Arc::clone(&self.0));
        Box::pin(async { Ok(Box::new(found.await?) as Addrs) })
    }
}

/// Begins a send, and tells where it goes.
pub(crate) fn resolve(
    stage: Arc<Stage>,
) -> impl Future<Output = Result<Once<SocketAddr>, Box<dyn Error + Send + Sync>>> + Send {
    stage.send();
    async move {
        // The loop makes the limit of a send when the send is pending for the first time.
        yield_now().await;
        match stage.target() {
            Target::To(addr) => Ok(once(addr)),
            Target::NoSuchName => Err(DnsFailure::NoSuchName.into()),
            Target::NoName => Err(DnsFailure::Temporary.into()),
            Target::Nowhere => core::future::pending().await,
        }
    }
}
