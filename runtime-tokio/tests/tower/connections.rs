//! What becomes of connections: a reply that is sent again is let go before the wait, and its connection kept if that
//! costs little.

use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll};
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use conformance::server::{Framing, Reply, Server};
use http::{Request, Response, Version};
use http_body::{Body, Frame, SizeHint};
use retry_core::{DRAIN_BYTES, Jitter, Policy};
use runtime_tokio::Retry;
use tower::{BoxError, Layer, service_fn};

use crate::common::{self, Turns};
use crate::stack::{builder, get, over, report, send, text};

/// Waits of 20 ms: the real time that a body which does not end may cost here.
const WAIT: Duration = Duration::from_millis(20);

fn retry() -> Retry<Turns> {
    let policy = Policy::API.edit().base_delay(WAIT).factor(1.0).jitter(Jitter::None).build().unwrap();
    Retry::with_timer(policy, Turns::default())
}

fn busy() -> Reply {
    Reply::status(503)
}

#[tokio::test]
async fn a_small_body_is_read_so_that_its_connection_can_be_used_again() {
    // Of one that is a little too large, the client may have all when it is let go.
    let large = "x".repeat(16 * DRAIN_BYTES);
    let cases = [
        ("no body", busy(), 1),
        ("small", busy().body("later"), 1),
        ("as large as may be", busy().body("x".repeat(DRAIN_BYTES)), 1),
        ("small, in chunks", busy().body("later").framing(Framing::Chunked), 1),
        ("large", busy().body(large.clone()), 2),
        ("large, in chunks", busy().body(large).framing(Framing::Chunked), 2),
        ("without end", Reply::endless_chunks(), 2),
    ];
    for (name, reply, connections) in cases {
        // The status of a body without end is no error's.
        let retry = retry().advise(|seen| match seen.attempt() {
            1 => retry_core::Advice::Retry,
            _ => retry_core::Advice::Keep,
        });
        let server = Server::start([reply, Reply::status(200).body("done")]);
        let response = send(&over(&retry), get(server.url("/"))).await.unwrap();
        assert_eq!(report(&response).waits().next().map(|(wait, _)| wait), Some(WAIT), "{name}");
        assert_eq!(text(response).await, "done", "{name}");
        assert_eq!((server.sends(), server.connections()), (2, connections), "{name}");
    }
}

#[tokio::test]
async fn over_http2_a_stream_ends_alone() {
    let server = Server::builder().script([busy().body("x".repeat(1000)), Reply::status(200)]).http2().start();
    let service = retry().layer(builder().http2_only(true).build_http());
    let response = send(&service, get(server.url("/"))).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends(), server.connections()), (200, 2, 1));
}

/// A body of frames without bytes, always ready and without end, that tells what was done with it.
struct Empties {
    size: u64,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    polled: AtomicUsize,
    dropped: AtomicUsize,
}

impl Body for Empties {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.seen.polled.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::new()))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.size)
    }
}

impl Drop for Empties {
    fn drop(&mut self) {
        self.seen.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// How often a body that says it has this size is polled before the second send.
async fn polled(version: Version, size: u64) -> usize {
    let seen = Arc::new(Seen::default());
    let given = Arc::clone(&seen);
    let inner = service_fn(move |_: Request<()>| {
        let (dropped, body) = (given.dropped.load(Ordering::Relaxed), Empties { size, seen: Arc::clone(&given) });
        async move {
            // The first body is gone before the second send.
            let status = if dropped == 0 { 503 } else { 200 };
            Ok::<_, BoxError>(Response::builder().status(status).version(version).body(body)?)
        }
    });
    let response = send(&retry().layer(inner), Request::new(())).await.unwrap();
    assert_eq!(report(&response).attempts(), 2);
    seen.polled.load(Ordering::Relaxed)
}

#[test]
fn a_body_that_is_always_ready_and_never_ends_is_let_go() {
    let polls = common::on_a_thread(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let limit = DRAIN_BYTES as u64;
        let bodies =
            [(Version::HTTP_11, 0), (Version::HTTP_11, limit), (Version::HTTP_11, limit + 1), (Version::HTTP_2, 0)];
        bodies.map(|(version, size)| runtime.block_on(polled(version, size)))
    });
    assert_eq!(polls, Some([DRAIN_BYTES + 1, DRAIN_BYTES + 1, 0, 0]));
}
