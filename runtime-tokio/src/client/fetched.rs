//! A response whose body was read inside the attempt.

use core::error::Error;
use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Version};
use reqwest::{Response, ResponseBuilderExt, Url};
use serde::de::DeserializeOwned;

use crate::client::fault::ClientFault;
use crate::redact::Redacted;

/// A response with its whole body.
///
/// Only where the call ended on a status that the policy retries, and the body broke off under it, is the body what
/// came until then; [`complete`](Self::complete) tells.
///
/// ```
/// # async fn example(client: reqwest::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use retry_core::Policy;
/// use runtime_tokio::RetryExt;
///
/// let page = client.get("http://localhost/numbers").with_retry(Policy::API).fetch().await?;
/// let numbers: Vec<u32> = page.json()?;
/// # Ok(())
/// # }
/// ```
pub struct Fetched {
    head: Response,
    body: Bytes,
    fault: Option<Arc<ClientFault>>,
}

impl Fetched {
    /// `fault`: what broke the body off.
    pub(crate) fn new(head: Response, body: Bytes, fault: Option<ClientFault>) -> Self {
        Self { head, body, fault: fault.map(Arc::new) }
    }

    pub(crate) fn head(&self) -> &Response {
        &self.head
    }

    pub(crate) fn head_mut(&mut self) -> &mut Response {
        &mut self.head
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.head.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.head.headers()
    }

    /// The version of HTTP that the server spoke.
    pub fn version(&self) -> Version {
        self.head.version()
    }

    /// The URL that answered, after redirects.
    pub fn url(&self) -> &Url {
        self.head.url()
    }

    /// The body, or what came of it.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Whether the whole body is there.
    ///
    /// # Errors
    ///
    /// What broke it off.
    pub fn complete(&self) -> Result<(), BodyError> {
        self.fault.as_ref().map_or(Ok(()), |fault| Err(BodyError::BrokenOff(BrokenOff(Arc::clone(fault)))))
    }

    /// The body as UTF-8 text, with U+FFFD in place of bytes that are none.
    ///
    /// # Errors
    ///
    /// [`BodyError::BrokenOff`] if a part of it is missing.
    pub fn text(&self) -> Result<Cow<'_, str>, BodyError> {
        self.complete()?;
        Ok(String::from_utf8_lossy(&self.body))
    }

    /// The body read as JSON.
    ///
    /// # Errors
    ///
    /// [`BodyError::BrokenOff`] if a part of it is missing, [`BodyError::Json`] if it is not what was expected.
    pub fn json<V: DeserializeOwned>(&self) -> Result<V, BodyError> {
        self.complete()?;
        serde_json::from_slice(&self.body).map_err(BodyError::Json)
    }

    /// reqwest's own response, with what was read as its body.
    pub fn into_response(self) -> Response {
        let carrier = http::Response::builder().url(self.head.url().clone()).body(());
        let (mut parts, _) = http::Response::from(self.head).into_parts();
        if let Ok(carrier) = carrier {
            parts.extensions.extend(carrier.into_parts().0.extensions);
        }
        http::Response::from_parts(parts, self.body).into()
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched")
            .field("url", &Redacted(self.url().as_str()))
            .field("status", &self.status())
            .field("bytes", &self.body.len())
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

/// Why a body cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyError {
    /// A part of it is missing.
    BrokenOff(BrokenOff),
    /// It is not the JSON that was expected.
    Json(serde_json::Error),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BrokenOff(_) => f.write_str("the body broke off"),
            Self::Json(_) => f.write_str("the body is not the JSON that was expected"),
        }
    }
}

impl Error for BodyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::BrokenOff(error) => Some(error.0.as_error()),
            Self::Json(error) => Some(error),
        }
    }
}

/// What broke a body off; see [`BodyError`]'s source.
#[derive(Clone, Debug)]
pub struct BrokenOff(Arc<ClientFault>);
