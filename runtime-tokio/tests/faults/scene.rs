//! The stage on which a fault happens: a server, a client, a request.

use core::any::Any;
use core::time::Duration;

use conformance::server::{Reply, Server, Tls};
use reqwest::{ClientBuilder, RequestBuilder};
use retry_core::PolicyBuilder;

use crate::common;

/// Where the request goes, as far as the row leaves it open: it must not matter.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: &'static str,
    /// A name to use in place of 127.0.0.1 where no certificate minds.
    pub(crate) host: Option<&'static str>,
    /// What comes before the host: empty, or with an @ at its end.
    pub(crate) userinfo: &'static str,
}

impl Place {
    /// `url` of this place.
    pub(crate) fn of(&self, url: &str) -> String {
        url.replacen("://", &format!("://{}", self.userinfo), 1)
    }
}

/// The password of every proxy and redirect of the table, and what no output may hold.
pub(crate) const SECRET: &str = "hunter2";

/// All that a row needs.
pub(crate) struct Scene {
    pub(crate) server: Option<Server>,
    pub(crate) client: ClientBuilder,
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
    /// By [`STEP`] each time that the server has stalled once more, and not at all in between.
    AtStalls,
    /// By [`STEP`] again and again; for a stall that no server sees.
    Free,
    /// By itself, and the caller cancels as soon as the server has stalled.
    Canceled,
}

/// Longer than any limit of a client in the table, and short beside a total limit.
pub(crate) const STEP: Duration = Duration::from_secs(10);

impl Scene {
    /// A GET of `url` by this client.
    pub(crate) fn new(client: ClientBuilder, url: &str, place: &Place) -> Self {
        Self {
            server: None,
            client,
            url: place.of(url),
            request: Box::new(|request| request),
            policy: |policy| policy,
            fetch: false,
            max_body: runtime_tokio::MAX_BODY,
            time: Time::Real,
            props: Vec::new(),
        }
    }

    /// A GET from this server over HTTP.
    pub(crate) fn of(server: Server, place: &Place) -> Self {
        let mut client = common::builder();
        let mut url = server.url(place.path);
        if let (Some(host), true) = (place.host, url.starts_with("http:")) {
            client = common::resolving(client);
            url = url.replace("127.0.0.1", host);
        }
        Self { server: Some(server), ..Self::new(client, &url, place) }
    }

    /// A GET from this server over TLS, by a client that trusts its authority.
    pub(crate) fn trusting(server: Server, place: &Place) -> Self {
        let client = common::trusting(&server);
        let url = server.url(place.path);
        Self { server: Some(server), ..Self::new(client, &url, place) }
    }

    pub(crate) fn client(self, change: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        Self { client: change(self.client), ..self }
    }

    pub(crate) fn url(self, url: impl Into<String>) -> Self {
        Self { url: url.into(), ..self }
    }

    pub(crate) fn request(self, change: impl FnOnce(RequestBuilder) -> RequestBuilder + Send + 'static) -> Self {
        Self { request: Box::new(change), ..self }
    }

    pub(crate) fn policy(self, policy: fn(PolicyBuilder) -> PolicyBuilder) -> Self {
        Self { policy, ..self }
    }

    pub(crate) fn time(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// The body is read inside the attempt.
    pub(crate) fn fetch(self) -> Self {
        Self { fetch: true, ..self }
    }

    pub(crate) fn max_body(self, bytes: usize) -> Self {
        Self { max_body: bytes, ..self.fetch() }
    }

    pub(crate) fn prop(mut self, prop: impl Any + Send) -> Self {
        self.props.push(Box::new(prop));
        self
    }
}

/// Every request gets this reply, over HTTP/1.
pub(crate) fn http1(reply: Reply) -> impl Fn(&Place) -> Scene {
    move |place| Scene::of(Server::start([reply.clone()]), place)
}

/// Every request gets this reply, and its body is read inside the attempt.
pub(crate) fn body(reply: Reply) -> impl Fn(&Place) -> Scene {
    move |place| Scene::of(Server::start([reply.clone()]), place).fetch()
}

/// Every request gets this reply over HTTP/2 in plain text.
pub(crate) fn http2(reply: Reply) -> impl Fn(&Place) -> Scene {
    move |place| {
        let server = Server::builder().script([reply.clone()]).http2().start();
        Scene::of(server, place).client(ClientBuilder::http2_prior_knowledge)
    }
}

/// Every connection gets this handshake, and every request this reply.
pub(crate) fn tls(handshake: Tls, reply: Reply) -> impl Fn(&Place) -> Scene {
    move |place| Scene::trusting(Server::builder().script([reply.clone()]).tls([handshake]).start(), place)
}

/// Every connection gets this handshake.
pub(crate) fn handshake(handshake: Tls) -> impl Fn(&Place) -> Scene {
    tls(handshake, Reply::status(200))
}
