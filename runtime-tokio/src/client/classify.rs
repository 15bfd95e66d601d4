//! What reqwest says.

use core::error::Error as StdError;

use http::StatusCode;
use retry_core::{Cause, Failure, Reached};

use crate::classify::{Chain, by_io_kind, dns, is_unprocessed, texts, typed, unstarted};
use crate::client::fault::ClientFault;
use crate::fault::Fault;

impl ClientFault {
    /// This fault as the core judges it.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::Plain(error) => judge(error),
            Self::Redirected(error) => Failure { reached: Reached::MaybeSent, ..judge(error) },
            Self::TooLarge(_) => Failure::new(Cause::BodyTooLarge, Reached::MaybeSent),
            Self::Invalid(_) | Self::NoTls(_) | Self::Buffer(_) => Failure::new(Cause::Validation, Reached::Unsent),
            Self::Withheld(_) => Failure::new(Cause::Validation, Reached::MaybeSent),
            Self::Proxy(cause, _) => Failure::new(*cause, Reached::Unsent),
        }
    }

    /// The status of a response that the caller's closure made this of (`error_for_status`).
    pub(crate) fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Plain(error) | Self::Redirected(error) => error.status(),
            _ => None,
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

pub(crate) fn judge(error: &reqwest::Error) -> Failure {
    let connecting = error.is_connect() || error.is_dns();
    let reached = if connecting { Reached::Unsent } else { Reached::MaybeSent };
    let cause = if error.is_builder() || error.is_redirect() {
        // The client refuses only a redirect's target here: a first request that it refuses is `Fault::Invalid`.
        Cause::Validation
    } else if error.is_decode() {
        // A JSON error comes from a closure of the caller's that read a whole body, and not what it wanted.
        if Chain(Some(error)).any(|inner| inner.is::<serde_json::Error>()) {
            Cause::Unknown
        } else {
            Cause::ResponseRead
        }
    } else if Chain(Some(error)).skip(1).any(is_of_body) {
        Cause::Validation
    } else if error.is_dns() {
        Chain(Some(error)).find_map(dns).unwrap_or(Cause::DnsTemporary)
    } else if error.is_timeout() {
        Cause::Timeout
    } else if is_unprocessed(error) {
        return Failure::new(Cause::Transport, Reached::Unsent);
    } else {
        Chain(Some(error))
            .find_map(|inner| typed(inner).or_else(|| connecting.then(|| texts::connect(inner)).flatten()))
            .or_else(|| by_io_kind(error, connecting))
            .or_else(|| Chain(Some(error)).find_map(unstarted))
            .unwrap_or(Cause::Unknown)
    };
    Failure::new(cause, reached)
}

/// Whether it is the error of the caller's own body. One of a response's body is a decode error outside.
fn is_of_body(error: &(dyn StdError + 'static)) -> bool {
    error.downcast_ref().is_some_and(reqwest::Error::is_body)
}

/// Whether the client cannot send to an `https` URL at all.
pub(crate) fn is_without_tls(error: &reqwest::Error) -> bool {
    error.is_connect() && Chain(Some(error)).any(|inner| texts::connect(inner) == Some(Cause::Validation))
}
