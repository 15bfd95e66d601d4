//! The scripted proxies, seen from a client that is a bare socket.
#![cfg(feature = "proxies")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

use core::net::SocketAddr;
use core::time::Duration;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use conformance::server::{Proxy, Reply, Server};
use socket2::{Domain, Socket, Type};

#[path = "server_proxy/own.rs"]
mod own;
#[path = "server_proxy/pass.rs"]
mod pass;

const GET: &str = "GET http://origin.test/a?b HTTP/1.1\r\nHost: origin.test\r\n\r\n";
const CONNECT: &str = "CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n";
const ESTABLISHED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";
/// `me` and `p:ss`.
const PASSWORD: &str = "Proxy-Authorization: basic bWU6cDpzcw==\r\n\r\n";

fn origin(body: &str) -> Server {
    Server::start([Reply::status(200).body(body)])
}

fn connect(addr: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(addr).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    socket
}

/// Sends `request` on a new connection and reads to its end: the bytes, and the error if it is not an EOF.
fn talk(proxy: &Proxy, request: impl AsRef<[u8]>) -> (Vec<u8>, Option<ErrorKind>) {
    let mut socket = connect(proxy.addr());
    socket.write_all(request.as_ref()).unwrap();
    read_all(&mut socket)
}

fn talk_text(proxy: &Proxy, request: &str) -> String {
    String::from_utf8(talk(proxy, request).0).unwrap()
}

fn read_all(socket: &mut TcpStream) -> (Vec<u8>, Option<ErrorKind>) {
    let mut bytes = Vec::new();
    let error = socket.read_to_end(&mut bytes).err().map(|e| e.kind());
    (bytes, error)
}

/// Reads a head and the body that its Content-Length announces.
fn read_response(reader: &mut impl BufRead) -> (String, String) {
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let start = head.len();
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "EOF after {head:?}");
        if let Some(value) = head[start..].strip_prefix("Content-Length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

fn ask(reader: &mut BufReader<TcpStream>, request: &str) -> (String, String) {
    reader.get_mut().write_all(request.as_bytes()).unwrap();
    read_response(reader)
}

fn wait_until(done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(5), "it does not come");
        thread::yield_now();
    }
}

/// A port at which nobody listens, for as long as the socket is there.
fn dead_port() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let addr = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, addr)
}

/// A greeting that offers no password, and a request for `origin.test:80`.
fn socks(password: Option<(&str, &str)>) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let greeting = match password {
        None => vec![5, 1, 0],
        Some((user, password)) => [vec![5, 2, 0, 2, 1], text(user), text(password)].concat(),
    };
    [greeting, vec![5, 1, 0, 3], text("origin.test"), vec![0, 80]].concat()
}

/// What a SOCKS5 proxy says to that, up to this code.
fn socks_reply(code: u8) -> Vec<u8> {
    vec![5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]
}
