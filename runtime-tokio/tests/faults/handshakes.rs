//! TLS handshakes that fail: by a verdict of either side, which another send would only hear again, or by the network.

use conformance::server::{Fault, Point, Server, Tls};
use reqwest::tls::Version;
use retry_core::ErrorKind::{Certificate, Network, Tls as Refused, Transport, Unknown};
use retry_core::Reached::{MaybeSent, Unsent};

use crate::common;
use crate::row::{Expected, Feature, Row, again, once};
use crate::scene::{Place, Scene, handshake};

pub(crate) fn rows() -> Vec<Row> {
    // Without rustls' types the verdicts are told by the kind of their I/O error, and not told apart.
    let certificate =
        |name, tls| Row::new(name, handshake(tls), verdict(Certificate)).without(Feature::Rustls, verdict(Refused));
    let refused = |name, tls| Row::new(name, handshake(tls), verdict(Refused));
    vec![
        certificate("TLS: a certificate that signs itself", Tls::SelfSigned),
        certificate("TLS: a certificate that has expired", Tls::Expired),
        certificate("TLS: a certificate for another name", Tls::WrongName),
        Row::new("TLS: an authority that the client does not know", unknown_authority, verdict(Certificate))
            .without(Feature::Rustls, verdict(Refused)),
        refused("TLS: alert handshake_failure", Tls::Alert(40)),
        refused("TLS: alert protocol_version", Tls::Alert(70)),
        refused("TLS: alert internal_error", Tls::Alert(80)),
        certificate("TLS: alert unknown_ca", Tls::Alert(48)),
        certificate("TLS: alert bad_certificate", Tls::Alert(42)),
        refused("TLS: a version that nobody speaks any more", Tls::OldVersion),
        refused("TLS: plain HTTP on the TLS port", Tls::Plain),
        Row::new("TLS: a port of plain HTTP that hangs up", plain_port, again(Network, Unsent).connections(2)),
        Row::new("TLS 1.2: the client has no certificate", no_certificate, verdict(Certificate))
            .without(Feature::Rustls, verdict(Refused)),
        Row::new("TLS: closed after ClientHello", handshake(Tls::Fault(Fault::Close)), LOST),
        Row::new("TLS: reset after ClientHello", handshake(Tls::Fault(Fault::Reset)), LOST),
        Row::new("plain HTTP to a TLS port", plain_client, again(Transport, MaybeSent).connections(2))
            .without(Feature::Hyper, once(Unknown, MaybeSent).connections(1)),
    ]
}

const LOST: Expected = again(Network, Unsent).connections(2);

const fn verdict(kind: retry_core::ErrorKind) -> Expected {
    once(kind, Unsent).connections(1)
}

fn unknown_authority(place: &Place) -> Scene {
    handshake(Tls::Good)(place).client(|_| common::builder())
}

/// In TLS 1.3 the verdict comes after the handshake: that is in `luck.rs`.
fn no_certificate(place: &Place) -> Scene {
    handshake(Tls::ClientCertificate)(place).client(|client| client.tls_version_max(Version::TLS_1_2))
}

fn plain_port(place: &Place) -> Scene {
    let scene = Scene::of(Server::start([Fault::Close.at(Point::FirstByte)]), &Place { host: None, ..place.clone() });
    let url = scene.url.replace("http:", "https:");
    scene.url(url)
}

fn plain_client(place: &Place) -> Scene {
    let scene = handshake(Tls::Good)(place);
    let url = scene.url.replace("https:", "http:");
    scene.url(url)
}
