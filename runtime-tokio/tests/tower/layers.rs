//! Layers inside of ours and around it.

use core::error::Error as _;
use core::fmt;
use core::time::Duration;

use bytes::Bytes;
use conformance::server::{Fault, Point, Reply, Server};
use http::Request;
use http_body_util::Empty;
use retry_core::{Cause, ErrorKind, Event, Failure, Policy, Reached};
use runtime_tokio::{Error, Retry};
use tower::{BoxError, Layer, ServiceBuilder, service_fn};

use crate::stack::{client, get, report, retry, send};
use crate::strict::{Reply as Given, Strict};

#[tokio::test]
async fn two_layers_of_ours_do_not_multiply() {
    let server = Server::start([Reply::status(503)]);
    let (retry, _) = retry();
    let stack = ServiceBuilder::new().layer(retry.clone()).layer(retry.clone()).service(client());
    let response = send(&stack, get(server.url("/"))).await.unwrap();
    assert_eq!((response.status().as_u16(), server.sends()), (503, 4));
    assert_eq!(report(&response).attempts(), 4, "the report is that of the layer that did the work");

    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let error = send(&stack, get(server.url("/"))).await.unwrap_err();
    assert_eq!((error.attempts(), server.sends()), (4, 4));
    assert!(error.source().is_some_and(|source| !source.is::<Error>()), "it is passed on as it is");
}

#[derive(Debug)]
struct Wrapped(Error);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapped")
    }
}

impl core::error::Error for Wrapped {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test]
async fn an_error_of_ours_inside_another_one_ends_the_call() {
    let server = Server::start([Fault::Reset.at(Point::Request)]);
    let (retry, _) = retry();
    let stack = ServiceBuilder::new().layer(retry.clone()).map_err(Wrapped).layer(retry).service(client());
    let error = send(&stack, get(server.url("/"))).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Network, 1, 4));
    assert!(error.source().is_some_and(|source| source.is::<Wrapped>()));
}

#[tokio::test(start_paused = true)]
async fn what_an_error_of_ours_says_is_taken_at_its_word() {
    // That of a limit tells nothing to anybody else.
    let policy = Policy::API.edit().max_retries(1).attempt_timeout(Some(Duration::from_secs(1))).build().unwrap();
    let strict = Strict::new([], [Given::Hangs, Given::Hangs]);
    let inside = Retry::new(policy);
    let stack =
        ServiceBuilder::new().layer(Retry::new(Policy::API)).map_err(Wrapped).layer(inside).service(strict.watch());
    let error = send(&stack, Request::new(())).await.unwrap_err();
    assert_eq!(error.event(), Some(Event::Failure(Failure::new(Cause::Timeout, Reached::MaybeSent))));
    assert_eq!((error.attempts(), strict.calls()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_inside_fails_one_send_and_one_around_ends_the_call() {
    let retry = Retry::new(Policy::API);
    let limit = Duration::from_secs(5);
    let strict = Strict::new([], [Given::Hangs, Given::Hangs, Given::Status(200)]);
    let inside = ServiceBuilder::new().layer(retry.clone()).timeout(limit).service(strict.watch());
    let response = send(&inside, Request::new(())).await.unwrap();
    let events: Vec<_> = report(&response).record().map(|entry| entry.event).collect();
    let cut = Event::Failure(Failure::new(Cause::Timeout, Reached::MaybeSent));
    assert_eq!(events, [cut, cut, Event::Status(200)]);

    // tokio's own limit, too.
    let inner = service_fn(move |request: Request<()>| async move {
        let number = request.extensions().get::<retry_core::Try>().map_or(0, |this| this.number);
        let reply = async move {
            tokio::time::sleep(Duration::from_secs(if number == 1 { 9 } else { 1 })).await;
            http::Response::new(Empty::<Bytes>::new())
        };
        Ok::<_, BoxError>(tokio::time::timeout(limit, reply).await?)
    });
    let response = send(&retry.layer(inner), Request::new(())).await.unwrap();
    assert_eq!(report(&response).record().map(|entry| entry.event).collect::<Vec<_>>(), [cut, Event::Status(200)]);

    let strict = Strict::new([], [Given::Hangs]);
    let around = ServiceBuilder::new().timeout(limit).layer(retry).service(strict.watch());
    let error = send(&around, Request::new(())).await.unwrap_err();
    assert!(error.is::<tower::timeout::error::Elapsed>());
    assert_eq!(strict.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_nobody_knows_ends_the_call() {
    let strict = Strict::new([], [Given::Fails("nobody knows".into())]);
    let error = send(&Retry::new(Policy::API).layer(strict.watch()), Request::new(())).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Unknown, 1));
    assert_eq!(error.event(), Some(Event::Failure(Failure::new(Cause::Unknown, Reached::MaybeSent))));
    assert!(!format!("{error:?}").contains("nobody knows"), "nobody knows what it prints: {error:?}");
    // A custom policy may know it.
    let strict = Strict::new([], [Given::Fails("nobody knows".into()), Given::Status(200)]);
    let retry = Retry::new(Policy::API).advise(|seen| match seen.error() {
        Some(error) if error.to_string() == "nobody knows" => retry_core::Advice::Retry,
        _ => retry_core::Advice::Keep,
    });
    assert_eq!(report(&send(&retry.layer(strict), Request::new(())).await.unwrap()).attempts(), 2);
}

/// A service over reqwest, with requests of `http`'s: its failures are known by their types.
#[cfg(feature = "reqwest")]
#[tokio::test]
async fn what_reqwest_says_is_judged_as_that() {
    let (socket, nobody) = crate::common::refused();
    let client = crate::common::client();
    let inner = service_fn(move |request: Request<String>| {
        let sent = reqwest::Request::try_from(request).map(|request| client.execute(request));
        async move { Ok::<_, BoxError>(http::Response::from(sent?.await?)) }
    });
    let request = Request::get(format!("http://{nobody}/")).body(String::new()).unwrap();
    let error = send(&retry().0.layer(inner.clone()), request).await.unwrap_err();
    assert_eq!(error.event(), Some(Event::Failure(Failure::new(Cause::Network, Reached::Unsent))));
    assert_eq!(error.attempts(), 4);
    drop(socket);
    // A URL that reqwest cannot send to, which it alone tells.
    let request = Request::get("ftp://127.0.0.1/").body(String::new()).unwrap();
    let error = send(&retry().0.layer(inner), request).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Validation, 1), "{error}");
}
