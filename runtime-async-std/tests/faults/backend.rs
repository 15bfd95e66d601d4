//! The clients that surf can be built with.

use core::time::Duration;

use conformance::server::Server;
use surf::Client;

/// What sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    /// surf's HTTP/1 client with a connection for each send.
    H1,
    /// The same, keeping connections, which is its default.
    H1Kept,
    /// libcurl with a connection for each send.
    Curl,
}

impl Backend {
    /// Those that are built in.
    pub(crate) fn here() -> Vec<Self> {
        let mut all = Vec::new();
        if cfg!(any(feature = "h1", feature = "h1-tls")) {
            all.extend([Self::H1, Self::H1Kept]);
        }
        if cfg!(feature = "curl") {
            all.push(Self::Curl);
        }
        all
    }

    /// Whether it speaks TLS here.
    pub(crate) const fn has_tls(self) -> bool {
        match self {
            Self::H1 | Self::H1Kept => cfg!(feature = "h1-tls"),
            Self::Curl => true,
        }
    }

    /// A fresh client, with connections of its own.
    pub(crate) fn client(self, timeout: Option<Duration>, trusted: Option<&Server>) -> Client {
        match self {
            #[cfg(any(feature = "h1", feature = "h1-tls"))]
            Self::H1 | Self::H1Kept => h1(self == Self::H1Kept, timeout, trusted),
            #[cfg(feature = "curl")]
            Self::Curl => curl(timeout, trusted),
            #[cfg(not(all(any(feature = "h1", feature = "h1-tls"), feature = "curl")))]
            _ => unreachable!("{self:?} is not built in"),
        }
    }
}

#[cfg(any(feature = "h1", feature = "h1-tls"))]
fn h1(kept: bool, timeout: Option<Duration>, trusted: Option<&Server>) -> Client {
    let config = http_client::Config::new().set_http_keep_alive(kept).set_timeout(timeout);
    #[cfg(feature = "h1-tls")]
    let config = match trusted {
        Some(server) => {
            let authority = async_native_tls::Certificate::from_pem(server.ca_pem().as_bytes()).expect("a certificate");
            let connector = async_native_tls::TlsConnector::new().add_root_certificate(authority);
            config.set_tls_config(Some(std::sync::Arc::new(connector)))
        }
        None => config,
    };
    let _ = trusted;
    Client::with_http_client(http_client::h1::H1Client::try_from(config).expect("a client can be built"))
}

#[cfg(feature = "curl")]
fn curl(timeout: Option<Duration>, trusted: Option<&Server>) -> Client {
    use core::sync::atomic::{AtomicU32, Ordering};

    use http_client::isahc::IsahcClient;
    use isahc::config::{CaCertificate, Configurable};

    static FILES: AtomicU32 = AtomicU32::new(0);
    let mut client = isahc::HttpClient::builder().connection_cache_size(0).proxy(None);
    if let Some(timeout) = timeout {
        client = client.timeout(timeout);
    }
    if let Some(server) = trusted {
        let name = format!("authority-{}-{}.pem", std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&file, server.ca_pem()).expect("the authority can be written");
        client = client.ssl_ca_certificate(CaCertificate::file(file));
    }
    Client::with_http_client(IsahcClient::from_client(client.build().expect("a client can be built")))
}
