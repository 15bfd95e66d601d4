//! Clients for loopback: nothing of the environment (proxies, the system's names) has a say in them.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::sync::Once;

use conformance::server::Server;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Certificate, Client, ClientBuilder};
use retry_core::Policy;
use runtime_tokio::client_builder;
use socket2::{Domain, Socket, Type};

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

/// A policy whose waits are zero.
pub(crate) fn instant(max_retries: u32) -> Policy {
    let policy = Policy::API.edit().base_delay(Duration::ZERO).max_retries(max_retries).build();
    policy.expect("the policy is valid")
}

/// An address of loopback that refuses connections for as long as the socket lives.
pub(crate) fn refused() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("loopback has free ports");
    let addr = socket.local_addr().ok().and_then(|addr| addr.as_socket()).expect("a bound socket has an address");
    (socket, addr)
}
