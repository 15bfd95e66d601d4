//! HTTP/2 on one connection, by bare frames (RFC 9113).
//!
//! It reads of a request what it needs to answer: that there is one, and its body. It does not keep within the client's
//! windows: a body should be small, below 64 KiB over all streams if the client makes no more room.

use std::collections::HashMap;

use super::connection::{Connection, Ending, Wire, drip, send};
use super::reply::After;
use super::request::BODY_LIMIT;
use super::{Framing, Point, Reply};
use frame::{
    ACK, DATA, END_STREAM, Frame, GOAWAY, HEADERS, PING, RST_STREAM, SETTINGS, WINDOW_UPDATE, bytes, headers, split,
};

mod frame;

/// How an HTTP/2 stream fails after its request was read. The number is the error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFault {
    /// RST_STREAM instead of a response.
    Reset(u32),
    /// RST_STREAM after the first half of the response's body.
    ResetInBody(u32),
    /// GOAWAY with a last stream below this one, which tells that it was not processed; then the connection ends.
    GoAwayBelow(u32),
    /// GOAWAY with this stream as the last one, which may have been processed; then the connection ends.
    GoAwayAt(u32),
}

impl StreamFault {
    /// The connection ends in good order.
    pub const NO_ERROR: u32 = 0;
    /// The peer broke the protocol.
    pub const PROTOCOL_ERROR: u32 = 1;
    /// The server failed.
    pub const INTERNAL_ERROR: u32 = 2;
    /// The stream was not processed.
    pub const REFUSED_STREAM: u32 = 7;
    /// The client asks too much.
    pub const ENHANCE_YOUR_CALM: u32 = 11;

    /// The reply that fails like this; up to there it is a 200 with a short body.
    pub fn reply(self) -> Reply {
        Reply::status(200).body("half of this arrives").stream_fault(self)
    }
}

/// Serves requests until one of them, or the client, ends the connection.
pub(super) fn serve(connection: &Connection<'_>, wire: &mut dyn Wire) -> Result<(), Ending> {
    let mut preface = [0; PREFACE.len()];
    wire.read_exact(&mut preface)?;
    if &preface != PREFACE {
        return Err(Ending::Close);
    }
    send(wire, &bytes(SETTINGS, 0, 0, b""))?;
    let mut requests = HashMap::new();
    loop {
        let frame = Frame::read(wire)?;
        let Frame { kind, flags, stream, .. } = frame;
        match kind {
            // Trailers, of which nothing is read.
            HEADERS if requests.contains_key(&stream) => {}
            HEADERS => {
                let (number, reply) = connection.begin();
                connection.strike(reply.fault_at(Point::FirstByte))?;
                connection.strike(reply.fault_at(Point::RequestHead))?;
                requests.insert(stream, Request { number, reply, body: Vec::new() });
            }
            DATA => {
                if let Some(request) = requests.get_mut(&stream) {
                    request.body.extend(frame.data());
                    if request.body.len() as u64 > BODY_LIMIT {
                        return Err(Ending::Close);
                    }
                }
                if frame.size() > 0 {
                    // Room for as much again, on the connection and on the stream.
                    let room = frame.size().to_be_bytes();
                    let rooms = [0, stream].map(|stream| bytes(WINDOW_UPDATE, 0, stream, &room));
                    send(wire, &rooms.concat())?;
                }
            }
            RST_STREAM => drop(requests.remove(&stream)),
            SETTINGS if flags & ACK == 0 => send(wire, &bytes(SETTINGS, ACK, 0, b""))?,
            PING if flags & ACK == 0 => send(wire, &bytes(PING, ACK, 0, frame.data()))?,
            _ => {}
        }
        if matches!(kind, HEADERS | DATA)
            && flags & END_STREAM != 0
            && let Some(request) = requests.remove(&stream)
        {
            connection.record().body(request.number, request.body);
            answer(connection, wire, stream, request.reply)?;
        }
    }
}

/// A request whose body is being read.
struct Request<'a> {
    number: usize,
    reply: &'a Reply,
    body: Vec<u8>,
}

fn answer(connection: &Connection<'_>, wire: &mut dyn Wire, stream: u32, reply: &Reply) -> Result<(), Ending> {
    let go_away = |last: u32, code: u32| bytes(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat());
    let reset = |code: u32| bytes(RST_STREAM, 0, stream, &code.to_be_bytes());
    let half = split(DATA, 0, stream, &reply.body[..reply.body.len() / 2]);
    connection.strike(reply.fault_at(Point::Request))?;
    match reply.stream_fault {
        None => {}
        Some(StreamFault::Reset(code)) => return Ok(send(wire, &reset(code))?),
        Some(StreamFault::ResetInBody(code)) => {
            return Ok(send(wire, &[head(reply, stream, 0), half, reset(code)].concat())?);
        }
        Some(StreamFault::GoAwayBelow(code)) => {
            // A client's streams have odd numbers.
            send(wire, &go_away(stream.saturating_sub(2), code))?;
            return Err(Ending::Close);
        }
        Some(StreamFault::GoAwayAt(code)) => {
            send(wire, &go_away(stream, code))?;
            return Err(Ending::Close);
        }
    }
    if reply.framing == Framing::Raw {
        send(wire, &reply.body)?;
        return Err(Ending::Close);
    }

    let head = head(reply, stream, if reply.body.is_empty() { END_STREAM } else { 0 });
    if reply.fault_at(Point::HalfHead).is_some() {
        send(wire, &head[..head.len() / 2])?;
    }
    connection.strike(reply.fault_at(Point::HalfHead))?;
    send(wire, &head)?;
    if reply.fault_at(Point::HalfBody).is_some() {
        drip(wire, &half, reply.drip)?;
    }
    connection.strike(reply.fault_at(Point::HalfBody))?;
    drip(wire, &split(DATA, END_STREAM, stream, &reply.body), reply.drip)?;

    match reply.after {
        After::KeepAlive => Ok(()),
        After::Close => {
            send(wire, &go_away(stream, StreamFault::NO_ERROR))?;
            wire.finish()?;
            Err(Ending::Close)
        }
        After::CloseSilently => Err(Ending::Drop),
    }
}

const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes of the response's head.
fn head(reply: &Reply, stream: u32, flags: u8) -> Vec<u8> {
    let mut lines = vec![(b":status".into(), reply.status.to_string().into())];
    // HTTP/2 wants names in lower case.
    lines.extend(reply.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    if let Framing::Declared(length) = reply.framing {
        lines.push((b"content-length".into(), length.to_string().into()));
    }
    headers(flags, stream, &lines)
}
