//! A row of the table: a fault, and what has to come of it.

use retry_core::{ErrorKind, Reached};

use crate::scene::{Place, Scene};

/// One fault.
pub(crate) struct Row {
    pub(crate) fault: &'static str,
    pub(crate) scene: Box<dyn Fn(&Place) -> Scene + Send + Sync>,
    typed: Expected,
    coarse: Option<(Feature, Expected)>,
}

/// A feature of the crate by which failures are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    H2,
    Hyper,
    Rustls,
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
    /// There is no server.
    Nothing,
}

impl Row {
    pub(crate) fn new(
        fault: &'static str,
        scene: impl Fn(&Place) -> Scene + Send + Sync + 'static,
        expected: Expected,
    ) -> Self {
        Self { fault, scene: Box::new(scene), typed: expected, coarse: None }
    }

    /// What comes of it where this feature is off.
    pub(crate) fn without(mut self, feature: Feature, expected: Expected) -> Self {
        self.coarse = Some((feature, expected));
        self
    }

    /// What has to come of it in this build.
    pub(crate) fn expected(&self) -> Expected {
        match self.coarse {
            Some((feature, expected)) if !feature.is_on() => expected,
            Some(_) | None => self.typed,
        }
    }

    /// With every feature, and without the one that matters.
    pub(crate) fn both(&self) -> (Expected, Option<(Feature, Expected)>) {
        (self.typed, self.coarse)
    }
}

impl Feature {
    pub(crate) const fn is_on(self) -> bool {
        match self {
            Self::H2 => cfg!(feature = "h2"),
            Self::Hyper => cfg!(feature = "hyper"),
            Self::Rustls => cfg!(feature = "rustls"),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::H2 => "h2",
            Self::Hyper => "hyper",
            Self::Rustls => "rustls",
        }
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
    pub(crate) const fn requests(self, count: usize) -> Self {
        Self { seen: Seen::Requests(count), ..self }
    }

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
