//! From what a client says to what the core judges. The only room that knows the errors of clients.
//!
//! The rules go from what is certain to what is not: a client's own predicates, the types inside, texts where a client
//! gives no type, and at last the kind of the innermost I/O error. What none of them knows is not retried, and counts
//! as possibly sent.

#[cfg(all(test, feature = "reqwest"))]
mod tests;
#[cfg(any(feature = "reqwest", feature = "tower"))]
pub(crate) mod texts;

use core::error::Error as StdError;
use std::io;

use http::StatusCode;
use retry_core::{Cause, Event, Failure, Reached};

#[cfg(any(feature = "reqwest", feature = "tower"))]
use crate::dns::DnsFailure;
use crate::error::Error;
use crate::fault::Fault;

pub(crate) const UNKNOWN: Failure = Failure::new(Cause::Unknown, Reached::MaybeSent);

impl Fault {
    /// This fault as the core judges it.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            #[cfg(feature = "reqwest")]
            Self::Client(fault) => fault.failure(),
            Self::TimedOut(_) => Failure::new(Cause::Timeout, Reached::MaybeSent),
            #[cfg(any(feature = "reqwest", feature = "tower"))]
            Self::Key(_) => Failure::new(Cause::Validation, Reached::Unsent),
            #[cfg(any(feature = "reqwest", feature = "tower"))]
            Self::Full(_) => Failure::new(Cause::Validation, Reached::Unsent),
            Self::Policy(_) | Self::RetryCount(_) => Failure::new(Cause::Validation, Reached::Unsent),
            #[cfg(feature = "tower")]
            Self::Service(fault) => fault.failure(),
            Self::Nested(error) => nested(error),
            #[cfg(feature = "reqwest")]
            Self::Other(error) => told(&**error).unwrap_or(UNKNOWN),
            #[cfg(feature = "reqwest")]
            Self::OtherRedirected(error) => {
                Failure { reached: Reached::MaybeSent, ..told(&**error).unwrap_or(UNKNOWN) }
            }
            Self::Status(_) | Self::Gone(_) => UNKNOWN,
        }
    }

    /// Whether a retry layer inside this one has worked on it.
    pub(crate) fn is_settled(&self) -> bool {
        matches!(self, Self::Nested(_)) || Chain(self.foreign()).any(|error| error.is::<Error>())
    }

    /// The status behind an error that the caller's own code made of a response (`error_for_status`).
    pub(crate) fn status(&self) -> Option<StatusCode> {
        match self {
            #[cfg(feature = "reqwest")]
            Self::Client(fault) => fault.status(),
            _ if self.is_settled() => None,
            _ => Chain(self.foreign()).find_map(status),
        }
    }
}

fn nested(error: &Error) -> Failure {
    match error.event() {
        Some(Event::Failure(failure)) => failure,
        Some(Event::Status(_)) | None => UNKNOWN,
    }
}

/// An error of the caller's is judged by what is inside it: ours or reqwest's, whichever is found first.
pub(crate) fn told(error: &(dyn StdError + 'static)) -> Option<Failure> {
    Chain(Some(error)).find_map(|error| match error.downcast_ref::<Error>() {
        Some(error) => Some(nested(error)),
        None => client(error),
    })
}

/// What `error` says, if it is the client's.
#[cfg(feature = "reqwest")]
fn client(error: &(dyn StdError + 'static)) -> Option<Failure> {
    error.downcast_ref().map(crate::client::judge)
}

#[cfg(not(feature = "reqwest"))]
fn client(_: &(dyn StdError + 'static)) -> Option<Failure> {
    None
}

/// The status of which `error` was made, if it is the client's.
#[cfg(feature = "reqwest")]
fn status(error: &(dyn StdError + 'static)) -> Option<StatusCode> {
    error.downcast_ref::<reqwest::Error>()?.status()
}

#[cfg(not(feature = "reqwest"))]
fn status(_: &(dyn StdError + 'static)) -> Option<StatusCode> {
    None
}

/// What a failed lookup of a name says.
#[cfg(any(feature = "reqwest", feature = "tower"))]
pub(crate) fn dns(error: &(dyn StdError + 'static)) -> Option<Cause> {
    match error.downcast_ref::<DnsFailure>() {
        Some(DnsFailure::NoSuchName) => Some(Cause::DnsNoSuchName),
        Some(DnsFailure::Temporary) => Some(Cause::DnsTemporary),
        None => texts::dns(error),
    }
}

/// Whether an HTTP/2 server said that it did not process the request (RFC 9113 8.7).
#[cfg(feature = "h2")]
pub(crate) fn is_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    Chain(Some(error)).find_map(|error| error.downcast_ref::<h2::Error>()).is_some_and(|error| {
        let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        // h2 gives a GOAWAY as the error of the streams above the last that the server names, and of no others.
        error.is_remote() && (refused || error.is_go_away())
    })
}

#[cfg(not(feature = "h2"))]
pub(crate) fn is_unprocessed(_: &(dyn StdError + 'static)) -> bool {
    false
}

/// What a type says that is met inside an error.
pub(crate) fn typed(error: &(dyn StdError + 'static)) -> Option<Cause> {
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
    } else if error.is_timeout() {
        Some(Cause::Timeout)
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

/// What the kind of the innermost I/O error says: the rule below all types, which is safe without them.
pub(crate) fn by_io_kind(error: &(dyn StdError + 'static), connecting: bool) -> Option<Cause> {
    let innermost = Chain(Some(error)).filter_map(|error| error.downcast_ref::<io::Error>()).last()?;
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
pub(crate) fn unstarted(error: &(dyn StdError + 'static)) -> Option<Cause> {
    let error = error.downcast_ref::<hyper::Error>()?;
    (error.is_canceled() || error.is_closed()).then_some(Cause::Network)
}

#[cfg(not(feature = "hyper"))]
pub(crate) fn unstarted(_: &(dyn StdError + 'static)) -> Option<Cause> {
    None
}

/// An error and all that is inside it: its sources, and what an I/O error wraps, which is not its source.
pub(crate) struct Chain<'a>(pub(crate) Option<&'a (dyn StdError + 'static)>);

impl<'a> Iterator for Chain<'a> {
    type Item = &'a (dyn StdError + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.0?;
        self.0 = wrapped(error).unwrap_or_else(|| error.source());
        Some(error)
    }
}

/// What is inside an error that gives its content's source for its own, and so would hide its content; `None` for any
/// other error.
fn wrapped<'a>(error: &'a (dyn StdError + 'static)) -> Option<Option<&'a (dyn StdError + 'static)>> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return Some(error.get_ref().map(|inner| inner as _));
    }
    #[cfg(feature = "middleware")]
    if let Some(error) = error.downcast_ref() {
        return Some(Some(match error {
            reqwest_middleware::Error::Middleware(inner) => &**inner,
            reqwest_middleware::Error::Reqwest(inner) => inner,
        }));
    }
    None
}
