//! The headers that a call adds to its request.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use retry_core::Try;

use crate::call::Settings;
use crate::fault::Fault;
use crate::key::{self, IdempotencyKey};
use crate::retry::Retry;
use crate::vendor::check_count;

/// Adds what is the same at every send, unless it is there, and gives the name of the header that is not: it tells the
/// number of earlier sends.
pub(crate) fn prepare<T>(
    headers: &mut HeaderMap,
    retry: &Retry<T>,
    settings: &Settings,
) -> Result<Option<Arc<HeaderName>>, Fault> {
    if let Some(value) = settings.get(|own| own.key.as_ref().map(IdempotencyKey::header)) {
        headers.entry(key::HEADER).or_insert(value.map_err(Fault::Key)?);
    }
    let count = retry.extras.as_deref().and_then(|extras| extras.retry_count.clone());
    count.as_deref().map_or(Ok(()), check_count).map_err(Fault::RetryCount)?;
    Ok(count)
}

/// Tells the server how often the request was sent before.
pub(crate) fn count(headers: &mut HeaderMap, name: Option<&HeaderName>, this: Try) {
    if let Some(name) = name
        && this.number > 1
    {
        headers.insert(name, HeaderValue::from(this.number - 1));
    }
}
