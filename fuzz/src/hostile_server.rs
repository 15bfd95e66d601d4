//! A hostile HTTP/1 server on loopback: whatever it answers with, `fetch` gives an answer or a typed error, in bounded
//! time and memory, and tells as many attempts as the server saw requests.
//!
//! The bytes are the server's answers, one per request, the last one again and again: what becomes of the connection
//! afterwards, how often the answer's second half is repeated, and the answer.

use core::net::{Ipv4Addr, SocketAddr};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::io;
use std::sync::{Arc, Mutex};

use reqwest::ClientBuilder;
use retry_core::{Cause, ErrorKind, Event, RetryAfter};
use runtime_tokio::{Policy, Report, Retry, RetryExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::bytes::Bytes;

/// The most of a body that the client takes.
const MOST_BODY: usize = 64 << 10;

/// The most retries of a call.
const RETRIES: u32 = 2;

/// The limit of one send: what the server keeps open is cut soon.
const SEND: Duration = Duration::from_millis(40);

/// A call that takes so long hangs.
const GUARD: Duration = Duration::from_secs(20);

/// Fails if the call hangs, its body is too large, or its attempts are not what the server saw.
pub fn run(data: &[u8], client: ClientBuilder) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        timeout(GUARD, call(data, client)).await.expect("the call hangs");
    });
}

async fn call(data: &[u8], client: ClientBuilder) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback can be listened on");
    let addr = listener.local_addr().expect("a listener has an address");
    let (answers, keeps) = answers(data);
    let server = Arc::new(Server { answers, seen: AtomicUsize::new(0), last: Mutex::new(None) });
    let serving = tokio::spawn(serve(listener, Arc::clone(&server)));

    // A redirect could lead away from loopback.
    let client = client.redirect(reqwest::redirect::Policy::none());
    // A server that closes just when a kept connection is used again has not seen the request.
    let client = if keeps { client } else { client.pool_max_idle_per_host(0) };
    let client = client.build().expect("a client can be built");
    let get = client.get(format!("http://{addr}/")).with_retry(retry()).max_body(MOST_BODY);
    let report = match get.fetch_with_report().await {
        Ok((fetched, report)) => {
            assert!(fetched.body().len() <= MOST_BODY, "{} bytes of body", fetched.body().len());
            report
        }
        Err(error) => {
            assert_ne!(error.kind(), ErrorKind::Validation, "{error:?}");
            error.report().clone()
        }
    };
    drop(client);
    // Connections are accepted in their order, so all others come before this one.
    let last = TcpSocket::new_v4().expect("there are sockets");
    last.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("loopback has free ports");
    *server.last.lock().expect("nobody panicked") = last.local_addr().ok();
    drop(last.connect(addr).await.expect("the server is listening"));
    serving.await.expect("the server does not panic");
    check(&report, server.seen.load(Relaxed), keeps);
}

/// No wait is longer than a moment, whatever the server asks for.
fn retry() -> Retry {
    let policy = Policy::builder()
        .max_retries(RETRIES)
        .base_delay(Duration::ZERO)
        .retry_after(RetryAfter::replace().cap(Duration::from_millis(1)))
        .attempt_timeout(Some(SEND))
        .total_timeout(Some(10 * SEND));
    Retry::new(policy.build().expect("all settings are within their bounds"))
}

fn check(report: &Report, seen: usize, keeps: bool) {
    let told = usize::try_from(report.attempts()).unwrap_or(usize::MAX);
    assert!((1..=3).contains(&told), "{told} attempts");
    // A send that was cut, or met a kept connection's end, may not have come so far.
    let lost = |event| match event {
        Event::Failure(failure) => failure.cause == Cause::Timeout || keeps && failure.cause == Cause::Network,
        Event::Status(_) => false,
    };
    let lost = report.record().filter(|entry| lost(entry.event)).count();
    assert!((told - lost.min(told)..=told).contains(&seen), "{told} attempts, {seen} requests: {report:?}");
}

/// One answer of the server.
struct Answer {
    bytes: Vec<u8>,
    /// What is written after that, so many times.
    again: (Vec<u8>, u32),
    ending: Ending,
}

/// What becomes of the connection after an answer.
enum Ending {
    Close,
    Stay,
    Reset,
    Stall,
}

/// The answers, and whether the client keeps connections.
fn answers(data: &[u8]) -> (Vec<Answer>, bool) {
    let mut bytes = Bytes::new(data);
    let keeps = bytes.read();
    let mut answers = Vec::new();
    while !bytes.is_empty() && answers.len() < 8 {
        let how = bytes.byte();
        let length: u16 = bytes.read();
        let bytes = bytes.take(length.into()).to_vec();
        let again = bytes[bytes.len() / 2..].to_vec();
        let times = [0, 0, 16, 4096][usize::from(how / 4 % 4)];
        let ending = match how % 4 {
            0 => Ending::Close,
            1 => Ending::Stay,
            2 => Ending::Reset,
            _ => Ending::Stall,
        };
        answers.push(Answer { bytes, again: (again, times), ending });
    }
    if answers.is_empty() {
        answers.push(Answer { bytes: Vec::new(), again: (Vec::new(), 0), ending: Ending::Close });
    }
    (answers, keeps)
}

/// What a server does with an answer, as [`write`] takes it: it closes the connection.
pub const CLOSE: u8 = 0;
/// It says no more, and keeps the connection open.
pub const STALL: u8 = 3;
/// It repeats the second half of the answer thousands of times, then closes.
pub const AGAIN: u8 = 12;

/// The answers as bytes, for a client that keeps no connection.
pub fn write(answers: &[(u8, &[u8])]) -> Vec<u8> {
    let mut data = vec![0];
    for (how, answer) in answers {
        data.push(*how);
        data.extend(u16::try_from(answer.len()).unwrap_or(u16::MAX).to_le_bytes());
        data.extend(*answer);
    }
    data
}

struct Server {
    answers: Vec<Answer>,
    /// How many requests were read.
    seen: AtomicUsize,
    /// Where the connection comes from after which no other is accepted.
    last: Mutex<Option<SocketAddr>>,
}

/// Serves each connection up to the last, to its end.
async fn serve(listener: TcpListener, server: Arc<Server>) {
    let mut connections = JoinSet::new();
    while let Ok((socket, client)) = listener.accept().await {
        if *server.last.lock().expect("nobody panicked") == Some(client) {
            break;
        }
        connections.spawn(talk(socket, Arc::clone(&server)));
    }
    while connections.join_next().await.is_some() {}
}

/// Answers one request after the other; an error is the client's.
async fn talk(mut socket: TcpStream, server: Arc<Server>) -> io::Result<()> {
    while read_request(&mut socket).await? {
        let number = server.seen.fetch_add(1, Relaxed);
        let answer = &server.answers[number.min(server.answers.len() - 1)];
        socket.write_all(&answer.bytes).await?;
        for _ in 0..answer.again.1 {
            socket.write_all(&answer.again.0).await?;
        }
        match answer.ending {
            Ending::Stay => {}
            Ending::Close => {
                socket.shutdown().await?;
                break;
            }
            Ending::Reset => {
                socket.set_zero_linger()?;
                return Ok(());
            }
            Ending::Stall => break,
        }
    }
    // Until the client ends it.
    while socket.read(&mut [0; 1024]).await? > 0 {}
    Ok(())
}

/// Whether there was a whole request; none of them has a body.
async fn read_request(socket: &mut TcpStream) -> io::Result<bool> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
