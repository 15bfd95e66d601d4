//! What a real client can be put into, and what a server does for it.

use conformance::Skipped;
use conformance::json::Span;
use conformance::scenario::{Cause, Event, Reached, Scenario, Step};
use conformance::server::{Fault, Point, Reply, StreamFault};

/// The largest body that is read, in bytes.
pub(crate) const MAX_BODY: usize = 100;

/// Why a scenario cannot be played, if so.
pub(crate) fn cannot(scenario: &Scenario) -> Option<Skipped> {
    if scenario.script.iter().any(|step| step.untried.is_some()) {
        return Some(Skipped("it needs a pool of proxies"));
    }
    scenario.script.iter().find_map(|step| match step.event {
        Event::Status(200..) => None,
        Event::Status(_) => Some(Skipped("a client takes a status below 200 for no answer")),
        Event::Failure(Cause::Network, _) => None,
        Event::Failure(Cause::Transport, _) => None,
        Event::Failure(Cause::DnsTemporary | Cause::DnsNoSuchName, Reached::Unsent) => None,
        Event::Failure(Cause::ResponseRead | Cause::BodyTooLarge, Reached::MaybeSent) => None,
        Event::Failure(Cause::Timeout, _) => Some(Skipped("a client's own time limits are real time: tests/faults")),
        Event::Failure(Cause::Tls | Cause::Certificate, _) => Some(Skipped("it needs TLS: tests/faults")),
        Event::Failure(Cause::Proxy | Cause::ProxyAuth, _) => Some(Skipped("it needs a pool of proxies")),
        Event::Failure(Cause::Validation, _) => Some(Skipped("such a request is not sent: tests/faults")),
        Event::Failure(..) => Some(Skipped("no fault of a server or network leads to it")),
    })
}

/// Only in HTTP/2 a server can tell that it did not process a request.
pub(crate) fn needs_http2(scenario: &Scenario) -> bool {
    let refused = Event::Failure(Cause::Transport, Reached::Unsent);
    scenario.script.iter().any(|step| step.event == refused)
}

/// Whether a send with this step comes to a server.
pub(crate) fn server_sees(step: &Step) -> bool {
    !matches!(step.event, Event::Failure(Cause::Network | Cause::DnsTemporary | Cause::DnsNoSuchName, Reached::Unsent))
}

/// What the server of a step does; `None` for a step without one.
pub(crate) fn reply(step: &Step, http2: bool) -> Option<Reply> {
    if !server_sees(step) {
        return None;
    }
    let reply = match (step.event, http2) {
        (Event::Status(status), _) => Reply::status(status),
        (Event::Failure(Cause::ResponseRead, _), _) => Fault::Close.at(Point::HalfBody),
        (Event::Failure(Cause::BodyTooLarge, _), _) => Reply::status(200).body([b'x'; MAX_BODY + 1]),
        (Event::Failure(Cause::Transport, Reached::Unsent), _) => {
            StreamFault::Reset(StreamFault::REFUSED_STREAM).reply()
        }
        (Event::Failure(Cause::Transport, _), true) => StreamFault::Reset(StreamFault::INTERNAL_ERROR).reply(),
        (Event::Failure(Cause::Transport, _), false) => Reply::garbage(),
        (Event::Failure(..), _) => Fault::Close.at(Point::Request),
    };
    let headers = step.headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value.0.clone()));
    // A body that takes its time: it is cut, or its end is told by the clock.
    Some(if step.drain > Span::ZERO {
        headers.body("half of this arrives").fault(Fault::Stall, Point::HalfBody)
    } else {
        headers
    })
}
