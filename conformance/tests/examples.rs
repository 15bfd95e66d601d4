//! The examples do what they say.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "../examples/blocking.rs"]
mod blocking;
#[path = "../examples/event_loop.rs"]
mod event_loop;
#[path = "../examples/smol.rs"]
mod smol_hyper_client;

use core::time::Duration;
use std::env;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use conformance::server::{Fault, Point, Reply, Server};
use event_loop::{EventLoop, Summary};
use retry_core::{Cause, End, Event, Failure, Finished, Policy, Reached, Reason};
use smol_hyper_client::SmolTimer;

/// Calls over real sockets: whatever the machine does meanwhile, a send to a healthy server is not cut for good.
fn patient(limit: Duration) -> Policy {
    let policy = blocking::POLICY.edit().factor(1.0).max_retries(20).attempt_timeout(Some(limit));
    policy.build().unwrap()
}

/// The end of a call by each of the two, and the status or body that came with it.
fn by_ureq(url: &str, policy: &Policy) -> (End, Option<u16>) {
    let (last, end) = blocking::get(&blocking::agent(), url, policy);
    (end, last.and_then(Result::ok).map(|response| response.status().as_u16()))
}

fn by_smol(host: &str, policy: &Policy) -> (End, Option<u16>) {
    let timer = SmolTimer(Instant::now());
    let (got, end) = match smol::block_on(smol_hyper_client::get(host, "/", policy, &timer)) {
        Finished::Done(got, end) => (Some(got), end),
        Finished::GiveUp(got, end) => (got, end),
    };
    (end, got.and_then(Result::ok).map(|response| response.status().as_u16()))
}

type Call = fn(&Server, &Policy) -> (End, Option<u16>);

/// Whether the server is to be called by ureq or by smol.
const BOTH: [Call; 2] =
    [|server, policy| by_ureq(&server.url("/"), policy), |server, policy| by_smol(&server.addr().to_string(), policy)];

#[test]
fn a_lost_reply_and_a_busy_server_are_got_over() {
    for call in BOTH {
        let lost = Fault::Reset.at(Point::Request);
        let server = Server::start([lost, Reply::status(503), Reply::status(200).body("a page")]);
        let (end, status) = call(&server, &blocking::POLICY);
        assert_eq!((end.reason, end.attempts, status, server.sends()), (Reason::Answer, 3, Some(200), 3));
    }
}

#[test]
fn the_last_reply_is_there_when_the_retries_are_used_up() {
    for call in BOTH {
        let server = Server::start([Reply::status(503).header("Retry-After", "9")]);
        let policy = blocking::POLICY.edit().max_retries(1).build().unwrap();
        let (end, status) = call(&server, &policy);
        assert_eq!((end.reason, end.attempts, status), (Reason::RetriesExhausted, 2, Some(503)));
        assert_eq!(end.asked, Some(Duration::from_secs(9)), "the header is read");
    }
}

#[test]
fn a_send_that_hangs_is_cut() {
    for call in BOTH {
        let server = Server::start([Fault::Stall.at(Point::Request), Reply::status(200)]);
        let (end, status) = call(&server, &patient(Duration::from_millis(50)));
        assert_eq!((end.reason, status, server.stalls()), (Reason::Answer, Some(200), 1));
        assert!(end.attempts >= 2);
    }
}

#[test]
fn a_refused_connection_is_known_to_be_unsent() {
    let host = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let policy = blocking::POLICY.edit().max_retries(1).build().unwrap();
    for (end, status) in [by_ureq(&format!("http://{host}/"), &policy), by_smol(&host, &policy)] {
        assert_eq!((end.reason, end.attempts, status), (Reason::RetriesExhausted, 2, None));
        assert_eq!(end.event, Some(Event::Failure(Failure::new(Cause::Network, Reached::Unsent))));
    }
}

#[test]
fn ten_thousand_calls_end_as_their_server_answers() {
    let kind = 2_000;
    let summary = EventLoop::run(5 * kind);
    assert_eq!(summary, EventLoop::run(5 * kind), "the same seed, the same run");
    let Summary { answered, failed, sends, cut, lasted } = summary;
    assert_eq!((answered, failed, sends, cut), (4 * kind, kind, (2 + 3 + 2 + 2 + 4) * kind, kind));
    assert_eq!(lasted, Duration::from_millis(20 + 20_000 + 20), "the longest call waits for the server's 20 s");
}

#[test]
fn each_example_runs() {
    blocking::main();
    event_loop::main();
    smol_hyper_client::main();
}

/// What the program without std prints. Its time is virtual and its seed fixed.
const BOARD: &str = "\
send 1: NETWORK_ERROR
  wait 911.072087ms (policy)
send 2: TIMEOUT
  wait 1.868846341s (policy)
send 3: 503
  wait 2s (Retry-After)
send 4: 200
";

/// It cannot be a module here, nor built with this workspace: it has no std.
#[cfg(target_os = "linux")]
#[test]
fn a_main_without_std_and_without_an_allocator_runs() {
    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let build = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--release", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/no_std/Cargo.toml"))
        .args(["--target-dir", concat!(env!("CARGO_TARGET_TMPDIR"), "/no_std")])
        // What measures this test has no place in a program without std.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WRAPPER")
        .output()
        .unwrap();
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));

    let program = concat!(env!("CARGO_TARGET_TMPDIR"), "/no_std/release/no-std-example");
    // A program that never ends is ended: what it prints is far less than a pipe holds.
    let mut running = Command::new(program).stdout(Stdio::piped()).spawn().unwrap();
    let guard = Instant::now() + Duration::from_secs(60);
    while running.try_wait().unwrap().is_none() {
        if Instant::now() > guard {
            running.kill().unwrap();
            panic!("the program did not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), BOARD);
}
