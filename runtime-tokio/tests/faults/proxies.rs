//! A proxy inside the user's own client: what the client tells of it.

use conformance::server::{Fault, Point, Reply, Server};
use reqwest::Proxy;
use retry_core::ErrorKind::{Http, Network, Proxy as Refused};
use retry_core::Reached::{MaybeSent, Unsent};

use crate::common;
use crate::row::{Row, Sent, again, answer, once};
use crate::scene::{Place, Scene};

pub(crate) fn rows() -> Vec<Row> {
    let connect = |name, reply: Reply, expected| {
        Row::new(name, move |place: &Place| through("https", "http", reply.clone(), place), expected)
    };
    let status = |name, status, expected| connect(name, Reply::status(status), expected);
    let plain = |name, status, expected| {
        Row::new(name, move |place: &Place| through("http", "http", Reply::status(status), place), expected)
    };
    let tunnel = again(Refused, Unsent);
    vec![
        status("a proxy answers CONNECT with 407", 407, once(Refused, Unsent)),
        status("a proxy answers CONNECT with 403", 403, tunnel),
        status("a proxy answers CONNECT with 502", 502, tunnel),
        status("a proxy answers CONNECT with 503", 503, tunnel),
        status("a proxy answers CONNECT with 504", 504, tunnel),
        connect("a proxy closes instead of answering CONNECT", Fault::Close.at(Point::Request), tunnel),
        connect("a proxy resets instead of answering CONNECT", Fault::Reset.at(Point::Request), tunnel),
        connect("a proxy whose tunnel ends at once", Reply::status(200).close(), again(Network, Unsent)),
        Row::new("a dead proxy, for https", |place| dead("https", "http", place), tunnel.nothing_seen()),
        // Nothing tells it from a dead origin.
        Row::new("a dead proxy, for http", |place| dead("http", "http", place), again(Network, Unsent).nothing_seen()),
        Row::new("a dead SOCKS proxy", |place| dead("http", "socks5h", place), tunnel.nothing_seen()),
        Row::new(
            "a SOCKS proxy that hangs up",
            |place| through("http", "socks5h", Fault::Close.at(Point::FirstByte), place),
            tunnel,
        ),
        // These cannot be told from the origin's answer.
        plain("a proxy answers a plain request with 407", 407, answer()),
        plain("a proxy answers a plain request with 502", 502, again(Http, MaybeSent).sent(Sent::Answered)),
    ]
}

/// A request to an origin that there is not, through a proxy that replies so.
fn through(origin: &str, kind: &str, reply: Reply, place: &Place) -> Scene {
    let server = Server::start([reply]);
    let proxy = format!("{kind}://proxy-user:hunter2@{}", server.addr());
    Scene { server: Some(server), ..by(&proxy, origin, place) }
}

fn dead(origin: &str, kind: &str, place: &Place) -> Scene {
    let (socket, addr) = common::refused();
    by(&format!("{kind}://{addr}"), origin, place).prop(socket)
}

fn by(proxy: &str, origin: &str, place: &Place) -> Scene {
    let client = common::builder().proxy(Proxy::all(proxy).expect("it is a proxy's URL"));
    let host = place.host.unwrap_or("origin.test");
    Scene::new(client, &format!("{origin}://{host}{}", place.path), place)
}
