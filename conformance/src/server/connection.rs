//! The life of one connection, whatever is spoken on it.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;

use socket2::SockRef;

#[cfg(feature = "h2")]
use super::h2;
use super::record::Record;
use super::{Fault, Reply, Shared, http1};

/// An accepted connection.
pub(super) struct Connection<'a> {
    shared: &'a Shared,
    socket: TcpStream,
    number: usize,
}

/// How the server leaves a connection.
pub(super) enum Ending {
    /// FIN. What the client still sends is read for a moment: unread bytes would turn the close into a reset.
    Close,
    /// FIN, and nobody listens any more.
    Drop,
    /// RST.
    Reset,
}

/// An error is the client's: it is gone, or what it says makes no sense.
impl From<io::Error> for Ending {
    fn from(_: io::Error) -> Self {
        Self::Close
    }
}

impl Ending {
    /// Brings a connection to this end, as far as that is done before its socket is closed. `client` reads from it.
    pub(super) fn end(self, socket: &TcpStream, client: &mut impl Read) {
        match self {
            Self::Close => {
                let idle = Some(Duration::from_millis(20));
                if socket.shutdown(Shutdown::Write).is_ok() && socket.set_read_timeout(idle).is_ok() {
                    ignore(client);
                }
            }
            Self::Drop => {}
            Self::Reset => drop(SockRef::from(socket).set_linger(Some(Duration::ZERO))),
        }
    }
}

/// What is spoken through: the socket itself, or TLS over it.
pub(super) trait Wire: Read + Write {
    /// Says good-bye, where the protocol has a word for it.
    fn finish(&mut self) -> io::Result<()>;
}

impl Wire for &TcpStream {
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> Connection<'a> {
    /// Counts the connection; `None` if the server has stopped, or the connection is gone already.
    pub(super) fn open(shared: &'a Shared, socket: TcpStream) -> Option<Self> {
        socket.set_nodelay(true).ok()?;
        let number = shared.record.open(socket.try_clone().ok()?)?;
        Some(Self { shared, socket, number })
    }

    /// Serves the connection to its end.
    pub(super) fn serve(self) {
        self.talk().err().unwrap_or(Ending::Close).end(&self.socket, &mut &self.socket);
        // The socket is closed with its last handle: this one first, then `self`.
        self.shared.record.close(self.number);
    }

    /// Counts a request, and gives its number and its step of the script.
    pub(super) fn begin(&self) -> (usize, &'a Reply) {
        let request = self.shared.record.begin(self.number);
        let script = &self.shared.script;
        (request, &script[request.min(script.len() - 1)])
    }

    /// What the server saw.
    pub(super) fn record(&self) -> &'a Record {
        &self.shared.record
    }

    /// Lets a fault strike, if there is one.
    pub(super) fn strike(&self, fault: Option<Fault>) -> Result<(), Ending> {
        match fault {
            None => Ok(()),
            Some(Fault::Close) => Err(Ending::Close),
            Some(Fault::Reset) => Err(Ending::Reset),
            Some(Fault::Stall) => {
                self.shared.record.stall();
                ignore(&mut &self.socket);
                Err(Ending::Close)
            }
        }
    }

    /// Speaks HTTP.
    pub(super) fn speak(&self, wire: &mut dyn Wire) -> Result<(), Ending> {
        #[cfg(feature = "h2")]
        if self.shared.http2 {
            return h2::serve(self, wire);
        }
        http1::serve(self, wire)
    }

    fn talk(&self) -> Result<(), Ending> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.shared.tls {
            return tls.serve(self, self.number, &self.socket);
        }
        self.speak(&mut &self.socket)
    }
}

/// Reads until the client or [`hang_up`](super::Server::hang_up) ends the connection, or its read timeout passes.
pub(super) fn ignore(client: &mut impl Read) {
    let mut scrap = [0; 4096];
    while matches!(client.read(&mut scrap), Ok(1..)) {}
}

/// Writes all bytes, now.
pub(super) fn send(wire: &mut dyn Wire, bytes: &[u8]) -> io::Result<()> {
    wire.write_all(bytes)?;
    wire.flush()
}

/// Writes all bytes, with a pause before each if there is to be one.
pub(super) fn drip(wire: &mut dyn Wire, bytes: &[u8], pause: Option<Duration>) -> io::Result<()> {
    let Some(pause) = pause else { return send(wire, bytes) };
    for byte in bytes.chunks(1) {
        thread::sleep(pause);
        send(wire, byte)?;
    }
    Ok(())
}
