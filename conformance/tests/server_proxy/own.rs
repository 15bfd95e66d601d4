//! What a proxy says and does itself.

use core::time::Duration;
use std::io::{BufReader, ErrorKind, Read, Write};

use conformance::server::{Fault, Proxy, Via};

use super::*;

#[test]
fn statuses_are_the_proxys_own_and_the_last_step_repeats() {
    let busy = Via::answer(503, [("Retry-After", "2"), ("Content-Length", "0")]);
    let proxy = Proxy::http([Via::Status(403), busy, Via::Status(407), Via::Status(504)]);
    let mut reader = BufReader::new(connect(proxy.addr()));
    let post = "POST http://origin.test/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
    for (request, status) in [(CONNECT, 403), (GET, 503), (CONNECT, 407), (post, 504), (GET, 504)] {
        let (head, body) = ask(&mut reader, request);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} Scripted\r\n")), "{head}");
        assert_eq!(head.contains("\r\nRetry-After: 2\r\n"), status == 503);
        assert_eq!(head.contains("\r\nProxy-Authenticate: Basic realm="), status == 407);
        assert_eq!(body, if status == 503 { "" } else { "answered by the proxy\n" });
    }
    assert_eq!((proxy.sends(), proxy.connections()), (5, 1));
    assert!(proxy.requests().iter().all(|request| request.upstream.is_none()));

    let closing = Via::answer(502, [("connection", "Close"), ("X", "1"), ("X", "2")]);
    let text = talk_text(&Proxy::http([closing]), CONNECT);
    assert!(text.starts_with("HTTP/1.1 502 Scripted\r\nconnection: Close\r\nX: 1\r\nX: 2\r\n"), "{text}");
    let lie = Proxy::http([Via::Status(200)]);
    assert_eq!(talk_text(&lie, CONNECT), "HTTP/1.1 200 Scripted\r\n\r\n");
    assert!(talk_text(&lie, &GET.replace("1.1", "1.0")).ends_with("Content-Length: 22\r\n\r\nanswered by the proxy\n"));
}

#[test]
fn refusals_have_their_code() {
    let proxy = Proxy::socks5([1, 2, 5, 8, 0, 200].map(Via::Refuse));
    for code in [1, 2, 5, 8, 0, 200, 200] {
        assert_eq!(talk(&proxy, socks(None)), (socks_reply(code), None));
    }
    assert_eq!((proxy.sends(), proxy.connections()), (7, 7));
    assert_eq!(proxy.requests()[6].target, "origin.test:80");
}

#[test]
fn faults_strike_after_the_head() {
    let script =
        || [Via::Fault(Fault::Close), Via::Fault(Fault::Reset), Via::Raw(b"\0what?".into()), Via::Fault(Fault::Stall)];
    for (proxy, request, before) in [
        (Proxy::http(script()), CONNECT.as_bytes().to_vec(), &b""[..]),
        (Proxy::http(script()), GET.as_bytes().to_vec(), b""),
        (Proxy::socks5(script()), socks(None), &[5, 0]),
    ] {
        assert_eq!(talk(&proxy, &request), (before.into(), None));
        assert_eq!(talk(&proxy, &request).1, Some(ErrorKind::ConnectionReset));
        assert_eq!(talk(&proxy, &request), ([before, b"\0what?"].concat(), None));

        let mut stalled = connect(proxy.addr());
        stalled.write_all(&request).unwrap();
        wait_until(|| proxy.stalls() == 1);
        stalled.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let (bytes, error) = read_all(&mut stalled);
        assert_eq!(bytes, before);
        assert!(matches!(error, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)));
        proxy.hang_up();
        assert_eq!(read_all(&mut stalled), (Vec::new(), None));
        assert_eq!(proxy.requests()[3].method.len(), request.iter().position(|b| *b == b' ').unwrap_or(7));
    }
}

#[test]
fn a_password_is_wanted_and_shown_to_nobody() {
    let origin = origin("in");
    let proxy = Proxy::http([Via::Pass]).resolve("origin.test", origin.addr()).password("me", "p:ss");
    let mut reader = BufReader::new(connect(proxy.addr()));
    let with = |request: &str, password: &str| request.replace("\r\n\r\n", &format!("\r\n{password}"));
    for refused in
        [GET, CONNECT, &with(GET, &PASSWORD.replace("cw", "cx")), &with(GET, &PASSWORD.replace("basic ", ""))]
    {
        assert!(ask(&mut reader, refused).0.starts_with("HTTP/1.1 407 "));
    }
    assert_eq!(ask(&mut reader, &with(GET, PASSWORD)).1, "in");
    assert_eq!(origin.requests()[0].header("proxy-authorization"), None);
    assert_eq!(ask(&mut reader, &with(CONNECT, PASSWORD)).0, ESTABLISHED);
    assert_eq!(ask(&mut reader, GET).1, "in");
    assert_eq!(proxy.sends(), 6);
    assert_eq!(proxy.url(), format!("http://{}", proxy.addr()));
    assert_eq!(proxy.url_with_password("me", "p:ss"), format!("http://me:p%3Ass@{}", proxy.addr()));
    assert!(!format!("{proxy:?}").contains("ss\""));
}

#[test]
fn socks5_wants_its_password_too() {
    let origin = origin("in");
    let proxy = Proxy::socks5([Via::Pass]).resolve("origin.test", origin.addr()).password("me", "p:ss");
    assert_eq!(talk(&proxy, socks(None)), (vec![5, 0xff], None));
    for wrong in [("me", "other"), ("you", "p:ss"), ("", "")] {
        assert_eq!(talk(&proxy, socks(Some(wrong))), (vec![5, 2, 1, 1], None));
    }
    let mut client = connect(proxy.addr());
    client.write_all(&socks(Some(("me", "p:ss")))).unwrap();
    let mut granted = [0; 14];
    client.read_exact(&mut granted).unwrap();
    assert_eq!(granted, [5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(ask(&mut BufReader::new(client), GET).1, "in");
    let users: Vec<_> = proxy.requests().into_iter().map(|request| request.user).collect();
    assert_eq!(users, [None, Some("me".into()), Some("you".into()), Some(String::new()), Some("me".into())]);
    assert_eq!(proxy.url_with_password("a", "b"), format!("socks5h://a:b@{}", proxy.addr()));
    assert_eq!(talk(&Proxy::socks5([Via::Refuse(1)]), socks(Some(("a", "b")))).0[..2], [5, 0]);
}

#[test]
fn nothing_but_loopback_is_led_to() {
    let http = || Proxy::http([Via::Pass]);
    let socks5 = || Proxy::socks5([Via::Pass]);
    let (_dead, dead) = dead_port();
    for (addr, code) in [(None, 4), (Some(([192, 0, 2, 1], 80).into()), 2), (Some(dead), 5)] {
        let told = |proxy: Proxy| addr.into_iter().fold(proxy, |proxy, addr| proxy.resolve("origin.test", addr));
        let (http, socks5) = (told(http()), told(socks5()));
        for request in [GET, CONNECT] {
            assert!(ask(&mut BufReader::new(connect(http.addr())), request).0.starts_with("HTTP/1.1 502 "));
        }
        assert_eq!(talk(&socks5, socks(None)), (socks_reply(code), None));
        assert!(http.requests().iter().chain(&socks5.requests()).all(|request| request.upstream.is_none()));
    }
    // By address, of both kinds.
    assert_eq!(talk(&socks5(), [5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 1, 0, 80]).0, socks_reply(2));
    let six = [&[5, 1, 0, 5, 1, 0, 4][..], &[0; 15], &[2, 0, 80]].concat();
    let proxy = socks5();
    assert_eq!(talk(&proxy, six).0, socks_reply(2));
    assert_eq!(proxy.requests()[0].target, "[::2]:80");
}

#[test]
fn odd_requests_are_ended_or_refused() {
    let http = Proxy::http([Via::Pass]);
    let long = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(70_000));
    for odd in ["\r\n\r\n", "\u{16}\u{3}\u{1}\0\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", &long] {
        assert_eq!(talk(&http, odd), (Vec::new(), None), "{odd}");
    }
    for target in ["/", "*", "https://origin.test/", "ftp://x/", "origin.test:80", "http://", "http://a:99999/"] {
        let answer = talk_text(&http, &format!("GET {target} HTTP/1.0\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{target} {answer}");
    }
    for target in ["/", "origin.test", "http://origin.test/", ":80", "[::1"] {
        let answer = talk_text(&http, &format!("CONNECT {target} HTTP/1.0\r\nContent-Length: 9\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{target} {answer}");
    }
    let socks5 = Proxy::socks5([Via::Pass]);
    let odd: [(&[u8], &[u8]); 7] = [
        (b"GET / HTTP/1.1\r\n\r\n", b""),
        (&[4, 1, 0, 80, 127, 0, 0, 1, 0], b""),
        (&[5, 0], &[5, 0xff]),
        (&[5, 1, 1], &[5, 0xff]),
        (&[5, 1, 0, 4, 1, 0, 1], &[5, 0]),
        (&[5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80], &socks_reply(7)),
        (&[5, 1, 0, 5, 1, 0, 9, 1], &socks_reply(8)),
    ];
    for (request, answer) in odd {
        assert_eq!(talk(&socks5, request), (answer.to_vec(), None), "{request:?}");
    }
    // Cut by the client, which does not wait for an answer.
    for length in 0..socks(None).len() {
        connect(socks5.addr()).write_all(&socks(None)[..length]).unwrap();
        connect(http.addr()).write_all(&GET.as_bytes()[..length]).unwrap();
    }
}
