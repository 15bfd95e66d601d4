//! Proxies that rest, and come back.

use core::time::Duration;

use conformance::server::{Fault, Proxy, Reply, Server, Via};
use retry_core::{ErrorKind, Jitter, Policy};
use runtime_async_std::{ProxyPool, Retry};

use crate::pools::pool;
use crate::skip::{SkipTimer, guarded, millis};

#[async_std::test]
async fn a_pool_recovers_after_the_rest() {
    let origin = Server::start([Reply::status(200)]);
    let shaky = Proxy::socks5([Via::Refuse(1), Via::Refuse(1), Via::Pass]);
    let timer = SkipTimer::default();
    let policy = Policy::API.edit().jitter(Jitter::None).build().unwrap();
    let pool = Retry::with_timer(policy, timer.clone()).proxies([shaky.url()], |_, builder| builder);
    let pool: ProxyPool<SkipTimer> = pool.failure_threshold(2).rest(Duration::from_secs(2)).build().unwrap();
    let (response, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
    assert_eq!((u16::from(response.status()), report.attempts(), shaky.sends()), (200, 3, 3));
    assert_eq!(report.waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[1000, 2000]), "it does not spin");
    assert_eq!(pool.status()[0].failures, 0, "the probe closed the circuit");

    let refusing = Proxy::socks5([Via::Refuse(1)]);
    let pool = Retry::with_timer(policy, timer).proxies([refusing.url()], |_, builder| builder);
    let pool = pool.failure_threshold(2).rest(Duration::from_secs(60)).build().unwrap();
    let error = guarded(pool.get(origin.url("/")).max_retries(1).send()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RetryExhausted);
    let status = pool.status().remove(0);
    assert_eq!((status.failures, status.rests_for), (2, Some(Duration::from_secs(60))));
}

/// Completes when the proxy has stalled so often.
async fn stalls(proxy: &Proxy, count: usize) {
    while proxy.stalls() < count {
        async_std::task::sleep(Duration::from_millis(1)).await;
    }
}

#[async_std::test]
async fn a_canceled_send_trips_no_circuit_and_gives_a_probe_back() {
    let origin = Server::start([Reply::status(200)]);
    let stalling = Proxy::http([Via::Fault(Fault::Stall), Via::Pass]);
    let pool = pool(vec![stalling.url()]).failure_threshold(1).build().unwrap();
    let call = pool.get(origin.url("/")).cancel_on(stalls(&stalling, 1));
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Canceled, 1));
    let status = pool.status().remove(0);
    assert_eq!((status.failures, status.rests_for, status.is_probed), (0, None, false));
    assert_eq!(guarded(pool.get(origin.url("/")).send()).await.unwrap().status(), 200);
}

#[async_std::test]
async fn a_probe_that_is_canceled_cut_or_dropped_is_given_back() {
    let origin = Server::start([Reply::status(200)]);
    let stall = Via::Fault(Fault::Stall);
    let proxy = Proxy::socks5([Via::Refuse(1), stall.clone(), stall.clone(), stall, Via::Pass]);
    let pool = pool(vec![proxy.url()]).failure_threshold(1).rest(Duration::from_millis(1)).build().unwrap();
    // It fails, rests, and the first wait is longer than that: the next send is a probe.
    let call = pool.get(origin.url("/")).max_retries(1).cancel_on(async {
        stalls(&proxy, 1).await;
        assert!(pool.status()[0].is_probed);
    });
    let error = guarded(call.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Canceled, 2));
    assert_eq!(error.report().proxy(), Some(proxy.url().as_str()));
    assert!(!pool.status()[0].is_probed);
    // Cut at a limit.
    let call = pool.get(origin.url("/")).max_retries(0).attempt_timeout(Duration::from_millis(30));
    assert_eq!(guarded(call.send()).await.unwrap_err().kind(), ErrorKind::Timeout);
    assert!(!pool.status()[0].is_probed);
    // Dropped.
    let seen = proxy.stalls();
    {
        let mut call = Box::pin(pool.get(origin.url("/")).send());
        assert!(is_pending(&mut call).await);
        guarded(stalls(&proxy, seen + 1)).await;
        assert!(pool.status()[0].is_probed);
    }
    let status = pool.status().remove(0);
    assert_eq!((status.failures, status.is_probed), (1, false));
    assert_eq!(guarded(pool.get(origin.url("/")).send()).await.unwrap().status(), 200);
    assert_eq!(pool.status()[0].failures, 0);
}

/// Polls once.
async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    core::future::poll_fn(|cx| core::task::Poll::Ready(core::pin::Pin::new(&mut *future).poll(cx).is_pending())).await
}
