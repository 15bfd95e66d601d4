//! The headers that a call adds to its request.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use retry_core::Try;

use crate::call::Settings;
use crate::fault::{Fault, Full};
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
        let value = value.map_err(Fault::Key)?;
        headers.try_entry(key::HEADER).map_err(|_| Fault::Full(Full))?.or_insert(value);
    }
    let count = retry.extras.as_deref().and_then(|extras| extras.retry_count.clone());
    if let Some(name) = count.as_deref() {
        check_count(name).map_err(Fault::RetryCount)?;
        headers.try_reserve(1).map_err(|_| Fault::Full(Full))?;
    }
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
