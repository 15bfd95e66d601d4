//! A response on its way back from the target, byte for byte.

use core::str;
use core::time::Duration;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write, copy, sink};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use super::visit::{Bounded, PATIENCE, Upstream, broken, is_timeout};
use crate::server::connection::Ending;

/// The most that is looked at of a head or of chunks' trailers, in bytes.
const HEAD_LIMIT: u64 = 64 << 10;

/// Passes the response to a request with this method on. `Ok`: its end was seen, and another may follow it.
pub(super) fn pass(upstream: &Upstream<'_>, client: &TcpStream, method: &str) -> Result<(), Ending> {
    // Short, because the client must be looked after in between.
    upstream.socket.set_read_timeout(Some(Duration::from_millis(20)))?;
    client.set_read_timeout(Some(Duration::from_millis(1)))?;
    let mut reader = BufReader::new(Tee { upstream, bounded: Bounded::new(&upstream.socket), client, ended: false });
    let kept = match read(&mut reader, method) {
        // More than the response came, so that nobody knows what the next one is.
        Ok(kept) => kept && reader.buffer().is_empty(),
        // What cannot be understood, or has no end of its own, ends with the connection.
        Err(error) if error.kind() == ErrorKind::InvalidData => false,
        Err(error) => return Err(broken(&error)),
    };
    if !kept {
        return Err(copy(&mut reader, &mut sink()).map_or_else(|error| broken(&error), |_| Ending::Close));
    }
    Ok(client.set_read_timeout(Some(PATIENCE))?)
}

/// Hands everything that it reads to the client first.
struct Tee<'a> {
    upstream: &'a Upstream<'a>,
    bounded: Bounded<'a>,
    client: &'a TcpStream,
    /// Whether the client has said that it sends no more, and the target knows.
    ended: bool,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let begun = Instant::now();
        let read = loop {
            match self.bounded.read(buffer) {
                Err(error) if is_timeout(&error) && begun.elapsed() < PATIENCE => self.look_after_client(),
                read => break read?,
            }
        };
        self.client.write_all(&buffer[..read])?;
        Ok(read)
    }
}

impl Tee<'_> {
    /// The target would not know otherwise that the client has gone, and might stall for a client that is not there.
    fn look_after_client(&mut self) {
        let here = match self.client.peek(&mut [0]) {
            Ok(read) => read > 0,
            Err(error) => is_timeout(&error),
        };
        if !here && !self.ended {
            self.ended = true;
            // An error means that it has ended already.
            drop(self.upstream.socket.shutdown(Shutdown::Write));
        }
    }
}

/// Reads a response. `Ok(false)`: the connection ends after it, or is its end.
fn read(reader: &mut impl BufRead, method: &str) -> io::Result<bool> {
    let head = loop {
        let head = Head::read(reader)?;
        // Interim responses are followed by others.
        if !matches!(head.status, 100 | 102..=199) {
            break head;
        }
    };
    if head.status == 101 {
        return Ok(false);
    }
    if method != "HEAD" && !matches!(head.status, 204 | 304) {
        if head.chunked {
            read_chunks(reader)?;
        } else if let Some(length) = head.length {
            skip(reader, length)?;
        } else {
            return Ok(false);
        }
    }
    Ok(!head.closes)
}

struct Head {
    status: u16,
    length: Option<u64>,
    chunked: bool,
    closes: bool,
}

impl Head {
    fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut reader = reader.take(HEAD_LIMIT);
        let start = read_line(&mut reader)?;
        let (version, rest) = start.split_once(' ').ok_or(ErrorKind::InvalidData)?;
        let status = rest.get(..3).and_then(|status| status.parse().ok()).ok_or(ErrorKind::InvalidData)?;
        let mut head = Self { status, length: None, chunked: false, closes: version != "HTTP/1.1" };
        loop {
            let line = read_line(&mut reader)?;
            if line.is_empty() {
                return Ok(head);
            }
            let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
            let has = |word: &str| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
            match &name.to_ascii_lowercase()[..] {
                "content-length" => head.length = Some(value.trim().parse().map_err(|_| ErrorKind::InvalidData)?),
                "transfer-encoding" => head.chunked |= has("chunked"),
                "connection" => head.closes |= has("close"),
                _ => {}
            }
        }
    }
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let line = read_line(&mut reader.take(HEAD_LIMIT))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| ErrorKind::InvalidData)?;
        if size == 0 {
            let mut trailers = reader.take(HEAD_LIMIT);
            while !read_line(&mut trailers)?.is_empty() {}
            return Ok(());
        }
        skip(reader, size)?;
        read_line(&mut reader.take(2))?;
    }
}

/// Reads `size` bytes, or that there are not as many.
fn skip(reader: &mut impl BufRead, size: u64) -> io::Result<()> {
    match copy(&mut reader.take(size), &mut sink())? == size {
        true => Ok(()),
        false => Err(ErrorKind::InvalidData.into()),
    }
}

/// A line without its end. Where there is none, what follows makes no sense.
fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    let line = line.strip_suffix(b"\n").ok_or(ErrorKind::InvalidData)?;
    Ok(String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned())
}
