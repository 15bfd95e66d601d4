//! Which proxy a send takes.

use core::time::Duration;

use conformance::server::{Proxy, Reply, Server, Via};
use retry_core::{ErrorKind, Event, NonIdempotent, Policy, Reached, Reason, WaitSource};

use crate::pools::{dead, live, pool, pool_with, sends, urls};
use crate::skip::{SkipTimer, guarded, millis};

#[async_std::test]
async fn five_live_proxies_that_the_origin_blocks_are_tried_once_each() {
    let origin = Server::start([Reply::status(403).body("blocked")]);
    let proxies = live(5);
    let pool = pool(urls(&proxies)).rotate_on_status(&[403]).build().unwrap();
    let error = guarded(pool.get(origin.url("/")).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), origin.sends()), (ErrorKind::RetryExhausted, 5, 5));
    assert_eq!(sends(&proxies), [1; 5]);
    let used: Vec<_> = error.report().record().map(|entry| error.report().proxy_of(&entry).unwrap()).collect();
    assert_eq!(used, urls(&proxies));
    assert_eq!(guarded(error.into_response().unwrap().body_string()).await.unwrap(), "blocked");
    assert!(pool.status().iter().all(|status| status.failures == 0), "the origin's answers trip no circuit");

    // A POST is handed over as it is.
    let response = guarded(pool.post(origin.url("/")).with(|request| request.body("x")).send()).await.unwrap();
    assert_eq!((u16::from(response.status()), origin.sends()), (403, 6));
}

#[async_std::test]
async fn fetch_moves_on_too_and_sends_the_same_body_again() {
    let origin = Server::start([Reply::status(403), Reply::status(200).body("through")]);
    let proxies = live(3);
    let pool = pool(urls(&proxies)).rotate_on_status(&[403]).build().unwrap();
    let call = pool.request(surf::http::Method::Put, origin.url("/")).with(|request| request.body("the body"));
    let (page, report) = guarded(call.fetch_with_report()).await.unwrap();
    assert_eq!((page.body().as_ref(), report.attempts()), (&b"through"[..], 2));
    assert_eq!(report.proxy(), Some(proxies[1].url().as_str()));
    assert!(origin.requests().iter().all(|request| request.body == b"the body"));
}

#[async_std::test]
async fn h2_a_dead_first_proxy_is_moved_on_from_without_a_wait() {
    let origin = Server::start([Reply::status(200).body("through")]);
    let (_held, nobody) = dead();
    let good = Proxy::http([Via::Pass]);
    let entries = || vec![nobody.clone(), good.url(), nobody.clone(), format!("{nobody}/")];
    for rotating in [pool(entries()).rotate_per_request(), pool(entries()).rotate_on_status(&[403])] {
        let pool = rotating.build().unwrap();
        let (_, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
        assert_eq!((report.attempts(), report.waits().all(|(wait, _)| wait.is_zero())), (2, true));
    }
    let pool = pool(entries()).build().unwrap();
    let (response, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
    assert_eq!((u16::from(response.status()), report.attempts(), good.sends()), (200, 2, 3));
    assert_eq!(report.waits().collect::<Vec<_>>(), [(Duration::ZERO, WaitSource::Proxy)]);
    assert_eq!(report.proxy(), Some(good.url().as_str()));
    let first = report.record().next().unwrap();
    let Event::Failure(failure) = first.event else { panic!("the first proxy is dead") };
    assert_eq!((failure.kind(), failure.reached), (ErrorKind::Proxy, Reached::Unsent));
    let failures: Vec<_> = pool.status().iter().map(|status| (status.proxy.clone(), status.failures)).collect();
    assert_eq!(failures, [(nobody, 1), (good.url(), 0)], "a duplicate does not count");
}

#[async_std::test]
async fn h2_six_dead_proxies_are_tried_once_each() {
    let held: Vec<_> = (0..6).map(|_| dead()).collect();
    let entries = held.iter().map(|(_, url)| url.clone()).collect();
    let pool = pool(entries).rotate_per_request().build().unwrap();
    let error = guarded(pool.get("http://127.0.0.1:1/").send()).await.unwrap_err();
    assert_eq!((error.kind(), error.code(), error.attempts()), (ErrorKind::RetryExhausted, "RETRY_EXHAUSTED", 6));
    assert!(error.report().waits().all(|(wait, _)| wait.is_zero()));
    assert!(pool.status().iter().all(|status| status.failures == 1));
    assert!(error.surf().is_some(), "surf's own error can be had");
}

#[async_std::test]
async fn a_post_fails_at_once_and_one_that_cannot_have_arrived_moves_on() {
    let origin = Server::start([Reply::status(200)]);
    let (_held, nobody) = dead();
    let good = Proxy::http([Via::Pass]);
    let pool = || pool(vec![nobody.clone(), good.url()]).build().unwrap();
    let error = guarded(pool().post(origin.url("/")).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), good.sends()), (ErrorKind::Proxy, 1, 0));
    let call = pool().post(origin.url("/")).non_idempotent(NonIdempotent::WhenUnsent);
    assert_eq!(guarded(call.send()).await.unwrap().status(), 200);
    assert_eq!(good.sends(), 1);
}

#[async_std::test]
async fn a_proxy_that_answers_busy_on_a_kept_connection_is_left_for_another() {
    let origin = Server::start([Reply::status(200)]);
    let first = Proxy::http([Via::Pass, Via::Status(503), Via::Pass]);
    let second = Proxy::http([Via::Pass]);
    let keeping = pool_with(vec![first.url(), second.url()], |_, builder| builder.connection_cache_size(4));
    let pool = keeping.rotate_on_status(&[503]).build().unwrap();
    assert_eq!(guarded(pool.get(origin.url("/")).fetch()).await.unwrap().status(), 200);
    let (page, report) = guarded(pool.get(origin.url("/")).fetch_with_report()).await.unwrap();
    assert_eq!((u16::from(page.status()), report.attempts()), (200, 2));
    assert_eq!((first.sends(), first.connections()), (2, 1), "the 503 came on the kept connection");
    assert_eq!((second.sends(), second.connections()), (1, 1));
    assert_eq!(report.waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[100]), "an ordinary wait");
}

#[async_std::test]
async fn no_connection_is_kept_unless_asked_for() {
    let origin = Server::start([Reply::status(200)]);
    let proxies = live(1);
    let pool = pool(urls(&proxies)).build().unwrap();
    for _ in 0..2 {
        assert_eq!(guarded(pool.get(origin.url("/")).fetch()).await.unwrap().status(), 200);
    }
    assert_eq!((proxies[0].sends(), proxies[0].connections()), (2, 2));
}

#[async_std::test]
async fn fifty_requests_at_once_share_the_pool_evenly() {
    let origin = Server::start([Reply::status(200)]);
    let proxies = live(5);
    let pool = pool(urls(&proxies)).rotate_per_request().build().unwrap();
    let url = origin.url("/");
    let tasks: Vec<_> = (0..50).map(|_| async_std::task::spawn(pool.get(&url).send())).collect();
    for task in tasks {
        assert_eq!(guarded(task).await.unwrap().status(), 200);
    }
    assert_eq!((sends(&proxies), origin.sends()), (vec![10; 5], 50));
}

#[async_std::test]
async fn retries_rise_with_the_pool_and_a_requests_own_count_is_taken_as_it_is() {
    let origin = Server::start([Reply::status(403)]);
    let proxies = live(6);
    let pool = pool(urls(&proxies)).rotate_on_status(&[403]).build().unwrap();
    let attempts = async |call: runtime_async_std::Call<surf::RequestBuilder, SkipTimer>| {
        guarded(call.send()).await.unwrap_err().attempts()
    };
    assert_eq!(attempts(pool.get(origin.url("/"))).await, 6);
    assert_eq!(attempts(pool.get(origin.url("/")).max_retries(1)).await, 2);
    let own = pool.get(origin.url("/")).policy(Policy::MICROSERVICE);
    assert_eq!(attempts(own).await, 3, "a whole policy too, but for the pool's statuses");
    let off = guarded(pool.get(origin.url("/")).max_retries(0).send_with_report()).await.unwrap();
    assert_eq!(u16::from(off.0.status()), 403);
    assert_eq!(off.1.reason(), Reason::NotRepeatable(retry_core::Why::RetriesOff));
}

#[async_std::test]
async fn what_is_no_url_is_an_error_and_no_panic() {
    let proxies = live(1);
    let pool = pool(urls(&proxies)).build().unwrap();
    let error = guarded(pool.get("/relative").send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), proxies[0].sends()), (ErrorKind::Validation, 0, 0));
    assert_eq!(error.to_string(), "failed before the first attempt: relative URL without a base");
}

/// Begins the test below in a process with another environment.
const CHILD: &str = "rotation::the_environment_does_not_lead_past_the_pool";

#[async_std::test]
async fn the_environment_does_not_lead_past_the_pool() {
    if std::env::var_os("NO_PROXY").is_some_and(|hosts| hosts == "*") {
        let origin = Server::start([Reply::status(200)]);
        let proxies = live(1);
        let pool = pool(urls(&proxies)).build().unwrap();
        assert_eq!(guarded(pool.get(origin.url("/")).send()).await.unwrap().status(), 200);
        assert_eq!((proxies[0].sends(), origin.sends()), (1, 1));
        return;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", CHILD, "--nocapture"]).env("NO_PROXY", "*").env("no_proxy", "*");
    let output = child.env("http_proxy", "http://127.0.0.1:1").env("all_proxy", "http://127.0.0.1:1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "the child has run it");
}
