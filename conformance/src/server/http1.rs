//! HTTP/1 on one connection.

use std::io::{BufRead, BufReader};

use super::connection::{Connection, Ending, Wire, drip, send};
use super::reply::After;
use super::request::Request;
use super::{Framing, Point, Reply};

/// Serves requests until one of them ends the connection.
pub(super) fn serve(connection: &Connection<'_>, wire: &mut dyn Wire) -> Result<(), Ending> {
    let mut reader = BufReader::new(wire);
    while !reader.fill_buf()?.is_empty() {
        exchange(connection, &mut reader)?;
    }
    Err(Ending::Close)
}

/// One request and its reply. `Ok`: the connection stays alive.
fn exchange(connection: &Connection<'_>, reader: &mut BufReader<&mut dyn Wire>) -> Result<(), Ending> {
    let (number, reply) = connection.begin();
    let strike = |point| connection.strike(reply.fault_at(point));
    strike(Point::FirstByte)?;

    let request = Request::read(reader)?;
    let record = connection.record();
    record.head(number, &request);
    strike(Point::RequestHead)?;
    if request.has("expect", "100-continue") {
        send(*reader.get_mut(), b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    record.body(number, request.read_body(reader)?);
    strike(Point::Request)?;

    let wire = &mut **reader.get_mut();
    let closes = reply.after == After::Close || request.closes();
    let head = head(reply, closes);
    if reply.fault_at(Point::HalfHead).is_some() {
        send(wire, &head[..head.len() / 2])?;
    }
    strike(Point::HalfHead)?;
    send(wire, &head)?;

    let (body, more) = if request.method == "HEAD" { (Vec::new(), None) } else { body(reply) };
    if reply.fault_at(Point::HalfBody).is_some() {
        drip(wire, &body[..body.len() / 2], reply.drip)?;
    }
    strike(Point::HalfBody)?;
    drip(wire, &body, reply.drip)?;
    if let Some(more) = more {
        // The client's close is an error here, and the end.
        loop {
            send(wire, &more)?;
        }
    }

    if reply.after == After::CloseSilently {
        return Err(Ending::Drop);
    }
    if closes || !delimited(reply) {
        wire.finish()?;
        return Err(Ending::Close);
    }
    Ok(())
}

/// The bytes of the response's head.
fn head(reply: &Reply, closes: bool) -> Vec<u8> {
    let mut head = Vec::new();
    if reply.framing == Framing::Raw {
        return head;
    }
    let mut line = |parts: [&[u8]; 3]| {
        head.extend(parts.concat());
        head.extend(b"\r\n");
    };
    line([format!("HTTP/1.1 {} ", reply.status).as_bytes(), reply.reason.as_bytes(), b""]);
    for (name, value) in &reply.headers {
        line([name, b": ", value]);
    }
    if closes {
        line([b"Connection", b": ", b"close"]);
    }
    match reply.framing {
        // HTTP forbids it here.
        Framing::Length if matches!(reply.status, 100..=199 | 204) => {}
        Framing::Length => line([b"Content-Length", b": ", reply.body.len().to_string().as_bytes()]),
        Framing::Declared(length) => line([b"Content-Length", b": ", length.to_string().as_bytes()]),
        Framing::Chunked | Framing::OpenChunks | Framing::EndlessChunks => {
            line([b"Transfer-Encoding", b": ", b"chunked"]);
        }
        Framing::UntilClose | Framing::Endless | Framing::EndlessHead | Framing::Raw => {}
    }
    if reply.framing != Framing::EndlessHead {
        line([b""; 3]);
    }
    head
}

/// The bytes of the response's body, and those that follow it again and again.
fn body(reply: &Reply) -> (Vec<u8>, Option<Vec<u8>>) {
    // A repeated nothing would never meet the client's close.
    let filled = || if reply.body.is_empty() { b"." } else { &reply.body[..] };
    match reply.framing {
        Framing::Raw => (reply.body.clone(), None),
        Framing::EndlessHead => (Vec::new(), Some(b"X-More: and more\r\n".repeat(64))),
        _ if matches!(reply.status, 100..=199 | 204 | 304) => (Vec::new(), None),
        Framing::Length | Framing::Declared(_) | Framing::UntilClose => (reply.body.clone(), None),
        Framing::Chunked => ([chunks(&reply.body), b"0\r\n\r\n".to_vec()].concat(), None),
        Framing::OpenChunks => (chunks(&reply.body), None),
        Framing::Endless => (reply.body.clone(), Some(filled().to_vec())),
        Framing::EndlessChunks => (chunks(&reply.body), Some(chunks(filled()))),
    }
}

fn chunks(body: &[u8]) -> Vec<u8> {
    let chunk = |part: &[u8]| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
    body.chunks(1024).flat_map(chunk).collect()
}

/// Whether the client can tell where the response ends, so that another may follow it.
fn delimited(reply: &Reply) -> bool {
    match reply.framing {
        Framing::Length | Framing::Chunked => true,
        Framing::Declared(length) => usize::try_from(length) == Ok(reply.body.len()),
        Framing::OpenChunks
        | Framing::UntilClose
        | Framing::Endless
        | Framing::EndlessChunks
        | Framing::EndlessHead
        | Framing::Raw => false,
    }
}
