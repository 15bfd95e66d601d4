//! Statuses, and a network that fails before the response's head is complete.

use core::net::{Ipv4Addr, SocketAddr};

use conformance::server::{Fault, Point, Reply, Tls};
use retry_core::ErrorKind::{Http, Network, Transport};
use retry_core::Reached::{MaybeSent, Unsent};
use socket2::{Domain, Socket, Type};

use crate::backend::Backend;
use crate::row::{Expected, Row, Sent, again, answer};
use crate::scene::{Place, Scene, http1, tls};

pub(crate) fn rows() -> Vec<Row> {
    let eof = |name, point| Row::new(name, http1(Fault::Close.at(point)), LOST);
    let reset = |name, point| Row::new(name, http1(Fault::Reset.at(point)), LOST);
    let handed_over = |fault: Fault| tls(Tls::Good, fault.at(Point::Request));
    let nameless = |name, status| Row::new(name, http1(Reply::status(status)), again(Transport, MaybeSent));
    let rows = vec![
        Row::new("status 503", http1(Reply::status(503)), again(Http, MaybeSent).sent(Sent::Answered)),
        Row::new("status 404", http1(Reply::status(404)), answer()),
        nameless("status 299, which has no name", 299),
        nameless("status 520, which has no name", 520),
        nameless("status 529, which has no name", 529),
        Row::new("connection refused", refused, again(Network, Unsent).nothing_seen()),
        Row::new("network unreachable", unreachable, again(Network, MaybeSent).nothing_seen())
            .on(Backend::H1Kept, again(Network, Unsent).nothing_seen())
            .on(Backend::Curl, again(Network, Unsent).nothing_seen()),
        eof("closed after the request's first byte", Point::FirstByte),
        eof("closed after the request's head", Point::RequestHead),
        eof("closed after the request", Point::Request),
        eof("closed in the response's head", Point::HalfHead),
        reset("reset after the request's first byte", Point::FirstByte),
        reset("reset after the request's head", Point::RequestHead),
        reset("reset after the request", Point::Request),
        reset("reset in the response's head", Point::HalfHead),
        Row::new("TLS: closed after the request, without a goodbye", handed_over(Fault::Close), LOST).over_tls(),
        Row::new("TLS: reset after the request", handed_over(Fault::Reset), LOST).over_tls(),
    ];
    rows.into_iter().map(Row::kept).collect()
}

const LOST: Expected = again(Network, MaybeSent);

/// A port of loopback that is taken, but on which nobody listens: a connection is refused.
fn refused(place: &Place) -> Scene {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("loopback has free ports");
    let addr = socket.local_addr().ok().and_then(|addr| addr.as_socket()).expect("a bound socket has an address");
    Scene::new(format!("http://{addr}{}", place.path)).prop(socket)
}

/// TCP cannot go to a group: the system says so without a packet.
fn unreachable(place: &Place) -> Scene {
    Scene::new(format!("http://224.0.0.1{}", place.path))
}
