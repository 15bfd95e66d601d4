//! The server's TLS, seen from a rustls client.
#![cfg(feature = "tls")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use conformance::server::{Fault, Framing, Point, Reply, Server, Tls};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, Error, RootCertStore, StreamOwned,
    crypto::ring::default_provider,
};

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

fn start(steps: impl IntoIterator<Item = Tls>) -> Server {
    Server::builder().script([Reply::status(200).body("ok").close()]).tls(steps).start()
}

fn connect(server: &Server, name: &'static str) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.ca_pem().as_bytes()).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec!["h2".into(), "http/1.1".into()];
    let client = ClientConnection::new(Arc::new(config), name.try_into().unwrap()).unwrap();
    let socket = TcpStream::connect(server.addr()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    StreamOwned::new(client, socket)
}

fn talk(server: &Server, name: &'static str) -> io::Result<String> {
    let mut stream = connect(server, name);
    stream.write_all(GET)?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

fn tls_error(step: Tls) -> Error {
    let server = start([step]);
    let error = talk(&server, "127.0.0.1").unwrap_err();
    assert_eq!((server.sends(), server.connections()), (0, 1));
    error.downcast().unwrap()
}

#[test]
fn a_good_handshake_is_followed_by_the_script() {
    let server = start([Tls::Good]);
    assert_eq!(server.url("/x"), format!("https://{}/x", server.addr()));
    assert_eq!(server.ca_der(), &*CertificateDer::from_pem_slice(server.ca_pem().as_bytes()).unwrap());
    for name in ["127.0.0.1", "localhost"] {
        let mut stream = connect(&server, name);
        stream.write_all(GET).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.ends_with("\r\n\r\nok"));
        assert_eq!(stream.conn.alpn_protocol(), Some(b"http/1.1".as_slice()));
    }
    assert_eq!(server.requests()[1].method, "GET");
}

#[test]
fn bad_certificates_are_refused_each_for_its_reason() {
    assert_eq!(tls_error(Tls::SelfSigned), Error::InvalidCertificate(CertificateError::UnknownIssuer));
    let expired = tls_error(Tls::Expired);
    assert!(matches!(expired, Error::InvalidCertificate(CertificateError::ExpiredContext { .. })), "{expired:?}");
    let name = tls_error(Tls::WrongName);
    assert!(matches!(name, Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. })), "{name:?}");
}

#[test]
fn a_missing_client_certificate_is_an_alert() {
    assert_eq!(tls_error(Tls::ClientCertificate), Error::AlertReceived(AlertDescription::CertificateRequired));
}

#[test]
fn the_client_hello_is_answered_wrongly() {
    assert_eq!(tls_error(Tls::Alert(40)), Error::AlertReceived(AlertDescription::HandshakeFailure));
    let version = tls_error(Tls::OldVersion);
    assert!(matches!(version, Error::PeerIncompatible(_)), "{version:?}");
    let plain = tls_error(Tls::Plain);
    assert!(matches!(plain, Error::InvalidMessage(_)), "{plain:?}");
}

#[test]
fn faults_strike_after_the_client_hello_one_step_per_connection() {
    let server = start([Tls::Fault(Fault::Close), Tls::Fault(Fault::Reset), Tls::Fault(Fault::Stall), Tls::Good]);
    assert_eq!(talk(&server, "localhost").unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert_eq!(talk(&server, "localhost").unwrap_err().kind(), ErrorKind::ConnectionReset);
    let mut stalled = connect(&server, "localhost");
    stalled.sock.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let error = stalled.write_all(GET).unwrap_err().kind();
    assert!(matches!(error, ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error:?}");
    assert!(talk(&server, "localhost").is_ok());
    assert!(talk(&server, "localhost").is_ok());
    assert_eq!((server.sends(), server.connections()), (2, 5));
}

#[test]
fn faults_of_the_script_strike_inside_tls() {
    let script = [
        Fault::Reset.at(Point::HalfBody),
        Fault::Close.at(Point::HalfBody),
        Reply::status(200).body("all").framing(Framing::UntilClose),
    ];
    let server = Server::builder().script(script).tls([Tls::Good]).start();
    assert_eq!(talk(&server, "localhost").unwrap_err().kind(), ErrorKind::ConnectionReset);
    // Without a close_notify the end is not to be trusted.
    assert_eq!(talk(&server, "localhost").unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert!(talk(&server, "localhost").unwrap().ends_with("\r\n\r\nall"));
}

#[test]
fn a_client_without_tls_is_ended() {
    for step in [Tls::Good, Tls::Alert(40)] {
        let server = start([step]);
        let mut socket = TcpStream::connect(server.addr()).unwrap();
        socket.write_all(b"GET /").unwrap();
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).unwrap();
        assert_eq!(server.sends(), 0);
    }
}
