//! The scripted server, seen from a client that is a bare socket.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

use core::time::Duration;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use conformance::server::{Fault, Framing, Point, Reply, Server};

const GET: &[u8] = b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n";
const POINTS: [Point; 5] = [Point::FirstByte, Point::RequestHead, Point::Request, Point::HalfHead, Point::HalfBody];

fn connect(server: &Server) -> TcpStream {
    let socket = TcpStream::connect(server.addr()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    socket
}

/// Sends `request` on a new connection and reads to its end: the bytes, and the error if it is not an EOF.
fn talk(server: &Server, request: &[u8]) -> (String, Option<ErrorKind>) {
    let mut socket = connect(server);
    socket.write_all(request).unwrap();
    read_all(&mut socket)
}

fn read_all(socket: &mut TcpStream) -> (String, Option<ErrorKind>) {
    let mut bytes = Vec::new();
    let error = socket.read_to_end(&mut bytes).err().map(|e| e.kind());
    (String::from_utf8_lossy(&bytes).into_owned(), error)
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

#[test]
fn the_script_is_followed_on_a_kept_connection_and_its_last_step_repeats() {
    let server = Server::start([Reply::status(503).header("Retry-After", "2"), Reply::status(200).body("ok")]);
    assert_eq!(server.url("/x"), format!("http://{}/x", server.addr()));
    let mut reader = BufReader::new(connect(&server));
    for (status, expected) in [("503", ""), ("200", "ok"), ("200", "ok")] {
        reader.get_mut().write_all(GET).unwrap();
        let (head, body) = read_response(&mut reader);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} Scripted\r\n")), "{head}");
        assert_eq!(head.contains("\r\nRetry-After: 2\r\n"), status == "503");
        assert_eq!(body, expected);
    }
    assert_eq!((server.sends(), server.connections()), (3, 1));
}

#[test]
fn requests_are_recorded_byte_for_byte() {
    let server = Server::start([Reply::status(200)]);
    let mut reader = BufReader::new(connect(&server));
    reader
        .get_mut()
        .write_all(b"POST /p?q=1 HTTP/1.1\r\nIdempotency-Key:  k \r\nContent-Length: 4\r\n\r\n\0\xff\r\n")
        .unwrap();
    read_response(&mut reader);
    let chunked =
        b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n";
    reader.get_mut().write_all(chunked).unwrap();
    read_response(&mut reader);
    assert!(talk(&server, b"GET / HTTP/1.0\r\n\r\n").0.contains("\r\nConnection: close\r\n"));

    let requests = server.requests();
    assert_eq!((&requests[0].method[..], &requests[0].target[..]), ("POST", "/p?q=1"));
    assert_eq!(requests[0].header("idempotency-key"), Some("k"));
    assert_eq!(requests[0].headers[1], ("Content-Length".into(), "4".into()));
    assert_eq!(requests[0].body, b"\0\xff\r\n");
    assert_eq!(requests[1].body, b"abcde");
    assert_eq!([0, 1, 2].map(|i| requests[i].connection), [0, 0, 1]);
    assert!(requests[0].at <= requests[1].at && requests[1].at <= requests[2].at);
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let server = Server::start([Reply::status(200).close()]);
    let mut socket = connect(&server);
    socket.write_all(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n").unwrap();
    let mut interim = [0; 25];
    socket.read_exact(&mut interim).unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    socket.write_all(b"x").unwrap();
    assert!(read_all(&mut socket).0.starts_with("HTTP/1.1 200 "));
}

#[test]
fn statuses_without_a_body_have_none() {
    let server = Server::start([204, 304, 200].map(|status| Reply::status(status).body("body").close()));
    assert!(talk(&server, GET).0.ends_with("204 Scripted\r\nConnection: close\r\n\r\n"));
    assert!(talk(&server, GET).0.ends_with("Content-Length: 4\r\n\r\n"));
    assert!(talk(&server, b"HEAD / HTTP/1.1\r\n\r\n").0.ends_with("Content-Length: 4\r\n\r\n"));
}

#[test]
fn odd_statuses_reasons_and_headers_go_out_as_they_are() {
    let many = (0..3000).fold(Reply::status(999).reason("One two!"), |reply, n| reply.header("X", format!("{n}")));
    let server = Server::start([
        many.header("Big", vec![b'v'; 1 << 20]).close(),
        Reply::status(302).header("Location", b"/\xff".as_slice()).close(),
    ]);
    let (text, error) = talk(&server, GET);
    assert!(text.starts_with("HTTP/1.1 999 One two!\r\nX: 0\r\n") && text.contains("\r\nX: 2999\r\nBig: vvvv"));
    assert!(text.len() > 1 << 20);
    assert_eq!(error, None);
    let mut socket = connect(&server);
    socket.write_all(GET).unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).unwrap();
    assert!(bytes.windows(3).any(|window| window == b"/\xff\r"));
}

/// What arrives before a fault at `point`.
fn assert_part(text: &str, point: Point) {
    match point {
        Point::FirstByte | Point::RequestHead | Point::Request => assert_eq!(text, ""),
        Point::HalfHead => assert!(text.starts_with("HTTP/1.1 200 ") && !text.contains("\r\n\r\n"), "{text}"),
        Point::HalfBody => assert!(text.ends_with("\r\n\r\nhalf of th"), "{text}"),
    }
}

#[test]
fn a_close_is_an_eof_at_its_point_even_if_the_request_was_not_read() {
    let post = [b"POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n".as_slice(), &[b'x'; 100_000]].concat();
    for point in POINTS {
        let server = Server::start([Fault::Close.at(point)]);
        for _ in 0..5 {
            let (text, error) = talk(&server, &post);
            assert_part(&text, point);
            assert_eq!(error, None, "{point:?}");
        }
        assert_eq!((server.sends(), server.connections()), (5, 5));
        let request = &server.requests()[0];
        assert_eq!(request.method.is_empty(), point == Point::FirstByte);
        assert_eq!(request.body.is_empty(), point <= Point::RequestHead);
    }
}

#[test]
fn a_reset_is_a_reset_at_its_point() {
    for point in POINTS {
        let server = Server::start([Fault::Reset.at(point)]);
        for _ in 0..5 {
            let (text, error) = talk(&server, GET);
            assert_part(&text, point);
            assert_eq!(error, Some(ErrorKind::ConnectionReset), "{point:?}");
        }
    }
}

#[test]
fn a_stall_lasts_until_the_script_hangs_up() {
    for point in POINTS {
        let server = Server::start([Fault::Stall.at(point)]);
        let mut socket = connect(&server);
        socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        socket.write_all(GET).unwrap();
        let (text, error) = read_all(&mut socket);
        assert_part(&text, point);
        assert!(matches!(error, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{point:?}");
        server.hang_up();
        assert_eq!(read_all(&mut socket), (String::new(), None));
    }
}

#[test]
fn a_stall_ends_with_the_client() {
    let server = Server::builder().script([Fault::Stall.at(Point::Request), Reply::status(200).close()]);
    let server = server.one_connection_at_a_time().start();
    let mut stalled = connect(&server);
    stalled.write_all(GET).unwrap();
    let waiting = connect(&server);
    drop(stalled);
    (&waiting).write_all(GET).unwrap();
    assert!(read_all(&mut { waiting }).0.starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_server_finishes_when_its_clients_have() {
    let mut server = Server::start([Fault::Stall.at(Point::Request)]);
    let clients = [(); 9].map(|()| connect(&server));
    (&clients[0]).write_all(GET).unwrap();
    while server.stalls() < 1 {
        thread::yield_now();
    }
    drop(clients);
    server.finish();
    assert_eq!((server.connections(), server.sends(), server.stalls()), (9, 1, 1));
    assert_eq!(TcpStream::connect(server.addr()).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    server.finish();
}

#[test]
fn dropping_the_server_ends_everything_at_once() {
    let server = Server::start([Fault::Stall.at(Point::Request), Reply::endless_body()]);
    let mut clients = [connect(&server), connect(&server), connect(&server)];
    clients[0].write_all(GET).unwrap();
    while server.sends() < 1 {
        thread::yield_now();
    }
    // Nobody reads the endless body: its thread waits in a write. The third connection is idle.
    clients[1].write_all(GET).unwrap();
    let began = Instant::now();
    let addr = server.addr();
    drop(server);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    for mut client in clients {
        assert_ne!(read_all(&mut client).1, Some(ErrorKind::WouldBlock));
    }
    assert_eq!(TcpStream::connect(addr).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn framings_lie_as_told() {
    let body = |framing| Reply::status(200).body("0123456789").framing(framing);
    let cases = [
        (body(Framing::Declared(20)), "Content-Length: 20\r\n\r\n0123456789"),
        (body(Framing::Declared(5)), "Content-Length: 5\r\n\r\n0123456789"),
        (body(Framing::Chunked).close(), "chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"),
        (body(Framing::OpenChunks), "chunked\r\n\r\na\r\n0123456789\r\n"),
        (body(Framing::UntilClose), "Scripted\r\n\r\n0123456789"),
        (body(Framing::Chunked).fault(Fault::Close, Point::HalfBody), "chunked\r\n\r\na\r\n0123456"),
        (Reply::raw("hello\r\n"), "hello\r\n"),
        (Reply::garbage(), "this is no response\r\n\r\n"),
    ];
    for (reply, end) in cases {
        let server = Server::start([reply]);
        let (text, error) = talk(&server, GET);
        assert!(text.ends_with(end), "{text:?} {end:?}");
        assert_eq!(error, None);
    }
}

#[test]
fn endless_replies_end_with_the_client() {
    let replies = [Reply::endless_head(), Reply::endless_body(), Reply::endless_chunks()];
    let nothing = [Framing::Endless, Framing::EndlessChunks].map(|framing| Reply::status(200).framing(framing));
    for reply in replies.into_iter().chain(nothing) {
        let server = Server::start([reply]);
        let mut socket = connect(&server);
        socket.write_all(GET).unwrap();
        let mut much = vec![0; 100_000];
        socket.read_exact(&mut much).unwrap();
        drop(socket);
        // A server in one thread that did not notice would hang here, in its drop.
        drop(server);
    }
}

#[test]
fn a_drip_comes_byte_by_byte() {
    let server = Server::start([Reply::status(200).body("12345").drip(Duration::from_secs(9)).close()]);
    let began = Instant::now();
    assert!(talk(&server, GET).0.ends_with("\r\n\r\n12345"));
    assert!(began.elapsed() >= Duration::from_millis(100) && began.elapsed() < Duration::from_secs(2));
}

#[test]
fn compressed_bodies_are_whole_or_cut_under_a_true_length() {
    let server = Server::start([Reply::gzip().close(), Reply::cut_gzip().close()]);
    for length in [57, 28] {
        let mut socket = connect(&server);
        socket.write_all(GET).unwrap();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).unwrap();
        let body = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        let head = String::from_utf8_lossy(&bytes[..body]);
        assert!(head.contains(&format!("Content-Encoding: gzip\r\nConnection: close\r\nContent-Length: {length}\r\n")));
        assert_eq!((&bytes[body..body + 3], bytes.len() - body), ([0x1f, 0x8b, 8].as_slice(), length));
    }
}

#[test]
fn a_connection_closed_silently_looks_alive_in_its_last_response() {
    let server = Server::start([Reply::status(200).body("bye").close_silently()]);
    let mut reader = BufReader::new(connect(&server));
    reader.get_mut().write_all(GET).unwrap();
    let (head, body) = read_response(&mut reader);
    assert!(!head.contains("close"));
    assert_eq!(body, "bye");
    assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    assert_eq!(server.sends(), 1);
}

#[test]
fn one_connection_at_a_time_makes_the_others_wait() {
    let server = Server::builder().script([Reply::status(200)]).one_connection_at_a_time().start();
    let mut first = BufReader::new(connect(&server));
    first.get_mut().write_all(GET).unwrap();
    read_response(&mut first);
    let mut second = BufReader::new(connect(&server));
    second.get_mut().write_all(GET).unwrap();
    first.get_mut().write_all(GET).unwrap();
    read_response(&mut first);
    assert_eq!(server.connections(), 1);
    drop(first);
    read_response(&mut second);
    assert_eq!((server.connections(), server.sends()), (2, 3));
    assert_eq!(server.requests()[2].connection, 1);
}

#[test]
fn odd_requests_are_ended_not_served() {
    let server = Server::start([Reply::status(200)]);
    let long = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &[b'x'; 70_000]].concat();
    let odd: [&[u8]; 8] = [
        b"\r\n\r\n",
        b"\xff\xfe\0\n\n",
        b"GET / HTTP/1.1 more\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        &long,
    ];
    for request in odd {
        assert_eq!(talk(&server, request), (String::new(), None), "{}", String::from_utf8_lossy(request));
    }
    // Cut by the client: the server reads what there is and waits for no more.
    connect(&server).write_all(b"POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nx").unwrap();
    drop(connect(&server));
}
