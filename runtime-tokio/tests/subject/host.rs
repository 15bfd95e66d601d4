//! The resolver: it is asked once per send, and decides where the send goes.

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
        let stage = Arc::clone(&self.0);
        stage.send();
        Box::pin(async move {
            // The loop makes the limit of a send when the send is pending for the first time.
            yield_now().await;
            match stage.target() {
                Target::To(addr) => Ok(Box::new(core::iter::once(addr)) as Addrs),
                Target::NoSuchName => Err(DnsFailure::NoSuchName.into()),
                Target::NoName => Err(DnsFailure::Temporary.into()),
                Target::Nowhere => core::future::pending().await,
            }
        })
    }
}
