//! tower's contract: a service is called when it is ready, and nobody keeps one that is ready from others.

use core::error::Error as _;
use core::time::Duration;
use std::io;
use std::sync::{Arc, Mutex};

use http::{Method, Request};
use retry_core::{Cause, ErrorKind, Event, Failure, Jitter, NonIdempotent, Policy, PolicyBuilder, Reached, Reason};
use runtime_tokio::{Error, Retry, TimedOut};
use tokio::sync::Semaphore;
use tower::limit::ConcurrencyLimit;
use tower::util::BoxCloneService;
use tower::{BoxError, Layer, Service, ServiceBuilder, ServiceExt};

use crate::common::guarded;
use crate::stack::{report, send};
use crate::strict::{Readiness, Reply, Strict};

/// Waits of 1, 2 and 4 s. On a paused clock of tokio's, time passes when nothing else is to be done.
fn retry(edit: impl FnOnce(PolicyBuilder) -> PolicyBuilder) -> Retry {
    Retry::new(edit(Policy::API.edit().jitter(Jitter::None)).build().unwrap())
}

fn request(method: Method) -> Request<()> {
    Request::builder().method(method).uri("http://localhost/").body(()).unwrap()
}

fn get() -> Request<()> {
    request(Method::GET)
}

#[tokio::test(start_paused = true)]
async fn the_service_that_is_ready_is_the_one_that_is_called() {
    let strict = Strict::of([503, 503, 200, 200]);
    let mut service = retry(|policy| policy).layer(strict.watch());
    let first = service.ready().await.unwrap().call(get());
    assert_eq!((strict.taken(), strict.calls()), (1, 0), "it is kept for the first send");
    assert_eq!(report(&guarded(first).await.unwrap()).attempts(), 3);
    // The service itself is as it was before it became ready.
    assert_eq!(report(&guarded(service.ready().await.unwrap().call(get())).await.unwrap()).attempts(), 1);
    assert_eq!((strict.taken(), strict.calls()), (0, 4));
}

#[tokio::test(start_paused = true)]
async fn a_later_send_waits_until_its_service_is_ready() {
    let readiness = [Readiness::Later(2), Readiness::Later(3), Readiness::Later(5)];
    let strict = Strict::new(readiness, [503, 503, 200].map(Reply::Status));
    let response = send(&retry(|policy| policy).layer(strict.watch()), get()).await.unwrap();
    assert_eq!((response.status().as_u16(), report(&response).attempts(), strict.calls()), (200, 3, 3));
}

/// What the hook saw of `strict` before each wait.
fn taken(retry: Retry, strict: &Strict) -> (Retry, Arc<Mutex<Vec<usize>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, strict) = (Arc::clone(&seen), strict.watch());
    (retry.on_retry(move |_| log.lock().unwrap().push(strict.taken())), seen)
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_readiness_is_cut_at_the_limit_and_takes_nobodys_place_afterwards() {
    let never = || [Readiness::Now, Readiness::Never, Readiness::Never, Readiness::Never];
    let strict = Strict::new(never(), [Reply::Status(503)]);
    let (each, seen) = taken(retry(|policy| policy.attempt_timeout(Some(Duration::from_secs(3)))), &strict);
    let error = send(&each.layer(strict.watch()), get()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), strict.calls()), (ErrorKind::RetryExhausted, 4, 1));
    assert_eq!(error.elapsed(), Duration::from_secs(1 + 2 + 4 + 3 * 3));
    assert!(error.source().is_some_and(|source| source.is::<TimedOut>()));
    assert_eq!(*seen.lock().unwrap(), [0, 0, 0]);

    let strict = Strict::new(never(), [Reply::Status(503)]);
    let all = retry(|policy| policy.total_timeout(Some(Duration::from_secs(9))));
    let error = send(&all.layer(strict.watch()), get()).await.unwrap_err();
    assert_eq!((error.reason(), error.attempts(), strict.calls()), (Reason::TotalTimeout, 2, 1));
    assert_eq!((error.elapsed(), strict.taken()), (Duration::from_secs(9), 0));
}

#[tokio::test(start_paused = true)]
async fn no_service_is_kept_ready_in_a_wait() {
    let strict = Strict::of([503, 503, 503, 503]);
    let (retry, seen) = taken(retry(|policy| policy), &strict);
    send(&retry.layer(strict.watch()), get()).await.unwrap();
    assert_eq!((seen.lock().unwrap().clone(), strict.taken()), (vec![0, 0, 0], 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_gives_its_service_back() {
    let strict = Strict::new([], [Reply::Hangs]);
    let mut service = retry(|policy| policy).layer(strict.watch());
    let call = service.ready().await.unwrap().call(get());
    assert_eq!(strict.taken(), 1);
    drop(call);
    let call = service.ready().await.unwrap().call(get());
    assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
    assert_eq!((strict.taken(), strict.calls()), (0, 1));
}

fn refused() -> BoxError {
    io::Error::from(io::ErrorKind::ConnectionRefused).into()
}

/// The failure on which the call ended.
fn failure(error: &Error) -> Failure {
    match error.event() {
        Some(Event::Failure(failure)) => failure,
        other => panic!("no failure: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_fails_before_the_first_send_ends_the_call() {
    for (error, cause) in [(refused(), Cause::Network), ("broken".into(), Cause::Unknown)] {
        let text = error.to_string();
        let strict = Strict::new([Readiness::Fails(error)], []);
        let mut service = retry(|policy| policy).layer(strict.watch());
        let error = service.ready().await.err().unwrap();
        assert_eq!((error.attempts(), error.reason()), (0, Reason::NotRetryable));
        assert_eq!(failure(&error), Failure::new(cause, Reached::Unsent));
        assert_eq!(error.source().unwrap().to_string(), text);
        assert_eq!(error.to_string(), format!("failed before the first attempt: {text}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_fails_before_a_later_send_is_an_unsent_failure_of_that_send() {
    // Judged by what is inside, as one of a call; but the request was not handed over.
    let strict = Strict::new([Readiness::Now, Readiness::Fails(refused())], [503, 200].map(Reply::Status));
    let response = send(&retry(|policy| policy).layer(strict.watch()), get()).await.unwrap();
    let events: Vec<_> = report(&response).record().map(|entry| entry.event).collect();
    let unsent = Event::Failure(Failure::new(Cause::Network, Reached::Unsent));
    assert_eq!(events, [Event::Status(503), unsent, Event::Status(200)]);

    let strict = Strict::new([Readiness::Now, Readiness::Fails("broken".into())], [Reply::Status(503)]);
    let error = send(&retry(|policy| policy).layer(strict.watch()), get()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), strict.calls()), (ErrorKind::Unknown, 2, 1));
    assert_eq!(failure(&error).reached, Reached::Unsent);

    // A POST that may be repeated where it is known to be unsent; by a call alone that is not known here.
    let when_unsent = retry(|policy| policy.non_idempotent(NonIdempotent::WhenUnsent));
    let strict = Strict::new([Readiness::Now], [Reply::Fails(refused())]);
    let error = send(&when_unsent.layer(strict.watch()), request(Method::POST)).await.unwrap_err();
    assert_eq!((failure(&error).reached, strict.calls()), (Reached::MaybeSent, 1));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_one_of_our_layers_finds_broken_is_passed_on() {
    let layer = retry(|policy| policy);
    let strict = Strict::new([Readiness::Fails("broken".into())], []);
    let error = layer.layer(layer.layer(strict.watch())).ready().await.err().unwrap();
    assert!(error.source().is_some_and(|source| !source.is::<Error>()), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_given_back_for_the_wait() {
    let strict = Strict::of([503, 503, 503, 503, 200, 200]);
    let permits = Arc::new(Semaphore::new(1));
    let inner = ConcurrencyLimit::with_semaphore(strict.watch(), Arc::clone(&permits));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, left) = (Arc::clone(&seen), Arc::clone(&permits));
    let retry = retry(|policy| policy).on_retry(move |_| log.lock().unwrap().push(left.available_permits()));
    let service = retry.layer(inner);
    let (one, other) = tokio::join!(send(&service, get()), send(&service, get()));
    for response in [one.unwrap(), other.unwrap()] {
        assert_eq!((response.status().as_u16(), report(&response).attempts()), (200, 3));
    }
    assert_eq!((seen.lock().unwrap().len(), permits.available_permits()), (4, 1));
    assert!(seen.lock().unwrap().iter().all(|left| *left == 1), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_send_that_was_cut_in_the_queue_for_a_permit_leaves_the_queue() {
    let strict = Strict::new([], [Reply::Status(503), Reply::Status(200)]);
    let permits = Arc::new(Semaphore::new(1));
    let inner = ConcurrencyLimit::with_semaphore(strict.watch(), Arc::clone(&permits));
    let taken = Arc::new(Mutex::new(None));
    let (slot, all) = (Arc::clone(&taken), Arc::clone(&permits));
    // Somebody else has the permit from the first wait on, until the second send was cut; and is in nobody's way then.
    let retry = retry(|policy| policy.attempt_timeout(Some(Duration::from_secs(5)))).on_retry(move |retrying| {
        let mut slot = slot.lock().unwrap();
        if retrying.attempt == 1 {
            *slot = Some(Arc::clone(&all).try_acquire_owned().unwrap());
        } else {
            *slot = None;
            assert_eq!(all.available_permits(), 1, "it is in the hands of a send that was cut");
        }
    });
    let response = send(&retry.layer(inner), get()).await.unwrap();
    assert_eq!((response.status().as_u16(), report(&response).attempts(), strict.calls()), (200, 3, 2));
}

#[tokio::test(start_paused = true)]
async fn it_stands_in_stacks_of_all_kinds() {
    let strict = Strict::of([503, 200]);
    let stack = ServiceBuilder::new().layer(retry(|policy| policy)).concurrency_limit(2).service(strict.watch());
    let boxed = BoxCloneService::new(stack);
    assert_eq!(send(&boxed, get()).await.unwrap().status(), 200);

    let strict = Strict::of([503, 200]);
    let inside = ServiceBuilder::new().layer(retry(|policy| policy)).buffer(4).service(strict.watch());
    assert_eq!(send(&inside, get()).await.unwrap().status(), 200);

    let strict = Strict::of([503, 200]);
    let around = ServiceBuilder::new().buffer(4).concurrency_limit(1).layer(retry(|policy| policy)).service(strict);
    let spawned = tokio::spawn(async move { send(&around, get()).await });
    assert_eq!(guarded(spawned).await.unwrap().unwrap().status(), 200);
}
