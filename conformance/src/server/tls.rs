//! TLS on a connection: certificates made on the spot, and handshakes that go wrong.

use core::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rcgen::{KeyUsagePurpose, date_time_ymd};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, Stream};

use super::Fault;
use super::connection::{Connection, Ending, Wire};

/// What the server does with one TLS connection. A handshake that succeeds is followed by the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// A certificate of the server's authority for `127.0.0.1` and `localhost`.
    Good,
    /// A certificate that signs itself.
    SelfSigned,
    /// A certificate like `Good`, but it ended in 2002.
    Expired,
    /// A certificate like `Good`, but for `wrong.example`.
    WrongName,
    /// Like `Good`, and the client must have a certificate of the same authority.
    ClientCertificate,
    /// The ClientHello is answered with a fatal alert, such as 40 (handshake_failure) or 70 (protocol_version).
    Alert(u8),
    /// The ClientHello is answered with a ServerHello of SSL 3.0, which nobody speaks any more.
    OldVersion,
    /// The ClientHello is answered in plain HTTP.
    Plain,
    /// The fault strikes after the ClientHello.
    Fault(Fault),
}

/// The certificate authority and the steps of a server.
pub(super) struct Acceptor {
    ca_pem: String,
    ca_der: CertificateDer<'static>,
    steps: Vec<Step>,
}

/// A [`Tls`] made ready.
enum Step {
    Handshake(Arc<ServerConfig>),
    Answer(Vec<u8>),
    Fault(Fault),
}

impl Acceptor {
    /// Makes every step ready; connections will speak the protocol with this ALPN name.
    pub(super) fn new(steps: &[Tls], alpn: &str) -> Self {
        let ca = authority();
        let steps = steps.iter().map(|tls| Step::new(*tls, &ca, alpn)).collect();
        Self { ca_pem: ca.pem(), ca_der: ca.der().clone(), steps }
    }

    pub(super) fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    pub(super) fn ca_der(&self) -> &[u8] {
        &self.ca_der
    }

    /// Serves a connection by its step: connections are counted from 0, and the last step repeats.
    pub(super) fn serve(&self, connection: &Connection<'_>, number: usize, socket: &TcpStream) -> Result<(), Ending> {
        let mut socket = socket;
        match &self.steps[number.min(self.steps.len() - 1)] {
            Step::Handshake(config) => {
                let mut tls = ServerConnection::new(Arc::clone(config)).map_err(|_| Ending::Close)?;
                connection.speak(&mut Stream::new(&mut tls, &mut socket))
            }
            Step::Answer(bytes) => {
                read_hello(socket)?;
                Ok(socket.write_all(bytes)?)
            }
            Step::Fault(fault) => {
                read_hello(socket)?;
                connection.strike(Some(*fault))
            }
        }
    }
}

impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptor").finish_non_exhaustive()
    }
}

impl Wire for Stream<'_, ServerConnection, &TcpStream> {
    fn finish(&mut self) -> io::Result<()> {
        self.conn.send_close_notify();
        self.flush()
    }
}

impl Step {
    fn new(tls: Tls, ca: &Ca, alpn: &str) -> Self {
        let mut leaf = params(if tls == Tls::WrongName { &["wrong.example"] } else { &["127.0.0.1", "localhost"] });
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        match tls {
            Tls::Good | Tls::SelfSigned | Tls::WrongName | Tls::ClientCertificate => {}
            Tls::Expired => {
                leaf.not_before = date_time_ymd(2001, 1, 1);
                leaf.not_after = date_time_ymd(2002, 1, 1);
            }
            Tls::Alert(code) => return Self::Answer(vec![21, 3, 3, 0, 2, 2, code]),
            Tls::OldVersion => return Self::Answer(old_server_hello()),
            Tls::Plain => return Self::Answer(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".into()),
            Tls::Fault(fault) => return Self::Fault(fault),
        }
        let key = key();
        let certificate = match tls {
            Tls::SelfSigned => leaf.self_signed(&key),
            _ => leaf.signed_by(&key, ca),
        };
        let certificate = certificate.expect("a certificate can be signed").der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("rcgen writes keys that rustls reads");

        let provider = Arc::new(default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("ring has the default versions");
        let config = if tls == Tls::ClientCertificate {
            let mut roots = RootCertStore::empty();
            roots.add(ca.der().clone()).expect("the authority is one");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            config.with_client_cert_verifier(verifier.expect("there is a root"))
        } else {
            config.with_no_client_auth()
        };
        let mut config = config.with_single_cert(vec![certificate], key).expect("the key belongs to the certificate");
        config.alpn_protocols = vec![alpn.into()];
        Self::Handshake(Arc::new(config))
    }
}

type Ca = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Ca {
    let mut ca = params(&[]);
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // A leaf has the default name; only one that the authority signs may seem to come from it.
    ca.distinguished_name.push(DnType::CommonName, "Authority of the scripted server");
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    CertifiedIssuer::self_signed(ca, key()).expect("a certificate can be signed")
}

fn params(names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().copied().map(String::from).collect();
    CertificateParams::new(names).expect("the names are valid")
}

fn key() -> KeyPair {
    KeyPair::generate().expect("a key can be made")
}

/// Reads one record, whatever is in it: the ClientHello, if the client speaks TLS.
fn read_hello(mut socket: &TcpStream) -> io::Result<()> {
    let mut header = [0; 5];
    socket.read_exact(&mut header)?;
    let length = u16::from_be_bytes([header[3], header[4]]);
    socket.read_exact(&mut vec![0; length.into()])
}

fn old_server_hello() -> Vec<u8> {
    let record = [22, 3, 0, 0, 49];
    let handshake = [2, 0, 0, 45];
    // After version and random bytes: no session, TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, no compression.
    let choice = [0, 0xc0, 0x13, 0];
    // The extension renegotiation_info: without it, OpenSSL complains about that and not about the version.
    let extensions = [0, 5, 0xff, 1, 0, 1, 0];
    [&record[..], &handshake, &[3, 0], &[7; 32], &choice, &extensions].concat()
}
