//! URLs without their secrets.

use core::fmt;

use reqwest::Url;

/// A URL as it may be printed: scheme, host, port and path. Userinfo, query and fragment are left out.
pub(crate) struct Redacted<'a>(pub(crate) &'a str);

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(url) = Url::parse(self.0) else { return f.write_str("(not an absolute URL)") };
        write!(f, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        if let Some(port) = url.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(url.path())
    }
}

impl fmt::Debug for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// The same as a URL, for an error that carries one.
pub(crate) fn redacted(mut url: Url) -> Url {
    // Both fail only for a URL that cannot have them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url
}
