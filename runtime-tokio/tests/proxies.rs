//! Pools of real proxies on loopback.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use core::net::SocketAddr;
use core::time::Duration;

use conformance::server::{Fault, Proxy, Reply, Server, Tls, Via};
use futures_util::future::join_all;
use reqwest::{Certificate, ClientBuilder, Url};
use retry_core::{ErrorKind, Event, Jitter, NonIdempotent, Policy, Reached, Reason, WaitSource};
use runtime_tokio::{PoolBuilder, ProxyPool, Retry};
use skip::{SkipTimer, client, guarded, millis};

/// Passwords of these tests. The log of a whole run must not have them.
const PASSWORD: &str = "pool-pa55word";

fn pool(entries: Vec<String>) -> PoolBuilder<SkipTimer> {
    pool_with(entries, |_, builder| builder)
}

fn pool_with(
    entries: Vec<String>,
    configure: impl Fn(&Url, ClientBuilder) -> ClientBuilder + 'static,
) -> PoolBuilder<SkipTimer> {
    let _ = client();
    let policy = Policy::API.edit().base_delay(Duration::from_millis(100)).jitter(Jitter::None).build();
    Retry::with_timer(policy.expect("a valid policy"), SkipTimer::default()).proxies(entries, configure)
}

fn live(count: usize) -> Vec<Proxy> {
    (0..count).map(|_| Proxy::http([Via::Pass])).collect()
}

fn urls(proxies: &[Proxy]) -> Vec<String> {
    proxies.iter().map(Proxy::url).collect()
}

/// A port on which nobody listens, for as long as the socket is kept.
fn dead() -> (socket2::Socket, String) {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).expect("a free port");
    let addr = socket.local_addr().ok().and_then(|addr| addr.as_socket()).expect("an address");
    (socket, format!("http://{addr}"))
}

fn sends(proxies: &[Proxy]) -> Vec<usize> {
    proxies.iter().map(Proxy::sends).collect()
}

#[tokio::test]
async fn five_live_proxies_that_the_origin_blocks_are_tried_once_each() {
    let origin = Server::start([Reply::status(403).body("blocked")]);
    let proxies = live(5);
    let pool = pool(urls(&proxies)).rotate_on_status(&[403]).build().unwrap();
    let error = guarded(pool.get(origin.url("/")).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), origin.sends()), (ErrorKind::RetryExhausted, 5, 5));
    assert_eq!(sends(&proxies), [1; 5]);
    let used: Vec<_> = error.report().record().map(|entry| error.report().proxy_of(&entry).unwrap()).collect();
    assert_eq!(used, urls(&proxies));
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "blocked");
    assert!(pool.status().iter().all(|status| status.failures == 0), "the origin's answers trip no circuit");

    // A POST is handed over as it is.
    let response = guarded(pool.post(origin.url("/")).with(|request| request.body("x")).send()).await.unwrap();
    assert_eq!((response.status().as_u16(), origin.sends()), (403, 6));
}

#[tokio::test]
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
    assert_eq!((response.status().as_u16(), report.attempts(), good.sends()), (200, 2, 3));
    assert_eq!(report.waits().collect::<Vec<_>>(), [(Duration::ZERO, WaitSource::Proxy)]);
    assert_eq!(report.proxy(), Some(good.url().as_str()));
    let first = report.record().next().unwrap();
    let Event::Failure(failure) = first.event else { panic!("the first proxy is dead") };
    assert_eq!((failure.kind(), failure.reached), (ErrorKind::Proxy, Reached::Unsent));
    let failures: Vec<_> = pool.status().iter().map(|status| (status.proxy.clone(), status.failures)).collect();
    assert_eq!(failures, [(nobody, 1), (good.url(), 0)], "a duplicate does not count");
}

#[tokio::test]
async fn h2_six_dead_proxies_are_tried_once_each() {
    let held: Vec<_> = (0..6).map(|_| dead()).collect();
    let entries = held.iter().map(|(_, url)| url.clone()).collect();
    let pool = pool(entries).rotate_per_request().build().unwrap();
    let error = guarded(pool.get("http://127.0.0.1:1/").send()).await.unwrap_err();
    assert_eq!((error.kind(), error.code(), error.attempts()), (ErrorKind::RetryExhausted, "RETRY_EXHAUSTED", 6));
    assert!(error.report().waits().all(|(wait, _)| wait.is_zero()));
    assert!(pool.status().iter().all(|status| status.failures == 1));
}

#[tokio::test]
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

#[tokio::test]
async fn a_proxy_that_answers_busy_on_a_kept_connection_is_left_for_another() {
    let origin = Server::start([Reply::status(200)]);
    let first = Proxy::http([Via::Pass, Via::Status(503), Via::Pass]);
    let second = Proxy::http([Via::Pass]);
    let pool = pool(vec![first.url(), second.url()]).rotate_on_status(&[503]).build().unwrap();
    assert_eq!(guarded(pool.get(origin.url("/")).send()).await.unwrap().status(), 200);
    let (response, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts()), (200, 2));
    assert_eq!((first.sends(), first.connections()), (2, 1), "the 503 came on the kept connection");
    assert_eq!((second.sends(), second.connections()), (1, 1));
    assert_eq!(report.waits().map(|(wait, _)| wait).collect::<Vec<_>>(), millis(&[100]), "an ordinary wait");
}

#[tokio::test]
async fn f7_what_a_proxy_says_to_connect_is_never_taken_for_the_origins_answer() {
    let origin = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
    let ca = origin.ca_pem().to_owned();
    let trusting = move |_: &Url, builder: ClientBuilder| {
        builder.tls_certs_only([Certificate::from_pem(ca.as_bytes()).expect("a certificate")])
    };
    for status in [407, 403, 502, 503, 504] {
        // Alone: 407 is not retried, the others are.
        let alone = Proxy::http([Via::Status(status)]);
        let single = pool_with(vec![alone.url()], trusting.clone()).build().unwrap();
        let error = guarded(single.get(origin.url("/")).max_retries(1).send()).await.unwrap_err();
        let expected = if status == 407 { (ErrorKind::Proxy, 1) } else { (ErrorKind::RetryExhausted, 2) };
        assert_eq!((error.kind(), error.attempts()), expected, "{status}");
        assert_eq!((error.status(), alone.sends()), (None, expected.1 as usize));

        // With another one, that is used.
        let (refusing, good) = (Proxy::http([Via::Status(status)]), Proxy::http([Via::Pass]));
        let both = pool_with(vec![refusing.url(), good.url()], trusting.clone()).build().unwrap();
        let (response, report) = guarded(both.get(origin.url("/")).send_with_report()).await.unwrap();
        assert_eq!((response.status().as_u16(), report.attempts()), (200, 2), "{status}");
        assert_eq!(both.status()[0].failures, 1);
    }
    // What goes wrong behind the tunnel is between us and the origin.
    let resetting = Server::builder().script([Reply::status(200)]).tls([Tls::Fault(Fault::Reset)]).start();
    let proxy = Proxy::http([Via::Pass]);
    let pool = pool_with(vec![proxy.url()], trusting).build().unwrap();
    let error = guarded(pool.get(resetting.url("/")).max_retries(0).send()).await.unwrap_err();
    assert_eq!((error.kind(), pool.status()[0].failures), (ErrorKind::Network, 0));
}

#[tokio::test]
async fn a_pool_recovers_after_the_rest() {
    let origin = Server::start([Reply::status(200)]);
    let shaky = Proxy::socks5([Via::Refuse(1), Via::Refuse(1), Via::Pass]);
    let timer = SkipTimer::default();
    let policy = Policy::API.edit().jitter(Jitter::None).build().unwrap();
    let _ = client();
    let pool = Retry::with_timer(policy, timer.clone()).proxies([shaky.url()], |_, builder| builder);
    let pool: ProxyPool<SkipTimer> = pool.failure_threshold(2).rest(Duration::from_secs(2)).build().unwrap();
    let (response, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts(), shaky.sends()), (200, 3, 3));
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

#[tokio::test]
async fn fifty_requests_at_once_share_the_pool_evenly() {
    let origin = Server::start([Reply::status(200)]);
    let proxies = live(5);
    let pool = pool(urls(&proxies)).rotate_per_request().build().unwrap();
    let url = origin.url("/");
    for response in guarded(join_all((0..50).map(|_| pool.get(&url).send()))).await {
        assert_eq!(response.unwrap().status(), 200);
    }
    assert_eq!((sends(&proxies), origin.sends()), (vec![10; 5], 50));
}

#[tokio::test]
async fn a_canceled_send_trips_no_circuit_and_gives_a_probe_back() {
    let origin = Server::start([Reply::status(200)]);
    let stalling = Proxy::http([Via::Fault(Fault::Stall), Via::Pass]);
    let pool = pool(vec![stalling.url()]).failure_threshold(1).build().unwrap();
    let stop = async {
        while stalling.stalls() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let error = guarded(pool.get(origin.url("/")).cancel_on(stop).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Canceled, 1));
    let status = pool.status().remove(0);
    assert_eq!((status.failures, status.rests_for, status.is_probed), (0, None, false));
    assert_eq!(guarded(pool.get(origin.url("/")).send()).await.unwrap().status(), 200);
}

#[tokio::test]
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
    }
    // With a wrong one the proxy refuses.
    let origin = Server::start([Reply::status(200)]);
    let wrong = pool(vec![socks.url_with_password("user", "wrong")]).build().unwrap();
    let error = guarded(wrong.get(origin.url("/")).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Proxy, 1), "credentials do not get better");
}

#[test]
fn an_entry_that_is_no_proxy_is_named_without_its_password() {
    let entry = |text: &str| {
        let error = pool(vec![String::from("http://127.0.0.1:8080"), text.to_owned()]).build().unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(PASSWORD), "a password is shown");
        error.to_string()
    };
    let with = |rest: &str| rest.replace("PASSWORD", PASSWORD);
    let (scheme, bare) = ("its scheme is none of http, https, socks5, socks5h", "it has no scheme, such as http://");
    assert_eq!(entry("ftp://p1:2121"), format!("entry 2 of proxies, ftp://p1:2121: {scheme}"));
    assert_eq!(entry(&with("ftp://user:PASSWORD@p1")), format!("entry 2 of proxies, ftp://p1: {scheme}"));
    for text in ["p1:8080", "user:PASSWORD@p1:8080", "p1:8080:user:PASSWORD", "PASSWORD"] {
        assert_eq!(entry(&with(text)), format!("entry 2 of proxies: {bare}"));
    }
    for text in [
        "http://",
        "http://user:a@PASSWORD@",
        "http://p1:8080:user:PASSWORD",
        "http://user:PASSWORD:80",
        "http://user:PASSWORD%40p1:80",
        "http://[user:PASSWORD]",
        "http://user:PASSWORD!",
        "PASSWORD ://x",
    ] {
        assert_eq!(entry(&with(text)), "entry 2 of proxies: it is not a URL");
    }
    for text in ["http://PASSWORD/x@p1", "http://p1/?x=PASSWORD", "http://user:31337/PASSWORD@p1", "http://p1#PASSWORD"]
    {
        assert_eq!(entry(&with(text)), "entry 2 of proxies: it has a path, a query or a fragment");
    }
    for text in ["socks5://user%3APASSWORD%40p1:1080", "socks5h://user;PASSWORD"] {
        assert_eq!(entry(&with(text)), "entry 2 of proxies: its host is none");
    }
    assert_eq!(entry(&with("user:PASSWORD://p1@p2")), "entry 2 of proxies: it has no host");
    assert_eq!(pool(vec![]).build().unwrap_err().to_string(), "proxies is empty, accepted: one or more");
    let one = || pool(vec![String::from("http://127.0.0.1:8080")]);
    for status in [99, 200] {
        let error = one().rotate_on_status(&[403, status]).build().unwrap_err();
        assert_eq!(error.to_string(), format!("rotate_on_status is {status}, accepted: 400 ..= 599"));
    }
    let error = one().failure_threshold(0).build().unwrap_err();
    assert_eq!(error.to_string(), "threshold is 0, accepted: 1 or more");
    assert_eq!(
        one().rest(Duration::ZERO).build().unwrap_err().to_string(),
        "rest is 0ns, accepted: above 0, at most 24 h"
    );
}

#[tokio::test]
async fn retries_rise_with_the_pool_and_a_requests_own_count_is_taken_as_it_is() {
    let origin = Server::start([Reply::status(403)]);
    let proxies = live(6);
    let pool = pool(urls(&proxies)).rotate_on_status(&[403]).build().unwrap();
    let attempts = |call: runtime_tokio::Call<reqwest::RequestBuilder, SkipTimer>| async {
        guarded(call.send()).await.unwrap_err().attempts()
    };
    assert_eq!(attempts(pool.get(origin.url("/"))).await, 6);
    assert_eq!(attempts(pool.get(origin.url("/")).max_retries(1)).await, 2);
    let own = pool.get(origin.url("/")).policy(Policy::MICROSERVICE);
    assert_eq!(attempts(own).await, 3, "a whole policy too, but for the pool's statuses");
    let off = guarded(pool.get(origin.url("/")).max_retries(0).send_with_report()).await.unwrap();
    assert_eq!((off.0.status().as_u16(), off.1.reason()), (403, Reason::NotRepeatable(retry_core::Why::RetriesOff)));
}
