//! An HTTP/1 proxy on one connection.

use std::io::{BufRead, BufReader};

use super::target::{NoWay, Target};
use super::visit::{Bounded, Visit, broken};
use super::{Via, response, tunnel};
use crate::server::connection::{Ending, send};
use crate::server::request::Request;

/// Serves requests until one of them ends the connection.
pub(super) fn serve(visit: &Visit<'_>) -> Result<(), Ending> {
    let mut reader = BufReader::new(Bounded::new(&visit.socket));
    while !reader.fill_buf()?.is_empty() {
        exchange(visit, &mut reader)?;
    }
    Err(Ending::Close)
}

type Reader<'a> = BufReader<Bounded<'a>>;

/// One request and its answer. `Ok`: the connection stays alive.
fn exchange(visit: &Visit<'_>, reader: &mut Reader<'_>) -> Result<(), Ending> {
    let number = visit.begin();
    let request = Request::read(reader)?;
    visit.record().note(number, |noted| {
        noted.method.clone_from(&request.method);
        noted.target.clone_from(&request.target);
        noted.headers.clone_from(&request.headers);
    });
    let step = has_password(visit, &request).then(|| visit.step());
    if let Some(Via::Fault(fault)) = step {
        return Err(visit.strike(*fault, reader));
    }
    let body = read_body(visit, &request, reader)?;
    let exchange = Exchange { visit, number, request, body };
    let by_proxy = "answered by the proxy\n";
    match step {
        None => exchange.answer(407, &[], "the proxy wants a password\n"),
        Some(Via::Pass) if exchange.request.method == "CONNECT" => exchange.connect(reader),
        Some(Via::Pass) => exchange.forward(),
        Some(Via::Status(status)) => exchange.answer(*status, &[], by_proxy),
        Some(Via::Answer { status, headers }) => exchange.answer(*status, headers, by_proxy),
        Some(Via::Raw(bytes)) => {
            send(&mut &visit.socket, bytes)?;
            Err(Ending::Close)
        }
        // The first has struck, and `Proxy::http` does not take the second.
        Some(Via::Fault(_) | Via::Refuse(_)) => Err(Ending::Close),
    }
}

fn has_password(visit: &Visit<'_>, request: &Request) -> bool {
    let Some(password) = visit.shared.settings.password() else { return true };
    values(request, "proxy-authorization").any(|value| password.is_basic(value))
}

fn read_body(visit: &Visit<'_>, request: &Request, reader: &mut Reader<'_>) -> Result<Vec<u8>, Ending> {
    // Whatever a CONNECT says of a body (RFC 9110, section 9.3.6), it has none.
    if request.method == "CONNECT" {
        return Ok(Vec::new());
    }
    if request.has("expect", "100-continue") {
        send(&mut &visit.socket, b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    Ok(request.read_body(reader)?)
}

fn values<'a>(request: &'a Request, name: &str) -> impl Iterator<Item = &'a str> {
    request.headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
}

/// A request that was read.
struct Exchange<'a> {
    visit: &'a Visit<'a>,
    number: usize,
    request: Request,
    body: Vec<u8>,
}

impl Exchange<'_> {
    fn connect(&self, reader: &mut Reader<'_>) -> Result<(), Ending> {
        let Some(target) = Target::from_authority(&self.request.target, None) else { return self.bad() };
        let upstream = match self.visit.dial(&target, self.number) {
            Ok(upstream) => upstream,
            Err(no_way) => return self.no_way(no_way),
        };
        send(&mut &self.visit.socket, b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        Err(tunnel::join(reader, &self.visit.socket, &upstream))
    }

    fn forward(&self) -> Result<(), Ending> {
        let Some((target, path)) = Target::from_url(&self.request.target) else { return self.bad() };
        let upstream = match self.visit.dial(&target, self.number) {
            Ok(upstream) => upstream,
            Err(no_way) => return self.no_way(no_way),
        };
        let mut message = format!("{} {path} HTTP/1.1\r\n", self.request.method);
        for (name, value) in self.request.headers.iter().filter(|(name, _)| !ends_here(name)) {
            message += &format!("{name}: {value}\r\n");
        }
        if ["content-length", "transfer-encoding"].iter().any(|name| values(&self.request, name).next().is_some()) {
            message += &format!("Content-Length: {}\r\n", self.body.len());
        }
        message += "\r\n";
        let message = [message.as_bytes(), &self.body].concat();
        send(&mut &upstream.socket, &message).map_err(|error| broken(&error))?;
        response::pass(&upstream, &self.visit.socket, &self.request.method)?;
        if self.request.closes() { Err(Ending::Close) } else { Ok(()) }
    }

    /// A target that is none for a proxy.
    fn bad(&self) -> Result<(), Ending> {
        self.answer(400, &[], "the proxy wants a URL, or host and port\n")
    }

    fn no_way(&self, why: NoWay) -> Result<(), Ending> {
        self.answer(502, &[], why.words())
    }

    /// The proxy's own answer.
    fn answer(&self, status: u16, headers: &[(String, String)], body: &str) -> Result<(), Ending> {
        let mut message = format!("HTTP/1.1 {status} Scripted\r\n");
        for (name, value) in headers {
            message += &format!("{name}: {value}\r\n");
        }
        let named = |wanted: &str| headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        if status == 407 && !named("proxy-authenticate") {
            message += "Proxy-Authenticate: Basic realm=\"proxy\"\r\n";
        }
        let tunnel = self.request.method == "CONNECT" && matches!(status, 200..=299);
        // HTTP forbids a body and its length with the first two; the third has said its length, true or not.
        let bare = tunnel || matches!(status, 100..=199 | 204 | 304) || named("content-length");
        if !bare {
            message += &format!("Content-Length: {}\r\n", body.len());
        }
        message += "\r\n";
        if !bare && self.request.method != "HEAD" {
            message += body;
        }
        send(&mut &self.visit.socket, message.as_bytes())?;
        let closes = headers
            .iter()
            .any(|(name, value)| name.eq_ignore_ascii_case("connection") && value.trim().eq_ignore_ascii_case("close"));
        if tunnel || closes || self.request.closes() { Err(Ending::Close) } else { Ok(()) }
    }
}

/// Whether a header is for the proxy alone, or for one connection, or was used by the proxy (RFC 9110, section 7.6.1).
fn ends_here(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "transfer-encoding",
        "upgrade",
    ];
    NAMES.iter().any(|here| name.eq_ignore_ascii_case(here))
}
