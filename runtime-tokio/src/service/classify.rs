//! What a service says, whatever client is at the end of its stack.

use core::error::Error as StdError;

use retry_core::{Cause, Failure, Reached};

use crate::classify::{Chain, by_io_kind, dns, is_unprocessed, texts, told, typed, unstarted};
use crate::dns::DnsFailure;
use crate::service::fault::ServiceFault;

impl ServiceFault {
    /// This fault as the core judges it.
    pub(crate) fn failure(&self) -> Failure {
        let error = self.as_error();
        let failure = match told(error) {
            Some(failure) => failure,
            None if self.is_refused() => Failure::new(Cause::Validation, Reached::Unsent),
            None => judge(error),
        };
        if self.is_unready { Failure { reached: Reached::Unsent, ..failure } } else { failure }
    }

    /// Whether the client refused the request before it began to send it.
    pub(crate) fn is_refused(&self) -> bool {
        client(self.as_error()).any(texts::refused)
    }
}

fn judge(error: &(dyn StdError + 'static)) -> Failure {
    if is_unprocessed(error) {
        return Failure::new(Cause::Transport, Reached::Unsent);
    }
    let lookup = lookup(error);
    let connecting = client(error).any(is_connect);
    let cause = lookup
        .or_else(|| {
            Chain(Some(error)).find_map(|inner| {
                typed(inner).or_else(|| texts::connect(inner).filter(|_| connecting)).or_else(|| timeout(inner))
            })
        })
        .or_else(|| by_io_kind(error, connecting))
        .or_else(|| Chain(Some(error)).find_map(unstarted));
    // A text alone, which a server may have written, is no proof.
    let is_lookup = Chain(Some(error)).any(|inner| inner.is::<DnsFailure>());
    let reached = if connecting || is_lookup { Reached::Unsent } else { Reached::MaybeSent };
    Failure::new(cause.unwrap_or(Cause::Unknown), reached)
}

/// What the failed lookup of a name says, if that is what `error` is of.
fn lookup(error: &(dyn StdError + 'static)) -> Option<Cause> {
    let cause =
        Chain(Some(error)).skip_while(|inner| !(inner.is::<DnsFailure>() || texts::lookup(*inner))).find_map(dns);
    let is_lookup = cause.is_some() || Chain(Some(error)).any(texts::lookup);
    is_lookup.then(|| cause.unwrap_or(Cause::DnsTemporary))
}

/// What hyper-util's client says, and all that is inside of that.
#[cfg(feature = "hyper-util")]
fn client<'a>(error: &'a (dyn StdError + 'static)) -> Chain<'a> {
    Chain(Chain(Some(error)).find(|inner| inner.is::<hyper_util::client::legacy::Error>()))
}

#[cfg(not(feature = "hyper-util"))]
fn client<'a>(_: &'a (dyn StdError + 'static)) -> Chain<'a> {
    Chain(None)
}

/// Whether there was no connection yet.
#[cfg(feature = "hyper-util")]
fn is_connect(error: &(dyn StdError + 'static)) -> bool {
    error.downcast_ref().is_some_and(hyper_util::client::legacy::Error::is_connect)
}

#[cfg(not(feature = "hyper-util"))]
fn is_connect(_: &(dyn StdError + 'static)) -> bool {
    false
}

/// A limit of the stack's own.
fn timeout(error: &(dyn StdError + 'static)) -> Option<Cause> {
    (error.is::<tokio::time::error::Elapsed>() || texts::timeout(error)).then_some(Cause::Timeout)
}
