//! The caller's own closure as what makes each send.

use core::error::Error as StdError;
use core::future::Future;

use http::Method;
use reqwest::Response;
use retry_core::{Timer, Try};

use crate::client::redirects::watch;
use crate::fault::Fault;
use crate::io::Frame;
use crate::reply::Failed;
use crate::sender::Sender;

/// The caller's closure.
pub(crate) struct Closure<U, F> {
    pub(crate) method: Method,
    pub(crate) url: U,
    pub(crate) send: F,
}

impl<U, F, O, E> Sender for Closure<U, F>
where
    U: AsRef<str>,
    F: FnMut(Try) -> O,
    O: Future<Output = Result<Response, E>>,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    type Received = Response;

    fn send<T: Timer>(&mut self, this: Try, _: &Frame<T>) -> impl Future<Output = Result<Response, Failed>> {
        let url = self.url.as_ref();
        watch((self.send)(this), move |error: E, followed| {
            Fault::of_closure(error.into(), url).after_redirect(followed).into()
        })
    }

    fn request(&self) -> (&Method, &str) {
        (&self.method, self.url.as_ref())
    }
}
