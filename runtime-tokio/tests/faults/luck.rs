//! Where what the client sees is a matter of luck: no row of the table, but one kind all the same.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use conformance::server::{Reply, Server, Tls};
use retry_core::{Cause, Entry, Event, Failure, Reached};
use runtime_tokio::RetryExt;
use socket2::SockRef;

use crate::common::{client, guarded, instant, trusting};

/// A connection that ends before the server has read a byte: it depends on the moment what the client was doing then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_ends_at_once_is_always_the_networks_fault() {
    for reset in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let is_done = Arc::clone(&done);
        let server = thread::spawn(move || -> io::Result<()> {
            loop {
                let (socket, _) = listener.accept()?;
                if is_done.load(Ordering::Acquire) {
                    return Ok(());
                }
                if reset {
                    SockRef::from(&socket).set_linger(Some(Duration::ZERO))?;
                }
            }
        });
        let mut hung = 0;
        for _ in 0..SENDS {
            // Now and then the client does not notice the end at all, and a limit has to cut the send.
            let call = client().get(format!("http://{addr}/")).with_retry(instant(1)).attempt_timeout(GUARD);
            let error = guarded(call.send()).await.unwrap_err();
            let Some(Event::Failure(failure)) = error.event() else { panic!("{error:?}") };
            let was_cut = |entry: &Entry| matches!(entry.event, Event::Failure(Failure { cause: Cause::Timeout, .. }));
            hung += error.report().record().filter(was_cut).count();
            let expected = if failure.cause == Cause::Timeout { "TIMEOUT" } else { "NETWORK_ERROR" };
            assert_eq!((failure.kind().code(), error.attempts()), (expected, 2), "{error:?}");
        }
        assert!(hung <= SENDS / 10, "{hung} of {} sends hang", 2 * SENDS);
        done.store(true, Ordering::Release);
        drop(TcpStream::connect(addr).unwrap());
        server.join().unwrap().unwrap();
    }
}

const SENDS: usize = 150;

/// Far longer than any of these sends takes.
const GUARD: Duration = Duration::from_secs(2);

/// In TLS 1.3 the server's verdict on the client's certificate comes after the handshake, and may find the request
/// sent, on its way, or not begun. In the last case hyper may keep the alert to itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_alert_after_the_handshake_is_never_surely_unsent() {
    let server = Server::builder().script([Reply::status(200)]).tls([Tls::ClientCertificate]).start();
    let client = trusting(&server).build().unwrap();
    let mut verdicts = 0;
    for _ in 0..50 {
        let error = guarded(client.get(server.url("/")).with_retry(instant(0)).send()).await.unwrap_err();
        let Some(Event::Failure(failure)) = error.event() else { panic!("{error:?}") };
        assert_eq!(failure.reached, Reached::MaybeSent);
        match error.code() {
            "CERTIFICATE_ERROR" => verdicts += 1,
            "NETWORK_ERROR" => assert!(format!("{error:?}").contains("Canceled"), "{error:?}"),
            _ => panic!("{error:?}"),
        }
    }
    assert!(verdicts > 0, "the alert is never seen");
}
