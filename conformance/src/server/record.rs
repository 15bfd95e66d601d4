//! What the server saw, and which connections are open.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::request::Request;

/// One request, as far as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The method; empty if the head was not read, and with HTTP/2.
    pub method: String,
    /// The target, such as `/path?query`; empty like the method.
    pub target: String,
    /// The header lines in their order; bytes that are not UTF-8 are replaced. Empty with HTTP/2.
    pub headers: Vec<(String, String)>,
    /// The body without its framing; empty if it was not read to its end.
    pub body: Vec<u8>,
    /// When the first byte was read, since the start of the server.
    pub at: Duration,
    /// The connection it came on, counted from 0.
    pub connection: usize,
}

impl Received {
    /// The value of the first header with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The record of a server, behind one lock.
#[derive(Debug)]
pub(super) struct Record {
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    received: Vec<Received>,
    open: HashMap<usize, TcpStream>,
    connections: usize,
    stalls: usize,
    last: Option<SocketAddr>,
    stopped: bool,
}

impl Record {
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), state: Mutex::default() }
    }

    pub(super) fn requests(&self) -> Vec<Received> {
        self.state().received.clone()
    }

    pub(super) fn sends(&self) -> usize {
        self.state().received.len()
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

    /// The connection from this address is to be the last.
    pub(super) fn announce_last(&self, client: Option<SocketAddr>) {
        self.state().last = client;
    }

    pub(super) fn is_last(&self, client: SocketAddr) -> bool {
        self.state().last == Some(client)
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

    /// Counts a connection and gives its number; `handle` is what [`hang_up`](Self::hang_up) ends it by.
    pub(super) fn open(&self, handle: TcpStream) -> Option<usize> {
        let mut state = self.state();
        if state.stopped {
            return None;
        }
        let number = state.connections;
        state.connections += 1;
        state.open.insert(number, handle);
        Some(number)
    }

    /// Gives the handle of [`open`](Self::open) back.
    pub(super) fn close(&self, connection: usize) {
        self.state().open.remove(&connection);
    }

    /// Counts a request, of which nothing is known yet, and gives its number.
    pub(super) fn begin(&self, connection: usize) -> usize {
        let (method, target, headers, body) = Default::default();
        let mut state = self.state();
        let at = self.started.elapsed();
        state.received.push(Received { method, target, headers, body, at, connection });
        state.received.len() - 1
    }

    /// Fills in what is known of a request's head.
    pub(super) fn head(&self, number: usize, request: &Request) {
        if let Some(received) = self.state().received.get_mut(number) {
            received.method = request.method.clone();
            received.target = request.target.clone();
            received.headers = request.headers.clone();
        }
    }

    /// Fills in a request's body.
    pub(super) fn body(&self, number: usize, body: Vec<u8>) {
        if let Some(received) = self.state().received.get_mut(number) {
            received.body = body;
        }
    }

    /// No thread leaves the state half changed, so a poisoned lock does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
