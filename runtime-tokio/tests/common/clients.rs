//! Clients for loopback: nothing of the environment (proxies, the system's names) has a say in them.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Once;

use conformance::server::Server;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Certificate, Client, ClientBuilder};
use runtime_tokio::client_builder;

/// [`client_builder`] with a TLS provider, and without the environment's proxies.
pub(crate) fn builder() -> ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    client_builder().no_proxy().tls_certs_only([])
}

/// A fresh client, with connections of its own.
pub(crate) fn client() -> Client {
    builder().build().expect("a client can be built")
}

/// A client that trusts the authority of `server`.
pub(crate) fn trusting(server: &Server) -> ClientBuilder {
    let authority = Certificate::from_der(server.ca_der()).expect("the authority has a certificate");
    builder().tls_certs_only([authority])
}

/// A client that takes every name for loopback.
pub(crate) fn resolving(client: ClientBuilder) -> ClientBuilder {
    client.dns_resolver(Loopback)
}

struct Loopback;

impl Resolve for Loopback {
    fn resolve(&self, _: Name) -> Resolving {
        let addrs: Addrs = Box::new(core::iter::once(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)));
        Box::pin(async { Ok(addrs) })
    }
}
