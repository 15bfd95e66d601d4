//! One call's way through a pool of proxies, and the guard that gives a probe back.

use core::future::Future;
use core::time::Duration;
use std::sync::Arc;

use retry_core::{Instant, Ticket, Timer, Trail, Try};
use surf::{Client, Response};

use crate::classify::{Blame, Way};
use crate::fault::Fault;
use crate::proxies::Clients;

/// The way of one call through a pool.
pub(crate) struct Lane {
    clients: Arc<Clients>,
    trail: Trail<Vec<bool>>,
    untried: Option<Duration>,
}

impl Lane {
    pub(crate) fn new(clients: Arc<Clients>, count: usize) -> Self {
        Self { clients, trail: Trail::new(vec![false; count]), untried: None }
    }

    /// Lets `send` send to `url` by the client of the proxy whose turn it is.
    pub(crate) async fn send<F: Future<Output = Result<Response, Fault>>>(
        &mut self,
        this: Try,
        timer: &impl Timer,
        url: &str,
        send: impl FnOnce(Client) -> F,
    ) -> Result<Response, Fault> {
        self.untried = None;
        let ticket = self.clients.pool(|pool| pool.pick(&mut self.trail, this.sent_at));
        let lease = Lease { clients: &self.clients, ticket };
        let (client, way) = lease.client(url);
        match send(client).await {
            Ok(response) => {
                lease.succeeded(&mut self.trail, response.status().into());
                Ok(response)
            }
            Err(fault) => match fault.of_proxy(way) {
                Some(Blame::Proxy(cause)) => {
                    self.untried = lease.failed(&mut self.trail, timer.now());
                    Err(Fault::Proxy(cause, Box::new(fault)))
                }
                // Nobody knows that it was not sent, so it waits as any other failure does.
                Some(Blame::Either) => {
                    let _ = lease.failed(&mut self.trail, timer.now());
                    Err(fault)
                }
                None => Err(fault),
            },
        }
    }

    pub(crate) fn untried(&self) -> Option<Duration> {
        self.untried
    }

    pub(crate) fn proxy(&self) -> Option<u16> {
        self.trail.current().and_then(|proxy| u16::try_from(proxy).ok())
    }
}

/// The right to use a proxy for one send. Dropped without a reply, it gives a probe back.
struct Lease<'a> {
    clients: &'a Clients,
    ticket: Option<Ticket>,
}

impl Lease<'_> {
    /// The client of the proxy, and how it takes a request to `url` through it.
    fn client(&self, url: &str) -> (Client, Way) {
        let (client, is_socks) = self.clients.client(self.ticket.as_ref().map(Ticket::proxy));
        let way = match (url.starts_with("https:"), is_socks) {
            (false, _) => Way::Open,
            (true, false) => Way::Connect,
            (true, true) => Way::Socks,
        };
        (client.clone(), way)
    }

    fn succeeded(mut self, trail: &mut Trail<Vec<bool>>, status: u16) {
        if let Some(ticket) = self.ticket.take() {
            self.clients.pool(|pool| pool.succeeded(ticket, trail, status));
        }
    }

    fn failed(mut self, trail: &mut Trail<Vec<bool>>, now: Instant) -> Option<Duration> {
        let ticket = self.ticket.take()?;
        self.clients.pool(|pool| pool.failed(ticket, trail, now))
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.clients.pool(|pool| pool.release(ticket));
        }
    }
}
