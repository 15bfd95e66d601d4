//! URLs without their secrets.

use core::fmt;

use url::Url;

/// A URL as it may be printed: scheme, host, port and path. Userinfo, query and fragment are left out.
pub(crate) struct Redacted<'a>(pub(crate) &'a str);

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(url) = Url::parse(self.0) else { return f.write_str("(not an absolute URL)") };
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            // Such as `user:password@host`, where the scheme was forgotten.
            return f.write_str("(not a URL with a host)");
        };
        write!(f, "{}://{host}", url.scheme())?;
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
