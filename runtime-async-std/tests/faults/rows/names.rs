//! Name lookups that fail. No test asks the system: a client says what it would.

use std::io;

use retry_core::ErrorKind::Dns;
use retry_core::Reached::Unsent;
use runtime_async_std::DnsFailure;
use surf::http::{Error, Request, Response, StatusCode};

use crate::row::{Row, again, once};
use crate::scene::{Place, Scene};

pub(crate) fn rows() -> Vec<Row> {
    let no_such_name = once(Dns, Unsent).nothing_seen();
    let temporary = again(Dns, Unsent).nothing_seen();
    let fails = |fault, says: Says, expected| Row::new(fault, move |place: &Place| scene(place, says), expected);
    let system = |fault, text, expected| fails(fault, Says::System(text), expected);
    vec![
        system("DNS, glibc: no such name", "Name or service not known", no_such_name),
        system("DNS, glibc: no address", "No address associated with hostname", no_such_name),
        system("DNS, glibc: temporary failure", "Temporary failure in name resolution", temporary),
        system("DNS, glibc: failure", "Non-recoverable failure in name resolution", temporary),
        system("DNS, musl: no such name", "Name does not resolve", no_such_name),
        system("DNS, musl: no address", "Name has no usable address", no_such_name),
        system("DNS, musl: temporary failure", "Try again", temporary),
        system("DNS, macOS: no such name", "nodename nor servname provided, or not known", no_such_name),
        system("DNS, macOS: no address", "No address associated with nodename", no_such_name),
        system("DNS, FreeBSD: no such name", "hostname nor servname provided, or not known", no_such_name),
        fails("DNS: a client says that there is no such name", Says::Typed(DnsFailure::NoSuchName), no_such_name),
        fails("DNS: a client says so in an I/O error", Says::Io(DnsFailure::NoSuchName), no_such_name),
        fails("DNS: a client says that it is temporary", Says::Typed(DnsFailure::Temporary), temporary),
    ]
}

fn scene(place: &Place, says: Says) -> Scene {
    Scene::new(format!("http://127.0.0.1{}", place.path)).client(says)
}

/// What a client answers.
#[derive(Clone, Copy, Debug)]
enum Says {
    /// The operating system's text, as std reports it.
    System(&'static str),
    Typed(DnsFailure),
    Io(DnsFailure),
}

#[async_trait::async_trait]
impl surf::HttpClient for Says {
    async fn send(&self, _: Request) -> Result<Response, Error> {
        Err(match *self {
            Self::System(text) => io::Error::other(format!("failed to lookup address information: {text}")).into(),
            Self::Typed(failure) => Error::new(StatusCode::BadGateway, failure),
            Self::Io(failure) => io::Error::other(failure).into(),
        })
    }
}
