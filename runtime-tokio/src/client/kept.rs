//! A call's request, kept for the sends to come.

use core::future::Future;
use core::mem;
use std::sync::Arc;

use http::{HeaderName, Method};
use reqwest::{Client, Request, Response};
use retry_core::Try;

use crate::client::buffer::{buffer, is_replayable};
use crate::fault::{Fault, Gone};
use crate::headers::{count, prepare};
use crate::io::Frame;
use crate::reply::Failed;
use crate::target::Target;

/// A request that is copied for each send but the last.
pub(crate) struct Kept {
    request: Copies,
    /// How much of a body is read into memory first; `None` where that is not needed.
    buffer: Option<usize>,
    /// The header that tells the number of earlier sends.
    count: Option<Arc<HeaderName>>,
}

enum Copies {
    Whole(Request),
    /// What is left of it when it has gone out for the last time.
    Sent(Target),
}

impl Kept {
    #[inline]
    pub(crate) fn new(request: Request) -> Self {
        Self { request: Copies::Whole(request), buffer: None, count: None }
    }

    /// Adds what the call asks for: its headers, and the reading of its body.
    pub(crate) fn admit<T>(&mut self, Frame { retry, settings, .. }: &Frame<T>) -> Result<(), Fault> {
        if let Copies::Whole(request) = &mut self.request {
            self.count = prepare(request.headers_mut(), retry, settings)?;
            self.buffer = settings.get(|own| own.client.buffer_body).filter(|_| !is_replayable(request));
        }
        Ok(())
    }

    /// Begins one send by `client`. A function of its own, so that a call's future has no room for the request.
    pub(crate) fn execute(
        &mut self,
        client: &Client,
        this: &Try,
    ) -> Option<impl Future<Output = reqwest::Result<Response>> + use<>> {
        Some(client.execute(self.next(this)?))
    }

    /// The request of one send, unless it has gone out for the last time.
    #[inline]
    pub(crate) fn next(&mut self, this: &Try) -> Option<Request> {
        let mut next = self.copy_or_take(this);
        if let Some(request) = &mut next {
            count(request.headers_mut(), self.count.as_deref(), *this);
        }
        next
    }

    #[inline]
    fn copy_or_take(&mut self, this: &Try) -> Option<Request> {
        let Copies::Whole(request) = &self.request else { return None };
        if !this.is_last {
            // Not part by part, though that costs a third: reqwest shows nobody a request's extensions, in which it keeps
            // what is set for this request alone.
            return request.try_clone();
        }
        let sent = Copies::Sent(Target::of(request));
        match mem::replace(&mut self.request, sent) {
            Copies::Whole(request) => Some(request),
            Copies::Sent(_) => None,
        }
    }

    /// Whether every send can have the same body.
    pub(crate) fn is_replayable(&self) -> bool {
        self.buffer.is_some() || matches!(&self.request, Copies::Whole(request) if is_replayable(request))
    }

    /// Whether the body has to be read into memory before the first send.
    pub(crate) fn needs_buffer(&self) -> bool {
        self.buffer.is_some()
    }

    /// Reads the body into memory.
    pub(crate) async fn buffer(&mut self) -> Result<(), Fault> {
        match (&mut self.request, self.buffer) {
            (Copies::Whole(request), Some(limit)) => buffer(request, limit).await,
            (Copies::Whole(_), None) | (Copies::Sent(_), _) => Ok(()),
        }
    }

    /// The method and the URL.
    pub(crate) fn parts(&self) -> (&Method, &str) {
        match &self.request {
            Copies::Whole(request) => (request.method(), request.url().as_str()),
            Copies::Sent(target) => target.parts(),
        }
    }
}

/// What comes of a send whose request has gone out for the last time.
pub(crate) fn gone() -> Failed {
    Fault::Gone(Gone).into()
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use http::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
    use http::{Method, Version};
    use reqwest::{Body, Url};
    use retry_core::{Action, Attempt, Instant, Policy, Replay};

    use super::*;

    /// Something of the caller's own among a request's extensions.
    #[derive(Clone, Debug, PartialEq)]
    struct Tag(u32);

    /// A send under `retries`.
    fn this(retries: u32) -> Try {
        let policy = Policy::API.edit().max_retries(retries).build().unwrap();
        match Attempt::start(&policy, Replay::Always, None, Instant::EPOCH) {
            Action::Send(attempt) => Try::from(&attempt),
            other => panic!("{other:?}"),
        }
    }

    /// All that can be seen of a request, its extensions by the way that takes it apart.
    #[derive(Debug, PartialEq)]
    struct Parts {
        method: Method,
        url: String,
        version: Version,
        headers: HeaderMap,
        sensitive: Vec<bool>,
        timeout: Option<Duration>,
        body: Option<Vec<u8>>,
        tag: Option<Tag>,
        extensions: usize,
    }

    impl Parts {
        fn of(request: Request) -> Self {
            let (method, url, version) = (request.method().clone(), request.url().to_string(), request.version());
            let headers = request.headers().clone();
            let sensitive = headers.values().map(HeaderValue::is_sensitive).collect();
            let timeout = request.timeout().copied();
            let body = request.body().map(|body| body.as_bytes().unwrap().to_vec());
            let parts = http::Request::<Body>::try_from(request).unwrap();
            let tag = parts.extensions().get::<Tag>().cloned();
            let extensions = parts.extensions().len();
            Self { method, url, version, headers, sensitive, timeout, body, tag, extensions }
        }
    }

    /// A request of the parts whose bits are set in `which`, of [`ALL`].
    fn request(which: u32) -> Request {
        let has = |bit: u32| which & (1 << bit) != 0;
        let mut parts = http::Request::builder().method(Method::PUT).uri("http://localhost/");
        if has(0) {
            parts = parts.extension(Tag(7));
        }
        let mut request = Request::try_from(parts.body("some bytes").unwrap()).unwrap();
        if has(1) {
            *request.url_mut() = Url::parse("http://user:secret@localhost:8080/a%20b?q=1&q=2#part").unwrap();
        }
        if has(2) {
            *request.version_mut() = Version::HTTP_2;
        }
        if has(3) {
            let mut secret = HeaderValue::from_static("Bearer secret");
            secret.set_sensitive(true);
            request.headers_mut().append(AUTHORIZATION, secret);
            for value in ["text/html", "text/plain", "text/html"] {
                request.headers_mut().append(ACCEPT, HeaderValue::from_static(value));
            }
        }
        if has(4) {
            *request.timeout_mut() = Some(Duration::from_millis(1500));
        }
        if has(5) {
            *request.body_mut() = None;
        }
        request
    }

    const ALL: u32 = (1 << 6) - 1;

    #[test]
    fn every_part_goes_out_with_every_send() {
        for which in 0..=ALL {
            let expected = Parts::of(request(which));
            let mut kept = Kept::new(request(which));
            for retries in [3, 2, 1, 0] {
                let sent = kept.next(&this(retries)).expect("a request for each send");
                assert_eq!(Parts::of(sent), expected, "parts {which:#b}, {retries} to follow");
                assert_eq!(kept.parts(), (&expected.method, &*expected.url));
            }
            assert!(kept.next(&this(0)).is_none(), "nothing follows the last send");
        }
    }

    #[test]
    fn a_body_that_can_be_produced_once_goes_out_with_the_last_send_alone() {
        let mut once = request(ALL);
        *once.body_mut() = Some(Body::wrap(http_body_util::Full::new(bytes::Bytes::from_static(b"once"))));
        let mut kept = Kept::new(once);
        assert!(!kept.is_replayable() && kept.next(&this(1)).is_none());
        let sent = kept.next(&this(0)).expect("the request itself");
        assert!(sent.body().is_some_and(|body| body.as_bytes().is_none()));
    }
}
