//! Connections that are kept, connections that are not, and what must not be printed.
#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "common/skip.rs"]
mod skip;

use core::time::Duration;

use conformance::server::{Fault, Point, Reply, Server};
use retry_core::Policy;
use runtime_async_std::{Retry, RetryExt};
use skip::{SkipTimer, client, guarded};
use surf::{Client, Config};

fn retry() -> Retry<SkipTimer> {
    Retry::with_timer(Policy::API, SkipTimer::default())
}

#[async_std::test]
async fn a_reply_that_is_let_go_leaves_its_connection_fit_for_use() {
    let busy = || Reply::status(503).body(vec![b'x'; 60_000]);
    let server = Server::start([busy(), busy(), Reply::status(200).body("ok")]);
    let kept: Client = Config::new().try_into().expect("a client");
    let (page, report) = guarded(kept.get(server.url("/")).with_retry(retry()).fetch_with_report()).await.unwrap();
    assert_eq!((page.text().unwrap().as_ref(), report.attempts()), ("ok", 3));
    assert_eq!(server.connections(), 1);
}

#[async_std::test]
async fn with_client_config_a_send_that_was_cut_leaves_nothing_to_the_next() {
    let late = Reply::status(200).body("late").fault(Fault::Stall, Point::HalfBody);
    let script = [late, Reply::status(503).body(vec![b'x'; 500_000]), Reply::status(200).body("ok")];
    let server = std::sync::Arc::new(Server::start(script));
    let client = client();
    let retry = runtime_async_std::Retry::with_timer(*retry().policy(), skip::StallTimer::new(&server));
    let call = client.get(server.url("/")).with_retry(retry).attempt_timeout(Duration::from_secs(5));
    let page = guarded(call.fetch()).await.unwrap();
    assert_eq!(page.text().unwrap(), "ok");
    assert_eq!((server.sends(), server.connections()), (3, 3), "a connection for each send");
}

#[async_std::test]
async fn no_secret_is_printed() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let url = server.url("/path?token=hunter2#hunter3").replace("http://", "http://user:hunter4@");
    let error = guarded(client().get(&url).with_retry(retry()).send()).await.unwrap_err();
    let mut texts = vec![error.to_string(), format!("{error:?}")];
    let mut source = core::error::Error::source(&error);
    while let Some(inner) = source {
        texts.extend([inner.to_string(), format!("{inner:?}")]);
        source = inner.source();
    }
    texts.push(format!("{:?}", client().get(&url).with_retry(retry())));
    assert!(texts[0].contains("/path: retries used up after 4 attempts"), "{}", texts[0]);
    for text in texts {
        assert!(!text.contains("hunter"), "{text}");
    }
}
