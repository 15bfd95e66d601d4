//! Statuses, and a network that fails before the response's head is complete.

use conformance::server::{Fault, Point, Reply, Tls};
use retry_core::ErrorKind::{Http, Network, Unknown};
use retry_core::Reached::{MaybeSent, Unsent};

use crate::common;
use crate::row::{Expected, Feature, Row, Sent, again, answer, once};
use crate::scene::{Place, Scene, http1, http2, tls};

pub(crate) fn rows() -> Vec<Row> {
    // That the connection ended is what hyper alone tells of an EOF.
    let eof = |name, point| {
        Row::new(name, http1(Fault::Close.at(point)), LOST).without(Feature::Hyper, once(Unknown, MaybeSent))
    };
    let reset = |name, point| Row::new(name, http1(Fault::Reset.at(point)), LOST);
    let handed_over = |fault: Fault| tls(Tls::Good, fault.at(Point::Request));
    vec![
        Row::new("status 503", http1(Reply::status(503)), again(Http, MaybeSent).sent(Sent::Answered)),
        Row::new("status 404", http1(Reply::status(404)), answer()),
        Row::new("status 299, which has no name", http1(Reply::status(299)), answer()),
        Row::new("connection refused", refused, again(Network, Unsent).nothing_seen()),
        Row::new("network unreachable", unreachable, again(Network, Unsent).nothing_seen()),
        eof("closed after the request's first byte", Point::FirstByte),
        eof("closed after the request's head", Point::RequestHead),
        eof("closed after the request", Point::Request),
        eof("closed in the response's head", Point::HalfHead),
        reset("reset after the request's first byte", Point::FirstByte),
        reset("reset after the request's head", Point::RequestHead),
        reset("reset after the request", Point::Request),
        reset("reset in the response's head", Point::HalfHead),
        Row::new("TLS: closed after the request, without a goodbye", handed_over(Fault::Close), LOST),
        Row::new("TLS: reset after the request", handed_over(Fault::Reset), LOST),
        Row::new("HTTP/2: closed after the request", http2(Fault::Close.at(Point::Request)), LOST),
        Row::new("HTTP/2: reset after the request", http2(Fault::Reset.at(Point::Request)), LOST),
    ]
}

const LOST: Expected = again(Network, MaybeSent);

fn refused(place: &Place) -> Scene {
    let (socket, addr) = common::refused();
    Scene::new(common::builder(), &format!("http://{addr}{}", place.path), place).prop(socket)
}

/// TCP cannot go to a group: the system says so without a packet.
fn unreachable(place: &Place) -> Scene {
    Scene::new(common::builder(), &format!("http://224.0.0.1{}", place.path), place)
}
