//! The body of the fuzz target that needs an HTTP client over its corpus, and the seeds that it began with.
#![cfg(feature = "reqwest")]
#![allow(unreachable_pub, dead_code, reason = "the bodies are shared with the fuzz targets, where they are public")]

#[path = "../../fuzz/src/bytes.rs"]
mod bytes;
mod common;
#[path = "../../fuzz/src/hostile_server.rs"]
mod hostile_server;
#[path = "../../fuzz/src/inputs.rs"]
mod inputs;
#[path = "common/memory.rs"]
mod memory;

use common::builder;
use hostile_server::{AGAIN, CLOSE, STALL, write};
use memory::{Counting, peak};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What client and server may hold at most: bodies, a head of 400 KiB, TLS, their own affairs.
const ROOM: isize = 4 << 20;

#[test]
fn a_hostile_server() {
    inputs::replay("hostile_server", |input| {
        let ((), bytes) = peak(|| hostile_server::run(input, builder()));
        assert!(bytes < ROOM, "{bytes} bytes");
    });
}

/// Writes the seeds: `cargo test -p runtime-tokio --test corpus seeds -- --ignored`.
#[test]
#[ignore = "it writes into the corpus"]
fn seeds() {
    let answers: [&[u8]; 11] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nffffffffffffffff\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551613\r\n\r\nshort",
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /\xff\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03cool",
        b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
        b"HTP/9 what\r\n\r\n",
    ];
    for (one, next) in answers.iter().zip(answers.iter().cycle().skip(1)) {
        inputs::seed("hostile_server", &write(&[(CLOSE, one), (CLOSE, next)]));
        inputs::seed("hostile_server", &write(&[(STALL, &one[..one.len() / 2]), (CLOSE, next)]));
    }
    // The second half of each goes on and on: a body, chunks, interim responses, a head.
    let endless: [&[u8]; 5] = [
        b"HTTP/1.1 200 OK\r\n\r\n........................",
        b"HTTP/1.1 503 Busy\r\n\r\n........................",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2a\r\n..........................................\r\n",
        b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 103 Early\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: yyyyyyyyyyyy\r\n",
    ];
    for answer in endless {
        inputs::seed("hostile_server", &write(&[(AGAIN, answer)]));
    }
}
