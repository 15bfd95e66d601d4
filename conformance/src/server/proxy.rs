//! Scripted proxies on loopback, for HTTP and for SOCKS5.
//!
//! They know no DNS and lead nowhere but to loopback. What they pass on, they pass on as it comes, faults too.

use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::Fault;
use password::Password;
pub use record::ProxyRequest;
use record::Record;
use settings::Settings;
use visit::Visit;

mod http;
mod password;
mod record;
mod response;
mod settings;
mod socks5;
mod target;
mod tunnel;
mod visit;

/// What a proxy does with one request, after it has read its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// It leads to the target. Where that cannot be reached, the answer is a 502, or a SOCKS5 reply that says why.
    Pass,
    /// HTTP only: the proxy itself answers with this status, and the connection stays alive.
    ///
    /// A 407 asks for a password. A 2xx after CONNECT has no tunnel behind it: the connection ends.
    Status(u16),
    /// HTTP only: like [`Status`](Self::Status), with these header lines. [`answer`](Self::answer) makes one.
    ///
    /// `Connection: close` is kept to. A `Content-Length` stands for itself: there is no body then.
    Answer {
        /// The status code, which goes out as it is.
        status: u16,
        /// Names and values, which go out as they are.
        headers: Vec<(String, String)>,
    },
    /// SOCKS5 only: this reply code (RFC 1928, section 6), then the end of the connection. 0 claims success.
    Refuse(u8),
    /// These bytes instead of an answer, then the end of the connection.
    Raw(Vec<u8>),
    /// The fault strikes instead of an answer.
    Fault(Fault),
}

impl Via {
    /// The proxy itself answers with this status and these header lines.
    pub fn answer<'a>(status: u16, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self::Answer { status, headers }
    }
}

/// A running proxy; dropping it stops it.
///
/// The script has one [`Via`] per request, counted over all connections; its last step repeats. Requests without the
/// right [`password`](Self::password) use up no step.
///
/// A connection on which nothing moves for 10 s ends, and a stalled one does so too.
///
/// ```
/// use conformance::server::{Proxy, Reply, Server, Via};
///
/// let origin = Server::start([Reply::status(200)]);
/// let proxy = Proxy::http([Via::Status(503), Via::Pass]).resolve("origin.test", origin.addr()).password("me", "secret");
/// assert!(proxy.url().starts_with("http://127.0.0.1:"));
/// assert_eq!(proxy.sends(), 0);
/// ```
pub struct Proxy {
    addr: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts an HTTP proxy. It tunnels what it is asked for with CONNECT, and forwards requests for `http://` URLs.
    ///
    /// A forwarded request goes out on a connection of its own, without its hop-by-hop headers and with a length in
    /// place of chunks; header bytes that are not UTF-8 are replaced. Its response comes back byte for byte.
    ///
    /// # Panics
    ///
    /// If the script is empty or has a step of SOCKS5, or loopback cannot be listened on.
    pub fn http(script: impl IntoIterator<Item = Via>) -> Self {
        let script: Vec<_> = script.into_iter().collect();
        assert!(!script.iter().any(|via| matches!(via, Via::Refuse(_))), "HTTP has no SOCKS5 replies");
        Self::start(Protocol::Http, script)
    }

    /// Starts a SOCKS5 proxy (RFC 1928, 1929). Of the commands, it knows CONNECT.
    ///
    /// # Panics
    ///
    /// If the script is empty or has a step of HTTP, or loopback cannot be listened on.
    pub fn socks5(script: impl IntoIterator<Item = Via>) -> Self {
        let script: Vec<_> = script.into_iter().collect();
        let of_http = |via: &Via| matches!(via, Via::Status(_) | Via::Answer { .. });
        assert!(!script.iter().any(of_http), "SOCKS5 has no statuses");
        Self::start(Protocol::Socks5, script)
    }

    /// Wants this password of every request from now on. Others get a 407, or the refusal of SOCKS5.
    #[must_use]
    pub fn password(self, user: &str, password: &str) -> Self {
        self.shared.settings.set_password(Password::new(user, password));
        self
    }

    /// Leads to `addr` from now on where a client asks for `host`, in any case and with any port.
    ///
    /// Of other names, the proxy knows `localhost`.
    #[must_use]
    pub fn resolve(self, host: &str, addr: SocketAddr) -> Self {
        self.shared.settings.resolve(host, addr);
        self
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The URL of the proxy, `http://` or `socks5h://`: clients leave names to it.
    pub fn url(&self) -> String {
        format!("{}://{}", self.shared.protocol.scheme(), self.addr)
    }

    /// The URL of the proxy with this password in it, right or wrong.
    pub fn url_with_password(&self, user: &str, password: &str) -> String {
        let password = Password::new(user, password).in_url();
        format!("{}://{password}@{}", self.shared.protocol.scheme(), self.addr)
    }

    /// Every request of which at least a byte was read, in the order of their first bytes.
    pub fn requests(&self) -> Vec<ProxyRequest> {
        self.shared.record.requests()
    }

    /// How many requests were begun: the length of [`requests`](Self::requests).
    pub fn sends(&self) -> usize {
        self.shared.record.sends()
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> usize {
        self.shared.record.connections()
    }

    /// How many [`Fault::Stall`]s were reached.
    pub fn stalls(&self) -> usize {
        self.shared.record.stalls()
    }

    /// Ends every open connection, tunnels and stalled ones too. The proxy goes on.
    pub fn hang_up(&self) {
        self.shared.record.hang_up();
    }

    fn start(protocol: Protocol, script: Vec<Via>) -> Self {
        assert!(!script.is_empty(), "a script has at least one step");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback can be listened on");
        let addr = listener.local_addr().expect("a listener has an address");
        let shared = Arc::new(Shared { protocol, script, record: Record::new(), settings: Settings::default() });
        let acceptor = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { addr, shared, acceptor: Some(acceptor) }
    }
}

/// Shows no password, and no header that has one.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").field("url", &self.url()).finish_non_exhaustive()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.record.stop();
        // Wakes the acceptor. Where this fails, the backlog is full, and the acceptor is awake.
        drop(TcpStream::connect_timeout(&self.addr, Duration::from_millis(50)));
        let stopped = self.acceptor.take().map_or(Ok(()), JoinHandle::join);
        if !thread::panicking() {
            stopped.expect("a thread of the proxy panicked");
        }
    }
}

/// What the threads of a proxy share: what it was told, and what it saw.
struct Shared {
    protocol: Protocol,
    script: Vec<Via>,
    record: Record,
    settings: Settings,
}

#[derive(Clone, Copy)]
enum Protocol {
    Http,
    Socks5,
}

impl Protocol {
    fn scheme(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Socks5 => "socks5h",
        }
    }
}

fn accept(listener: &TcpListener, shared: &Shared) {
    thread::scope(|scope| {
        while !shared.record.stopped() {
            let Ok((socket, _)) = listener.accept() else {
                // Out of descriptors, most likely: others must end first.
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            let Some(visit) = Visit::open(shared, socket) else { continue };
            // Where there is no thread for it, the connection is closed together with the closure.
            drop(thread::Builder::new().spawn_scoped(scope, || visit.serve()));
        }
    });
}
