//! Response bodies that fail where they are read inside the attempt, and those that only seem to.

use conformance::server::{Fault, Framing, Point, Reply, Tls};
use retry_core::ErrorKind::{Http, Network, ResponseRead};
use retry_core::Reached::MaybeSent;

use crate::backend::Backend;
use crate::row::{Expected, Row, Sent, again, answer, once};
use crate::scene::{body, tls};

pub(crate) fn rows() -> Vec<Row> {
    let text = || Reply::status(200).body("half of this arrives");
    let chunked = |fault: Fault| text().framing(Framing::Chunked).fault(fault, Point::HalfBody);
    let row = |name, reply, expected| Row::new(name, body(reply), expected);
    let over_tls = |reply: Reply| {
        let scene = tls(Tls::Good, reply);
        move |place: &_| scene(place).fetch()
    };
    vec![
        row("body: closed half-way", Fault::Close.at(Point::HalfBody), TORN),
        row("body: reset half-way", Fault::Reset.at(Point::HalfBody), TORN),
        row("body: shorter than its Content-Length", text().framing(Framing::Declared(99)), TORN),
        row("body: longer than its Content-Length", text().framing(Framing::Declared(4)), answer()),
        // The HTTP/1 client throws it away, so it is no answer.
        row("body: without a length, ended with the connection", text().framing(Framing::UntilClose), TORN)
            .on(Backend::Curl, answer()),
        row("body: chunks that do not end", text().framing(Framing::OpenChunks), TORN),
        row("body: closed inside a chunk", chunked(Fault::Close), TORN),
        row("body: reset inside a chunk", chunked(Fault::Reset), TORN),
        row("body: a chunk whose size is no number", Reply::raw(NO_SIZE), TORN)
            .on(Backend::Curl, again(Network, MaybeSent)),
        row("body: a compression that is cut", Reply::cut_gzip(), answer()),
        row("body: whole, and compressed", Reply::gzip(), answer()),
        Row::new("body over TLS: closed without a goodbye", over_tls(Fault::Close.at(Point::HalfBody)), TORN)
            .over_tls(),
        Row::new("body: over the caller's limit", move |place| body(text())(place).max_body(9), TOO_LARGE),
        Row::new(
            "body: over the caller's limit, and endless",
            |place| body(Reply::endless_chunks())(place).max_body(9999),
            TOO_LARGE,
        ),
        Row::new("body: at the caller's limit", move |place| body(text())(place).max_body(20), answer()),
        // What is to be retried is not read.
        row(
            "body of a 503: closed half-way",
            Reply::status(503).body("busy, and").fault(Fault::Close, Point::HalfBody),
            again(Http, MaybeSent).sent(Sent::Answered),
        ),
    ]
}

const TORN: Expected = again(ResponseRead, MaybeSent);
const TOO_LARGE: Expected = once(ResponseRead, MaybeSent);
const NO_SIZE: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\nbytes\r\n";
