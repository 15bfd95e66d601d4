//! Budgets over real sockets.
#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "common/skip.rs"]
mod skip;

use std::sync::{Arc, Mutex};

use conformance::server::{Reply, Server};
use retry_core::{ErrorKind, Level, Policy, Reason, TokenBucket};
use runtime_async_std::{Budgets, Retry, RetryExt};
use skip::{SkipTimer, client, guarded};

fn retry(budgets: Budgets) -> Retry<SkipTimer> {
    Retry::with_timer(Policy::API, SkipTimer::default()).budget(budgets)
}

#[async_std::test]
async fn a_refused_retry_ends_the_call_at_once_with_its_reply_in_hand() {
    let server = Server::start([Reply::status(503).body("down")]);
    let budgets = Budgets::shared(TokenBucket::aws_2_0().filled(5));
    let call = client().get(server.url("/")).with_retry(retry(budgets.clone()));
    let error = guarded(call.send()).await.unwrap_err();
    let told = (error.kind(), error.code(), error.reason());
    assert_eq!(told, (ErrorKind::BudgetSpent, "BUDGET_SPENT", Reason::BudgetSpent));
    assert_eq!((error.attempts(), server.sends()), (2, 2));
    assert_eq!(budgets.level(&server.url("/")), Some(Level { left: Some(0), refused: 1 }));
    assert_eq!(error.into_response().unwrap().body_string().await.unwrap(), "down");
    // The middleware of a client draws on the same, and hands the response over.
    let client = client().with(retry(budgets.clone()));
    assert_eq!(guarded(client.get(server.url("/")).send()).await.unwrap().status(), 503);
    assert_eq!(server.sends(), 3);
}

#[async_std::test]
async fn each_origin_has_its_own_and_a_hook_sees_what_is_left() {
    let down = Server::start([Reply::status(503)]);
    let other = Server::start([Reply::status(503)]);
    let budgets = Budgets::per_origin(|| TokenBucket::aws_2_0().filled(0));
    let get = |server: &Server| client().get(server.url("/")).with_retry(retry(budgets.clone())).send();
    assert_eq!(guarded(get(&down)).await.unwrap_err().kind(), ErrorKind::BudgetSpent);
    assert!(budgets.level(&other.url("/")).is_none());
    assert_eq!(guarded(get(&other)).await.unwrap_err().kind(), ErrorKind::BudgetSpent);

    let left = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&left);
    let bucket = Budgets::shared(TokenBucket::aws_2_0().filled(15));
    let retry = retry(bucket).on_retry(move |retrying| log.lock().unwrap().push(retrying.budget.left));
    assert!(guarded(client().get(down.url("/")).with_retry(retry).send()).await.is_err());
    assert_eq!(*left.lock().unwrap(), [Some(10), Some(5), Some(0)]);
}
