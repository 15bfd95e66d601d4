//! What a request was for, without its secrets.

use core::fmt;
use std::sync::Arc;

use surf::Request;
use surf::http::Method;

use crate::redact::Redacted;

/// The method and URL of a request.
#[derive(Clone)]
pub(crate) struct Target {
    method: Method,
    url: Arc<str>,
}

impl Target {
    pub(crate) fn new(method: Method, url: &str) -> Self {
        Self { method, url: url.into() }
    }

    pub(crate) fn of(request: &Request) -> Self {
        Self::new(request.method(), request.url().as_str())
    }

    pub(crate) fn parts(&self) -> (Method, &str) {
        (self.method, &self.url)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, Redacted(&self.url))
    }
}
