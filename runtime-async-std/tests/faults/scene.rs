//! The stage on which a fault happens: a server, a client, a request.

use core::any::Any;
use core::time::Duration;

use conformance::server::{Fault, Point, Reply, Server, Tls};
use retry_core::PolicyBuilder;
use surf::{HttpClient, RequestBuilder};

/// Where the request goes, as far as the row leaves it open: it must not matter.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: &'static str,
}

/// All that a row needs.
pub(crate) struct Scene {
    pub(crate) server: Option<Server>,
    /// In place of the backend.
    pub(crate) client: Option<Box<dyn HttpClient>>,
    pub(crate) trusts: bool,
    /// The client's own.
    pub(crate) timeout: Option<Duration>,
    pub(crate) url: String,
    pub(crate) request: Box<dyn FnOnce(RequestBuilder) -> RequestBuilder + Send>,
    pub(crate) policy: fn(PolicyBuilder) -> PolicyBuilder,
    pub(crate) fetch: bool,
    pub(crate) max_body: usize,
    pub(crate) time: Time,
    /// What has to live as long as the scene.
    pub(crate) props: Vec<Box<dyn Any + Send>>,
}

/// How time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// By itself.
    Real,
    /// A limit passes each time that the server has stalled once more, and not before.
    AtStalls,
    /// By itself, and the caller cancels as soon as the server has stalled.
    Canceled,
}

impl Scene {
    /// A GET of `url`.
    pub(crate) fn new(url: impl Into<String>) -> Self {
        Self {
            server: None,
            client: None,
            trusts: false,
            timeout: None,
            url: url.into(),
            request: Box::new(|request| request),
            policy: |policy| policy,
            fetch: false,
            max_body: runtime_async_std::MAX_BODY,
            time: Time::Real,
            props: Vec::new(),
        }
    }

    /// A GET from this server.
    pub(crate) fn of(server: Server, place: &Place) -> Self {
        let url = server.url(place.path);
        Self { server: Some(server), ..Self::new(url) }
    }

    pub(crate) fn url(self, url: impl Into<String>) -> Self {
        Self { url: url.into(), ..self }
    }

    pub(crate) fn client(self, client: impl HttpClient) -> Self {
        Self { client: Some(Box::new(client)), ..self }
    }

    pub(crate) fn request(self, request: impl FnOnce(RequestBuilder) -> RequestBuilder + Send + 'static) -> Self {
        Self { request: Box::new(request), ..self }
    }

    pub(crate) fn policy(self, policy: fn(PolicyBuilder) -> PolicyBuilder) -> Self {
        Self { policy, ..self }
    }

    pub(crate) fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    pub(crate) fn fetch(self) -> Self {
        Self { fetch: true, ..self }
    }

    pub(crate) fn max_body(self, max_body: usize) -> Self {
        Self { max_body, ..self }
    }

    pub(crate) fn time(self, time: Time) -> Self {
        Self { time, ..self }
    }

    pub(crate) fn prop(mut self, prop: impl Any + Send) -> Self {
        self.props.push(Box::new(prop));
        self
    }
}

/// A server that always answers so.
pub(crate) fn http1(reply: Reply) -> impl Fn(&Place) -> Scene + Send + Sync {
    move |place| Scene::of(Server::start([reply.clone()]), place)
}

/// The same, and the body is read inside the attempt.
pub(crate) fn body(reply: Reply) -> impl Fn(&Place) -> Scene + Send + Sync {
    move |place| http1(reply.clone())(place).fetch()
}

/// A server that speaks TLS so, and then always answers so.
pub(crate) fn tls(tls: Tls, reply: Reply) -> impl Fn(&Place) -> Scene + Send + Sync {
    move |place| {
        let server = Server::builder().script([reply.clone()]).tls([tls]).start();
        Scene { trusts: true, ..Scene::of(server, place) }
    }
}

/// A server that always shakes hands so.
pub(crate) fn handshake(step: Tls) -> impl Fn(&Place) -> Scene + Send + Sync {
    tls(step, Reply::status(200))
}

pub(crate) fn silent(place: &Place) -> Scene {
    http1(Fault::Stall.at(Point::Request))(place).time(Time::AtStalls)
}
