//! A service's response, which is handed over as it came.

use core::future::Future;

use http::{Extensions, HeaderMap, Response, StatusCode, Version};
use http_body::Body;
use retry_core::DRAIN_BYTES;

use crate::error::Error;
use crate::reply::{Received, read_off};

impl<B: Body> Received for Response<B> {
    fn status(&self) -> StatusCode {
        self.status()
    }

    #[cfg(feature = "tracing")]
    fn version(&self) -> Version {
        self.version()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }

    fn extensions(&self) -> &Extensions {
        self.extensions()
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        self.extensions_mut()
    }

    fn body(&self) -> Option<&[u8]> {
        None
    }

    /// Over HTTP/2 there is nothing to gain: dropping the body ends its stream alone.
    fn drain(self) -> Option<impl Future<Output = ()> + Unpin> {
        let large = self.body().size_hint().lower() > DRAIN_BYTES as u64;
        (!large && self.version() <= Version::HTTP_11).then(|| read_off(Box::pin(self.into_body())))
    }

    /// A stack is given any last response as it is, so none is lost here.
    fn into_error(self, error: Error) -> Error {
        error
    }
}
