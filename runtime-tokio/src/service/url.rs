//! Where a request goes, as far as it tells that itself.

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Request};

/// The URL of `request`. One whose URI is a path alone goes to the authority of its `Host` header, over `http` as far as
/// anybody can tell; without a usable one it is the path alone.
pub(crate) fn url<B>(request: &Request<B>) -> String {
    let uri = request.uri();
    // `OPTIONS *` is for the server as a whole (RFC 9110 9.3.7).
    let path = uri.path_and_query().map_or("", |path| path.as_str()).trim_start_matches('*');
    match (uri.scheme_str(), uri.authority().or(host(request.headers()).as_ref())) {
        (Some(_), _) => uri.to_string(),
        (None, Some(authority)) => format!("http://{authority}{path}"),
        (None, None) => path.to_owned(),
    }
}

/// The authority of the only `Host`: with several, nobody knows where a request goes.
fn host(headers: &HeaderMap) -> Option<Authority> {
    let mut lines = headers.get_all(HOST).iter();
    let (host, None) = (lines.next()?, lines.next()) else { return None };
    Authority::try_from(host.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The URL of a request with this URI and these `Host` headers.
    fn of(uri: &str, hosts: &[&[u8]]) -> String {
        let mut request = Request::new(());
        *request.uri_mut() = uri.parse().unwrap_or_else(|error| panic!("{uri}: {error}"));
        for host in hosts {
            request
                .headers_mut()
                .append(HOST, http::HeaderValue::from_bytes(host).unwrap_or_else(|_| panic!("{host:?}")));
        }
        url(&request)
    }

    #[test]
    fn a_uri_with_a_scheme_is_the_url() {
        for uri in ["http://host/path?query", "https://user:secret@host:8443/", "HTTP://[::1]:80/", "ftp://host/"] {
            assert_eq!(of(uri, &[b"other"]), uri.replace("HTTP", "http"), "{uri}");
        }
    }

    #[test]
    fn a_path_goes_to_its_host() {
        assert_eq!(of("/path?query", &[b"host"]), "http://host/path?query");
        assert_eq!(of("/", &[b"host:8080"]), "http://host:8080/");
        assert_eq!(of("*", &[b"host:80"]), "http://host:80");
        assert_eq!(of("*", &[]), "");
        // The target of a CONNECT.
        assert_eq!(of("host:443", &[b"other"]), "http://host:443");
    }

    #[test]
    fn without_a_usable_host_the_path_is_all_there_is() {
        let unusable: [&[&[u8]]; 7] =
            [&[], &[b""], &[b"a b"], &[b"\xff\xfe"], &[b"host/path"], &[b"a?b#c"], &[b"one", b"two"]];
        for hosts in unusable {
            assert_eq!(of("/path?query", hosts), "/path?query", "{hosts:?}");
        }
    }
}
