//! Servers that break the protocol, and those that surf's types have no room for.

use conformance::server::Reply;
use retry_core::ErrorKind::{Network, Transport};
use retry_core::Reached::MaybeSent;

use crate::backend::Backend;
use crate::row::{Expected, Row, again, answer};
use crate::scene::http1;

pub(crate) fn rows() -> Vec<Row> {
    let malformed = |name, reply| Row::new(name, http1(reply), BROKEN);
    let raw = |text: &str| Reply::raw(text);
    vec![
        malformed("no HTTP at all", Reply::garbage()),
        malformed("a status that is no number", raw("HTTP/1.1 abc OK\r\n\r\n")),
        malformed("a version of HTTP that there is not", raw("HTTP/7.7 200 OK\r\n\r\n")),
        malformed("HTTP/1.0", raw("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")).on(Backend::Curl, answer()),
        malformed("a header line without a colon", raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n")),
        malformed("a header that is not ASCII", Reply::status(200).header("x", "\u{e4}")),
        malformed("a header that is no text", Reply::status(200).header("x", b"\xff\xfe")),
        malformed("a Content-Length that is no number", raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")),
        malformed("two Content-Lengths", raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")),
        malformed("a head that does not end", Reply::endless_head()).on(Backend::Curl, LOST),
        // The HTTP/1 client reads lines, and there is none.
        Row::new("HTTP/2 where HTTP/1 was asked for", http1(Reply::raw(b"\0\0\0\x04\0\0\0\0\0")), LOST)
            .on(Backend::Curl, BROKEN),
    ]
}

const LOST: Expected = again(Network, MaybeSent);
const BROKEN: Expected = again(Transport, MaybeSent);
