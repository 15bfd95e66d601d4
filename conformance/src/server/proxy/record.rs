//! What a proxy saw, and which connections are open, to it and from it.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// More sockets than this are not open at a time: what comes then is turned away.
const OPEN_LIMIT: usize = 1024;

/// One request to a proxy, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyRequest {
    /// The method; empty if the head was not read. `CONNECT` with SOCKS5.
    pub method: String,
    /// The target: a URL, or `host:port` with `CONNECT`; empty like the method.
    pub target: String,
    /// The header lines in their order; bytes that are not UTF-8 are replaced. Empty with SOCKS5.
    pub headers: Vec<(String, String)>,
    /// The user's name as SOCKS5 tells it, with a right password or a wrong one. With HTTP, it is in the headers.
    pub user: Option<String>,
    /// Where the proxy connected to for it; `None` if it did not, or could not.
    pub upstream: Option<SocketAddr>,
    /// When the first byte was read, since the start of the proxy.
    pub at: Duration,
    /// The connection it came on, counted from 0.
    pub connection: usize,
}

impl ProxyRequest {
    /// The value of the first header with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The record of a proxy, behind one lock.
pub(super) struct Record {
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    requests: Vec<ProxyRequest>,
    open: HashMap<usize, TcpStream>,
    /// How many sockets were ever held.
    held: usize,
    connections: usize,
    /// How many steps of the script were used.
    steps: usize,
    stalls: usize,
    stopped: bool,
}

/// Keeps a socket within reach of [`Record::hang_up`].
pub(super) struct Held<'a> {
    record: &'a Record,
    number: usize,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.record.state().open.remove(&self.number);
    }
}

impl Record {
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), state: Mutex::default() }
    }

    pub(super) fn requests(&self) -> Vec<ProxyRequest> {
        self.state().requests.clone()
    }

    pub(super) fn sends(&self) -> usize {
        self.state().requests.len()
    }

    pub(super) fn connections(&self) -> usize {
        self.state().connections
    }

    pub(super) fn stalls(&self) -> usize {
        self.state().stalls
    }

    /// Counts a stall that begins.
    pub(super) fn stall(&self) {
        self.state().stalls += 1;
    }

    pub(super) fn stopped(&self) -> bool {
        self.state().stopped
    }

    /// Ends all connections, and lets no other begin.
    pub(super) fn stop(&self) {
        self.state().stopped = true;
        self.hang_up();
    }

    /// Ends all connections: whatever their threads wait for returns at once.
    pub(super) fn hang_up(&self) {
        for socket in self.state().open.values() {
            // An error means that it has ended already.
            drop(socket.shutdown(Shutdown::Both));
        }
    }

    /// Holds a socket; `None` if the proxy has stopped or is full, or the socket is gone already.
    pub(super) fn hold(&self, socket: &TcpStream) -> Option<Held<'_>> {
        let handle = socket.try_clone().ok()?;
        let mut state = self.state();
        if state.stopped || state.open.len() >= OPEN_LIMIT {
            return None;
        }
        let number = state.held;
        state.held += 1;
        state.open.insert(number, handle);
        Some(Held { record: self, number })
    }

    /// Counts a connection, and gives its number.
    pub(super) fn connect(&self) -> usize {
        let mut state = self.state();
        state.connections += 1;
        state.connections - 1
    }

    /// Counts a request, of which nothing is known yet, and gives its number.
    pub(super) fn begin(&self, connection: usize) -> usize {
        let mut state = self.state();
        let at = self.started.elapsed();
        state.requests.push(ProxyRequest { at, connection, ..ProxyRequest::default() });
        state.requests.len() - 1
    }

    /// Fills in what has become known of a request.
    pub(super) fn note(&self, number: usize, note: impl FnOnce(&mut ProxyRequest)) {
        if let Some(request) = self.state().requests.get_mut(number) {
            note(request);
        }
    }

    /// Uses up a step of the script, and gives its number.
    pub(super) fn step(&self) -> usize {
        let mut state = self.state();
        state.steps += 1;
        state.steps - 1
    }

    /// No thread leaves the state half changed, so a poisoned lock does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
