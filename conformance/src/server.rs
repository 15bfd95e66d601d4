//! A scripted server on loopback, on plain threads and blocking sockets: a test of any runtime can use it.
//!
//! The script has one [`Reply`] per request, counted over all connections; its last step repeats. The server records
//! what it reads. Dropping it ends its connections, stalled ones too, and waits for its threads.
//!
//! ```
//! use conformance::server::{Fault, Point, Reply, Server};
//!
//! let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(200).body("ok")]);
//! assert!(server.url("/page").starts_with("http://127.0.0.1:"));
//! assert_eq!(server.sends(), 0);
//! ```

use core::net::{Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use socket2::{Domain, Socket, Type};

mod connection;
#[cfg(feature = "h2")]
mod h2;
mod http1;
#[cfg(feature = "proxies")]
mod proxy;
mod record;
mod reply;
mod request;
#[cfg(feature = "tls")]
mod tls;

use connection::Connection;
#[cfg(feature = "h2")]
pub use h2::StreamFault;
#[cfg(feature = "proxies")]
pub use proxy::{Proxy, ProxyRequest, Via};
pub use record::Received;
use record::Record;
pub use reply::{Fault, Framing, Point, Reply};
#[cfg(feature = "tls")]
pub use tls::Tls;

/// A running server; dropping it stops it.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a plain HTTP/1 server. The default settings of [`Builder`] hold.
    ///
    /// # Panics
    ///
    /// If the script is empty, or loopback cannot be listened on.
    pub fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::builder().script(script).start()
    }

    /// A server with settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The URL of `path`, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.shared.scheme(), self.addr)
    }

    /// Every request of which at least a byte was read, in the order of the script.
    pub fn requests(&self) -> Vec<Received> {
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

    /// How many [`Fault::Stall`]s were reached, in TLS handshakes too. What goes out before one is written by then.
    pub fn stalls(&self) -> usize {
        self.shared.record.stalls()
    }

    /// Accepts what connected so far and no more, and waits until the clients have ended every connection: what was
    /// seen is final then.
    ///
    /// # Panics
    ///
    /// If loopback cannot be connected to, or a thread of the server panicked.
    pub fn finish(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        // Connections are accepted in their order, so this one comes after all others. It is announced by its address.
        let last = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
        last.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("loopback has free ports");
        self.shared.record.announce_last(last.local_addr().ok().and_then(|addr| addr.as_socket()));
        last.connect(&self.addr.into()).expect("the server is listening");
        acceptor.join().expect("a thread of the server panicked");
    }

    /// The certificate of the authority that a client has to trust, as PEM.
    ///
    /// # Panics
    ///
    /// If the server does not speak TLS.
    #[cfg(feature = "tls")]
    pub fn ca_pem(&self) -> &str {
        self.shared.tls.as_ref().expect("the server speaks TLS").ca_pem()
    }

    /// The certificate of [`ca_pem`](Self::ca_pem) as DER.
    ///
    /// # Panics
    ///
    /// If the server does not speak TLS.
    #[cfg(feature = "tls")]
    pub fn ca_der(&self) -> &[u8] {
        self.shared.tls.as_ref().expect("the server speaks TLS").ca_der()
    }

    /// Ends every open connection, stalled ones too. The server goes on.
    pub fn hang_up(&self) {
        self.shared.record.hang_up();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.record.stop();
        // Wakes the acceptor. Where this fails, the backlog is full, and the acceptor is awake.
        drop(TcpStream::connect_timeout(&self.addr, Duration::from_millis(50)));
        let stopped = self.acceptor.take().map_or(Ok(()), JoinHandle::join);
        if !thread::panicking() {
            stopped.expect("a thread of the server panicked");
        }
    }
}

/// The settings of a [`Server`]. By default it speaks HTTP/1 without TLS on any number of connections.
#[derive(Debug, Default)]
pub struct Builder {
    script: Vec<Reply>,
    one_connection_at_a_time: bool,
    listener: Option<TcpListener>,
    #[cfg(feature = "tls")]
    tls: Vec<Tls>,
    #[cfg(feature = "h2")]
    http2: bool,
}

impl Builder {
    /// The replies, one per request; the last one repeats.
    #[must_use]
    pub fn script(mut self, script: impl IntoIterator<Item = Reply>) -> Self {
        self.script = script.into_iter().collect();
        self
    }

    /// Serves a connection to its end before the next is accepted.
    #[must_use]
    pub fn one_connection_at_a_time(mut self) -> Self {
        self.one_connection_at_a_time = true;
        self
    }

    /// Accepts from this listener, in place of one on a free port of loopback.
    #[must_use]
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Speaks TLS: one step per connection; the last one repeats.
    ///
    /// A connection whose handshake fails uses up no step of the script.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, steps: impl IntoIterator<Item = Tls>) -> Self {
        self.tls = steps.into_iter().collect();
        self
    }

    /// Speaks HTTP/2: in plain text with prior knowledge, over TLS by ALPN.
    ///
    /// Of a reply's framings, `Declared` and `Raw` have a meaning here; the others are the plain body. A [`Fault`] hits
    /// the whole connection, a [`StreamFault`] one request. The record of a request has no head.
    #[cfg(feature = "h2")]
    #[must_use]
    pub fn http2(mut self) -> Self {
        self.http2 = true;
        self
    }

    /// Starts the server.
    ///
    /// # Panics
    ///
    /// If the script is empty, or loopback cannot be listened on.
    pub fn start(self) -> Server {
        assert!(!self.script.is_empty(), "a script has at least one step");
        let listener =
            self.listener.unwrap_or_else(|| TcpListener::bind(("127.0.0.1", 0)).expect("loopback can be listened on"));
        let addr = listener.local_addr().expect("a listener has an address");
        let one_at_a_time = self.one_connection_at_a_time;
        #[cfg(feature = "tls")]
        let alpn = "http/1.1";
        #[cfg(all(feature = "tls", feature = "h2"))]
        let alpn = if self.http2 { "h2" } else { alpn };
        let shared = Arc::new(Shared {
            script: self.script,
            record: Record::new(),
            #[cfg(feature = "tls")]
            tls: (!self.tls.is_empty()).then(|| tls::Acceptor::new(&self.tls, alpn)),
            #[cfg(feature = "h2")]
            http2: self.http2,
        });
        let acceptor = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared, one_at_a_time)
        });
        Server { addr, shared, acceptor: Some(acceptor) }
    }
}

/// What the threads of a server share: what it was told, and what it saw.
#[derive(Debug)]
struct Shared {
    script: Vec<Reply>,
    record: Record,
    #[cfg(feature = "tls")]
    tls: Option<tls::Acceptor>,
    #[cfg(feature = "h2")]
    http2: bool,
}

impl Shared {
    fn scheme(&self) -> &'static str {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            return "https";
        }
        "http"
    }
}

fn accept(listener: &TcpListener, shared: &Shared, one_at_a_time: bool) {
    thread::scope(|scope| {
        while !shared.record.stopped() {
            let Ok((socket, client)) = listener.accept() else {
                // Out of descriptors, most likely: others must end first.
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            if shared.record.is_last(client) {
                return;
            }
            let Some(connection) = Connection::open(shared, socket) else { continue };
            if one_at_a_time {
                connection.serve();
            } else {
                scope.spawn(|| connection.serve());
            }
        }
    });
}
