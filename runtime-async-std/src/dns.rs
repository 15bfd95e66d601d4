//! Names: what a client of one's own may say of them, and looking them up before a client that blocks does.

use core::error::Error;
use core::fmt;

use async_std::net::ToSocketAddrs;
use surf::Url;

/// Why a name was not resolved, as a client of one's own can say it so that nobody has to guess.
///
/// Return it, or an error that has it among its sources, from a [`surf::HttpClient`].
///
/// ```
/// use runtime_async_std::DnsFailure;
/// use surf::http::{Error, Request, Response, StatusCode};
///
/// #[derive(Debug)]
/// struct NothingHere;
///
/// #[async_trait::async_trait]
/// impl surf::HttpClient for NothingHere {
///     async fn send(&self, _: Request) -> Result<Response, Error> {
///         Err(Error::new(StatusCode::BadGateway, DnsFailure::NoSuchName))
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DnsFailure {
    /// There is no such name, or it has no address: asking again gives the same answer.
    NoSuchName,
    /// No answer for now.
    Temporary,
}

impl fmt::Display for DnsFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchName => "no such name",
            Self::Temporary => "the name cannot be resolved for now",
        })
    }
}

impl Error for DnsFailure {}

/// Whether names are looked up before a client is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LookUp {
    /// Where the client would block its thread, and the send may be ended meanwhile.
    #[default]
    WhereNeeded,
    Always,
    Never,
}

impl LookUp {
    pub(crate) fn is_due(self, is_watched: bool) -> bool {
        match self {
            Self::WhereNeeded => is_watched && cfg!(any(feature = "h1", feature = "h1-tls")) && !cfg!(feature = "curl"),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Whether the host of `url` is a name.
pub(crate) fn is_named(url: &Url) -> bool {
    url.domain().is_some()
}

/// Looks the host of `url` up on async-std's pool of blocking threads, where it holds nobody up.
///
/// What comes of it is of no interest: a client that resolves names itself finds the same a moment later, and one that
/// does not (a proxy's, a mock) does not care.
pub(crate) async fn look_up(url: &Url) {
    if let (Some(host), Some(port)) = (url.domain(), url.port_or_known_default()) {
        let _ = (host, port).to_socket_addrs().await;
    }
}
