//! What no fault on loopback produces. The others are in `tests/faults`.

use core::error::Error as StdError;
use std::io::{self, ErrorKind};

use retry_core::Cause;

use super::{Chain, of_io_kind, texts};

#[test]
fn kinds_of_io_errors() {
    let network = [
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::NotConnected,
        ErrorKind::BrokenPipe,
        ErrorKind::HostUnreachable,
        ErrorKind::NetworkUnreachable,
        ErrorKind::NetworkDown,
        ErrorKind::UnexpectedEof,
    ];
    for connecting in [true, false] {
        for kind in network {
            assert_eq!(of_io_kind(kind, connecting), Cause::Network, "{kind:?}");
        }
        assert_eq!(of_io_kind(ErrorKind::TimedOut, connecting), Cause::Timeout);
        assert_eq!(of_io_kind(ErrorKind::PermissionDenied, connecting), Cause::Unknown);
        assert_eq!(of_io_kind(ErrorKind::Other, connecting), Cause::Unknown);
    }
    assert_eq!(of_io_kind(ErrorKind::InvalidData, true), Cause::Tls);
    assert_eq!(of_io_kind(ErrorKind::InvalidData, false), Cause::Unknown);
}

/// CASES F1: this build has TLS, so the text is all that can be had.
#[test]
fn f1_https_without_tls_support() {
    assert_eq!(connect("invalid URL, scheme is not http"), Some(Cause::Validation));
}

#[test]
fn texts_before_a_connection_is_ready() {
    let rows = [
        ("tunnel error: proxy authorization required", Some(Cause::ProxyAuth)),
        ("tunnel error: unsuccessful", Some(Cause::Proxy)),
        ("tunnel error: unexpected end of file", Some(Cause::Proxy)),
        ("tunnel error: failed to create underlying connection", Some(Cause::Proxy)),
        ("tunnel error: io error establishing tunnel", Some(Cause::Proxy)),
        ("SOCKS error: credentials not accepted", Some(Cause::ProxyAuth)),
        ("SOCKS error: server does not support user/pass authentication", Some(Cause::ProxyAuth)),
        ("SOCKS error: failed to create underlying connection", Some(Cause::Proxy)),
        ("error sending request for url (http://tunnel error: )", None),
        ("tcp connect error", None),
    ];
    for (text, cause) in rows {
        assert_eq!(connect(text), cause, "{text}");
    }
}

#[test]
fn what_an_io_error_wraps_is_inside_it() {
    let inner = io::Error::new(ErrorKind::ConnectionReset, "inner");
    let outer = io::Error::other(io::Error::other(inner));
    let kinds = Chain(Some(&outer)).filter_map(|error| error.downcast_ref()).map(io::Error::kind);
    let expected = [ErrorKind::Other, ErrorKind::Other, ErrorKind::ConnectionReset];
    assert!(kinds.eq(expected));
}

fn connect(text: &str) -> Option<Cause> {
    let error: Box<dyn StdError> = text.into();
    texts::connect(&*error)
}
