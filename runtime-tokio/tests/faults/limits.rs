//! Limits that pass: the client's and ours. The caller's word is one, too.

use conformance::server::{Fault, Point, Tls};
use reqwest::ClientBuilder;
use reqwest::dns::{Name, Resolve, Resolving};
use retry_core::ErrorKind::{Canceled, ResponseRead, Timeout};
use retry_core::PolicyBuilder;
use retry_core::Reached::{MaybeSent, Unsent};
use socket2::{Domain, Socket, Type};

use crate::common;
use crate::row::{Expected, Row, Sent, again, once};
use crate::scene::{Place, STEP, Scene, Time, body, handshake, http1};

pub(crate) fn rows() -> Vec<Row> {
    let timed = |name, scene: fn(&Place) -> Scene, expected: Expected| Row::new(name, scene, expected);
    vec![
        timed("the client's connect timeout in TCP", full, again(Timeout, Unsent).nothing_seen()),
        timed("the client's connect timeout in the name lookup", lookup, again(Timeout, Unsent).nothing_seen()),
        timed(
            "the client's connect timeout in the TLS handshake",
            |place| shaking(place).client(|client| client.connect_timeout(STEP)),
            again(Timeout, Unsent).connections(2),
        ),
        timed(
            "the client's timeout in the TLS handshake",
            |place| shaking(place).client(|client| client.timeout(STEP)),
            again(Timeout, MaybeSent).connections(2),
        ),
        timed("the client's timeout before the response", |place| silent(place).client(total), SLOW),
        timed("the client's timeout in the response's head", |place| torn(place).client(total), SLOW),
        timed("the client's read timeout before the response", |place| silent(place).client(read), SLOW),
        timed("the client's timeout in the body", |place| half(place).client(total), again(ResponseRead, MaybeSent)),
        timed(
            "the client's read timeout in the body",
            |place| half(place).client(read),
            again(ResponseRead, MaybeSent),
        ),
        timed(
            "the attempt's limit after the request's first byte",
            |place| at(Point::FirstByte, place).policy(attempt),
            SLOW,
        ),
        timed(
            "the attempt's limit after the request's head",
            |place| at(Point::RequestHead, place).policy(attempt),
            SLOW,
        ),
        timed("the attempt's limit before the response", |place| silent(place).policy(attempt), SLOW),
        timed("the attempt's limit in the response's head", |place| torn(place).policy(attempt), SLOW),
        timed("the attempt's limit in the body", |place| half(place).policy(attempt), SLOW),
        timed(
            "the attempt's limit in the TLS handshake",
            |place| shaking(place).policy(attempt),
            again(Timeout, MaybeSent).connections(2),
        ),
        timed(
            "the total limit before the response",
            |place| silent(place).policy(|policy| policy.total_timeout(Some(STEP))),
            once(Timeout, MaybeSent),
        ),
        timed(
            "the total limit in the body",
            |place| half(place).policy(|policy| policy.total_timeout(Some(STEP))),
            once(Timeout, MaybeSent),
        ),
        timed(
            "both limits at once",
            |place| silent(place).policy(|policy| attempt(policy).total_timeout(Some(STEP))),
            once(Timeout, MaybeSent),
        ),
        timed(
            "the caller cancels",
            |place| silent(place).time(Time::Canceled),
            once(Canceled, MaybeSent).sent(Sent::Untold),
        ),
    ]
}

const SLOW: Expected = again(Timeout, MaybeSent);

fn total(client: ClientBuilder) -> ClientBuilder {
    client.timeout(STEP)
}

fn read(client: ClientBuilder) -> ClientBuilder {
    client.read_timeout(STEP)
}

fn attempt(policy: PolicyBuilder) -> PolicyBuilder {
    policy.attempt_timeout(Some(STEP))
}

fn at(point: Point, place: &Place) -> Scene {
    http1(Fault::Stall.at(point))(place).time(Time::AtStalls)
}

fn silent(place: &Place) -> Scene {
    at(Point::Request, place)
}

fn torn(place: &Place) -> Scene {
    at(Point::HalfHead, place)
}

fn half(place: &Place) -> Scene {
    body(Fault::Stall.at(Point::HalfBody))(place).time(Time::AtStalls)
}

fn shaking(place: &Place) -> Scene {
    handshake(Tls::Fault(Fault::Stall))(place).time(Time::AtStalls)
}

/// Without a total limit: time goes as it likes.
fn free(scene: Scene) -> Scene {
    scene.policy(|policy| policy.total_timeout(None)).client(|client| client.connect_timeout(STEP)).time(Time::Free)
}

/// A port whose backlog is full: the system does not answer.
fn full(place: &Place) -> Scene {
    let (listener, addr) = common::refused();
    listener.listen(0).expect("a bound socket can listen");
    let fill = [(); 2].map(|()| {
        let client = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
        client.set_nonblocking(true).expect("a socket need not block");
        // It is on its way, or waits for ever.
        let _ = client.connect(&addr.into());
        client
    });
    free(Scene::new(common::builder(), &format!("http://{addr}{}", place.path), place)).prop((listener, fill))
}

/// A name lookup that does not end.
fn lookup(place: &Place) -> Scene {
    let client = common::builder().dns_resolver(Lost);
    free(Scene::new(client, &format!("http://example.test{}", place.path), place))
}

struct Lost;

impl Resolve for Lost {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(core::future::pending())
    }
}
