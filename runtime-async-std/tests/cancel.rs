//! Cancelling, dropping and deadlines: the call ends at once, and nothing is sent after it.

#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "common/skip.rs"]
mod skip;

use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;
use core::time::Duration;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_std::channel;
use conformance::server::{Fault, Point, Reply, Server};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{ErrorKind, Policy, Reason, Try};
use runtime_async_std::{Retry, RetryExt, StatusError};
use skip::{SkipTimer, client, guarded};
use surf::http::Method;
use surf::middleware::{Middleware, Next};
use surf::{Client, Request};

/// Completes when `ready` says so. It asks again and again, as a caller's future that is woken from outside would.
async fn when(ready: impl Fn() -> bool) {
    while !ready() {
        async_std::task::sleep(Duration::from_millis(1)).await;
    }
}

#[async_std::test]
async fn e4_cancelled_before_the_start_nothing_is_sent() {
    let server = Server::start([Reply::status(200)]);
    let call = client().get(server.url("/")).with_retry(Policy::API).cancel_on(core::future::ready(()));
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.code(), error.reason(), error.attempts()), ("CANCELED", Reason::Canceled, 0));
    assert!(error.to_string().ends_with("canceled before the first attempt"), "{error}");
    assert_eq!(server.connections(), 0);
}

/// Holds on to something during a send.
struct Holds(Arc<()>);

#[async_trait::async_trait]
impl Middleware for Holds {
    async fn handle(&self, request: Request, client: Client, next: Next<'_>) -> surf::Result {
        let _held = Arc::clone(&self.0);
        next.run(request, client).await
    }
}

/// Whoever selects among futures by reference keeps them.
#[async_std::test]
async fn a_send_ends_with_its_call_though_the_calls_future_is_kept() {
    let server = Server::start([Fault::Stall.at(Point::Request)]);
    let held = Arc::new(());
    let client = client().with(Holds(Arc::clone(&held)));
    let cancel = when(|| server.sends() == 1);
    let mut call = pin!(client.get(server.url("/")).with_retry(Policy::API).cancel_on(cancel).send());
    assert_eq!(guarded(call.as_mut()).await.unwrap_err().attempts(), 1);
    assert_eq!(Arc::strong_count(&held), 2, "the send goes on");
}

#[async_std::test]
async fn e7_cancelled_in_the_middle_of_a_send() {
    for point in [Point::FirstByte, Point::Request, Point::HalfHead, Point::HalfBody] {
        let server = Server::start([Fault::Stall.at(point)]);
        let call = client().get(server.url("/")).with_retry(Policy::API).cancel_on(when(|| server.sends() == 1));
        let error = guarded(call.fetch()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Canceled, 1, 1), "{point:?}");
    }
}

#[async_std::test]
async fn e4_cancelled_in_the_middle_of_a_wait() {
    let server = Server::start([Reply::status(503).header("Retry-After", "60")]);
    let (stop, stopped) = channel::bounded::<()>(1);
    let stop = Mutex::new(Some(stop));
    let retry = Retry::new(Policy::API).on_retry(move |_| drop(stop.lock().unwrap().take()));
    let error =
        guarded(client().get(server.url("/")).with_retry(&retry).cancel_on(stopped.recv()).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Canceled, 1, 1));
    // Nothing of the last send is lost but its response.
    assert_eq!(error.status().map(u16::from), Some(503));
    assert!(core::error::Error::source(&error).unwrap().is::<StatusError>());
    let entry = error.report().record().next().unwrap();
    assert_eq!(entry.wait.map(|(wait, _)| wait), Some(Duration::from_secs(60)));
    assert!(error.into_response().is_none());
}

#[async_std::test]
async fn e7_a_deadline_in_the_middle_of_a_send() {
    let server = Server::start([Fault::Stall.at(Point::Request)]);
    let call = client().get(server.url("/")).with_retry(Policy::API);
    let error = guarded(call.deadline(Instant::now() + Duration::from_millis(50)).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 1));
    assert!(server.sends() <= 1, "no second send");
}

#[async_std::test]
async fn a_deadline_that_has_passed_sends_nothing_and_the_earlier_limit_holds() {
    let server = Server::start([Reply::status(503).header("Retry-After", "60")]);
    let get = || client().get(server.url("/")).with_retry(Policy::API);
    for passed in [Instant::now(), Instant::now().checked_sub(Duration::from_secs(1)).unwrap()] {
        let error = guarded(get().deadline(passed).send()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    }
    assert_eq!(server.connections(), 0);
    let soon = std::time::Instant::now() + Duration::from_secs(50);
    let error = guarded(get().total_timeout(None).deadline(soon).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1), "the wait of 60 s is not begun");
    let late = Instant::now() + Duration::from_secs(3600);
    let error = guarded(get().total_timeout(Duration::from_secs(50)).deadline(late).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
}

/// Completes at its second poll.
fn second_poll() -> impl Future<Output = ()> {
    let mut first = true;
    poll_fn(move |cx| {
        cx.waker().wake_by_ref();
        if core::mem::take(&mut first) { Poll::Pending } else { Poll::Ready(()) }
    })
}

#[async_std::test]
async fn a_reply_that_is_ready_together_with_the_cancel_does_not_count() {
    let send = |_| async {
        second_poll().await;
        Ok::<_, surf::Error>(surf::Response::from(surf::http::Response::new(200)))
    };
    let retry = Retry::new(Policy::API);
    let error = retry.call().cancel_on(second_poll()).run(Method::Get, "http://127.0.0.1/", send).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Canceled, 1));
    let later = async {
        second_poll().await;
        second_poll().await;
    };
    let response = retry.call().cancel_on(later).run(Method::Get, "http://127.0.0.1/", send).await.unwrap();
    assert_eq!(response.status(), 200);
}

/// What a call has to tell after it was ended at a random poll.
struct Ended {
    call: u32,
    attempts: u32,
}

#[async_std::test]
async fn a_thousand_calls_ended_at_random_points_send_nothing_late() {
    const SEED: u64 = 1_000;
    const CALLS: u32 = 1_000;
    let server = Server::start([
        Reply::status(503).body("small"),
        Fault::Reset.at(Point::Request),
        Reply::status(429).header("Retry-After", "1").body(vec![b'x'; 10_000]),
        Fault::Close.at(Point::HalfHead),
        Reply::status(503),
        Reply::status(200).body("the answer"),
    ]);
    let client = client();
    let retry = Retry::with_timer(Policy::API, SkipTimer::default()).seed(SEED);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let url = server.url("/");
    let mut ended = Vec::new();
    for call in 0..CALLS {
        let mut polls = random.next_u64() % 16;
        let dropped = random.next_u64() % 4 == 0;
        let cancel = poll_fn(move |_| {
            polls = polls.saturating_sub(1);
            if polls == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        let last = core::cell::Cell::new(0);
        let run = retry.call().total_timeout(None).cancel_on(cancel).run(Method::Get, &url, |this: Try| {
            last.set(this.number);
            client.get(&url).header("x-call", call.to_string()).header("x-attempt", this.number.to_string()).send()
        });
        let attempts = if dropped {
            // Ended by dropping the future at its n-th poll.
            let polls = 1 + random.next_u64() % 6;
            let mut run = Box::pin(run);
            let mut left = polls;
            guarded(poll_fn(|cx| {
                left -= 1;
                if left == 0 { Poll::Ready(()) } else { run.as_mut().poll(cx).map(|_| ()) }
            }))
            .await;
            drop(run);
            last.get()
        } else {
            match guarded(run).await {
                Ok(_) => last.get(),
                Err(error) => error.attempts(),
            }
        };
        assert_eq!(attempts, last.get(), "call {call}, seed {SEED}");
        ended.push(Ended { call, attempts });
    }
    let mut reached = 0;
    for request in server.requests() {
        // A request that was cut before its head was read has no number.
        let Some(call) = request.header("x-call") else { continue };
        let (call, attempt): (u32, u32) =
            (call.parse().unwrap(), request.header("x-attempt").unwrap().parse().unwrap());
        let told = &ended[call as usize];
        assert_eq!(told.call, call);
        assert!(attempt <= told.attempts, "call {call} was sent a {attempt}th time after it had ended, seed {SEED}");
        reached += 1;
    }
    assert!(reached > 100, "the calls are ended at all kinds of points: {reached} requests arrived");
    assert!(ended.iter().any(|ended| ended.attempts == 0));
    assert!(ended.iter().any(|ended| ended.attempts > 2));
}
