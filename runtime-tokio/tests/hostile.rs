//! Hostile servers: an answer or a typed error within the total limit, bounded memory, no panic.
#![cfg(feature = "reqwest")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "common/bomb.rs"]
mod bomb;
mod common;
#[path = "common/memory.rs"]
mod memory;

use core::time::Duration;

use common::{SkipTimer, builder, client, guarded, instant};
use conformance::server::{Fault, Framing, Point, Reply, Server, StreamFault};
use memory::{Counting, peak};
use retry_core::{ErrorKind, Event, Jitter, Policy};
use runtime_tokio::{Error, Fetched, Report, Retry, RetryExt};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MIB: usize = 1 << 20;

/// What the client may hold at most: the body, twice while its room grows, a head of 400 KiB, its own affairs.
const ROOM: usize = 5 * MIB;

/// The limit of a call that is to end by itself, and of one that is to be cut.
const LONG: Duration = Duration::from_secs(15);
const SHORT: Duration = Duration::from_millis(50);

/// `fetch` of a server that always replies so, at most 1 MiB of body; and the most memory that the client held.
///
/// Two sends, without a wait in between.
fn fetch(reply: Reply, limit: Duration) -> (Result<(Fetched, Report), Error>, usize) {
    let server = Server::start([reply]);
    let url = server.url("/");
    let (result, bytes) = peak(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(guarded(async {
            client().get(url).with_retry(instant(1)).max_body(MIB).total_timeout(limit).fetch_with_report().await
        }))
    });
    drop(server);
    (result, usize::try_from(bytes).unwrap())
}

/// The client has enough of it by itself: a failure of this kind, in a bounded room.
fn assert_fails(name: &str, reply: Reply, kind: ErrorKind) {
    let (result, bytes) = fetch(reply, LONG);
    let error = result.err().unwrap_or_else(|| panic!("{name}: an answer"));
    match error.event() {
        Some(Event::Failure(failure)) => assert_eq!(failure.kind(), kind, "{name}: {error:?}"),
        event => panic!("{name}: {event:?}"),
    }
    assert!(bytes < ROOM, "{name}: {bytes} bytes");
}

/// It goes on for ever, or for too long: the total limit cuts it, in a bounded room.
fn assert_cut(name: &str, reply: Reply) {
    let (result, bytes) = fetch(reply, SHORT);
    let error = result.err().unwrap_or_else(|| panic!("{name}: an answer"));
    assert_eq!(error.kind(), ErrorKind::Timeout, "{name}: {error:?}");
    assert!(bytes < ROOM, "{name}: {bytes} bytes");
}

/// What hyper cannot read is a failure of the protocol where its types tell.
const MALFORMED: ErrorKind = if cfg!(feature = "hyper") { ErrorKind::Transport } else { ErrorKind::Unknown };

#[test]
fn a_head_that_does_not_end() {
    assert_fails("endless head", Reply::endless_head(), MALFORMED);
    assert_fails("an endless line", Reply::raw(vec![b'x'; 4 * MIB]), MALFORMED);
    assert_cut("a dripped head", Reply::raw("HTTP/1.1 200 OK\r\nX: y\r\n".repeat(9)).drip(Duration::from_millis(20)));
    assert_cut("half a head", Fault::Stall.at(Point::HalfHead));
}

#[test]
fn interim_responses_without_end() {
    let lost = if cfg!(feature = "hyper") { ErrorKind::Network } else { ErrorKind::Unknown };
    assert_fails("interim responses", Reply::raw("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50_000)), lost);
}

#[test]
fn a_body_that_does_not_end() {
    let chunked = |rest: &str| Reply::raw(["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", rest].concat());
    assert_fails("endless body", Reply::endless_body(), ErrorKind::ResponseRead);
    assert_fails("endless chunks", Reply::endless_chunks(), ErrorKind::ResponseRead);
    assert_fails("chunks of a byte", chunked(&"1\r\nx\r\n".repeat(50_000)), ErrorKind::ResponseRead);
    assert_fails("a chunk's extension", chunked(&["1;", &"x".repeat(MIB)].concat()), ErrorKind::ResponseRead);
    assert_fails("trailers", chunked(&["0\r\n", &"X: y\r\n".repeat(MIB)].concat()), ErrorKind::ResponseRead);
    assert_cut("slow drip", Reply::status(200).body("slowly".repeat(50)).drip(Duration::from_millis(20)));
    assert_cut("half a body", Fault::Stall.at(Point::HalfBody));
}

#[test]
fn an_error_body_that_does_not_end_is_let_go_and_its_status_stands() {
    for framing in [Framing::Endless, Framing::EndlessChunks] {
        let (result, bytes) = fetch(Reply::status(503).body([b'.'; 1024]).framing(framing), LONG);
        // The last response's body is read as far as the caller allows.
        let error = result.err().unwrap();
        assert_eq!(
            (error.kind(), error.attempts(), error.event()),
            (ErrorKind::RetryExhausted, 2, Some(Event::Status(503)))
        );
        assert!(bytes < ROOM, "{framing:?}: {bytes} bytes");
    }
}

#[test]
fn a_length_is_a_claim() {
    // Above u64::MAX - 2 hyper does not take it for a length.
    for (length, kind) in [
        (u64::MAX, MALFORMED),
        (u64::MAX - 1, MALFORMED),
        (u64::MAX - 2, ErrorKind::ResponseRead),
        (u64::MAX >> 1, ErrorKind::ResponseRead),
        (1 << 40, ErrorKind::ResponseRead),
    ] {
        let short = |status| Reply::status(status).body("short").framing(Framing::Declared(length));
        assert_fails(&length.to_string(), short(200), kind);
        let (result, bytes) = fetch(short(503), LONG);
        let error = result.err().unwrap();
        assert_eq!(
            (error.attempts(), error.event() == Some(Event::Status(503))),
            match kind {
                ErrorKind::ResponseRead | ErrorKind::Transport => (2, kind == ErrorKind::ResponseRead),
                _ => (1, false),
            }
        );
        assert!(bytes < ROOM, "{length}: {bytes} bytes");
    }
}

#[test]
fn a_compressed_body_is_measured_as_it_comes_out() {
    // 16 MB out of 100 KB.
    let zipped = |status| Reply::status(status).header("Content-Encoding", "gzip").body(bomb::gzip(100_000));
    assert_fails("200", zipped(200), ErrorKind::ResponseRead);
    let (result, bytes) = fetch(zipped(503), LONG);
    assert_eq!(result.err().unwrap().event(), Some(Event::Status(503)));
    assert!(bytes < ROOM, "{bytes} bytes");
}

/// The wait after a 429 with these headers; `None` if there is none, because the head could not be read.
fn wait(name: &str, reply: Reply) -> Option<Duration> {
    let server = Server::start([reply, Reply::status(200)]);
    let policy = Policy::API.edit().base_delay(COMPUTED).jitter(Jitter::None).build().unwrap();
    let (result, bytes) = peak(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let retry = Retry::with_timer(policy, SkipTimer::default());
        runtime.block_on(guarded(client().get(server.url("/")).with_retry(retry).send_with_report()))
    });
    assert!(usize::try_from(bytes).unwrap() < ROOM, "{name}: {bytes} bytes");
    let report = match result {
        Ok((_, report)) => report,
        Err(error) => error.report().clone(),
    };
    let first = report.record().next().unwrap();
    match first.event {
        Event::Status(429) => Some(first.wait.unwrap().0),
        Event::Failure(failure) if failure.kind() == MALFORMED => None,
        event => panic!("{name}: {event:?}"),
    }
}

const COMPUTED: Duration = Duration::from_millis(1);

#[test]
fn a_retry_after_of_any_size_and_bytes() {
    let busy = || Reply::status(429);
    let hint = |value: &[u8]| busy().header("Retry-After", value);
    let long = |byte, size| vec![byte; size];
    let seconds = |n| Some(Duration::from_secs(n));
    // hyper reads a head of about 400 KiB, and no more.
    assert_eq!(wait("1 MiB of digits", hint(&long(b'9', MIB))), None);
    assert_eq!(wait("1 MiB of words", hint(&long(b'x', MIB))), None);
    assert_eq!(wait("300 KiB of digits", hint(&long(b'9', 300 << 10))), seconds(60));
    assert_eq!(wait("300 KiB of commas", hint(&long(b',', 300 << 10))), Some(COMPUTED));
    assert_eq!(wait("300 KiB of spaces", hint(&[&long(b' ', 300 << 10)[..], b"7"].concat())), seconds(7));
    assert_eq!(wait("bytes that are no text", hint(b"\xff\xfe\x80")), Some(COMPUTED));
    assert_eq!(wait("a number among such", hint(b"\xb2").header("Retry-After", "9")), seconds(9));
    assert_eq!(wait("another header", hint(b"9").header("X", b"\xff\xfe".as_slice())), seconds(9));
    // hyper reads 100 header lines, and no more.
    let lines = |count: usize| (1..=count).fold(busy(), |reply, n| reply.header("Retry-After", (n % 50).to_string()));
    assert_eq!(wait("ninety lines", lines(90)), seconds(49));
    assert_eq!(wait("a thousand lines", lines(1000)), None);
}

#[tokio::test]
async fn a_thousand_lines_over_http2() {
    let reply = (1..=1000).fold(Reply::status(429), |reply, n| reply.header("Retry-After", (n % 50).to_string()));
    let server = Server::builder().script([reply, Reply::status(200)]).http2().start();
    let client = builder().http2_prior_knowledge().build().unwrap();
    let retry = Retry::with_timer(Policy::API, SkipTimer::default());
    match guarded(client.get(server.url("/")).with_retry(retry).send_with_report()).await {
        Ok((_, report)) => assert!(report.waits().all(|(wait, _)| wait <= Duration::from_secs(60))),
        // Without h2's types its refusal of so large a head has no name.
        Err(error) if cfg!(not(feature = "h2")) => assert_eq!(error.kind(), ErrorKind::Unknown),
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn a_location_that_is_no_text() {
    let server = Server::start([Reply::status(302).header("Location", b"/\xff\xfe".to_vec()), Reply::status(200)]);
    match guarded(client().get(server.url("/")).with_retry(instant(1)).send()).await {
        Ok(response) => assert!(matches!(response.status().as_u16(), 200 | 302)),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Validation),
    }
}

/// One attempt is one send with our client builder, and not with reqwest's.
#[tokio::test]
async fn exact_sends_where_a_server_refuses_streams() {
    let refused = || {
        let script = [StreamFault::Reset(StreamFault::REFUSED_STREAM).reply()];
        Server::builder().script(script).http2().start()
    };
    let server = refused();
    let client = builder().http2_prior_knowledge().build().unwrap();
    let error = guarded(client.get(server.url("/")).with_retry(instant(3)).send()).await.unwrap_err();
    assert_eq!(server.sends(), usize::try_from(error.attempts()).unwrap());
    assert_eq!(server.sends(), if cfg!(feature = "h2") { 4 } else { 1 });

    let server = refused();
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).http2_prior_knowledge().build().unwrap();
    let error = guarded(client.post(server.url("/")).with_retry(instant(3)).send()).await.unwrap_err();
    assert_eq!(error.attempts(), 1);
    assert!(server.sends() > 1, "reqwest's own retries are why there is `client_builder`");
}
