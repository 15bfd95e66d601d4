//! Tunnels: what is the proxy's own, and what is between us and the origin.

use conformance::server::{Fault, Point, Proxy, Reply, Server, Tls, Via};
use retry_core::{ErrorKind, NonIdempotent, WaitSource};

use crate::pools::{dead, trusting};
use crate::skip::{guarded, millis};

#[async_std::test]
async fn f7_what_a_proxy_says_to_connect_is_never_taken_for_the_origins_answer() {
    let origin = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
    let faults = [Via::Fault(Fault::Close), Via::Fault(Fault::Reset)];
    for via in [407, 403, 502, 503, 504].map(Via::Status).into_iter().chain(faults) {
        // Alone: isahc does not say that it was a 407, so that is retried, too.
        let alone = Proxy::http([via.clone()]);
        let single = trusting(vec![alone.url()], &origin).build().unwrap();
        let error = guarded(single.get(origin.url("/")).max_retries(1).send()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::RetryExhausted, 2), "{via:?}");
        assert_eq!((error.status(), alone.sends()), (None, 2), "{via:?}");

        // With another one, that is used.
        let (refusing, good) = (Proxy::http([via.clone()]), Proxy::http([Via::Pass]));
        let both = trusting(vec![refusing.url(), good.url()], &origin).build().unwrap();
        let (response, report) = guarded(both.get(origin.url("/")).send_with_report()).await.unwrap();
        assert_eq!((u16::from(response.status()), report.attempts()), (200, 2), "{via:?}");
        assert_eq!(both.status()[0].failures, 1, "{via:?}");
        assert_eq!(report.proxy(), Some(good.url().as_str()));
    }
}

#[async_std::test]
async fn dead_proxies_and_socks_refusals_are_the_proxys_own_inside_tunnels_too() {
    let origin = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
    let (_held, nobody) = dead();
    let socks = nobody.replace("http:", "socks5h:");
    let refusing = Proxy::socks5([Via::Refuse(2)]);
    let good = Proxy::socks5([Via::Pass]);
    let entries = vec![nobody, socks, refusing.url(), good.url()];
    let pool = trusting(entries, &origin).build().unwrap();
    let call = pool.post(origin.url("/")).non_idempotent(NonIdempotent::WhenUnsent);
    let (response, report) = guarded(call.send_with_report()).await.unwrap();
    assert_eq!((u16::from(response.status()), report.attempts(), origin.sends()), (200, 4, 1));
    assert!(report.waits().all(|(wait, _)| wait.is_zero()));
    assert_eq!(pool.status().iter().map(|status| status.failures).collect::<Vec<_>>(), [1, 1, 1, 0]);
}

#[async_std::test]
async fn what_goes_wrong_behind_the_tunnel_is_between_us_and_the_origin() {
    for make in [Proxy::http, Proxy::socks5].map(|make: fn([Via; 1]) -> Proxy| make) {
        let proxy = make([Via::Pass]);
        let resetting = Server::builder().script([Reply::status(200)]).tls([Tls::Fault(Fault::Reset)]).start();
        let pool = trusting(vec![proxy.url()], &resetting).build().unwrap();
        let error = guarded(pool.get(resetting.url("/")).max_retries(0).send()).await.unwrap_err();
        // isahc does not always say what a handshake failed of.
        assert!(matches!(error.kind(), ErrorKind::Network | ErrorKind::Tls), "{error:?}");
        assert_eq!(pool.status()[0].failures, 0);

        let untrusted = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
        let error = guarded(pool.get(untrusted.url("/")).send()).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Certificate | ErrorKind::Tls), "{error:?}");
        assert_eq!(error.attempts(), 1);
        assert_eq!(pool.status()[0].failures, 0);

        let blocking = Server::builder().script([Reply::status(407)]).tls([Tls::Good]).start();
        let pool = trusting(vec![proxy.url()], &blocking).build().unwrap();
        let response = guarded(pool.get(blocking.url("/")).send()).await.unwrap();
        assert_eq!((u16::from(response.status()), pool.status()[0].failures), (407, 0));
    }
}

#[async_std::test]
async fn a_connection_that_breaks_behind_the_tunnel_is_never_taken_for_unsent() {
    for fault in [Fault::Reset, Fault::Close] {
        let breaks = Reply::status(200).fault(fault, Point::Request);
        let origin = Server::builder().script([breaks, Reply::status(200)]).tls([Tls::Good]).start();
        let proxies = [Proxy::http([Via::Pass]), Proxy::http([Via::Pass])];
        let pool = trusting(crate::pools::urls(&proxies), &origin).build().unwrap();
        let call = pool.post(origin.url("/")).non_idempotent(NonIdempotent::WhenUnsent);
        let error = guarded(call.send()).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts(), origin.sends()), (ErrorKind::Network, 1, 1), "{fault:?}");
        // What may be sent again waits as ever, whoever is to blame.
        let origin = Server::builder()
            .script([Reply::status(200).fault(fault, Point::Request), Reply::status(200)])
            .tls([Tls::Good])
            .start();
        let pool = trusting(crate::pools::urls(&proxies), &origin).build().unwrap();
        let (_, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
        let waits: Vec<_> = report.waits().collect();
        assert_eq!(waits, [(millis(&[100])[0], WaitSource::Computed)], "{fault:?}");
    }
}
