//! Headers that no standard names, for callers that ask for them: what the server says, and how it is told of retries.

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use retry_core::{Advice, Timer, vendor};

use crate::call::Call;
use crate::retry::{Extras, Retry};

impl<T: Timer> Retry<T> {
    /// Whether responses are read for `retry-after-ms`, `x-ms-retry-after-ms` and `x-should-retry`, too. Default no.
    ///
    /// - A wait in milliseconds is taken in place of `Retry-After`, and bounded like it: the policy's
    ///   [`RetryAfter`](crate::RetryAfter) holds for both.
    /// - `x-should-retry` counts on a status from 400 up, where a custom policy says [`Keep`](Advice::Keep) or there is none: `true` is
    ///   [`Retry`](Advice::Retry), `false` is [`Stop`](Advice::Stop), after which the response is the answer, an `Ok`. It
    ///   breaks no limit: as a custom policy, it cannot repeat a request that may not be repeated.
    ///
    /// [`retry_core::vendor`] tells what is read, and how. In `fetch` each response's body is then read inside the attempt,
    /// since the server may make any of them the answer.
    ///
    /// ```
    /// use retry_core::Policy;
    /// use runtime_tokio::Retry;
    ///
    /// let retry = Retry::new(Policy::API).vendor_headers(true);
    /// ```
    #[must_use]
    pub fn vendor_headers(mut self, yes: bool) -> Self {
        self.extras_mut().vendor_headers = yes;
        self
    }

    /// A header that tells the server how often the request was sent before: `1` on the second send, `2` on the third,
    /// and so on. Default none.
    ///
    /// The first send has no such header and goes out as it was built, so a server knows a retry by the header's presence.
    /// From the second send on it replaces one that the request has. Services that read such a header have names of their
    /// own, `retry-attempt` (Microsoft Graph) or `x-stainless-retry-count` (OpenAI) for instance; for a server of one's
    /// own `x-retry-count` is a good one. What signs a request before it is handed over here cannot sign this header.
    ///
    /// A name by which HTTP tells where a request ends, where it goes or how its connection is used is an error, and
    /// nothing is sent; so is `Idempotency-Key`, which has to be the same at every send: see [`RetryCountError`].
    /// Another name of HTTP's own, `Authorization` for instance, is taken at its word.
    ///
    /// A closure of [`run`](Self::run) makes its requests itself: there it is `Try::number - 1`.
    ///
    /// ```
    /// use http::HeaderName;
    /// use retry_core::Policy;
    /// use runtime_tokio::Retry;
    ///
    /// let retry = Retry::new(Policy::API).retry_count_header(HeaderName::from_static("x-retry-count"));
    /// ```
    #[must_use]
    pub fn retry_count_header(mut self, name: impl Into<Option<HeaderName>>) -> Self {
        self.extras_mut().retry_count = name.into().map(Arc::new);
        self
    }
}

impl<R, T: Timer, C> Call<R, T, C> {
    /// [`Retry::vendor_headers`] for this call.
    pub fn vendor_headers(mut self, yes: bool) -> Self {
        self.retry.extras_mut().vendor_headers = yes;
        self
    }

    /// [`Retry::retry_count_header`] for this call.
    pub fn retry_count_header(mut self, name: impl Into<Option<HeaderName>>) -> Self {
        self.retry.extras_mut().retry_count = name.into().map(Arc::new);
        self
    }
}

/// A name that [`Retry::retry_count_header`] does not take, since a number as its value makes the request another one:
/// `Content-Length` ends its body elsewhere, `Host` sends it elsewhere.
///
/// They are the fields of RFC 9110 6.6.2 (`Trailer`), 7.2 (`Host`), 7.6.1 (of the connection), 8.6 (`Content-Length`) and
/// 10.1.1 (`Expect`), and `Idempotency-Key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryCountError {
    name: &'static str,
}

impl RetryCountError {
    /// The name, in lower case.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Display for RetryCountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken = TAKEN.join(", ");
        write!(f, "retry_count_header is {}, accepted: a name other than {taken}", self.name)
    }
}

impl Error for RetryCountError {}

/// What HTTP or the client reads by itself.
const TAKEN: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "idempotency-key",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Extras {
    /// The server's word, where it is asked for.
    pub(crate) fn server_advice(&self, status: StatusCode, headers: &HeaderMap) -> Advice {
        if !self.vendor_headers {
            return Advice::Keep;
        }
        vendor::advice(status.as_u16(), lines(headers, vendor::SHOULD_RETRY))
    }

    /// The wait in milliseconds, where it is asked for.
    pub(crate) fn server_wait(&self, headers: &HeaderMap) -> Option<Duration> {
        let names = vendor::WAIT.into_iter().filter(|_| self.vendor_headers);
        vendor::hint(names.flat_map(|name| lines(headers, name)))
    }
}

fn lines<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    headers.get_all(name).iter().map(HeaderValue::as_bytes)
}

/// Whether retries can be counted in a header of this name.
pub(crate) fn check_count(name: &HeaderName) -> Result<(), RetryCountError> {
    let taken = TAKEN.into_iter().find(|taken| name.as_str().eq_ignore_ascii_case(taken));
    taken.map_or(Ok(()), |name| Err(RetryCountError { name }))
}
