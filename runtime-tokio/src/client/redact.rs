//! reqwest's errors without the secrets of the URLs that they name.

use core::error::Error as StdError;
use core::fmt;

use url::Url;

use crate::redact::Redacted;

/// `url` without its secrets; `None` for one without a host, of which nobody knows what it may hold.
fn redacted(mut url: Url) -> Option<Url> {
    if url.host_str().is_none_or(str::is_empty) {
        return None;
    }
    // Both fail only for a URL that cannot have them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

/// Whether `named` is the URL of a request to `url`; reqwest moves userinfo into a header, and out of the URL.
pub(crate) fn is_same(named: &Url, url: &str) -> bool {
    let plain = |url: &Url| {
        let mut url = url.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url
    };
    named.as_str() == url || Url::parse(url).is_ok_and(|url| plain(&url) == plain(named))
}

/// The client's error without the secrets of the URL that it names.
pub(crate) fn without_secrets(mut error: reqwest::Error) -> reqwest::Error {
    let Some(url) = error.url_mut() else { return error };
    match redacted(url.clone()) {
        Some(redacted) => *url = redacted,
        None => return error.without_url(),
    }
    error
}

/// Stands for an error of the client's that holds another one with a secret in its URL, where nobody can change it.
///
/// reqwest has one such: a redirect that `https_only` forbids.
#[derive(Debug)]
pub(crate) struct Withheld {
    /// What the error says without its secrets.
    text: String,
}

impl Withheld {
    pub(crate) fn of(error: &reqwest::Error) -> Option<Self> {
        let inner = error.source()?.downcast_ref::<reqwest::Error>()?;
        let url = inner.url()?;
        if redacted(url.clone()).as_ref() == Some(url) {
            return None;
        }
        Some(Self { text: format!("error following redirect to {}", Redacted(url.as_str())) })
    }
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Withheld {}
