//! Servers that break the protocol, or end a stream of it.

use conformance::server::{Reply, StreamFault};
use reqwest::{ClientBuilder, Version};
use retry_core::ErrorKind::{Network, Transport, Unknown};
use retry_core::Reached::{MaybeSent, Unsent};

use crate::row::{Expected, Feature, Row, again, once};
use crate::scene::{http1, http2};

pub(crate) fn rows() -> Vec<Row> {
    // hyper alone tells that it could not read a response, h2 alone what became of a stream.
    let malformed = |name, reply| Row::new(name, http1(reply), BROKEN).without(Feature::Hyper, UNKNOWN);
    let raw = |text: &str| Reply::raw(text);
    let stream = |name, fault: StreamFault, expected| {
        Row::new(name, http2(fault.reply()), expected).without(Feature::H2, UNKNOWN)
    };
    let refused = again(Transport, Unsent);
    vec![
        malformed("no HTTP at all", Reply::garbage()),
        malformed("a status that is no number", raw("HTTP/1.1 abc OK\r\n\r\n")),
        malformed("a version of HTTP that there is not", raw("HTTP/7.7 200 OK\r\n\r\n")),
        malformed("a header line without a colon", raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n")),
        malformed("a Content-Length that is no number", raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")),
        malformed(
            "a Content-Length above 64 bits",
            raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        ),
        malformed("two Content-Lengths", raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")),
        malformed("a head that does not end", Reply::endless_head()),
        malformed("HTTP/2 where HTTP/1 was asked for", Reply::raw(b"\0\0\0\x04\0\0\0\0\0")),
        Row::new(
            "HTTP/1 where HTTP/2 was asked for",
            |place| http1(Reply::status(400))(place).client(ClientBuilder::http2_prior_knowledge),
            BROKEN.connections(2),
        )
        .without(Feature::H2, UNKNOWN.connections(1)),
        stream("HTTP/2: REFUSED_STREAM", StreamFault::Reset(StreamFault::REFUSED_STREAM), refused),
        stream("HTTP/2: GOAWAY above the last stream", StreamFault::GoAwayBelow(StreamFault::NO_ERROR), refused),
        stream(
            "HTTP/2: GOAWAY above the last stream, for an error",
            StreamFault::GoAwayBelow(StreamFault::ENHANCE_YOUR_CALM),
            refused,
        ),
        // The stream may still be answered, until the connection ends.
        Row::new(
            "HTTP/2: GOAWAY at the last stream",
            http2(StreamFault::GoAwayAt(StreamFault::NO_ERROR).reply()),
            again(Network, MaybeSent),
        ),
        Row::new(
            "HTTP/2: GOAWAY at the last stream, for an error",
            http2(StreamFault::GoAwayAt(StreamFault::ENHANCE_YOUR_CALM).reply()),
            again(Network, MaybeSent),
        ),
        stream("HTTP/2: INTERNAL_ERROR", StreamFault::Reset(StreamFault::INTERNAL_ERROR), BROKEN),
        stream("HTTP/2: ENHANCE_YOUR_CALM", StreamFault::Reset(StreamFault::ENHANCE_YOUR_CALM), BROKEN),
        stream("HTTP/2: PROTOCOL_ERROR", StreamFault::Reset(StreamFault::PROTOCOL_ERROR), BROKEN),
        Row::new("HTTP/2: a frame that is none", http2(Reply::raw([0xff; 64])), BROKEN).without(Feature::H2, UNKNOWN),
        Row::new(
            "a version that the connection does not speak",
            |place| http1(Reply::status(200))(place).request(|request| request.version(Version::HTTP_2)),
            once(Unknown, MaybeSent).requests(0),
        ),
    ]
}

const BROKEN: Expected = again(Transport, MaybeSent);
const UNKNOWN: Expected = once(Unknown, MaybeSent);
