//! Budgets over real sockets: a fleet of calls meets a server that is down.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use std::sync::{Arc, Mutex};
use std::thread;

use conformance::server::{Reply, Server};
use futures_util::future::join_all;
use http::Method;
use retry_core::{Budget, ErrorKind, Instant, Judged, Level, Policy, Ratio, Reason, TokenBucket};
use runtime_tokio::{Budgets, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use tokio::sync::Semaphore;

fn retry(budgets: Budgets) -> Retry<SkipTimer> {
    Retry::with_timer(Policy::API, SkipTimer::default()).budget(budgets)
}

#[tokio::test]
async fn a_refused_retry_ends_the_call_at_once_with_its_reply_in_hand() {
    let server = Server::start([Reply::status(503).body("down")]);
    let budgets = Budgets::shared(TokenBucket::aws_2_0().filled(5));
    let call = client().get(server.url("/")).with_retry(retry(budgets.clone()));
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code(), error.reason()),
        (ErrorKind::BudgetSpent, "BUDGET_SPENT", Reason::BudgetSpent)
    );
    assert_eq!((error.attempts(), server.sends()), (2, 2));
    assert_eq!(budgets.level(&server.url("/")), Some(Level { left: Some(0), refused: 1 }));
    assert!(error.to_string().contains("retry budget spent after 2 attempts"), "{error}");
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "down");
}

#[tokio::test]
async fn a_thousand_calls_at_once_to_a_server_that_is_down_add_no_more_than_the_budget_allows() {
    const CALLS: usize = 1_000;
    let server = Server::start([Reply::status(503)]);
    let budgets = Budgets::shared(TokenBucket::aws_2_1());
    let retry = retry(budgets.clone());
    let (client, url) = (client(), server.url("/"));
    // All calls are under way together; only so many have a socket at a time.
    let sockets = Semaphore::new(64);
    let calls = (0..CALLS).map(|_| {
        retry.run(Method::GET, &url, |_| async {
            let _socket = sockets.acquire().await.unwrap();
            client.get(&url).send().await
        })
    });
    for result in guarded(join_all(calls)).await {
        assert!(matches!(result.unwrap_err().kind(), ErrorKind::BudgetSpent | ErrorKind::RetryExhausted));
    }
    let retries = 500 / 14;
    assert_eq!(server.sends(), CALLS + retries);
    assert_eq!(budgets.level(&url).unwrap().left, Some(500 - 14 * retries as u64));
}

#[tokio::test]
async fn each_origin_has_a_budget_of_its_own() {
    let (one, other) = (Server::start([Reply::status(503)]), Server::start([Reply::status(503)]));
    let budgets = Budgets::per_origin(|| TokenBucket::aws_2_0().filled(5));
    let retry = retry(budgets.clone());
    assert_eq!(budgets.level(&one.url("/")), None);
    for server in [&one, &other] {
        for path in ["/a", "/b?q=1"] {
            let call = client().get(server.url(path)).with_retry(&retry);
            assert_eq!(guarded(call.send()).await.unwrap_err().kind(), ErrorKind::BudgetSpent);
        }
        assert_eq!(server.sends(), 3, "one retry for both paths together");
        assert_eq!(budgets.level(&server.url("/c")), Some(Level { left: Some(0), refused: 2 }));
    }
}

#[tokio::test]
async fn the_origin_met_first_is_forgotten() {
    let made = Arc::new(Mutex::new(0));
    let count = Arc::clone(&made);
    let budgets = Budgets::per_origin(move || {
        *count.lock().unwrap() += 1;
        TokenBucket::aws_2_0()
    })
    .origins(2);
    let retry = retry(budgets.clone());
    for host in ["a", "b", "a", "c"] {
        let answer = |_| async { Ok::<_, reqwest::Error>(reqwest::Response::from(http::Response::new(""))) };
        retry.run(Method::GET, format!("http://{host}/"), answer).await.unwrap();
    }
    assert_eq!(*made.lock().unwrap(), 3);
    let known = ["a", "b", "c"].map(|host| budgets.level(&format!("http://{host}/")).is_some());
    assert_eq!(known, [false, true, true]);
}

#[tokio::test]
async fn the_hook_sees_what_is_left() {
    let server = Server::start([Reply::status(503), Reply::status(503), Reply::status(200)]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let retry = retry(Budgets::shared(TokenBucket::aws_2_0())).on_retry(move |retrying| {
        log.lock().unwrap().push(retrying.budget.left);
    });
    guarded(client().get(server.url("/")).with_retry(&retry).send()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [Some(495), Some(490)]);
    assert_eq!(Retry::fleet().policy(), &Policy::API);
}

#[test]
fn two_threads_on_one_budget_lose_no_token() {
    #[derive(Clone, Default)]
    struct Counts(Arc<Mutex<(u64, u64)>>, Ratio);
    impl Budget for Counts {
        fn reply(&mut self, reply: Judged, now: Instant) {
            self.0.lock().unwrap().0 += 1;
            self.1.reply(reply, now);
        }
        fn withdraw(&mut self, reply: Judged, now: Instant) -> Option<u32> {
            let granted = self.1.withdraw(reply, now);
            self.0.lock().unwrap().1 += u64::from(granted.is_some());
            granted
        }
        fn level(&self) -> Level {
            self.1.level()
        }
    }
    const EACH: u64 = 20_000;
    let counts = Counts::default();
    let budgets = Budgets::shared(counts.clone());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let retry = retry(budgets.clone());
                let busy = |_| async {
                    let response = http::Response::builder().status(503).body("").unwrap();
                    Ok::<_, reqwest::Error>(reqwest::Response::from(response))
                };
                runtime.block_on(async {
                    for _ in 0..EACH {
                        let call = retry.call().total_timeout(None).max_retries(1).run(Method::GET, "http://a/", busy);
                        assert!(call.await.is_err());
                    }
                });
            });
        }
    });
    let (replies, granted) = *counts.0.lock().unwrap();
    let refused = budgets.level("").unwrap().refused;
    assert_eq!((replies, granted + refused), (2 * EACH + granted, 2 * EACH));
}
