//! What a request was for, without its secrets.

use core::fmt;

use http::Method;
use reqwest::{Request, Url};

use crate::redact::Redacted;

/// The method and URL of a request.
pub(crate) struct Target {
    method: Method,
    url: Url,
}

impl Target {
    pub(crate) fn of(request: &Request) -> Self {
        Self { method: request.method().clone(), url: request.url().clone() }
    }
}

impl Target {
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, Redacted(&self.url))
    }
}
