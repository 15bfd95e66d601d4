//! What one send produces.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::json::{Bytes, Span};

/// What one send produces, and what a custom policy says of it.
///
/// In JSON either a response, `{"status": 503, "headers": [["Retry-After", "2"]]}`, or a failure,
/// `{"failure": "network", "reached": "unsent"}`; both may have `takes`, `drain`, `advice` and `untried`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Step {
    /// What comes back.
    pub event: Event,
    /// The headers of a response, in order. A failure has none.
    pub headers: Vec<(String, Bytes)>,
    /// How long it takes to come back.
    pub takes: Span,
    /// How long the rest of the body takes to arrive, when it is read to be thrown away.
    pub drain: Span,
    /// A custom policy's word on this send, even if its limit cut it; `keep` without such a policy.
    pub advice: Advice,
    /// Set where a proxy's own failure is followed by a proxy not tried before: the wait before that.
    pub untried: Option<Span>,
}

impl Step {
    /// A response with this status, at once and without headers.
    pub fn status(status: u16) -> Self {
        Self::new(Event::Status(status))
    }

    /// A failure, at once.
    pub fn failure(cause: Cause, reached: Reached) -> Self {
        Self::new(Event::Failure(cause, reached))
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same after so long.
    #[must_use]
    pub fn takes(mut self, time: Span) -> Self {
        self.takes = time;
        self
    }

    /// The values of all headers with this name, in order.
    pub fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let named = self.headers.iter().filter(move |header| header.0.eq_ignore_ascii_case(name));
        named.map(|header| header.1.0.as_slice())
    }

    fn new(event: Event) -> Self {
        let (takes, drain) = (Span::ZERO, Span::ZERO);
        Self { event, headers: Vec::new(), takes, drain, advice: Advice::Keep, untried: None }
    }
}

/// What came back: `{"status": 503}` or `{"failure": ["network", "unsent"]}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A response with this status.
    Status(u16),
    /// No response, or none that can be used.
    Failure(Cause, Reached),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Failure(cause, reached) => write!(f, "{cause:?} ({reached:?})"),
        }
    }
}

/// What made a send fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Refused, reset, aborted, unreachable, or an EOF before the response's head was complete.
    Network,
    /// A timeout of the connection, of the client, or of the send.
    Timeout,
    /// The resolver failed for now, or did not say why.
    DnsTemporary,
    /// There is no such name, or no address for it.
    DnsNoSuchName,
    /// The response's body broke off.
    ResponseRead,
    /// The response's body is larger than the caller allows.
    BodyTooLarge,
    /// A malformed response, a protocol error, a refused stream.
    Transport,
    /// The TLS handshake was refused.
    Tls,
    /// A certificate was refused.
    Certificate,
    /// A proxy could not be reached, or refused the tunnel.
    Proxy,
    /// A proxy asked for credentials.
    ProxyAuth,
    /// The request cannot be sent by anybody.
    Validation,
    /// The caller gave up.
    Canceled,
    /// None of the above.
    Unknown,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Network,
        Self::Timeout,
        Self::DnsTemporary,
        Self::DnsNoSuchName,
        Self::ResponseRead,
        Self::BodyTooLarge,
        Self::Transport,
        Self::Tls,
        Self::Certificate,
        Self::Proxy,
        Self::ProxyAuth,
        Self::Validation,
        Self::Canceled,
        Self::Unknown,
    ];
}

/// Whether a failed request can have reached the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// It cannot.
    Unsent,
    /// It can, or nobody knows. The default.
    #[default]
    MaybeSent,
}

/// A custom policy's word: `"keep"`, `"retry"`, `{"retry_after": "2s"}` or `"stop"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// The built-in verdict stands.
    #[default]
    Keep,
    /// Send again.
    Retry,
    /// Send again after exactly this long.
    RetryAfter(Span),
    /// Do not send again.
    Stop,
}

/// A step as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, Bytes)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Cause>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reached: Option<Reached>,
    #[serde(default)]
    takes: Span,
    #[serde(default)]
    drain: Span,
    #[serde(default)]
    advice: Advice,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    untried: Option<Span>,
}

impl TryFrom<Raw> for Step {
    type Error = &'static str;

    fn try_from(raw: Raw) -> Result<Self, Self::Error> {
        let event = match (raw.status, raw.failure, raw.reached) {
            (Some(status), None, None) => Event::Status(status),
            (None, Some(cause), reached) if raw.headers.is_empty() => {
                Event::Failure(cause, reached.unwrap_or_default())
            }
            _ => return Err("a step has a status and maybe headers, or else a failure and maybe what it reached"),
        };
        let Raw { headers, takes, drain, advice, untried, .. } = raw;
        Ok(Self { event, headers, takes, drain, advice, untried })
    }
}

impl From<Step> for Raw {
    fn from(step: Step) -> Self {
        let (status, failure, reached) = match step.event {
            Event::Status(status) => (Some(status), None, None),
            Event::Failure(cause, reached) => (None, Some(cause), Some(reached)),
        };
        let Step { headers, takes, drain, advice, untried, .. } = step;
        Self { status, headers, failure, reached, takes, drain, advice, untried }
    }
}
