//! Errors of other middlewares inside ours: judged by what is in them.

use core::error::Error as StdError;
use core::fmt;

use anyhow::anyhow;
use conformance::server::{Fault, Point, Reply, Server};
use http::{Extensions, Method};
use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, Error, Middleware, Next, Result};
use retry_core::{ErrorKind, Event, NonIdempotent, Reached};
use runtime_tokio::{DnsFailure, Error as Ours, Retry};

use crate::skip::{client, guarded};
use crate::{ours, retry, with};

/// Makes something of what comes from inside.
struct Map<F>(F);

#[async_trait::async_trait]
impl<F: Fn(Result<Response>) -> Result<Response> + Send + Sync + 'static> Middleware for Map<F> {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        (self.0)(next.run(request, extensions).await)
    }
}

/// An error of somebody's own.
#[derive(Debug)]
struct Own(Error);

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something of mine failed")
    }
}

impl StdError for Own {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}

/// A resolver that knows no name.
struct Nowhere;

impl Resolve for Nowhere {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(async { Err(DnsFailure::NoSuchName.into()) })
    }
}

type Wrap = fn(Error) -> Error;

/// The ways in which a middleware may hand on an error.
const WRAPS: [Wrap; 7] = [
    |error| error,
    |error| Error::Middleware(anyhow!(error)),
    |error| match error {
        Error::Reqwest(error) => Error::middleware(error),
        error @ Error::Middleware(_) => error,
    },
    |error| match error {
        Error::Reqwest(error) => Error::Middleware(anyhow!(error).context("on the way")),
        Error::Middleware(error) => Error::Middleware(error.context("on the way")),
    },
    |error| Error::middleware(Own(error)),
    |error| Error::middleware(Own(Error::middleware(Own(error)))),
    |error| Error::middleware(std::io::Error::other(error)),
];

#[tokio::test]
async fn a_failure_is_retried_whatever_is_around_it() {
    for (index, wrap) in WRAPS.into_iter().enumerate() {
        let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(200)]);
        let client =
            ClientBuilder::new(client()).with(retry()).with(Map(move |result: Result<_>| result.map_err(wrap)));
        let response = guarded(client.build().get(server.url("/")).send()).await.unwrap();
        assert_eq!((response.status().as_u16(), server.sends()), (200, 2), "wrap {index}");
        // A closure around such a client knows it, too.
        let server = Server::start([Fault::Reset.at(Point::Request), Reply::status(200)]);
        let (client, url) = (with(Map(move |result: Result<_>| result.map_err(wrap))), server.url("/"));
        let response = guarded(retry().run(Method::GET, &url, |_| client.get(&url).send())).await.unwrap();
        assert_eq!((response.status().as_u16(), server.sends()), (200, 2), "wrap {index}");
    }
}

#[tokio::test]
async fn a_failure_that_is_not_retried_keeps_its_kind_and_all_that_was_around_it() {
    let url = "http://no-such-name.test/?token=s3cret";
    for (index, wrap) in WRAPS.into_iter().enumerate() {
        let client = runtime_tokio::client_builder().dns_resolver(Nowhere).build().unwrap();
        let client = ClientBuilder::new(client).with(retry()).with(Map(move |result: Result<_>| result.map_err(wrap)));
        let error = ours(guarded(client.build().get(url).send()).await.unwrap_err());
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Dns, 1), "wrap {index}");
        assert!(matches!(error.event(), Some(Event::Failure(failure)) if failure.kind() == ErrorKind::Dns));
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("s3cret"), "wrap {index}: {text}");
        }
        let text = around(&error);
        assert_eq!(text.contains("on the way"), index == 3, "{text}");
        assert_eq!(text.contains("something of mine failed"), index == 4 || index == 5, "{text}");
    }
}

#[tokio::test]
async fn an_error_that_is_nothing_to_us_ends_the_call_and_is_its_source() {
    let server = Server::start([Reply::status(200)]);
    let refuse = Map(|_: Result<_>| Err(Error::Middleware(anyhow!("no token").context("not signed in"))));
    let client = ClientBuilder::new(client()).with(retry()).with(refuse).build();
    let error = ours(guarded(client.get(server.url("/")).send()).await.unwrap_err());
    assert_eq!((error.kind(), error.attempts(), server.sends()), (ErrorKind::Unknown, 1, 1));
    let source = error.source().unwrap().downcast_ref::<Error>().unwrap();
    let Error::Middleware(source) = source else { panic!("{source}") };
    assert_eq!(format!("{source:#}"), "not signed in: no token");
}

#[tokio::test]
async fn a_status_that_a_middleware_made_an_error_of_is_a_status() {
    for (index, wrap) in WRAPS.into_iter().enumerate() {
        let server = Server::start([Reply::status(503), Reply::status(404)]);
        let strict =
            Map(move |result: Result<Response>| result?.error_for_status().map_err(|error| wrap(error.into())));
        let client = ClientBuilder::new(client()).with(retry()).with(strict).build();
        let error = ours(guarded(client.get(server.url("/?token=s3cret")).send()).await.unwrap_err());
        let told = (error.event(), error.attempts(), server.sends());
        assert_eq!(told, (Some(Event::Status(404)), 2, 2), "wrap {index}");
        // reqwest's error names the URL, and nothing is inside it that would be shown instead.
        assert!(!error.to_string().contains("s3cret"), "wrap {index}: {error}");
    }
}

#[tokio::test]
async fn a_redirect_that_was_followed_is_seen_whatever_is_around_what_failed_then() {
    let nobody = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    nobody.bind(&core::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let dead = nobody.local_addr().unwrap().as_socket().unwrap();
    let policy = retry().policy().edit().non_idempotent(NonIdempotent::WhenUnsent).build().unwrap();
    let retry = Retry::with_timer(policy, crate::SkipTimer::default());
    for (index, wrap) in WRAPS.into_iter().enumerate() {
        let server = Server::start([Reply::status(307).header("Location", format!("http://{dead}/next"))]);
        let (url, wrap) = (server.url("/order"), Map(move |result: Result<_>| result.map_err(wrap)));
        let client = ClientBuilder::new(client()).with(retry.clone()).with(wrap).build();
        let error = ours(guarded(client.post(&url).body("order").send()).await.unwrap_err());
        assert_eq!((error.attempts(), server.sends()), (1, 1), "the redirect was the answer to the only POST, {index}");
        let Some(Event::Failure(failure)) = error.event() else { panic!("it failed") };
        assert_eq!((failure.kind(), failure.reached), (ErrorKind::Network, Reached::MaybeSent), "wrap {index}");
    }
}

#[tokio::test]
async fn an_error_that_a_layer_of_ours_worked_on_is_not_worked_on_again() {
    for (index, wrap) in WRAPS.into_iter().enumerate() {
        let server = Server::start([Fault::Reset.at(Point::Request)]);
        let client = ClientBuilder::new(client())
            .with(retry())
            .with(Map(move |result: Result<_>| result.map_err(wrap)))
            .with(retry());
        let error = ours(guarded(client.build().get(server.url("/")).send()).await.unwrap_err());
        assert_eq!(server.sends(), 4, "wrap {index}");
        let inner = find(&error).expect("the inner layer's error is there");
        assert_eq!((inner.kind(), inner.attempts()), (ErrorKind::RetryExhausted, 4), "wrap {index}");
        assert_eq!(around(&error).contains("on the way"), index == 3, "wrap {index}");
    }
}

/// The innermost error of ours.
fn find<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Ours> {
    let inside = match (error.downcast_ref::<Error>(), error.downcast_ref::<std::io::Error>()) {
        (Some(Error::Middleware(error)), _) => Some(&**error as &(dyn StdError + 'static)),
        (Some(Error::Reqwest(error)), _) => Some(error as _),
        (None, Some(error)) => error.get_ref().map(|error| error as _),
        (None, None) => error.source(),
    };
    inside.and_then(find).or_else(|| error.downcast_ref())
}

/// What the sources of an error say.
fn around(error: &Ours) -> String {
    let mut text = String::new();
    let mut next = error.source();
    while let Some(error) = next {
        text += &format!("{error}: ");
        next = error.source();
    }
    text
}
