//! Name lookups that fail. No test asks the system: a resolver says what it would.

use core::error::Error;
use std::io;

use reqwest::dns::{Name, Resolve, Resolving};
use retry_core::ErrorKind::Dns;
use retry_core::Reached::Unsent;
use runtime_tokio::DnsFailure;

use crate::common;
use crate::row::{Row, again, once};
use crate::scene::{Place, Scene};

pub(crate) fn rows() -> Vec<Row> {
    let no_such_name = once(Dns, Unsent).nothing_seen();
    let temporary = again(Dns, Unsent).nothing_seen();
    let fails = |fault, says: Says, expected| Row::new(fault, move |place: &Place| scene(place, says), expected);
    vec![
        fails("DNS, glibc: no such name", Says::System("Name or service not known"), no_such_name),
        fails("DNS, glibc: no address", Says::System("No address associated with hostname"), no_such_name),
        fails("DNS, glibc: temporary failure", Says::System("Temporary failure in name resolution"), temporary),
        fails("DNS, glibc: failure", Says::System("Non-recoverable failure in name resolution"), temporary),
        fails("DNS, musl: no such name", Says::System("Name does not resolve"), no_such_name),
        fails("DNS, musl: no address", Says::System("Name has no usable address"), no_such_name),
        fails("DNS, musl: temporary failure", Says::System("Try again"), temporary),
        fails("DNS, macOS: no such name", Says::System("nodename nor servname provided, or not known"), no_such_name),
        fails("DNS, macOS: no address", Says::System("No address associated with nodename"), no_such_name),
        fails("DNS, FreeBSD: no such name", Says::System("hostname nor servname provided, or not known"), no_such_name),
        fails("DNS, Windows: no such name", Says::Text("No such host is known. (os error 11001)"), no_such_name),
        fails("DNS, Windows: no address", Says::Text("The requested name is valid. (os error 11004)"), no_such_name),
        fails("DNS, Windows: temporary failure", Says::Text("Host not found for now. (os error 11002)"), temporary),
        fails("DNS: a resolver says that there is no such name", Says::Typed(DnsFailure::NoSuchName), no_such_name),
        fails("DNS: a resolver says so in an error of its own", Says::Wrapped(DnsFailure::NoSuchName), no_such_name),
        fails("DNS: a resolver says so in an I/O error", Says::Io(DnsFailure::NoSuchName), no_such_name),
        fails("DNS: a resolver says that it is temporary", Says::Typed(DnsFailure::Temporary), temporary),
        fails("DNS: the lookup's own timeout", Says::TimedOut, temporary),
        fails("DNS: a text that nobody knows", Says::Text("the oracle is asleep"), temporary),
    ]
}

fn scene(place: &Place, says: Says) -> Scene {
    let host = place.host.unwrap_or("example.test");
    Scene::new(common::builder().dns_resolver(says), &format!("http://{host}{}", place.path), place)
}

/// What a resolver answers.
#[derive(Clone, Copy)]
enum Says {
    /// The operating system's text, as std reports it.
    System(&'static str),
    Text(&'static str),
    Typed(DnsFailure),
    Wrapped(DnsFailure),
    Io(DnsFailure),
    TimedOut,
}

impl Resolve for Says {
    fn resolve(&self, _: Name) -> Resolving {
        let error: Box<dyn Error + Send + Sync> = match *self {
            Self::System(text) => io::Error::other(format!("failed to lookup address information: {text}")).into(),
            Self::Text(text) => text.into(),
            Self::Typed(failure) => failure.into(),
            Self::Wrapped(failure) => Wrapped(failure).into(),
            Self::Io(failure) => io::Error::other(failure).into(),
            Self::TimedOut => io::Error::from(io::ErrorKind::TimedOut).into(),
        };
        Box::pin(async { Err(error) })
    }
}

#[derive(Debug)]
struct Wrapped(DnsFailure);

impl core::fmt::Display for Wrapped {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the resolver has failed")
    }
}

impl Error for Wrapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}
