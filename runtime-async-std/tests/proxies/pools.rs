//! What the tests build their pools of.

use core::net::SocketAddr;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use conformance::server::{Proxy, Server, Via};
use retry_core::{Jitter, Policy};
use runtime_async_std::isahc::config::{CaCertificate, Configurable};
use runtime_async_std::{PoolBuilder, ProxyClientBuilder, Retry};
use surf::Url;

use crate::skip::SkipTimer;

pub(crate) fn pool(entries: Vec<String>) -> PoolBuilder<SkipTimer> {
    pool_with(entries, |_, builder| builder)
}

pub(crate) fn pool_with(
    entries: Vec<String>,
    configure: impl Fn(&Url, ProxyClientBuilder) -> ProxyClientBuilder + 'static,
) -> PoolBuilder<SkipTimer> {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    Retry::with_timer(policy.expect("a valid policy"), SkipTimer::default()).proxies(entries, configure)
}

/// A pool whose clients trust a server's authority.
pub(crate) fn trusting(entries: Vec<String>, server: &Server) -> PoolBuilder<SkipTimer> {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let name = format!("pool-{}-{}.pem", std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, server.ca_pem()).expect("the authority can be written");
    pool_with(entries, move |_, builder| builder.ssl_ca_certificate(CaCertificate::file(&file)))
}

pub(crate) fn live(count: usize) -> Vec<Proxy> {
    (0..count).map(|_| Proxy::http([Via::Pass])).collect()
}

pub(crate) fn urls(proxies: &[Proxy]) -> Vec<String> {
    proxies.iter().map(Proxy::url).collect()
}

/// A port on which nobody listens, for as long as the socket is kept.
pub(crate) fn dead() -> (socket2::Socket, String) {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).expect("a free port");
    let addr = socket.local_addr().ok().and_then(|addr| addr.as_socket()).expect("an address");
    (socket, format!("http://{addr}"))
}

pub(crate) fn sends(proxies: &[Proxy]) -> Vec<usize> {
    proxies.iter().map(Proxy::sends).collect()
}
