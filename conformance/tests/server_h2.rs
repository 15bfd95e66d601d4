//! The server's HTTP/2, seen from a client that writes and reads bare frames.
#![cfg(feature = "h2")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

use core::time::Duration;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use conformance::server::{Fault, Framing, Point, Reply, Server, StreamFault};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

/// Kind, flags, stream, payload.
type Frame = (u8, u8, u32, Vec<u8>);

struct Client(TcpStream);

impl Client {
    /// Connects, and sees that settings are exchanged.
    fn connect(server: &Server) -> Self {
        let mut client = Self(TcpStream::connect(server.addr()).unwrap());
        client.0.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        client.0.write_all(PREFACE).unwrap();
        client.write(SETTINGS, 0, 0, b"");
        assert_eq!(client.read(), (SETTINGS, 0, 0, vec![]));
        assert_eq!(client.read(), (SETTINGS, 1, 0, vec![]));
        client
    }

    fn write(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let bytes = [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat();
        self.0.write_all(&bytes).unwrap();
    }

    /// A GET: `:method`, `:scheme`, `:path` from the static table.
    fn get(&mut self, stream: u32) {
        self.write(HEADERS, 5, stream, &[0x82, 0x86, 0x84]);
    }

    fn read(&mut self) -> Frame {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).unwrap();
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        self.0.read_exact(&mut payload).unwrap();
        (head[3], head[4], u32::from_be_bytes([head[5], head[6], head[7], head[8]]), payload)
    }

    fn read_end(&mut self) -> (Vec<u8>, Option<ErrorKind>) {
        let mut bytes = Vec::new();
        let error = self.0.read_to_end(&mut bytes).err().map(|e| e.kind());
        (bytes, error)
    }
}

fn start(script: impl IntoIterator<Item = Reply>) -> Server {
    Server::builder().script(script).http2().start()
}

fn words<const N: usize>(words: [u32; N]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn the_script_is_followed_and_counted_over_streams() {
    let server = start([Reply::status(503).header("Retry-After", "2"), Reply::status(200).body("ok")]);
    let mut client = Client::connect(&server);
    client.get(1);
    let block = b"\0\x07:status\x03503\0\x0bretry-after\x012".to_vec();
    assert_eq!(client.read(), (HEADERS, 5, 1, block));
    client.get(3);
    assert_eq!(client.read(), (HEADERS, 4, 3, b"\0\x07:status\x03200".to_vec()));
    assert_eq!(client.read(), (DATA, 1, 3, b"ok".to_vec()));
    client.write(PING, 0, 0, b"12345678");
    assert_eq!(client.read(), (PING, 1, 0, b"12345678".to_vec()));
    assert_eq!((server.sends(), server.connections()), (2, 1));
}

#[test]
fn bodies_are_recorded_and_make_room() {
    let server = start([Reply::status(200)]);
    let mut client = Client::connect(&server);
    client.write(HEADERS, 4, 1, &[0x83, 0x86, 0x84]);
    client.write(DATA, 0, 1, b"ab");
    client.write(DATA, 8, 1, b"\x03cd...");
    client.write(HEADERS, 5, 1, b"");
    for (stream, size) in [(0, 2), (1, 2), (0, 6), (1, 6)] {
        assert_eq!(client.read(), (WINDOW_UPDATE, 0, stream, words([size])));
    }
    assert_eq!(client.read().0, HEADERS);
    assert_eq!(server.requests().iter().map(|r| &r.body[..]).collect::<Vec<_>>(), [b"abcd"]);
}

#[test]
fn long_heads_and_bodies_take_several_frames() {
    let server = start([Reply::status(200).header("X", vec![b'v'; 40_000]).body([b'b'; 20_000])]);
    let mut client = Client::connect(&server);
    client.get(1);
    let frames = [(); 5].map(|()| client.read());
    let kinds = frames.each_ref().map(|(kind, flags, _, payload)| (*kind, *flags, payload.len()));
    let block = 1 + 8 + 4 + 1 + 2 + 4 + 40_000;
    assert_eq!(kinds[..3], [(HEADERS, 0, 16_384), (CONTINUATION, 0, 16_384), (CONTINUATION, 4, block - 32_768)]);
    assert_eq!(kinds[3..], [(DATA, 0, 16_384), (DATA, 1, 3_616)]);
    // 127, and the rest in groups of seven bits, the lowest first.
    assert_eq!(frames[0].3[16..20], [127, 65 | 128, 55 | 128, 2]);
    assert_eq!(127 + 65 + (55 << 7) + (2 << 14), 40_000);
}

#[test]
fn stream_faults_are_told_apart() {
    let calm = StreamFault::ENHANCE_YOUR_CALM;
    let cases = [
        (StreamFault::Reset(StreamFault::REFUSED_STREAM), (RST_STREAM, 0, 3, words([7]))),
        (StreamFault::Reset(StreamFault::INTERNAL_ERROR), (RST_STREAM, 0, 3, words([2]))),
        (StreamFault::Reset(calm), (RST_STREAM, 0, 3, words([11]))),
        (StreamFault::GoAwayBelow(StreamFault::NO_ERROR), (GOAWAY, 0, 0, words([1, 0]))),
        (StreamFault::GoAwayAt(StreamFault::NO_ERROR), (GOAWAY, 0, 0, words([3, 0]))),
        (StreamFault::GoAwayAt(calm), (GOAWAY, 0, 0, words([3, 11]))),
    ];
    for (fault, frame) in cases {
        let server = start([Reply::status(204), fault.reply(), Reply::status(204)]);
        let mut client = Client::connect(&server);
        client.get(1);
        assert_eq!(client.read().0, HEADERS);
        client.get(3);
        assert_eq!(client.read(), frame);
        if frame.0 == GOAWAY {
            assert_eq!(client.read_end(), (vec![], None));
        } else {
            client.get(5);
            assert_eq!(client.read().0, HEADERS);
        }
    }
}

#[test]
fn a_stream_is_reset_in_the_middle_of_its_body() {
    let server = start([StreamFault::ResetInBody(StreamFault::INTERNAL_ERROR).reply()]);
    let mut client = Client::connect(&server);
    client.get(1);
    assert_eq!(client.read().0, HEADERS);
    assert_eq!(client.read(), (DATA, 0, 1, b"half of th".to_vec()));
    assert_eq!(client.read(), (RST_STREAM, 0, 1, words([2])));
}

#[test]
fn faults_hit_the_connection() {
    for point in [Point::FirstByte, Point::RequestHead, Point::Request, Point::HalfHead, Point::HalfBody] {
        for (fault, expected) in [(Fault::Close, None), (Fault::Reset, Some(ErrorKind::ConnectionReset))] {
            let server = start([fault.at(point)]);
            let mut client = Client::connect(&server);
            client.get(1);
            let (bytes, error) = client.read_end();
            assert_eq!(error, expected, "{point:?}");
            assert_eq!(bytes.is_empty(), point <= Point::Request, "{point:?}");
            assert_eq!(bytes.ends_with(b"half of th"), point == Point::HalfBody);
        }
    }
    let server = start([Fault::Stall.at(Point::Request)]);
    let mut client = Client::connect(&server);
    client.get(1);
    client.0.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    assert!(matches!(client.read_end().1, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)));
    server.hang_up();
    assert_eq!(client.read_end(), (vec![], None));
}

#[test]
fn connections_end_as_told() {
    let server = start([
        Reply::status(204).close(),
        Reply::status(204).close_silently(),
        Reply::garbage(),
        Reply::status(200).framing(Framing::Declared(9)).body("short"),
    ]);
    let mut client = Client::connect(&server);
    client.get(1);
    assert_eq!(client.read().0, HEADERS);
    assert_eq!(client.read(), (GOAWAY, 0, 0, words([1, 0])));
    assert_eq!(client.read_end(), (vec![], None));

    let mut client = Client::connect(&server);
    client.get(1);
    assert_eq!(client.read().0, HEADERS);
    assert_eq!(client.read_end(), (vec![], None));

    let mut client = Client::connect(&server);
    client.get(1);
    assert!(client.read_end().0.ends_with(b"no response\r\n\r\n"));

    let mut client = Client::connect(&server);
    client.get(1);
    assert!(client.read().3.ends_with(b"\0\x0econtent-length\x019"));
}

#[test]
fn odd_clients_are_ended() {
    let server = start([Reply::status(204)]);
    let mut socket = TcpStream::connect(server.addr()).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"");

    let mut client = Client::connect(&server);
    client.0.write_all(&[0xff; 9]).unwrap();
    assert_eq!(client.read_end(), (vec![], None));

    let mut client = Client::connect(&server);
    client.write(DATA, 9, 7, b"\xff");
    client.write(RST_STREAM, 0, 9, b"");
    assert_eq!((client.read().0, client.read().0), (WINDOW_UPDATE, WINDOW_UPDATE));
    client.get(0);
    assert_eq!(client.read().0, HEADERS);
    assert_eq!(server.sends(), 1);
}
