//! Names are looked up before the client does it, and a lookup that does not come back meets the limits.

#[path = "common/skip.rs"]
mod skip;

use core::pin::pin;
use core::time::Duration;
use std::env;
use std::process::Command;
use std::sync::mpsc;

use async_std::future;
use retry_core::{ErrorKind, Event, NonIdempotent, Policy, Reached, Reason};
use runtime_async_std::{Retry, RetryExt};
use skip::{SkipTimer, guarded};
use surf::http::{Error, Method, Request, Response};
use surf::{Client, HttpClient};

/// A client that must not be asked.
#[derive(Debug)]
struct Unasked;

#[async_trait::async_trait]
impl HttpClient for Unasked {
    async fn send(&self, _: Request) -> Result<Response, Error> {
        panic!("the client was asked")
    }
}

/// Whether names are looked up first by default, where the send may be ended.
const LOOKS_UP: bool = cfg!(any(feature = "h1", feature = "h1-tls")) && !cfg!(feature = "curl");

/// The pool of blocking threads is told its size by the environment, and has one thread here, which is taken.
const THREADS: &str = "BLOCKING_MAX_THREADS";

#[test]
fn a_lookup_that_does_not_come_back_is_cut_and_unsent() {
    if env::var_os(THREADS).is_some() {
        return;
    }
    let this = env::current_exe().expect("a test is a file");
    let child = Command::new(this).args(["--exact", "stuck", "--ignored", "--nocapture"]).env(THREADS, "1").output();
    let child = child.expect("a test can be started");
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("1 passed"), "{output}");
}

#[async_std::test]
#[ignore = "a_lookup_that_does_not_come_back_is_cut_and_unsent starts it, with one blocking thread"]
async fn stuck() {
    assert_eq!(env::var(THREADS).as_deref(), Ok("1"));
    let (free, taken) = mpsc::channel::<()>();
    let blocking = async_std::task::spawn_blocking(move || taken.recv());
    let retry = Retry::with_timer(Policy::API, SkipTimer::default()).look_up_first(true);
    let by_default = Retry::with_timer(Policy::API, SkipTimer::default());
    let client = Client::with_http_client(Unasked);
    let limit = Duration::from_millis(30);

    let get = client.get("http://localhost/").with_retry(&retry).attempt_timeout(limit).max_retries(1);
    let error = guarded(get.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 2));
    let Some(Event::Failure(failure)) = error.event() else { panic!("{error:?}") };
    assert_eq!((failure.kind(), failure.reached), (ErrorKind::Timeout, Reached::Unsent));

    // So a POST that cannot have arrived is sent again.
    let post = client.post("http://localhost/").with_retry(&retry).non_idempotent(NonIdempotent::WhenUnsent);
    let error = guarded(post.attempt_timeout(limit).max_retries(2).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 3));

    let total = client.get("http://localhost/").with_retry(&retry).total_timeout(limit);
    let error = guarded(total.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::Timeout, Reason::TotalTimeout, 1));

    let run =
        retry.call().total_timeout(limit).run(Method::Get, "http://localhost/", |_| client.get("http://x/").send());
    assert_eq!(guarded(run).await.unwrap_err().reason(), Reason::TotalTimeout);

    // Numbers need no lookup, and whoever turns it off has none. Nor has a call that nothing may end, unless it is told to.
    let asked = [
        client.get("http://127.0.0.1/").with_retry(&retry),
        client.get("http://[::1]/").with_retry(&retry),
        client.get("http://localhost/").with_retry(retry.clone().look_up_first(false)),
        client.get("http://localhost/").with_retry(&by_default).total_timeout(None),
    ];
    for call in asked {
        let error = guarded(call.max_retries(0).send()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Transport, "{error}");
    }
    let run = by_default.call().total_timeout(None).max_retries(0);
    let run = run.run(Method::Get, "http://localhost/", |_| client.get("http://x/").send());
    assert_eq!(guarded(run).await.unwrap_err().kind(), ErrorKind::Transport);
    if LOOKS_UP {
        let error = guarded(client.get("http://localhost/").with_retry(&by_default).total_timeout(limit).send()).await;
        assert_eq!(error.unwrap_err().reason(), Reason::TotalTimeout);
    }
    let told = pin!(client.get("http://localhost/").with_retry(&retry).total_timeout(None).send());
    assert!(future::timeout(limit, told).await.is_err(), "the client was asked before the name was looked up");
    drop(free);
    let _ = blocking.await;
}
