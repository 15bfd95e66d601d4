//! From what reqwest says to what the core judges. The only file that knows reqwest's errors.
//!
//! The rules go from what is certain to what is not: reqwest's own predicates, the types inside, texts where a client
//! gives no type, and at last the kind of the innermost I/O error. What none of them knows is not retried, and counts
//! as possibly sent.

#[cfg(test)]
mod tests;
mod texts;

use core::error::Error as StdError;
use std::io;

use http::StatusCode;
use retry_core::{Cause, Event, Failure, Reached};

use crate::dns::DnsFailure;
use crate::error::Error;
use crate::fault::Fault;

impl Fault {
    /// This fault as the core judges it.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::Client(error) => client(error),
            Self::Redirected(error) => Failure { reached: Reached::MaybeSent, ..client(error) },
            Self::TimedOut(_) => Failure::new(Cause::Timeout, Reached::MaybeSent),
            Self::TooLarge(_) => Failure::new(Cause::BodyTooLarge, Reached::MaybeSent),
            Self::Invalid(_)
            | Self::NoTls(_)
            | Self::Policy(_)
            | Self::Key(_)
            | Self::RetryCount(_)
            | Self::Buffer(_) => Failure::new(Cause::Validation, Reached::Unsent),
            Self::Withheld(_) => Failure::new(Cause::Validation, Reached::MaybeSent),
            Self::Proxy(cause, _) => Failure::new(*cause, Reached::Unsent),
            Self::Nested(error) => nested(error),
            Self::Other(error) => other(&**error),
            Self::Status(_) | Self::Gone(_) => UNKNOWN,
        }
    }
}

impl Fault {
    /// What this fault says of the proxy through which our pool sent: it is the proxy's own before the connection is
    /// ready. Inside a tunnel (`is_tunneled`) only what the tunnel says is; the rest is between us and the origin.
    pub(crate) fn of_proxy(&self, is_tunneled: bool) -> Option<Cause> {
        match self.failure() {
            Failure { cause: cause @ (Cause::Proxy | Cause::ProxyAuth), reached: Reached::Unsent } => Some(cause),
            Failure {
                cause: Cause::Network | Cause::Timeout | Cause::DnsTemporary | Cause::DnsNoSuchName,
                reached: Reached::Unsent,
            } if !is_tunneled => Some(Cause::Proxy),
            _ => None,
        }
    }
}

const UNKNOWN: Failure = Failure::new(Cause::Unknown, Reached::MaybeSent);

fn nested(error: &Error) -> Failure {
    match error.event() {
        Some(Event::Failure(failure)) => failure,
        Some(Event::Status(_)) | None => UNKNOWN,
    }
}

/// An error of the caller's is judged by what is inside it: ours or reqwest's, whichever is found first.
fn other(error: &(dyn StdError + 'static)) -> Failure {
    let found = |error: &(dyn StdError + 'static)| match error.downcast_ref::<Error>() {
        Some(error) => Some(nested(error)),
        None => error.downcast_ref().map(client),
    };
    Chain(Some(error)).find_map(found).unwrap_or(UNKNOWN)
}

impl Fault {
    /// Whether a retry layer inside this one has worked on it.
    pub(crate) fn is_settled(&self) -> bool {
        match self {
            Self::Nested(_) => true,
            Self::Other(error) => Chain(Some(&**error)).any(|error| error.is::<Error>()),
            _ => false,
        }
    }

    /// The status behind an error that the caller's closure made of a response (`error_for_status`).
    pub(crate) fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Client(error) | Self::Redirected(error) => error.status(),
            Self::Other(error) if !self.is_settled() => {
                Chain(Some(&**error)).find_map(|error| error.downcast_ref::<reqwest::Error>()?.status())
            }
            _ => None,
        }
    }
}

fn client(error: &reqwest::Error) -> Failure {
    let connecting = error.is_connect() || error.is_dns();
    let reached = if connecting { Reached::Unsent } else { Reached::MaybeSent };
    let cause = if error.is_builder() || error.is_redirect() {
        // The client refuses only a redirect's target here: a first request that it refuses is `Fault::Invalid`.
        Cause::Validation
    } else if error.is_decode() {
        // A JSON error comes from a closure of the caller's that read a whole body, and not what it wanted.
        if Chain::of(error).any(|inner| inner.is::<serde_json::Error>()) { Cause::Unknown } else { Cause::ResponseRead }
    } else if Chain::of(error).skip(1).any(is_of_body) {
        Cause::Validation
    } else if error.is_dns() {
        Chain::of(error).find_map(dns).unwrap_or(Cause::DnsTemporary)
    } else if error.is_timeout() {
        Cause::Timeout
    } else if is_unprocessed(error) {
        return Failure::new(Cause::Transport, Reached::Unsent);
    } else {
        Chain::of(error)
            .find_map(|inner| typed(inner).or_else(|| connecting.then(|| texts::connect(inner)).flatten()))
            .or_else(|| by_io_kind(error, connecting))
            .or_else(|| Chain::of(error).find_map(unstarted))
            .unwrap_or(Cause::Unknown)
    };
    Failure::new(cause, reached)
}

fn dns(error: &(dyn StdError + 'static)) -> Option<Cause> {
    match error.downcast_ref::<DnsFailure>() {
        Some(DnsFailure::NoSuchName) => Some(Cause::DnsNoSuchName),
        Some(DnsFailure::Temporary) => Some(Cause::DnsTemporary),
        None => texts::dns(error),
    }
}

/// Whether it is the error of the caller's own body. One of a response's body is a decode error outside.
fn is_of_body(error: &(dyn StdError + 'static)) -> bool {
    error.downcast_ref().is_some_and(reqwest::Error::is_body)
}

/// Whether an HTTP/2 server said that it did not process the request (RFC 9113 8.7).
#[cfg(feature = "h2")]
fn is_unprocessed(error: &reqwest::Error) -> bool {
    Chain::of(error).find_map(|error| error.downcast_ref::<h2::Error>()).is_some_and(|error| {
        let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        // h2 gives a GOAWAY as the error of the streams above the last that the server names, and of no others.
        error.is_remote() && (refused || error.is_go_away())
    })
}

#[cfg(not(feature = "h2"))]
fn is_unprocessed(_: &reqwest::Error) -> bool {
    false
}

/// What a type says that is met inside an error.
fn typed(error: &(dyn StdError + 'static)) -> Option<Cause> {
    #[cfg(feature = "rustls")]
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(tls(error));
    }
    #[cfg(feature = "h2")]
    if error.is::<h2::Error>() {
        // One of the connection's I/O is given as that by hyper.
        return Some(Cause::Transport);
    }
    #[cfg(feature = "hyper")]
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return http(error);
    }
    let _ = error;
    None
}

#[cfg(feature = "hyper")]
fn http(error: &hyper::Error) -> Option<Cause> {
    if error.is_incomplete_message() {
        Some(Cause::Network)
    } else if error.is_parse() {
        Some(Cause::Transport)
    } else {
        None
    }
}

#[cfg(feature = "rustls")]
fn tls(error: &rustls::Error) -> Cause {
    use rustls::{AlertDescription as Alert, Error};
    match error {
        Error::InvalidCertificate(_)
        | Error::InvalidCertRevocationList(_)
        | Error::NoCertificatesPresented
        | Error::UnsupportedNameType
        | Error::AlertReceived(
            Alert::NoCertificate
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::BadCertificateStatusResponse
            | Alert::BadCertificateHashValue
            | Alert::CertificateRequired,
        ) => Cause::Certificate,
        _ => Cause::Tls,
    }
}

/// Whether the client cannot send to an `https` URL at all.
pub(crate) fn is_without_tls(error: &reqwest::Error) -> bool {
    error.is_connect() && Chain::of(error).any(|inner| texts::connect(inner) == Some(Cause::Validation))
}

/// What the kind of the innermost I/O error says: the rule below all types, which is safe without them.
fn by_io_kind(error: &reqwest::Error, connecting: bool) -> Option<Cause> {
    let innermost = Chain::of(error).filter_map(|error| error.downcast_ref::<io::Error>()).last()?;
    Some(of_io_kind(innermost.kind(), connecting))
}

fn of_io_kind(kind: io::ErrorKind, connecting: bool) -> Cause {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable, InvalidData, NetworkDown,
        NetworkUnreachable, NotConnected, TimedOut, UnexpectedEof,
    };
    match kind {
        // TLS libraries report what they refuse so.
        InvalidData if connecting => Cause::Tls,
        ConnectionRefused | ConnectionReset | ConnectionAborted | NotConnected | BrokenPipe | HostUnreachable
        | NetworkUnreachable | NetworkDown | UnexpectedEof => Cause::Network,
        TimedOut => Cause::Timeout,
        _ => Cause::Unknown,
    }
}

/// A request on a connection that ended before it was begun, if nothing inside says how the connection ended.
#[cfg(feature = "hyper")]
fn unstarted(error: &(dyn StdError + 'static)) -> Option<Cause> {
    let error = error.downcast_ref::<hyper::Error>()?;
    (error.is_canceled() || error.is_closed()).then_some(Cause::Network)
}

#[cfg(not(feature = "hyper"))]
fn unstarted(_: &(dyn StdError + 'static)) -> Option<Cause> {
    None
}

/// An error and all that is inside it: its sources, and what an I/O error wraps, which is not its source.
struct Chain<'a>(Option<&'a (dyn StdError + 'static)>);

impl<'a> Chain<'a> {
    fn of(error: &'a reqwest::Error) -> Self {
        Self(Some(error))
    }
}

impl<'a> Iterator for Chain<'a> {
    type Item = &'a (dyn StdError + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.0?;
        self.0 = match error.downcast_ref::<io::Error>() {
            Some(io) => io.get_ref().map(|inner| inner as _),
            None => error.source(),
        };
        Some(error)
    }
}
