//! What one send produced, as plain data. Nothing here judges: the table is in `verdict.rs`.

use core::fmt;
use core::time::Duration;

/// The kind of a failed call, or of one failed attempt. [`code`](Self::code) is its stable name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A status that is worth another send.
    Http,
    /// The connection was refused, reset, or closed before the response's head was complete.
    Network,
    /// A limit passed: the client's, the attempt's, or the total one.
    Timeout,
    /// The host's name could not be resolved.
    Dns,
    /// The response's body ended early, was cut, or was larger than the caller allows.
    ResponseRead,
    /// The peer broke the protocol, or refused a stream of it.
    Transport,
    /// The TLS handshake was refused.
    Tls,
    /// A certificate was refused, by either side.
    Certificate,
    /// A proxy of the pool could not be used.
    Proxy,
    /// The request itself is wrong: it cannot be sent by anybody.
    Validation,
    /// The caller gave the call up.
    Canceled,
    /// Every allowed retry was used.
    RetryExhausted,
    /// The server asked for a longer wait than the policy accepts.
    RetryAfterTooLong,
    /// The retry budget refused another send.
    BudgetSpent,
    /// None of the above.
    Unknown,
}

impl ErrorKind {
    /// The stable name of this kind, for logs, metrics and other languages.
    ///
    /// ```
    /// use retry_core::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::RetryExhausted.code(), "RETRY_EXHAUSTED");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            Self::Http => "HTTP_ERROR",
            Self::Network => "NETWORK_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::Dns => "DNS_ERROR",
            Self::ResponseRead => "RESPONSE_READ_ERROR",
            Self::Transport => "TRANSPORT_ERROR",
            Self::Tls => "TLS_ERROR",
            Self::Certificate => "CERTIFICATE_ERROR",
            Self::Proxy => "PROXY_ERROR",
            Self::Validation => "VALIDATION_ERROR",
            Self::Canceled => "CANCELED",
            Self::RetryExhausted => "RETRY_EXHAUSTED",
            Self::RetryAfterTooLong => "RETRY_AFTER_TOO_LONG",
            Self::BudgetSpent => "BUDGET_SPENT",
            Self::Unknown => "UNKNOWN_ERROR",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// What made a send fail: one variant for each line of the table in [`Verdict`](crate::Verdict).
///
/// It is finer than [`ErrorKind`], because two failures of one kind may deserve different verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// Refused, reset, aborted, unreachable, or an EOF before the response's head was complete.
    Network,
    /// A timeout of the connection, of the client, or of the attempt.
    Timeout,
    /// The resolver failed for now, or did not say why.
    DnsTemporary,
    /// The resolver knows that there is no such name, or no address for it.
    DnsNoSuchName,
    /// The response's body broke off, or a timeout of the client's own cut it.
    ResponseRead,
    /// The response's body is larger than the caller allows.
    BodyTooLarge,
    /// A malformed response, a protocol error, a refused stream.
    Transport,
    /// A TLS alert, a version mismatch, plain text on a TLS port.
    Tls,
    /// A certificate was refused.
    Certificate,
    /// A proxy could not be reached, or refused the tunnel.
    Proxy,
    /// A proxy asked for credentials (407).
    ProxyAuth,
    /// The request cannot be built or sent by anybody.
    Validation,
    /// The caller gave the call up.
    Canceled,
    /// None of the above.
    Unknown,
}

impl Cause {
    /// The kind under which a caller meets this cause.
    pub const fn kind(self) -> ErrorKind {
        match self {
            Self::Network => ErrorKind::Network,
            Self::Timeout => ErrorKind::Timeout,
            Self::DnsTemporary | Self::DnsNoSuchName => ErrorKind::Dns,
            Self::ResponseRead | Self::BodyTooLarge => ErrorKind::ResponseRead,
            Self::Transport => ErrorKind::Transport,
            Self::Tls => ErrorKind::Tls,
            Self::Certificate => ErrorKind::Certificate,
            Self::Proxy | Self::ProxyAuth => ErrorKind::Proxy,
            Self::Validation => ErrorKind::Validation,
            Self::Canceled => ErrorKind::Canceled,
            Self::Unknown => ErrorKind::Unknown,
        }
    }
}

/// Whether a failed request can have reached the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Reached {
    /// It is known that the server did not process it: sending again cannot repeat an effect.
    Unsent,
    /// The server may have read and processed it. This is the answer whenever there is doubt.
    MaybeSent,
}

/// One failed send.
///
/// ```
/// use retry_core::{Cause, ErrorKind, Failure, Reached};
///
/// let refused = Failure::new(Cause::Network, Reached::Unsent);
/// assert_eq!(refused.kind(), ErrorKind::Network);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Failure {
    /// What went wrong.
    pub cause: Cause,
    /// Whether the request can have reached the server.
    pub reached: Reached,
}

impl Failure {
    /// A failure with this cause.
    pub const fn new(cause: Cause, reached: Reached) -> Self {
        Self { cause, reached }
    }

    /// The kind under which a caller meets this failure.
    pub const fn kind(self) -> ErrorKind {
        self.cause.kind()
    }
}

/// What one send produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Event {
    /// A response with this status.
    Status(u16),
    /// No response, or none that can be used.
    Failure(Failure),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => status.fmt(f),
            Self::Failure(failure) => failure.kind().fmt(f),
        }
    }
}

/// A custom policy's word on one reply. It is data: it cannot break a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Advice {
    /// The built-in verdict stands.
    #[default]
    Keep,
    /// Send again, after the wait that the policy or the server asks for.
    Retry,
    /// Send again after exactly this long: no jitter, no ceiling, but within the total limit.
    RetryAfter(#[cfg_attr(feature = "trace", serde(with = "crate::trace::time"))] Duration),
    /// Do not send again: a response is the answer, a failure is the call's failure.
    Stop,
}

/// What the machine is told about one send.
///
/// ```
/// use core::time::Duration;
/// use retry_core::Outcome;
///
/// let busy = Outcome::status(429).with_hint(Some(Duration::from_secs(2)));
/// assert_eq!(busy.hint, Some(Duration::from_secs(2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// What came back.
    pub event: Event,
    /// What [`retry_after`](crate::retry_after) read from the response; the policy's cap is not applied yet. Zero is
    /// no hint.
    pub hint: Option<Duration>,
    /// A custom policy's word; `Keep` without one.
    pub advice: Advice,
    /// Set where a proxy's own failure is followed by a proxy that this call has not tried: the wait before it.
    ///
    /// It makes the failure worth another send, whatever the table says. `Advice::Stop` and `Advice::RetryAfter` beat
    /// it.
    pub untried: Option<Duration>,
}

impl Outcome {
    /// The outcome of a send that produced `event`, without hint or advice.
    pub const fn new(event: Event) -> Self {
        Self { event, hint: None, advice: Advice::Keep, untried: None }
    }

    /// The outcome of a send that was answered with `status`.
    pub const fn status(status: u16) -> Self {
        Self::new(Event::Status(status))
    }

    /// The outcome of a send that failed.
    pub const fn failure(cause: Cause, reached: Reached) -> Self {
        Self::new(Event::Failure(Failure::new(cause, reached)))
    }

    /// This outcome with the server's hint.
    #[must_use]
    pub const fn with_hint(mut self, hint: Option<Duration>) -> Self {
        self.hint = hint;
        self
    }

    /// This outcome with a custom policy's advice.
    #[must_use]
    pub const fn with_advice(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }
}
