//! What a proxy passes on.

use core::time::Duration;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener};
use std::thread;
use std::time::Instant;

use conformance::server::{Fault, Framing, Point, Proxy, Reply, Server, Via};

use super::*;

#[test]
fn requests_are_forwarded_on_a_kept_connection() {
    let origin = origin("the page");
    let proxy = Proxy::http([Via::Pass]).resolve("Origin.Test", origin.addr());
    let mut reader = BufReader::new(connect(proxy.addr()));
    let chunked = "POST http://origin.test HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: y\r\nProxy-Connection: keep-alive\r\n\r\n\
        3\r\nabc\r\n0\r\n\r\n";
    let put = format!("PUT http://{}/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n", origin.addr());
    for request in [GET, chunked, &put] {
        let (head, body) = ask(&mut reader, request);
        assert_eq!(head, "HTTP/1.1 200 Scripted\r\nContent-Length: 8\r\n\r\n");
        assert_eq!(body, "the page");
    }
    assert_eq!((proxy.sends(), proxy.connections(), origin.sends(), origin.connections()), (3, 1, 3, 3));

    let seen = origin.requests();
    assert_eq!((&seen[0].method[..], &seen[0].target[..]), ("GET", "/a?b"));
    assert_eq!(seen[0].headers, [("Host".into(), "origin.test".into())]);
    assert_eq!((&seen[1].target[..], &seen[1].body[..]), ("/", &b"abc"[..]));
    assert_eq!(seen[1].headers, [("X".into(), "y".into()), ("Content-Length".into(), "3".into())]);
    assert_eq!(seen[2].header("content-length"), Some("0"));
    let asked = proxy.requests();
    assert_eq!((&asked[0].method[..], &asked[0].target[..]), ("GET", "http://origin.test/a?b"));
    assert_eq!(asked[1].header("proxy-connection"), Some("keep-alive"));
    assert!(asked.iter().all(|request| request.upstream == Some(origin.addr()) && request.connection == 0));
    assert!(asked[0].at <= asked[1].at);
}

#[test]
fn responses_come_back_as_they_are() {
    let body = |framing| Reply::status(200).body("0123456789").framing(framing);
    let cases = [
        (body(Framing::Declared(20)), "Content-Length: 20\r\n\r\n0123456789"),
        (body(Framing::Declared(5)), "Content-Length: 5\r\n\r\n0123456789"),
        (body(Framing::Chunked).close(), "chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"),
        (body(Framing::OpenChunks), "chunked\r\n\r\na\r\n0123456789\r\n"),
        (body(Framing::UntilClose), "Scripted\r\n\r\n0123456789"),
        (Reply::garbage(), "this is no response\r\n\r\n"),
        (Reply::raw("HTTP/1.1 100 \r\n\r\nHTTP/1.1 101 X\r\n\r\nmore"), "\r\n\r\nmore"),
        (Reply::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "\r\n\r\nzz\r\n"),
        (Fault::Close.at(Point::Request), ""),
        (Fault::Close.at(Point::HalfBody), "\r\n\r\nhalf of th"),
    ];
    for (reply, end) in cases {
        let origin = Server::start([reply]);
        let (bytes, error) = talk(&Proxy::http([Via::Pass]).resolve("origin.test", origin.addr()), GET);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with(end) && text.is_empty() == end.is_empty(), "{text:?} {end:?}");
        assert_eq!(error, None, "{end:?}");
    }
    for reply in [Reply::endless_head(), Reply::endless_body(), Reply::endless_chunks()] {
        let origin = Server::start([reply]);
        let proxy = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr());
        let mut socket = connect(proxy.addr());
        socket.write_all(GET.as_bytes()).unwrap();
        socket.read_exact(&mut vec![0; 100_000]).unwrap();
    }
}

#[test]
fn kept_connections_survive_chunks_and_responses_without_a_body() {
    let replies = [Reply::status(200).body("x").framing(Framing::Chunked), Reply::status(304), Reply::status(204)];
    let origin = Server::start(replies.into_iter().chain([Reply::status(200).body("ok")]));
    let proxy = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr());
    let mut reader = BufReader::new(connect(proxy.addr()));
    assert!(ask(&mut reader, GET).0.contains("chunked"));
    reader.read_exact(&mut [0; "1\r\nx\r\n0\r\n\r\n".len()]).unwrap();
    for status in ["304", "204", "200"] {
        assert!(ask(&mut reader, GET).0.starts_with(&format!("HTTP/1.1 {status} ")));
    }
    reader.get_mut().write_all(GET.replace("GET", "HEAD").as_bytes()).unwrap();
    let mut head = [0; "HTTP/1.1 200 Scripted\r\nContent-Length: 2\r\n\r\n".len()];
    reader.read_exact(&mut head).unwrap();
    assert_eq!(ask(&mut reader, GET).1, "ok");
    assert_eq!(proxy.connections(), 1);
}

#[test]
fn a_client_that_sends_no_more_is_answered_still() {
    let origin = Server::start([Reply::status(200).body("slow").drip(Duration::from_millis(20))]);
    let proxy = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr());
    let mut client = connect(proxy.addr());
    client.write_all(GET.as_bytes()).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    assert!(read_all(&mut client).0.ends_with(b"slow"));
}

#[test]
fn tunnels_carry_bytes_and_ends_both_ways() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxies = [Proxy::http([Via::Pass]), Proxy::socks5([Via::Pass])];
    let greetings = [(CONNECT.as_bytes().to_vec(), ESTABLISHED.into()), (socks(None), socks_reply(0))];
    for (proxy, (greeting, granted)) in proxies.into_iter().zip(greetings) {
        let proxy = proxy.resolve("origin.test", listener.local_addr().unwrap());
        let mut client = connect(proxy.addr());
        // What the client says at once belongs to the tunnel already.
        client.write_all(&[&greeting[..], b"early"].concat()).unwrap();
        let mut answer = vec![0; granted.len()];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer, granted);
        let mut far = listener.accept().unwrap().0;
        far.read_exact(&mut [0; 5]).unwrap();

        let much = vec![7; 3 << 20];
        thread::scope(|scope| {
            scope.spawn(|| (&far).write_all(&much).unwrap());
            client.read_exact(&mut vec![0; much.len()]).unwrap();
        });
        client.shutdown(Shutdown::Write).unwrap();
        assert_eq!(read_all(&mut far), (Vec::new(), None));
        far.write_all(b"late").unwrap();
        drop(far);
        assert_eq!(read_all(&mut client), (b"late".to_vec(), None));

        let request = &proxy.requests()[0];
        assert_eq!((&request.method[..], request.upstream), ("CONNECT", listener.local_addr().ok()));
        assert!(request.target.starts_with("origin.test:"));
    }
}

#[test]
fn a_reset_of_the_origin_resets_the_client() {
    for point in [Point::FirstByte, Point::Request, Point::HalfHead, Point::HalfBody] {
        let origin = Server::start([Fault::Reset.at(point)]);
        let http = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr());
        let socks5 = Proxy::socks5([Via::Pass]).resolve("origin.test", origin.addr());
        for _ in 0..5 {
            assert_eq!(talk(&http, GET).1, Some(ErrorKind::ConnectionReset), "{point:?}");
            assert_eq!(talk(&http, format!("{CONNECT}{GET}")).1, Some(ErrorKind::ConnectionReset), "{point:?}");
            let request = [&socks(None), GET.as_bytes()].concat();
            assert_eq!(talk(&socks5, request).1, Some(ErrorKind::ConnectionReset), "{point:?}");
        }
    }
}

#[test]
fn an_origin_that_stalls_notices_that_the_client_has_gone() {
    let mut origin = Server::start([Fault::Stall.at(Point::HalfHead)]);
    let http = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr());
    let socks5 = Proxy::socks5([Via::Pass]).resolve("origin.test", origin.addr());
    let began = Instant::now();
    let requests = [GET.into(), format!("{CONNECT}{GET}").into(), [&socks(None), GET.as_bytes()].concat()];
    for (proxy, request) in [&http, &http, &socks5].into_iter().zip(requests) {
        let stalls = origin.stalls();
        let mut client = connect(proxy.addr());
        client.write_all(&request).unwrap();
        wait_until(|| origin.stalls() > stalls);
        // It saw what came before.
        client.read_exact(&mut [0; "HTTP".len()]).unwrap();
    }
    origin.finish();
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[test]
fn dropping_a_proxy_ends_everything_at_once() {
    let origin = Server::start([Fault::Stall.at(Point::Request), Reply::endless_body()]);
    let http =
        Proxy::http([Via::Pass, Via::Pass, Via::Pass, Via::Fault(Fault::Stall)]).resolve("origin.test", origin.addr());
    let clients = [GET, GET, CONNECT, CONNECT, ""].map(|request| {
        let sends = http.sends();
        let mut client = connect(http.addr());
        client.write_all(request.as_bytes()).unwrap();
        wait_until(|| request.is_empty() || http.sends() > sends);
        client
    });
    wait_until(|| origin.sends() == 2 && http.stalls() == 1);
    let began = Instant::now();
    drop(http);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    for mut client in clients {
        assert_ne!(read_all(&mut client).1, Some(ErrorKind::WouldBlock));
    }
}

#[test]
fn fifty_clients_at_once() {
    let origin = origin("ok");
    let http = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr());
    thread::scope(|scope| {
        for client in 0..50 {
            let http = &http;
            scope.spawn(move || {
                let mut reader = BufReader::new(connect(http.addr()));
                if client % 2 == 0 {
                    assert_eq!(ask(&mut reader, CONNECT).0, ESTABLISHED);
                }
                for _ in 0..20 {
                    assert_eq!(ask(&mut reader, GET).1, "ok");
                }
            });
        }
    });
    assert_eq!((origin.sends(), http.connections(), http.sends()), (1000, 50, 25 + 500));
}
