//! The life of one connection to a proxy, whatever is spoken on it.

use core::time::Duration;
use std::io::{self, Error, ErrorKind, Read};
use std::net::TcpStream;
use std::time::Instant;

use super::record::{Held, Record};
use super::target::{NoWay, Target};
use super::{Fault, Protocol, Shared, Via, http, socks5};
use crate::server::connection::{Ending, ignore};

/// How long nothing may move on a socket.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How long, and up to which number of bytes, a socket is read at all.
const LIFETIME: Duration = Duration::from_secs(600);
const SIZE_LIMIT: u64 = 4 << 30;

/// An accepted connection.
pub(super) struct Visit<'a> {
    pub(super) shared: &'a Shared,
    pub(super) socket: TcpStream,
    number: usize,
    _held: Held<'a>,
}

impl<'a> Visit<'a> {
    /// Counts the connection; `None` if the proxy has stopped or is full, or the connection is gone already.
    pub(super) fn open(shared: &'a Shared, socket: TcpStream) -> Option<Self> {
        set_up(&socket).ok()?;
        let held = shared.record.hold(&socket)?;
        Some(Self { shared, socket, number: shared.record.connect(), _held: held })
    }

    /// Serves the connection to its end.
    pub(super) fn serve(self) {
        let served = match self.shared.protocol {
            Protocol::Http => http::serve(&self),
            Protocol::Socks5 => socks5::serve(&self),
        };
        served.err().unwrap_or(Ending::Close).end(&self.socket, &mut Bounded::new(&self.socket));
    }

    /// What the proxy saw.
    pub(super) fn record(&self) -> &'a Record {
        &self.shared.record
    }

    /// Counts a request, and gives its number.
    pub(super) fn begin(&self) -> usize {
        self.shared.record.begin(self.number)
    }

    /// The next step of the script.
    pub(super) fn step(&self) -> &'a Via {
        let script = &self.shared.script;
        &script[self.shared.record.step().min(script.len() - 1)]
    }

    /// Lets a fault strike; `client` reads from the socket.
    pub(super) fn strike(&self, fault: Fault, client: &mut impl Read) -> Ending {
        match fault {
            Fault::Close => Ending::Close,
            Fault::Reset => Ending::Reset,
            Fault::Stall => {
                self.shared.record.stall();
                ignore(client);
                Ending::Close
            }
        }
    }

    /// Connects to the target of a request, which has this number.
    pub(super) fn dial(&self, target: &Target, number: usize) -> Result<Upstream<'a>, NoWay> {
        let addr = self.shared.settings.addr(target)?;
        let failed = |error: Error| NoWay::Failed(error.kind());
        let socket = TcpStream::connect_timeout(&addr, Duration::from_secs(2)).map_err(failed)?;
        set_up(&socket).map_err(failed)?;
        let held = self.shared.record.hold(&socket).ok_or(NoWay::Failed(ErrorKind::NotConnected))?;
        self.shared.record.note(number, |request| request.upstream = Some(addr));
        Ok(Upstream { socket, _held: held })
    }
}

/// A connection to a target.
pub(super) struct Upstream<'a> {
    pub(super) socket: TcpStream,
    _held: Held<'a>,
}

fn set_up(socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))
}

/// Reads a socket within bounds that hold over all reads; the timeout of a single one is the socket's.
pub(super) struct Bounded<'a> {
    socket: &'a TcpStream,
    until: Instant,
    left: u64,
}

impl<'a> Bounded<'a> {
    pub(super) fn new(socket: &'a TcpStream) -> Self {
        Self { socket, until: Instant::now() + LIFETIME, left: SIZE_LIMIT }
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 || Instant::now() >= self.until {
            // Not a timeout, after which a reader might try again.
            return Err(Error::other("too much, or for too long"));
        }
        let read = self.socket.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

/// Whether the error is that nothing came in time.
pub(super) fn is_timeout(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// How a client is left when its way to the target broke: a reset is passed on.
pub(super) fn broken(error: &Error) -> Ending {
    match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => Ending::Reset,
        _ => Ending::Close,
    }
}
