//! No output shows a URL's userinfo or query, or a proxy's password. The faults test checks the same of every fault.
#![cfg(feature = "reqwest")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

mod common;

use core::error::Error as StdError;
use core::fmt::Debug;
use std::sync::{Arc, Mutex};

use common::{builder, client, guarded, instant, trusting};
use conformance::server::{Fault, Framing, Point, Reply, Server, Tls};
use reqwest::{Client, Method, Proxy, RequestBuilder};
use retry_core::{Advice, Policy};
use runtime_tokio::{Error, Retry, RetryExt, Retrying, Seen};

const SECRET: &str = "hunter2";
const QUERY: &str = "?token=hunter2#hunter2";

/// `server`'s URL, with a password before and a token after.
fn url(server: &Server) -> String {
    server.url(&format!("/path{QUERY}")).replace("://", "://user:hunter2@")
}

fn assert_silent(text: &str) {
    assert!(!text.contains(SECRET), "a secret is shown: {text}");
}

fn assert_silent_debug(value: &impl Debug) {
    assert_silent(&format!("{value:?}"));
    assert_silent(&format!("{value:#?}"));
}

/// The error, its sources, and what else comes with it.
fn assert_silent_error(error: &Error) {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    let mut depth = 0;
    while let Some(error) = next {
        assert_silent(&error.to_string());
        assert_silent_debug(&error);
        next = error.source();
        depth += 1;
    }
    assert!(depth > 1, "there is a source");
    assert_silent_debug(error.report());
    assert_silent_debug(&error.event());
}

async fn assert_fails_silently(request: RequestBuilder) {
    let again = request.try_clone();
    assert_silent_error(&guarded(request.with_retry(instant(1)).send()).await.unwrap_err());
    if let Some(request) = again {
        assert_silent_error(&guarded(request.with_retry(instant(1)).fetch()).await.unwrap_err());
    }
}

#[tokio::test]
async fn errors_of_sends() {
    let replies = [
        Reply::status(503).body("busy"),
        Fault::Close.at(Point::Request),
        Fault::Reset.at(Point::Request),
        Reply::garbage(),
    ];
    for reply in replies {
        let server = Server::start([reply]);
        assert_fails_silently(client().get(url(&server))).await;
    }
    let server = Server::builder().script([Reply::status(200)]).tls([Tls::SelfSigned]).start();
    assert_fails_silently(trusting(&server).build().unwrap().get(url(&server))).await;
}

#[tokio::test]
async fn errors_of_requests_that_cannot_be_sent() {
    for url in [
        "ftp://user:hunter2@example.test/?hunter2",
        "user:hunter2@example.test/path?hunter2",
        "mailto:hunter2",
        "/path?hunter2",
        "http://user:hunter2@/?hunter2",
        "http://user:hunter2@[/?hunter2",
        "http://user:hunter2@example.test:port/?hunter2",
        "hunter2",
    ] {
        assert_fails_silently(client().get(url)).await;
        let retry = Retry::new(instant(1));
        let run = retry.run(Method::GET, url, |_| client().get(url).send());
        assert_silent_error(&guarded(run).await.unwrap_err());
    }
    let long = format!("http://user:hunter2@example.test/?{}", SECRET.repeat(10_000));
    assert_fails_silently(client().get(long)).await;
    assert_fails_silently(client().get("http://localhost/?hunter2").header("x", "a\nhunter2")).await;
    // A policy that is refused.
    let call = client().get("http://user:hunter2@localhost/?hunter2").with_retry(Policy::API);
    assert_silent_error(&guarded(call.attempt_timeout(core::time::Duration::ZERO).send()).await.unwrap_err());
}

/// A redirect's Location is a URL, too.
#[tokio::test]
async fn errors_of_redirects() {
    let elsewhere = |location: &str| Reply::status(302).header("Location", location);
    let refused = common::refused();
    for location in [
        "/again?token=hunter2",
        "ftp://user:hunter2@example.test/?token=hunter2",
        &format!("http://user:hunter2@{}/?token=hunter2", refused.1),
    ] {
        let server = Server::start([elsewhere(location)]);
        assert_fails_silently(client().get(url(&server))).await;
    }
    // reqwest's error holds another one here, which names the URL with all that is in it.
    let script = [elsewhere("http://user:hunter2@example.test/?token=hunter2")];
    let server = Server::builder().script(script).tls([Tls::Good]).start();
    let client = trusting(&server).https_only(true).build().unwrap();
    let error = guarded(client.get(url(&server)).with_retry(instant(1)).send()).await.unwrap_err();
    assert_silent_error(&error);
    assert!(error.to_string().ends_with("error following redirect to http://example.test/"), "{error}");
}

#[tokio::test]
async fn errors_of_proxies() {
    let refused = common::refused();
    let [closed, busy] = [407, 502].map(|status| Server::start([Reply::status(status)]));
    for (scheme, addr) in [
        ("http", refused.1.to_string()),
        ("socks5h", refused.1.to_string()),
        ("http", closed.addr().to_string()),
        ("http", busy.addr().to_string()),
    ] {
        let proxy = Proxy::all(format!("{scheme}://user:hunter2@{addr}")).unwrap();
        let client = builder().proxy(proxy).build().unwrap();
        assert_fails_silently(client.get("https://user:hunter2@example.test/?token=hunter2")).await;
        let call = client.get("https://example.test/?token=hunter2").with_retry(instant(1));
        assert_silent_debug(&call);
    }
}

#[tokio::test]
async fn what_is_printed_on_the_way() {
    let server = Server::start([
        Reply::status(503),
        Reply::status(302).header("Location", "/elsewhere?token=hunter2"),
        Reply::status(200).body("half").framing(Framing::Declared(9)),
        Reply::status(200).body("hunter2 is in the body").header("x", "hunter2"),
    ]);
    let printed = Arc::new(Mutex::new(Vec::<String>::new()));
    let print = |text: String| printed.lock().unwrap().push(text);
    let retry = {
        let (seen, told) = (Arc::clone(&printed), Arc::clone(&printed));
        Retry::new(instant(3))
            .advise(move |reply: &Seen<'_>| {
                seen.lock().unwrap().extend([format!("{reply:?}"), format!("{reply:#?}")]);
                Advice::Keep
            })
            .on_retry(move |retry: &Retrying<'_>| {
                told.lock().unwrap().extend([format!("{retry:?}"), format!("{retry:#?}")]);
            })
    };
    let call = client()
        .get(url(&server))
        .header("Authorization", "Bearer hunter2")
        .with_retry(&retry)
        .idempotency_key("hunter2");
    print(format!("{call:?} {call:#?} {retry:?} {retry:#?}"));
    let (page, report) = guarded(call.fetch_with_report()).await.unwrap();
    print(format!("{page:?} {page:#?} {report:?} {report:#?}"));
    assert_eq!(page.url().query(), Some("token=hunter2"), "the caller has it all the same");
    assert_eq!(report.attempts(), 3);
    let printed = printed.lock().unwrap();
    assert!(printed.len() >= 8, "{printed:?}");
    printed.iter().for_each(|text| assert_silent(text));
}

/// A body that broke off under a status that is retried.
#[tokio::test]
async fn errors_of_bodies() {
    let server = Server::start([Reply::status(200).body("half").framing(Framing::Declared(9))]);
    let error = guarded(client().get(url(&server)).with_retry(instant(1)).fetch()).await.unwrap_err();
    assert_silent_error(&error);
    let once = Server::start([Reply::status(503).body("half").framing(Framing::Declared(9))]);
    let page = guarded(client().get(url(&once)).with_retry(instant(0)).fetch()).await.unwrap();
    assert_silent_debug(&page);
    let error = page.complete().unwrap_err();
    assert_silent(&error.to_string());
    assert_silent_debug(&error);
}

/// An error of reqwest's that comes from the caller's closure.
#[tokio::test]
async fn errors_of_the_callers_own_around_reqwests() {
    #[derive(Debug)]
    struct Own(reqwest::Error);
    impl core::fmt::Display for Own {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("own")
        }
    }
    impl core::error::Error for Own {
        fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let server = conformance::server::Server::start([conformance::server::Reply::status(418)]);
    let client = common::client();
    let url = server.url("/?token=hunter2");
    let send = |_| async { client.get(&url).send().await.map_err(Own)?.error_for_status().map_err(Own) };
    let error =
        runtime_tokio::Retry::new(retry_core::Policy::API).run(http::Method::GET, &url, send).await.unwrap_err();
    let shown = format!("{error} {error:?} {error:#?}");
    assert!(!shown.contains(SECRET), "a secret is shown");
    assert!(error.to_string().contains("418"), "{error}");
}

#[tokio::test]
async fn errors_of_closures() {
    let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(503)]);
    let client: Client = client();
    let (retry, url) = (Retry::new(instant(2)), url(&server));
    let run = retry.run(Method::GET, &url, |_| async { client.get(&url).send().await?.error_for_status() });
    assert_silent_error(&guarded(run).await.unwrap_err());
    let run = retry.run(Method::GET, &url, |_| client.get(&url).with_retry(instant(1)).send());
    assert_silent_error(&guarded(run).await.unwrap_err());
}
