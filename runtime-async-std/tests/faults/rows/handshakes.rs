//! TLS handshakes that fail: by a verdict of either side, which another send would only hear again, or by the network.

use conformance::server::{Fault, Point, Reply, Server, Tls};
use retry_core::ErrorKind::{Certificate, Network, Tls as Refused, Transport};
use retry_core::Reached::{MaybeSent, Unsent};

use crate::backend::Backend;
use crate::row::{Expected, Row, again, once};
use crate::scene::{Place, Scene, handshake, tls};

pub(crate) fn rows() -> Vec<Row> {
    let certificate = |name, tls| Row::new(name, handshake(tls), verdict(Certificate)).over_tls();
    let refused = |name, tls| Row::new(name, handshake(tls), verdict(Refused)).over_tls();
    // isahc does not say why a handshake failed.
    let untold = |row: Row| row.over_tls().on(Backend::Curl, verdict(Refused));
    let rows = vec![
        Row::new("TLS: whole", tls(Tls::Good, Reply::status(200)), crate::row::answer()).over_tls(),
        certificate("TLS: a certificate that signs itself", Tls::SelfSigned),
        certificate("TLS: a certificate that has expired", Tls::Expired),
        certificate("TLS: a certificate for another name", Tls::WrongName),
        Row::new("TLS: an authority that the client does not know", unknown_authority, verdict(Certificate)).over_tls(),
        refused("TLS: alert handshake_failure", Tls::Alert(40)),
        refused("TLS: alert protocol_version", Tls::Alert(70)),
        refused("TLS: alert internal_error", Tls::Alert(80)),
        untold(certificate("TLS: alert unknown_ca", Tls::Alert(48))),
        untold(certificate("TLS: alert bad_certificate", Tls::Alert(42))),
        refused("TLS: a version that nobody speaks any more", Tls::OldVersion),
        refused("TLS: plain HTTP on the TLS port", Tls::Plain),
        untold(Row::new("TLS: a port of plain HTTP that hangs up", plain_port, LOST)),
        untold(Row::new("TLS: closed after ClientHello", handshake(Tls::Fault(Fault::Close)), LOST)),
        untold(Row::new("TLS: reset after ClientHello", handshake(Tls::Fault(Fault::Reset)), LOST)),
        Row::new("plain HTTP to a TLS port", plain_client, again(Network, MaybeSent).connections(2))
            .on(Backend::Curl, again(Transport, MaybeSent).connections(2)),
    ];
    rows.into_iter().map(Row::kept).collect()
}

const LOST: Expected = again(Network, Unsent).connections(2);

const fn verdict(kind: retry_core::ErrorKind) -> Expected {
    once(kind, Unsent).connections(1)
}

fn unknown_authority(place: &Place) -> Scene {
    Scene { trusts: false, ..handshake(Tls::Good)(place) }
}

fn plain_port(place: &Place) -> Scene {
    let scene = Scene::of(Server::start([Fault::Close.at(Point::FirstByte)]), place);
    let url = scene.url.replace("http:", "https:");
    scene.url(url)
}

fn plain_client(place: &Place) -> Scene {
    let scene = handshake(Tls::Good)(place);
    let url = scene.url.replace("https:", "http:");
    scene.url(url)
}
