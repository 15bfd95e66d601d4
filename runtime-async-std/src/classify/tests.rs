//! Each text by itself. `tests/faults` meets what a server can bring about.

use std::io;

use retry_core::{Cause, Failure, Reached};

use super::{Fault, texts};

fn failure(text: &str) -> Failure {
    Fault::client(surf::Error::from_str(500, text.to_owned()), "http://localhost/").failure()
}

#[test]
fn a_connection_that_was_not_made_is_unsent() {
    let object = "An error occured while creating a new object: ";
    let cases = [
        ("Connection refused (os error 111)", Cause::Network),
        ("Network is unreachable (os error 101)", Cause::Network),
        ("No route to host (os error 113)", Cause::Network),
        ("Connection timed out (os error 110)", Cause::Timeout),
        ("Too many open files (os error 24)", Cause::Unknown),
        ("nobody knows", Cause::Unknown),
        ("unexpected EOF", Cause::Network),
        (
            "error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify failed",
            Cause::Certificate,
        ),
        ("error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:SSL alert number 48", Cause::Certificate),
        ("error:0A000412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate", Cause::Certificate),
        ("error:0A000413:SSL routines:ssl3_read_bytes:sslv3 alert unsupported certificate", Cause::Certificate),
        ("error:0A000414:SSL routines:ssl3_read_bytes:sslv3 alert certificate revoked", Cause::Certificate),
        ("error:0A000415:SSL routines:ssl3_read_bytes:sslv3 alert certificate expired", Cause::Certificate),
        ("error:0A000416:SSL routines:ssl3_read_bytes:sslv3 alert certificate unknown", Cause::Certificate),
        ("error:0A000411:SSL routines:ssl3_read_bytes:sslv3 alert no certificate", Cause::Certificate),
        ("error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required", Cause::Certificate),
        ("error:0A000126:SSL routines:ssl3_read_n:unexpected eof while reading", Cause::Network),
        ("error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure", Cause::Tls),
        ("error:0A00010B:SSL routines:ssl3_get_record:wrong version number", Cause::Tls),
    ];
    for (text, cause) in cases {
        if cfg!(target_os = "linux") || !text.contains("os error") {
            assert_eq!(failure(&format!("{object}{text}")), Failure::new(cause, Reached::Unsent), "{text}");
        }
    }
}

#[test]
fn after_the_handshake_a_refusal_is_maybe_sent() {
    let text = "error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:SSL alert number 116";
    let fault = Fault::client(io::Error::other(text).into(), "https://localhost/");
    assert_eq!(fault.failure(), Failure::new(Cause::Certificate, Reached::MaybeSent));
}

#[test]
fn curls_handshakes() {
    let cases = [
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:443", Cause::Network),
        ("OpenSSL SSL_connect: Connection reset by peer in connection to localhost:443", Cause::Network),
        ("error:0A00010B:SSL routines::wrong version number", Cause::Tls),
    ];
    for (text, cause) in cases {
        assert_eq!(texts::tls(text), cause, "{text}");
    }
}

#[test]
fn a_response_that_makes_no_sense_is_maybe_sent() {
    for text in ["connection closed", "empty response"] {
        assert_eq!(failure(text), Failure::new(Cause::Network, Reached::MaybeSent));
    }
    let broken = [
        "Head byte length should be less than 8kb",
        "Malformed HTTP head",
        "No status code found",
        "No version found",
        "Unsupported HTTP version",
        "Unexpected Content-Length header",
        "Invalid status code",
        "Bytes should be valid ASCII",
        "invalid header name",
        "invalid header value",
        "invalid new line",
        "invalid response status",
        "invalid token",
        "too many headers",
        "invalid HTTP version",
    ];
    for text in broken {
        assert_eq!(failure(text), Failure::new(Cause::Transport, Reached::MaybeSent), "{text}");
    }
}

#[test]
fn what_is_refused_is_not_sent() {
    for text in ["invalid url scheme 'ftp'", "missing hostname", "Missing hostname"] {
        let fault = Fault::client(surf::Error::from_str(400, text), "ftp://localhost/");
        assert!(matches!(fault, Fault::Invalid(_)), "{text}");
        assert_eq!(fault.failure(), Failure::new(Cause::Validation, Reached::Unsent));
    }
}

#[cfg(feature = "curl")]
#[test]
fn what_libcurl_says() {
    let of = |text: &str, url| {
        let error = surf::Error::new(500, isahc::Error::Curl(text.into()));
        Fault::client(error, url).failure()
    };
    let cases = [
        ("Failed sending data to the peer", Cause::Network),
        ("Failure when receiving data from the peer", Cause::Network),
        ("Weird server reply", Cause::Transport),
        ("Unsupported protocol", Cause::Transport),
        ("Error in the HTTP2 framing layer", Cause::Transport),
        ("Stream error in the HTTP/2 framing layer", Cause::Transport),
        ("A value or data field grew larger than allowed", Cause::Transport),
        ("Failure writing output to destination", Cause::Unknown),
    ];
    for (text, cause) in cases {
        assert_eq!(of(text, "https://localhost/"), Failure::new(cause, Reached::MaybeSent), "{text}");
    }
    assert_eq!(of("Unsupported protocol", "x:y"), Failure::new(Cause::Validation, Reached::Unsent));
}

#[cfg(feature = "curl")]
#[test]
fn what_isahc_says() {
    use Reached::{MaybeSent, Unsent};
    use isahc::Error as E;

    let cases = [
        (E::BadClientCertificate(None), Cause::Certificate, Unsent),
        (E::BadServerCertificate(None), Cause::Certificate, Unsent),
        (E::ConnectFailed, Cause::Network, Unsent),
        (E::CouldntResolveHost, Cause::DnsTemporary, Unsent),
        (E::CouldntResolveProxy, Cause::Proxy, Unsent),
        (E::SSLConnectFailed(None), Cause::Tls, Unsent),
        (E::NoResponse, Cause::Network, MaybeSent),
        (E::Timeout, Cause::Timeout, MaybeSent),
        (E::ResponseBodyError(None), Cause::ResponseRead, MaybeSent),
        (E::TooManyRedirects, Cause::Validation, MaybeSent),
        (E::Aborted, Cause::Unknown, MaybeSent),
        (E::Io(io::ErrorKind::ConnectionReset.into()), Cause::Network, MaybeSent),
    ];
    for (error, cause, reached) in cases {
        let text = error.to_string();
        let fault = Fault::client(surf::Error::new(500, error), "http://localhost/");
        assert_eq!(fault.failure(), Failure::new(cause, reached), "{text}");
    }
}

#[test]
fn io_errors_are_told_by_their_kind() {
    use Reached::{MaybeSent, Unsent};
    use io::ErrorKind as K;

    let cases = [
        (K::ConnectionRefused, Cause::Network, Unsent),
        (K::ConnectionReset, Cause::Network, MaybeSent),
        (K::BrokenPipe, Cause::Network, MaybeSent),
        (K::UnexpectedEof, Cause::Network, MaybeSent),
        (K::TimedOut, Cause::Timeout, MaybeSent),
        (K::PermissionDenied, Cause::Unknown, MaybeSent),
    ];
    for (kind, cause, reached) in cases {
        let fault = Fault::client(io::Error::from(kind).into(), "http://localhost/");
        assert_eq!(fault.failure(), Failure::new(cause, reached), "{kind:?}");
    }
}

#[cfg(feature = "curl")]
#[test]
fn whose_failure_it_is_with_a_proxy() {
    use super::{Blame, Way};
    use isahc::Error as E;

    let own = Some(Blame::Proxy(Cause::Proxy));
    let cases: [(fn() -> E, _, _, _); 9] = [
        (|| E::CouldntResolveProxy, own, own, own),
        (|| E::CouldntResolveHost, own, own, own),
        (|| E::ConnectFailed, own, own, own),
        (|| E::Curl("Proxy handshake error".into()), own, own, own),
        (|| E::Curl("proxy handshake error".into()), own, own, own),
        (|| E::Curl("Failure when receiving data from the peer".into()), None, Some(Blame::Either), None),
        // In a tunnel the handshake is the origin's.
        (|| E::SSLConnectFailed(Some("SSL_ERROR_SYSCALL".into())), own, None, None),
        (|| E::NoResponse, None, None, None),
        (|| E::Timeout, None, None, None),
    ];
    for (error, open, connect, socks) in cases {
        let fault = Fault::client(surf::Error::new(500, error()), "https://localhost/");
        let blame = [Way::Open, Way::Connect, Way::Socks].map(|way| fault.of_proxy(way));
        assert_eq!(blame, [open, connect, socks], "{}", error());
    }
    assert_eq!(Fault::Gone(crate::fault::Gone).of_proxy(Way::Open), None);
}
