//! The frames of HTTP/2 (RFC 9113, 4.1), and header blocks in them.

use std::io::{self, ErrorKind};

use crate::server::connection::Wire;

/// A frame that was read.
pub(super) struct Frame {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
    payload: Vec<u8>,
}

impl Frame {
    /// Reads a frame of at most [`MAX_FRAME`] bytes.
    pub(super) fn read(wire: &mut dyn Wire) -> io::Result<Self> {
        let mut header = [0; 9];
        wire.read_exact(&mut header)?;
        let [a, b, c, kind, flags, stream @ ..] = header;
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        if length > MAX_FRAME {
            return Err(ErrorKind::InvalidData.into());
        }
        let mut payload = vec![0; length];
        wire.read_exact(&mut payload)?;
        Ok(Self { kind, flags, stream: u32::from_be_bytes(stream) & !RESERVED, payload })
    }

    /// How much of the client's window the frame takes up.
    pub(super) fn size(&self) -> u32 {
        self.payload.len() as u32
    }

    /// The payload without its padding, which only DATA and HEADERS have.
    pub(super) fn data(&self) -> &[u8] {
        match &self.payload[..] {
            [padding, data @ ..] if self.flags & PADDED != 0 => &data[..data.len().saturating_sub((*padding).into())],
            payload => payload,
        }
    }
}

/// The kinds of frames.
pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

/// Their flags.
pub(super) const ACK: u8 = 1;
pub(super) const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;

/// The largest payload that both sides accept without settings.
const MAX_FRAME: usize = 16 << 10;

/// The bit of a stream's number that has no meaning.
const RESERVED: u32 = 1 << 31;

/// The bytes of a frame.
pub(super) fn bytes(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (payload.len() as u32).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// As many frames as `payload` needs: none if it is empty. The flags are the last one's.
pub(super) fn split(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let last = payload.len().div_ceil(MAX_FRAME).saturating_sub(1);
    let part = |(n, part)| bytes(kind, if n == last { flags } else { 0 }, stream, part);
    payload.chunks(MAX_FRAME).enumerate().flat_map(part).collect()
}

/// A header block as HEADERS and its continuations: HPACK without its table and without its code.
pub(super) fn headers(flags: u8, stream: u32, lines: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in lines {
        block.push(0);
        string(&mut block, name);
        string(&mut block, value);
    }
    let (first, rest) = block.split_at(block.len().min(MAX_FRAME));
    if rest.is_empty() {
        return bytes(HEADERS, flags | END_HEADERS, stream, first);
    }
    [bytes(HEADERS, flags, stream, first), split(CONTINUATION, END_HEADERS, stream, rest)].concat()
}

/// A string of HPACK (RFC 7541, 5.2): its length in groups of seven bits, the lowest first, and its bytes.
fn string(block: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.len().checked_sub(127) {
        None => block.push(bytes.len() as u8),
        Some(mut rest) => {
            block.push(127);
            while rest > 127 {
                block.push(rest as u8 | 128);
                rest >>= 7;
            }
            block.push(rest as u8);
        }
    }
    block.extend(bytes);
}
