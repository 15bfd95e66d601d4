//! A row of the table: a fault, and what has to come of it.

use retry_core::{ErrorKind, Reached};

use crate::backend::Backend;
use crate::scene::{Place, Scene};

/// One fault.
pub(crate) struct Row {
    pub(crate) fault: &'static str,
    pub(crate) scene: Box<dyn Fn(&Place) -> Scene + Send + Sync>,
    expected: Expected,
    different: Vec<(Backend, Expected)>,
    needs_tls: bool,
    kept: bool,
}

/// What comes of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) kind: Option<ErrorKind>,
    pub(crate) sent: Sent,
    /// One more send is allowed: 2 is a retry.
    pub(crate) attempts: u32,
    pub(crate) seen: Seen,
}

/// Whether the last send can have reached the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Reached(Reached),
    /// There is a response.
    Answered,
    /// The call ended without a failure of a send.
    Untold,
}

/// What the server saw: requests, or connections where the fault strikes before a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Requests(usize),
    Connections(usize),
    /// There is no server, or it is a matter of time.
    Nothing,
}

impl Row {
    pub(crate) fn new(
        fault: &'static str,
        scene: impl Fn(&Place) -> Scene + Send + Sync + 'static,
        expected: Expected,
    ) -> Self {
        Self { fault, scene: Box::new(scene), expected, different: Vec::new(), needs_tls: false, kept: false }
    }

    /// What comes of it on this backend, where that is something else.
    pub(crate) fn on(mut self, backend: Backend, expected: Expected) -> Self {
        self.different.push((backend, expected));
        self
    }

    /// For backends with TLS alone.
    pub(crate) fn over_tls(mut self) -> Self {
        self.needs_tls = true;
        self
    }

    /// Also where connections are kept. Where one goes back into its pool in the middle of a response, it is a matter of
    /// luck what the second send meets.
    pub(crate) fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    pub(crate) fn runs_on(&self, backend: Backend) -> bool {
        (!self.needs_tls || backend.has_tls()) && (self.kept || backend != Backend::H1Kept)
    }

    pub(crate) fn expected(&self, backend: Backend) -> Expected {
        self.different.iter().find(|(other, _)| *other == backend).map_or(self.expected, |(_, expected)| *expected)
    }

    /// What is expected, and where something else is.
    pub(crate) fn all(&self) -> (Expected, &[(Backend, Expected)]) {
        (self.expected, &self.different)
    }
}

/// A failure that is sent again once, and seen twice.
pub(crate) const fn again(kind: ErrorKind, reached: Reached) -> Expected {
    Expected { kind: Some(kind), sent: Sent::Reached(reached), attempts: 2, seen: Seen::Requests(2) }
}

/// A failure that is sent once, and seen once.
pub(crate) const fn once(kind: ErrorKind, reached: Reached) -> Expected {
    Expected { kind: Some(kind), sent: Sent::Reached(reached), attempts: 1, seen: Seen::Requests(1) }
}

/// A request that goes out to nobody.
pub(crate) const fn never() -> Expected {
    Expected {
        kind: Some(ErrorKind::Validation),
        sent: Sent::Reached(Reached::Unsent),
        attempts: 0,
        seen: Seen::Connections(0),
    }
}

/// A response that is the answer.
pub(crate) const fn answer() -> Expected {
    Expected { kind: None, sent: Sent::Answered, attempts: 1, seen: Seen::Requests(1) }
}

impl Expected {
    pub(crate) const fn connections(self, count: usize) -> Self {
        Self { seen: Seen::Connections(count), ..self }
    }

    pub(crate) const fn nothing_seen(self) -> Self {
        Self { seen: Seen::Nothing, ..self }
    }

    pub(crate) const fn sent(self, sent: Sent) -> Self {
        Self { sent, ..self }
    }
}
