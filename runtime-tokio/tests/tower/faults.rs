//! Every failure of hyper-util's client by its name: real faults on loopback, one row each.

use core::net::SocketAddr;

use conformance::server::{Fault, Point, Reply, Server, StreamFault, Tls};
use http::Version;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use retry_core::{ErrorKind, Event, NonIdempotent, Reached};
use runtime_tokio::{DnsFailure, Error, Retry};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use tower::util::BoxCloneService;
use tower::{BoxError, Layer, service_fn};

use crate::common::{instant, refused};
use crate::stack::{Given, Sent, builder, client, get, post, send};
use ErrorKind::{Certificate, Dns, Network, Tls as TlsKind, Transport, Unknown};
use Reached::{MaybeSent, Unsent};

/// Any of hyper-util's clients.
type Client = BoxCloneService<Sent, Given, hyper_util::client::legacy::Error>;

/// What comes of a request that may be sent twice: the failure's kind, whether it can have reached the server, and how
/// often it was sent.
type Came = (ErrorKind, Reached, u32);

async fn come(name: &str, retry: &Retry, client: Client, request: Sent) -> Came {
    let error: Error = match send(&retry.layer(client), request).await {
        Err(error) => error,
        Ok(response) => panic!("{name}: {}", response.status()),
    };
    let Some(Event::Failure(failure)) = error.event() else { panic!("{name}: {error:?}") };
    (failure.kind(), failure.reached, error.attempts())
}

fn boxed<C>(client: C) -> Client
where
    C: tower::Service<Sent, Response = Given, Error = hyper_util::client::legacy::Error> + Clone + Send + 'static,
    C::Future: Send,
{
    BoxCloneService::new(client)
}

fn http2() -> Client {
    boxed(builder().http2_only(true).build_http())
}

/// A client whose names are looked up by this.
fn names(resolve: fn() -> Result<SocketAddr, BoxError>) -> Client {
    let resolver = service_fn(move |_: Name| core::future::ready(resolve().map(core::iter::once)));
    boxed(builder().build(HttpConnector::new_with_resolver(resolver)))
}

/// A client that trusts these authorities.
fn tls(trusted: &[u8]) -> Client {
    let mut roots = RootCertStore::empty();
    if !trusted.is_empty() {
        roots.add(CertificateDer::from_slice(trusted)).unwrap();
    }
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let connector =
        hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1().build();
    boxed(hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector))
}

/// What comes of it with the feature that tells it apart, or without it.
fn with(is_on: bool, typed: Came, coarse: Came) -> Came {
    if is_on { typed } else { coarse }
}

const H2: bool = cfg!(feature = "h2");
const HYPER: bool = cfg!(feature = "hyper");
const HYPER_UTIL: bool = cfg!(feature = "hyper-util");
const RUSTLS: bool = cfg!(feature = "rustls");

const LOST: Came = (Network, MaybeSent, 2);
const BROKEN: Came = (Transport, MaybeSent, 2);
const UNKNOWN: Came = (Unknown, MaybeSent, 1);

/// The rows in which a server gets a request.
#[tokio::test]
async fn failures_of_a_connection() {
    let eof = with(HYPER, LOST, UNKNOWN);
    let malformed = with(HYPER, BROKEN, UNKNOWN);
    let unprocessed = with(H2, (Transport, Unsent, 2), UNKNOWN);
    let stream = with(H2, BROKEN, UNKNOWN);
    let (refused, failed) = (StreamFault::REFUSED_STREAM, StreamFault::INTERNAL_ERROR);
    let rows = [
        ("reset after the first byte", Fault::Reset.at(Point::FirstByte), false, LOST),
        ("reset after the request", Fault::Reset.at(Point::Request), false, LOST),
        ("reset in the response's head", Fault::Reset.at(Point::HalfHead), false, LOST),
        ("closed after the first byte", Fault::Close.at(Point::FirstByte), false, eof),
        ("closed after the request", Fault::Close.at(Point::Request), false, eof),
        ("closed in the response's head", Fault::Close.at(Point::HalfHead), false, eof),
        ("no HTTP at all", Reply::garbage(), false, malformed),
        ("a status that is no number", Reply::raw("HTTP/1.1 abc OK\r\n\r\n"), false, malformed),
        ("a head that does not end", Reply::endless_head(), false, malformed),
        ("HTTP/2: closed after the request", Fault::Close.at(Point::Request), true, LOST),
        ("HTTP/2: reset after the request", Fault::Reset.at(Point::Request), true, LOST),
        ("HTTP/2: REFUSED_STREAM", StreamFault::Reset(refused).reply(), true, unprocessed),
        ("HTTP/2: GOAWAY above the last stream", StreamFault::GoAwayBelow(0).reply(), true, unprocessed),
        ("HTTP/2: GOAWAY at the last stream", StreamFault::GoAwayAt(0).reply(), true, LOST),
        ("HTTP/2: INTERNAL_ERROR", StreamFault::Reset(failed).reply(), true, stream),
    ];
    let mut wrong = Vec::new();
    for (name, reply, is_http2, expected) in rows {
        let server = Server::builder().script([reply]);
        let (server, client) =
            if is_http2 { (server.http2().start(), http2()) } else { (server.start(), boxed(client())) };
        let came = come(name, &Retry::new(instant(1)), client, get(server.url("/"))).await;
        if (came, server.sends()) != (expected, expected.2 as usize) {
            wrong.push(format!("{name}: {came:?} and {} requests are not {expected:?}", server.sends()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rows in which no server gets one.
#[tokio::test]
async fn failures_before_there_is_a_connection() {
    let unsent = |kind, attempts, coarse| with(HYPER_UTIL, (kind, Unsent, attempts), coarse);
    let (socket, nobody) = refused();
    let plain = Server::start([Reply::status(400)]);
    let untrusted = Server::builder().script([Reply::status(200)]).tls([Tls::Good]).start();
    let cut = Server::builder().script([Reply::status(200)]).tls([Tls::Fault(Fault::Reset)]).start();
    let wrong_version = {
        let mut request = get(plain.url("/"));
        *request.version_mut() = Version::HTTP_2;
        request
    };
    let named = || get("http://name.test/");
    let no_such_name = (Dns, Unsent, 1);
    let temporary = (Dns, Unsent, 2);
    let rows: Vec<(&str, Client, Sent, Came)> = vec![
        ("refused", boxed(client()), get(format!("http://{nobody}/")), unsent(Network, 2, LOST)),
        ("no such name", names(|| Err(DnsFailure::NoSuchName.into())), named(), no_such_name),
        ("no name for now", names(|| Err(DnsFailure::Temporary.into())), named(), temporary),
        (
            "no such name, by the system's text",
            names(|| Err("failed to lookup address information: Name or service not known".into())),
            named(),
            with(HYPER_UTIL, no_such_name, (Dns, MaybeSent, 1)),
        ),
        (
            "a lookup that fails otherwise",
            names(|| Err("out of order".into())),
            named(),
            unsent(Dns, 2, (Dns, MaybeSent, 2)),
        ),
        (
            "a certificate of nobody's",
            tls(&[]),
            get(untrusted.url("/")),
            match (HYPER_UTIL, RUSTLS) {
                (true, true) => (Certificate, Unsent, 1),
                (true, false) => (TlsKind, Unsent, 1),
                (false, true) => (Certificate, MaybeSent, 1),
                (false, false) => UNKNOWN,
            },
        ),
        ("TLS: reset in the handshake", tls(cut.ca_der()), get(cut.url("/")), unsent(Network, 2, LOST)),
        (
            "a version that the connection does not speak",
            boxed(client()),
            wrong_version,
            unsent(ErrorKind::Validation, 0, UNKNOWN),
        ),
    ];
    let mut wrong = Vec::new();
    for (name, client, request, expected) in rows {
        let came = come(name, &Retry::new(instant(1)), client, request).await;
        if came != expected {
            wrong.push(format!("{name}: {came:?} is not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((plain.sends(), untrusted.sends(), cut.sends()), (0, 0, 0));
    drop(socket);
}

/// A POST that may be repeated where it is known to be unsent.
#[tokio::test]
async fn what_is_unsent_may_be_repeated() {
    let policy = instant(1).edit().non_idempotent(NonIdempotent::WhenUnsent).build().unwrap();
    let retry = Retry::new(policy);
    let (socket, nobody) = refused();
    let came = come("refused", &retry, boxed(client()), post(format!("http://{nobody}/"), "order")).await;
    assert_eq!(came, with(HYPER_UTIL, (Network, Unsent, 2), (Network, MaybeSent, 1)));
    drop(socket);
    for (fault, expected) in [
        (StreamFault::Reset(StreamFault::REFUSED_STREAM), with(H2, (Transport, Unsent, 2), UNKNOWN)),
        (StreamFault::GoAwayAt(0), (Network, MaybeSent, 1)),
    ] {
        let server = Server::builder().script([fault.reply()]).http2().start();
        assert_eq!(come("a stream", &retry, http2(), post(server.url("/"), "order")).await, expected, "{fault:?}");
        assert_eq!(server.sends(), expected.2 as usize, "{fault:?}");
    }
}
