//! What a client tells by text alone, as data. Each row is met by a test.

use std::io;

use retry_core::{Cause, Failure, Reached};

/// How surf's HTTP/1 client begins what went wrong before a connection was ready, where it keeps connections.
const CONNECTING: &str = "An error occured while creating a new object: ";

/// What a client says of a request that it did not begin to send.
const REFUSALS: &[&str] = &["invalid url scheme '", "missing hostname", "Missing hostname"];

/// What libcurl says of one. It says the first of a response that is not HTTP, too.
#[cfg(feature = "curl")]
const UNSUPPORTED: &str = "Unsupported protocol";

/// How the name lookups of operating systems end. What is not here counts as temporary.
const DNS: &[(&str, Cause)] = &[
    // glibc
    ("Name or service not known", Cause::DnsNoSuchName),
    ("No address associated with hostname", Cause::DnsNoSuchName),
    ("Temporary failure in name resolution", Cause::DnsTemporary),
    // musl
    ("Name does not resolve", Cause::DnsNoSuchName),
    ("Name has no usable address", Cause::DnsNoSuchName),
    ("Try again", Cause::DnsTemporary),
    // macOS and the BSDs
    ("nodename nor servname provided, or not known", Cause::DnsNoSuchName),
    ("hostname nor servname provided, or not known", Cause::DnsNoSuchName),
    ("No address associated with nodename", Cause::DnsNoSuchName),
    // Windows, by number: the text is in the user's language
    ("(os error 11001)", Cause::DnsNoSuchName),
    ("(os error 11004)", Cause::DnsNoSuchName),
];

/// How std begins the errors of the system's name lookup.
const LOOKUP: &str = "failed to lookup address information: ";

/// What surf's HTTP/1 client says of a response, or of its absence.
const RESPONSE: &[(&str, Cause)] = &[
    ("connection closed", Cause::Network),
    ("empty response", Cause::Network),
    ("Head byte length should be less than 8kb", Cause::Transport),
    ("Malformed HTTP head", Cause::Transport),
    ("No status code found", Cause::Transport),
    ("No version found", Cause::Transport),
    ("Unsupported HTTP version", Cause::Transport),
    ("Unexpected Content-Length header", Cause::Transport),
    ("Invalid status code", Cause::Transport),
    ("Bytes should be valid ASCII", Cause::Transport),
    // httparse
    ("invalid header name", Cause::Transport),
    ("invalid header value", Cause::Transport),
    ("invalid new line", Cause::Transport),
    ("invalid response status", Cause::Transport),
    ("invalid token", Cause::Transport),
    ("too many headers", Cause::Transport),
    ("invalid HTTP version", Cause::Transport),
];

/// What all of OpenSSL's errors have in them.
const OPENSSL: &str = ":SSL routines:";

/// What OpenSSL says of a handshake, by a part of the text. What is not here is a refusal of another kind.
const TLS: &[(&str, Cause)] = &[
    ("certificate verify failed", Cause::Certificate),
    ("alert no certificate", Cause::Certificate),
    ("alert bad certificate", Cause::Certificate),
    ("alert unsupported certificate", Cause::Certificate),
    ("alert certificate revoked", Cause::Certificate),
    ("alert certificate expired", Cause::Certificate),
    ("alert certificate unknown", Cause::Certificate),
    ("alert unknown ca", Cause::Certificate),
    ("alert certificate required", Cause::Certificate),
    ("unexpected EOF", Cause::Network),
    ("unexpected eof while reading", Cause::Network),
    // What curl makes of the end of a connection.
    ("SSL_ERROR_SYSCALL", Cause::Network),
    ("Connection reset by peer", Cause::Network),
];

/// What libcurl says where a SOCKS proxy refuses, before anything was sent. Older versions begin it in lower case.
#[cfg(feature = "curl")]
const HANDSHAKE: &str = "Proxy handshake error";

/// What libcurl says for its codes without a type in isahc.
#[cfg(feature = "curl")]
const CURL: &[(&str, Cause)] = &[
    ("Failed sending data to the peer", Cause::Network),
    ("Failure when receiving data from the peer", Cause::Network),
    ("Weird server reply", Cause::Transport),
    (UNSUPPORTED, Cause::Transport),
    ("Error in the HTTP2 framing layer", Cause::Transport),
    ("Stream error in the HTTP/2 framing layer", Cause::Transport),
    ("A value or data field grew larger than allowed", Cause::Transport),
];

/// Whether the client did not begin to send.
pub(super) fn is_refusal(text: &str) -> bool {
    REFUSALS.iter().any(|start| text.starts_with(start))
}

/// The same of libcurl, for a request to `url`.
#[cfg(feature = "curl")]
pub(super) fn is_curls_refusal(text: &str, url: &str) -> bool {
    text == UNSUPPORTED && !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme))
}

/// What the text of an error says that has no type.
pub(super) fn client(text: &str) -> Option<Failure> {
    if let Some(text) = text.strip_prefix(CONNECTING) {
        return Some(Failure::new(connecting(text), Reached::Unsent));
    }
    if let Some(text) = text.strip_prefix(LOOKUP) {
        let cause = DNS.iter().find(|(end, _)| text.ends_with(end)).map_or(Cause::DnsTemporary, |(_, cause)| *cause);
        return Some(Failure::new(cause, Reached::Unsent));
    }
    if text.contains(OPENSSL) {
        // After the handshake, or the connection would not have been there: a client without a certificate hears of it
        // so in TLS 1.3.
        return Some(Failure::new(tls(text), Reached::MaybeSent));
    }
    let (_, cause) = RESPONSE.iter().find(|(start, _)| text.starts_with(start))?;
    Some(Failure::new(*cause, Reached::MaybeSent))
}

/// What went wrong before a connection was ready.
fn connecting(text: &str) -> Cause {
    if let Some(cause) = os_error(text).and_then(super::network) {
        cause
    } else if text.contains(OPENSSL) || text.contains("unexpected EOF") {
        tls(text)
    } else {
        Cause::Unknown
    }
}

/// What the text of a failed TLS handshake says.
pub(super) fn tls(text: &str) -> Cause {
    TLS.iter().find(|(part, _)| text.contains(part)).map_or(Cause::Tls, |(_, cause)| *cause)
}

/// What libcurl's text says.
#[cfg(feature = "curl")]
pub(super) fn curl(text: &str) -> Option<Failure> {
    if text.eq_ignore_ascii_case(HANDSHAKE) {
        return Some(Failure::new(Cause::Proxy, Reached::Unsent));
    }
    let (_, cause) = CURL.iter().find(|(start, _)| text.starts_with(start))?;
    Some(Failure::new(*cause, Reached::MaybeSent))
}

/// The kind of the system's error whose number std has put at the end of its text.
fn os_error(text: &str) -> Option<io::ErrorKind> {
    let (_, number) = text.strip_suffix(')')?.rsplit_once("(os error ")?;
    Some(io::Error::from_raw_os_error(number.parse().ok()?).kind())
}
