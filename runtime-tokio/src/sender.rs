//! Who makes each send.

use core::future::{Future, ready};
use core::time::Duration;
use std::sync::Arc;

use http::Method;
use retry_core::{Timer, Try};

use crate::fault::Fault;
use crate::io::Frame;
use crate::reply::{Failed, Received};

/// Makes the sends of one call.
pub(crate) trait Sender {
    /// What comes of a send that is answered.
    type Received: Received;

    /// Adds to the request what the call asks for, before anything else.
    fn admit<T>(&mut self, _: &Frame<T>) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether every send can have the same body.
    fn is_replayable(&self) -> bool {
        true
    }

    /// Whether [`prepare`](Self::prepare) has something to do.
    fn needs_preparation(&self) -> bool {
        false
    }

    /// Does once what has to be done before the first send.
    fn prepare(&mut self) -> impl Future<Output = Result<(), Fault>> {
        ready(Ok(()))
    }

    /// Sends once.
    fn send<T: Timer>(&mut self, this: Try, frame: &Frame<T>) -> impl Future<Output = Result<Self::Received, Failed>>;

    /// The method and the URL of the request.
    fn request(&self) -> (&Method, &str);

    /// The wait before the next send, where the last one failed by its proxy and another proxy is left to try.
    fn untried(&self) -> Option<Duration> {
        None
    }

    /// The place of the last send's proxy in the pool.
    fn proxy(&self) -> Option<u16> {
        None
    }

    /// The names of the pool's proxies.
    fn proxies(&self) -> Option<Arc<[String]>> {
        None
    }
}
