//! The adapter's timer: the clock of the scenario.

use core::future::pending;
use core::time::Duration;
use std::sync::Arc;

use retry_core::{Instant, Timer, UnixTime};

use crate::stage::Stage;

/// Waits pass at once, and limits as soon as what they limit has begun.
#[derive(Clone)]
pub(crate) struct StageTimer(Arc<Stage>);

impl StageTimer {
    pub(crate) fn new(stage: Arc<Stage>) -> Self {
        Self(stage)
    }
}

impl Timer for StageTimer {
    fn now(&self) -> Instant {
        self.0.clock().now()
    }

    fn wall(&self) -> Option<UnixTime> {
        self.0.clock().wall()
    }

    async fn sleep(&self, duration: Duration) {
        if !self.0.wait_for(duration.into()) {
            pending().await
        }
    }

    async fn limit(&self, duration: Duration) {
        let comes = self.0.limit(duration.into()) && self.0.cut(duration.into()).await;
        if !comes {
            pending().await
        }
    }
}
