//! Passwords of proxies.

use conformance::server::{Proxy, Reply, Server, Tls, Via};
use retry_core::{ErrorKind, NonIdempotent};

use crate::pools::{pool, trusting};
use crate::skip::guarded;

/// Passwords of these tests. The log of a whole run must not have them.
const PASSWORD: &str = "pool-pa55word";

#[async_std::test]
async fn passwords_are_used_and_shown_nowhere() {
    let http = Proxy::http([Via::Pass]).password("user", PASSWORD);
    let socks = Proxy::socks5([Via::Pass]).password("user", PASSWORD);
    for proxy in [&http, &socks] {
        let origin = Server::start([Reply::status(200), Reply::status(503)]);
        let with = proxy.url_with_password("user", PASSWORD);
        let pool = pool(vec![with]).build().unwrap();
        let (_, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
        assert_eq!(report.proxy(), Some(proxy.url().as_str()));
        let error = guarded(pool.get(origin.url("/")).max_retries(1).send()).await.unwrap_err();
        let shown =
            format!("{error} {error:?} {report:?} {pool:?} {:?} {:?}", pool.status(), pool.get(origin.url("/")));
        assert!(!shown.contains(PASSWORD), "a password is shown");
        let refused = guarded(pool.get("/").send()).await.unwrap_err();
        assert!(!format!("{refused} {refused:?}").contains(PASSWORD), "a password is shown");
    }
    // Through a tunnel, and with signs that a URL has encoded.
    let odd = Proxy::http([Via::Pass]).password("us er", "p@:/%");
    let origin = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
    let pool = trusting(vec![odd.url_with_password("us er", "p@:/%")], &origin).build().unwrap();
    assert_eq!(guarded(pool.get(origin.url("/")).send()).await.unwrap().status(), 200);
}

#[async_std::test]
async fn a_wrong_password_is_the_proxys_refusal() {
    let origin = Server::start([Reply::status(200)]);
    let socks = Proxy::socks5([Via::Pass]).password("user", PASSWORD);
    let wrong = pool(vec![socks.url_with_password("user", "wrong")]).build().unwrap();
    let call = wrong.post(origin.url("/")).non_idempotent(NonIdempotent::WhenUnsent).max_retries(1);
    let error = guarded(call.send()).await.unwrap_err();
    // isahc does not say that it is about the password, so it is tried again.
    assert_eq!((error.kind(), error.attempts(), origin.sends()), (ErrorKind::RetryExhausted, 2, 0));
    assert_eq!(wrong.status()[0].failures, 2);
    assert!(error.report().record().all(|entry| error.report().proxy_of(&entry) == Some(socks.url().as_str())));
}
