//! Budgets over real sockets: a fleet of calls meets a server that is down.

#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "common/skip.rs"]
mod skip;

use std::thread;

use async_std::task;
use conformance::server::{Reply, Server};
use retry_core::{ErrorKind, Level, Policy, Reason, TokenBucket};
use runtime_async_std::{Budgets, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use surf::http::Method;

fn retry(budgets: Budgets) -> Retry<SkipTimer> {
    Retry::with_timer(Policy::API, SkipTimer::default()).budget(budgets)
}

#[async_std::test]
async fn a_refused_retry_ends_the_call_at_once_with_its_reply_in_hand() {
    let server = Server::start([Reply::status(503).body("down")]);
    let budgets = Budgets::shared(TokenBucket::aws_2_0().filled(5));
    let call = client().get(server.url("/")).with_retry(retry(budgets.clone()));
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.reason(), error.attempts()), (ErrorKind::BudgetSpent, Reason::BudgetSpent, 2));
    assert_eq!(server.sends(), 2);
    assert_eq!(budgets.level(&server.url("/")), Some(Level { left: Some(0), refused: 1 }));
    assert_eq!(error.into_response().unwrap().body_string().await.unwrap(), "down");
}

#[async_std::test]
async fn a_thousand_calls_at_once_to_a_server_that_is_down_add_no_more_than_the_budget_allows() {
    const CALLS: usize = 1_000;
    let server = Server::start([Reply::status(503)]);
    let budgets = Budgets::shared(TokenBucket::aws_2_1());
    let retry = retry(budgets.clone());
    let (client, url) = (client(), server.url("/"));
    // All calls are under way together; only so many have a socket at a time.
    let (give, sockets) = async_std::channel::bounded(64);
    for _ in 0..64 {
        give.send(()).await.unwrap();
    }
    let calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let (retry, client, url, give, sockets) =
                (retry.clone(), client.clone(), url.clone(), give.clone(), sockets.clone());
            task::spawn(async move {
                let send = |_| async {
                    sockets.recv().await.expect("a socket comes back");
                    let response = client.get(&url).await;
                    give.send(()).await.expect("there is room");
                    response
                };
                retry.run(Method::Get, &url, send).await.map(drop).map_err(|error| error.kind())
            })
        })
        .collect();
    for call in calls {
        let kind = guarded(call).await.unwrap_err();
        assert!(matches!(kind, ErrorKind::BudgetSpent | ErrorKind::RetryExhausted), "{kind}");
    }
    let retries = 500 / 14;
    assert_eq!(server.sends(), CALLS + retries);
    assert_eq!(budgets.level(&url).unwrap().left, Some(500 - 14 * retries as u64));
}

#[async_std::test]
async fn each_origin_has_a_budget_of_its_own() {
    let (one, other) = (Server::start([Reply::status(503)]), Server::start([Reply::status(503)]));
    let budgets = Budgets::per_origin(|| TokenBucket::aws_2_0().filled(5));
    let retry = retry(budgets.clone());
    for server in [&one, &other] {
        for path in ["/a", "/b?q=1"] {
            let call = client().get(server.url(path)).with_retry(&retry);
            assert_eq!(guarded(call.send()).await.unwrap_err().kind(), ErrorKind::BudgetSpent);
        }
        assert_eq!(server.sends(), 3, "one retry for both paths together");
        assert_eq!(budgets.level(&server.url("/c")), Some(Level { left: Some(0), refused: 2 }));
    }
}

#[test]
fn two_threads_on_one_budget_lose_no_token() {
    const EACH: u64 = 5_000;
    const FULL: u32 = 4 * 5 * EACH as u32;
    let budgets = Budgets::shared(TokenBucket::aws_2_0().capacity(FULL));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let retry = retry(budgets.clone());
                let busy = |_| async { Ok::<_, surf::Error>(surf::http::Response::new(503).into()) };
                task::block_on(async {
                    for _ in 0..EACH {
                        let call =
                            retry.call().total_timeout(None).max_retries(1).run(Method::Get, "http://127.0.0.1/", busy);
                        assert!(call.await.is_err());
                    }
                });
            });
        }
    });
    // One retry a call, 5 tokens each, and none came back.
    let left = u64::from(FULL) - 2 * EACH * 5;
    assert_eq!(budgets.level(""), Some(Level { left: Some(left), refused: 0 }));
}
