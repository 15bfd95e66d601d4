//! From what surf and its backends say to what the core judges. The only file that knows their errors.
//!
//! The rules go from what is certain to what is not: types that are met inside, texts where a client gives no type, and
//! at last the kind of the innermost I/O error. What none of them knows is not retried, and counts as possibly sent.

#[cfg(test)]
mod tests;
mod texts;

use core::error::Error as StdError;
use core::num::ParseIntError;
use core::str::Utf8Error;
use std::io;

use async_std::future::TimeoutError;
use retry_core::{Cause, Event, Failure, Reached};

use crate::dns::DnsFailure;
use crate::error::Error;
use crate::fault::Fault;
use crate::panicked::Panicked;

impl Fault {
    /// What the rest of surf's stack says of a request to `url`.
    pub(crate) fn client(error: surf::Error, url: &str) -> Self {
        match error.downcast::<Error>() {
            Ok(error) => Self::Nested(error),
            Err(error) if is_refusal(&error, url) => Self::Invalid(error),
            Err(error) => Self::Client(error),
        }
    }

    /// This fault as the core judges it.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::Client(error) => client(error),
            Self::Answered(error) => Failure { reached: Reached::MaybeSent, ..client(error) },
            Self::Malformed(_) => Failure::new(Cause::Transport, Reached::MaybeSent),
            Self::Body(_) | Self::Short(_) => Failure::new(Cause::ResponseRead, Reached::MaybeSent),
            Self::TimedOut(cut) => {
                Failure::new(Cause::Timeout, if cut.is_unsent { Reached::Unsent } else { Reached::MaybeSent })
            }
            Self::TooLarge(_) => Failure::new(Cause::BodyTooLarge, Reached::MaybeSent),
            Self::Invalid(_)
            | Self::Policy(_)
            | Self::Key(_)
            | Self::RetryCount(_)
            | Self::Header(_)
            | Self::Buffer(_)
            | Self::Unreadable(_)
            | Self::Url(_)
            | Self::Scheme(_) => Failure::new(Cause::Validation, Reached::Unsent),
            Self::Proxy(cause, _) => Failure::new(*cause, Reached::Unsent),
            Self::Nested(error) => nested(error),
            Self::Status(_) | Self::Gone(_) => UNKNOWN,
        }
    }
}

/// How a request goes through a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Without TLS: the proxy's own failures before the connection is ready are not mixed with those of the origin.
    Open,
    /// Through a tunnel that the proxy is asked for by CONNECT.
    Connect,
    /// Through a tunnel of SOCKS.
    Socks,
}

/// What a failure says of the proxy through which our pool sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// It is the proxy's own, and nothing was sent.
    Proxy(Cause),
    /// It is the proxy's or the origin's: the client does not say whose.
    Either,
}

impl Fault {
    /// What this fault says of the proxy; `None` if it is between us and the origin.
    pub(crate) fn of_proxy(&self, way: Way) -> Option<Blame> {
        let Self::Client(error) = self else { return None };
        match client(error) {
            Failure { cause: cause @ (Cause::Proxy | Cause::ProxyAuth), reached: Reached::Unsent } => {
                Some(Blame::Proxy(cause))
            }
            Failure {
                cause: Cause::Network | Cause::Timeout | Cause::DnsTemporary | Cause::DnsNoSuchName,
                reached: Reached::Unsent,
            } if way == Way::Open || is_of_dial(error) => Some(Blame::Proxy(Cause::Proxy)),
            Failure { cause: Cause::Network, reached: Reached::MaybeSent }
                if way == Way::Connect && is_vague(error) =>
            {
                Some(Blame::Either)
            }
            _ => None,
        }
    }
}

/// Whether the connection was not made: with a proxy, that is the one to it.
fn is_of_dial(error: &surf::Error) -> bool {
    #[cfg(feature = "curl")]
    if let Some(error) = error.downcast_ref::<isahc::Error>() {
        return matches!(error, isahc::Error::ConnectFailed | isahc::Error::CouldntResolveHost);
    }
    let _ = error;
    false
}

/// Whether it is what libcurl says, up to some version, of a CONNECT that the proxy refuses, and always of one that it
/// does not answer. It says the same of a connection that breaks behind the tunnel.
fn is_vague(error: &surf::Error) -> bool {
    #[cfg(feature = "curl")]
    if let Some(error) = error.downcast_ref::<isahc::Error>() {
        return matches!(error, isahc::Error::Curl(_));
    }
    let _ = error;
    false
}

fn is_refusal(error: &surf::Error, url: &str) -> bool {
    #[cfg(feature = "curl")]
    if let Some(isahc::Error::Curl(text)) = error.downcast_ref() {
        return texts::is_curls_refusal(text, url);
    }
    let _ = url;
    texts::is_refusal(&error.to_string())
}

const UNKNOWN: Failure = Failure::new(Cause::Unknown, Reached::MaybeSent);

fn nested(error: &Error) -> Failure {
    match error.event() {
        Some(Event::Failure(failure)) => failure,
        Some(Event::Status(_)) | None => UNKNOWN,
    }
}

fn client(error: &surf::Error) -> Failure {
    let error: &(dyn StdError + 'static) = error.as_ref();
    Chain(Some(error)).find_map(typed).or_else(|| texts::client(&error.to_string())).unwrap_or_else(|| coarse(error))
}

/// What a type says that is met inside an error.
fn typed(error: &(dyn StdError + 'static)) -> Option<Failure> {
    if let Some(failure) = error.downcast_ref() {
        let cause = match failure {
            DnsFailure::NoSuchName => Cause::DnsNoSuchName,
            DnsFailure::Temporary => Cause::DnsTemporary,
        };
        return Some(Failure::new(cause, Reached::Unsent));
    }
    #[cfg(feature = "h1-tls")]
    if let Some(error) = error.downcast_ref::<async_native_tls::Error>() {
        // After the handshake, OpenSSL's errors come inside I/O errors.
        return Some(Failure::new(tls(error), Reached::Unsent));
    }
    #[cfg(feature = "curl")]
    if let Some(error) = error.downcast_ref::<isahc::Error>() {
        return Some(curl(error));
    }
    let cause = if error.is::<TimeoutError>() {
        Cause::Timeout
    } else if error.is::<Panicked>() || error.is::<Utf8Error>() || error.is::<ParseIntError>() {
        // A response that the client cannot make sense of.
        Cause::Transport
    } else {
        return None;
    };
    Some(Failure::new(cause, Reached::MaybeSent))
}

#[cfg(feature = "h1-tls")]
fn tls(error: &async_native_tls::Error) -> Cause {
    let inner = Chain(Some(error)).filter_map(|error| error.downcast_ref::<io::Error>()).last();
    inner.and_then(|error| network(error.kind())).unwrap_or_else(|| texts::tls(&error.to_string()))
}

#[cfg(feature = "curl")]
fn curl(error: &isahc::Error) -> Failure {
    use Reached::{MaybeSent, Unsent};
    use isahc::Error as E;

    let (cause, reached) = match error {
        E::BadClientCertificate(_) | E::BadServerCertificate(_) => (Cause::Certificate, Unsent),
        E::ConnectFailed => (Cause::Network, Unsent),
        // curl does not say why.
        E::CouldntResolveHost => (Cause::DnsTemporary, Unsent),
        E::CouldntResolveProxy => (Cause::Proxy, Unsent),
        E::SSLConnectFailed(Some(text)) => (texts::tls(text), Unsent),
        E::SSLConnectFailed(None) | E::SSLEngineError(_) => (Cause::Tls, Unsent),
        E::NoResponse => (Cause::Network, MaybeSent),
        E::Timeout => (Cause::Timeout, MaybeSent),
        E::InvalidContentEncoding(_) | E::ResponseBodyError(_) => (Cause::ResponseRead, MaybeSent),
        E::TooManyRedirects => (Cause::Validation, MaybeSent),
        E::InvalidHttpFormat(_) | E::InvalidUtf8 => (Cause::Transport, MaybeSent),
        E::Curl(text) => return texts::curl(text).unwrap_or(UNKNOWN),
        E::Io(error) => (network(error.kind()).unwrap_or(Cause::Unknown), MaybeSent),
        E::Aborted | E::InvalidCredentials | E::RangeRequestUnsupported | E::RequestBodyError(_) => {
            return UNKNOWN;
        }
    };
    Failure::new(cause, reached)
}

/// What the kind of the innermost I/O error says: the rule below all types and texts, which is safe without them.
fn coarse(error: &(dyn StdError + 'static)) -> Failure {
    let inner = Chain(Some(error)).filter_map(|error| error.downcast_ref::<io::Error>()).last();
    let Some(inner) = inner else { return UNKNOWN };
    // No connection was made where it was refused.
    let reached = if inner.kind() == io::ErrorKind::ConnectionRefused { Reached::Unsent } else { Reached::MaybeSent };
    network(inner.kind()).map_or(UNKNOWN, |cause| Failure::new(cause, reached))
}

fn network(kind: io::ErrorKind) -> Option<Cause> {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable, NetworkDown,
        NetworkUnreachable, NotConnected, TimedOut, UnexpectedEof,
    };
    match kind {
        ConnectionRefused | ConnectionReset | ConnectionAborted | NotConnected | BrokenPipe | HostUnreachable
        | NetworkUnreachable | NetworkDown | UnexpectedEof => Some(Cause::Network),
        TimedOut => Some(Cause::Timeout),
        _ => None,
    }
}

/// An error and all that is inside it: its sources, and what an I/O error wraps, which is not its source.
struct Chain<'a>(Option<&'a (dyn StdError + 'static)>);

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
