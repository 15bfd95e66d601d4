//! A service's response, which is handed over as it came.

use core::future::Future;

use http::{Extensions, HeaderMap, Response, StatusCode};
use http_body::Body;

use crate::error::Error;
use crate::reply::{Received, is_worth_reading_off, read_off};

impl<B: Body> Received for Response<B> {
    fn status(&self) -> StatusCode {
        self.status()
    }

    #[cfg(feature = "tracing")]
    fn version(&self) -> http::Version {
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

    fn drain(self) -> Option<impl Future<Output = ()> + Unpin> {
        let least = self.body().size_hint().lower();
        is_worth_reading_off(least, self.version()).then(|| read_off(Box::pin(self.into_body())))
    }

    /// A stack is given any last response as it is, so none is lost here.
    fn into_error(self, error: Error) -> Error {
        error
    }
}
