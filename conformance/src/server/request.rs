//! An HTTP/1 request, read within bounds.

use std::io::{self, BufRead, Error, ErrorKind, Read};

/// The most that is read of a head, and of a body with its framing, in bytes.
const HEAD_LIMIT: u64 = 64 << 10;
pub(super) const BODY_LIMIT: u64 = 64 << 20;

/// The head of a request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    version: String,
    pub(super) headers: Vec<(String, String)>,
}

impl Request {
    /// Reads a head up to its empty line.
    pub(super) fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut reader = reader.take(HEAD_LIMIT);
        let start = read_line(&mut reader)?;
        let mut words = start.split(' ').map(String::from);
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(ErrorKind::InvalidData.into());
        };
        let mut headers = Vec::new();
        loop {
            let line = read_line(&mut reader)?;
            if line.is_empty() {
                return Ok(Self { method, target, version, headers });
            }
            let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
            headers.push((name.into(), value.trim().into()));
        }
    }

    /// Reads the body that belongs to this head.
    pub(super) fn read_body(&self, reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
        let mut reader = reader.take(BODY_LIMIT);
        let mut body = Vec::new();
        if self.has("transfer-encoding", "chunked") {
            loop {
                let line = read_line(&mut reader)?;
                let size = line.split(';').next().unwrap_or_default().trim();
                let size = u64::from_str_radix(size, 16).map_err(invalid)?;
                if size == 0 {
                    // What is left are trailers, which nobody asks for, and the empty line.
                    while !read_line(&mut reader)?.is_empty() {}
                    return Ok(body);
                }
                read_exactly(&mut reader, size, &mut body)?;
                read_line(&mut reader)?;
            }
        }
        if let Some(length) = self.values("content-length").next() {
            read_exactly(&mut reader, length.parse().map_err(invalid)?, &mut body)?;
        }
        Ok(body)
    }

    /// Whether the client wants the connection closed after the response.
    pub(super) fn closes(&self) -> bool {
        self.has("connection", "close") || self.version == "HTTP/1.0"
    }

    /// Whether a header with this name holds this word.
    pub(super) fn has(&self, name: &str, word: &str) -> bool {
        self.values(name).flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
    }
}

/// A line without its end.
fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    let line = line.strip_suffix(b"\n").ok_or(ErrorKind::UnexpectedEof)?;
    Ok(String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned())
}

/// Appends `size` bytes. The room for them grows as they come, not as they are announced.
fn read_exactly(reader: &mut impl BufRead, size: u64, into: &mut Vec<u8>) -> io::Result<()> {
    match reader.take(size).read_to_end(into)? as u64 == size {
        true => Ok(()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn invalid(_: core::num::ParseIntError) -> Error {
    ErrorKind::InvalidData.into()
}
