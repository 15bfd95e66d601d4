//! The client of one proxy: an isahc client, with the feature `curl`.

#[cfg(feature = "curl")]
pub use isahc::HttpClientBuilder as ProxyClientBuilder;
use surf::{Client, Url};

use crate::pool_builder::{Configure, PoolError};

/// What is configured of the client of a proxy: isahc's builder, with the feature `curl`. Without it there is none.
#[cfg(not(feature = "curl"))]
#[derive(Clone, Copy, Debug)]
pub enum ProxyClientBuilder {}

/// The client of `proxy`.
#[cfg(feature = "curl")]
pub(crate) fn build(proxy: &Url, name: &str, configure: &Configure) -> Result<Client, PoolError> {
    use http_client::isahc::IsahcClient;
    use isahc::config::Configurable;
    use surf::Config;

    let wrong = |error: isahc::Error| PoolError::Client { proxy: name.to_owned(), error };
    let address: isahc::http::Uri =
        address(proxy).parse().map_err(|error| wrong(isahc::http::Error::from(error).into()))?;
    // No host is left out, whatever `no_proxy` says in the environment. As in `client_config`, no connection is kept.
    let builder = isahc::HttpClient::builder().connection_cache_size(0);
    let builder = builder.proxy(address).proxy_blacklist(None::<String>);
    let client = IsahcClient::from_client(configure(proxy, builder).build().map_err(wrong)?);
    Client::try_from(Config::new().set_http_client(client)).map_err(wrong)
}

/// Without libcurl, surf has nobody who knows what a proxy is.
#[cfg(not(feature = "curl"))]
pub(crate) fn build(_: &Url, _: &str, _: &Configure) -> Result<Client, PoolError> {
    Err(PoolError::NeedsCurl)
}

/// A proxy as libcurl is told of it. The port is always there: libcurl's own default is that of SOCKS, for `http`, too.
#[cfg(feature = "curl")]
fn address(proxy: &Url) -> String {
    let user = match (proxy.username(), proxy.password()) {
        ("", None) => String::new(),
        (user, None) => format!("{user}@"),
        (user, Some(password)) => format!("{user}:{password}@"),
    };
    let port = proxy.port_or_known_default().map_or(String::new(), |port| format!(":{port}"));
    format!("{}://{user}{}{port}", proxy.scheme(), proxy.host_str().unwrap_or_default())
}

#[cfg(all(test, feature = "curl"))]
mod tests {
    use surf::Url;

    #[test]
    fn libcurl_is_always_told_the_port() {
        let cases = [
            ("http://p1", "http://p1:80"),
            ("http://p1:8080/", "http://p1:8080"),
            ("https://me@p1:443", "https://me@p1:443"),
            ("http://me:a%40b@[::1]:3128", "http://me:a%40b@[::1]:3128"),
            // libcurl's own default.
            ("socks5h://p1", "socks5h://p1"),
            ("socks5://:secret@p1:1081", "socks5://:secret@p1:1081"),
        ];
        for (entry, address) in cases {
            assert_eq!(super::address(&Url::parse(entry).unwrap()), address);
        }
    }
}
