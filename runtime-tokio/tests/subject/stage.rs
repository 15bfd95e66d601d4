//! What happens in one scenario: its servers, its time, and what was seen.

use core::net::SocketAddr;
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};

use conformance::json::Span;
use conformance::scenario::{Cause, Event, Random, Scenario, Step};
use conformance::server::{Fault, Point, Server};
use conformance::sim::Clock;
use conformance::trace::{Send, Wait};
use socket2::{Domain, Socket, Type};

use crate::script::{needs_http2, reply, server_sees};

/// A scenario in progress.
pub(crate) struct Stage {
    scenario: Scenario,
    clock: Clock,
    /// One for each step that reaches a server.
    servers: Vec<Option<Server>>,
    /// Where sends go that their limit cuts, or the caller.
    silent: Server,
    /// A port on which nobody listens.
    refusing: Socket,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sends: Vec<Send>,
    waits: Vec<Wait>,
    /// Whether a send is on its way, and not a reply being drained.
    sending: bool,
    /// Whether its limit comes before its reply.
    cut: bool,
    /// Sends that no server can see.
    unseen: usize,
    /// The caller gives up as soon as so many sends have come to the silent server.
    cancel_after: Option<usize>,
}

/// Where a send goes.
pub(crate) enum Target {
    To(SocketAddr),
    NoSuchName,
    NoName,
    /// Nothing comes of it.
    Nowhere,
}

impl Stage {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let http2 = needs_http2(scenario);
        let start = |reply| {
            let server = Server::builder().script([reply]);
            if http2 { server.http2().start() } else { server.start() }
        };
        let refusing = Socket::new(Domain::IPV4, Type::STREAM, None).expect("there are sockets");
        refusing.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).expect("loopback has free ports");
        Self {
            scenario: scenario.clone(),
            clock: Clock::new(scenario),
            servers: scenario.script.iter().map(|step| Some(start(reply(step, http2)?))).collect(),
            silent: start(Fault::Stall.at(Point::Request)),
            refusing,
            state: Mutex::default(),
        }
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn seed(&self) -> u64 {
        match self.scenario.random {
            Random::Seed(seed) => seed,
            Random::Words(_) => panic!("a client draws its words itself, from a seed"),
        }
    }

    pub(crate) fn is_http2(&self) -> bool {
        needs_http2(&self.scenario)
    }

    /// Whether the script has a fault of a body.
    pub(crate) fn reads_bodies(&self) -> bool {
        let is_of_body = |event| matches!(event, Event::Failure(Cause::ResponseRead | Cause::BodyTooLarge, _));
        self.scenario.script.iter().any(|step| is_of_body(step.event))
    }

    /// The start of the call: the caller may have given up before.
    pub(crate) fn begin(&self) {
        if !self.pass(Span::ZERO) {
            self.state().cancel_after = Some(0);
        }
    }

    /// Completes when the caller gives up.
    pub(crate) fn canceled(self: &std::sync::Arc<Self>) -> impl Future<Output = ()> + use<> {
        let stage = std::sync::Arc::clone(self);
        async move {
            while stage.state().cancel_after.is_none_or(|count| stage.silent.sends() < count) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    }

    /// Lets a wait pass. `false`: the caller gives up in it.
    pub(crate) fn wait_for(&self, time: Span) -> bool {
        let goes_on = self.pass(time);
        if !goes_on {
            self.state().cancel_after = Some(0);
        }
        goes_on
    }

    /// A send begins.
    pub(crate) fn send(&self) {
        let mut state = self.state();
        state.sends.push(Send { at: self.clock.passed(), took: Span::ZERO, event: None });
        (state.sending, state.cut) = (true, false);
    }

    /// Where the send goes, as soon as it is known whether its limit cuts it; what it takes has passed then.
    pub(crate) fn target(&self) -> Target {
        let step = self.step();
        let cut = self.state().cut;
        if cut || !self.pass(step.takes) {
            let mut state = self.state();
            let is_seen = server_sees(&step);
            if !is_seen {
                state.unseen += 1;
            }
            if !cut {
                self.took(&mut state);
                state.cancel_after = Some(self.silent.sends() + usize::from(is_seen));
            }
            return if is_seen { Target::To(self.silent.addr()) } else { Target::Nowhere };
        }
        let mut state = self.state();
        self.took(&mut state);
        let index = (state.sends.len() - 1).min(self.servers.len() - 1);
        match (&self.servers[index], step.event) {
            (Some(server), _) => return Target::To(server.addr()),
            (None, Event::Failure(Cause::DnsTemporary, _)) => state.unseen += 1,
            (None, Event::Failure(Cause::DnsNoSuchName, _)) => {
                state.unseen += 1;
                return Target::NoSuchName;
            }
            (None, _) => {
                state.unseen += 1;
                let refusing = self.refusing.local_addr().ok().and_then(|addr| addr.as_socket());
                return Target::To(refusing.expect("it is bound"));
            }
        }
        Target::NoName
    }

    /// A limit begins: of a send, or of the draining of its reply. `true`: it comes before what it limits.
    pub(crate) fn limit(&self, left: Span) -> bool {
        let mut state = self.state();
        assert!(!state.sends.is_empty(), "a limit belongs to a send");
        if !state.sending {
            return true;
        }
        let step = self.scenario.step(u32::try_from(state.sends.len()).unwrap_or(u32::MAX));
        state.cut = self.clock.is_before(left, step.takes);
        state.cut
    }

    /// Waits until a send that is cut has come where it goes, and lets its limit pass. `false`: the caller gives up.
    pub(crate) async fn cut(&self, left: Span) -> bool {
        let step = self.step();
        if !self.state().sending {
            // The reply is drained, or else cut there.
            return self.wait_for(left.min(step.drain));
        }
        let before = self.silent.sends();
        while server_sees(&step) && self.silent.sends() == before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let goes_on = self.wait_for(left);
        self.took(&mut self.state());
        goes_on
    }

    /// A reply of send `number` has come, and a wait begins.
    pub(crate) fn wait(&self, number: u32, event: Event, wait: Wait) {
        let mut state = self.state();
        assert_eq!(usize::try_from(number).ok(), Some(state.sends.len()), "sends are numbered from 1");
        if let Some(send) = state.sends.last_mut() {
            send.event = Some(event);
        }
        state.waits.push(wait);
        state.sending = false;
    }

    /// The sends and waits, and how many sends arrived or could not arrive anywhere.
    pub(crate) fn seen(&self, last: Option<Event>) -> (Vec<Send>, Vec<Wait>, u32) {
        let mut state = self.state();
        // No wait follows the last reply, so nobody has told of it yet.
        if let (Some(send), Some(event)) = (state.sends.last_mut(), last) {
            send.event = Some(event);
        }
        let servers = self.servers.iter().flatten().chain([&self.silent]);
        let arrived = servers.map(Server::sends).sum::<usize>() + state.unseen;
        (state.sends.clone(), state.waits.clone(), u32::try_from(arrived).unwrap_or(u32::MAX))
    }

    /// Lets time pass, unless the caller gives up before or at its end.
    fn pass(&self, time: Span) -> bool {
        self.clock.advance(time, self.scenario.cancel_at)
    }

    fn took(&self, state: &mut State) {
        if let Some(send) = state.sends.last_mut() {
            send.took = Span::from_nanos(self.clock.passed().as_nanos() - send.at.as_nanos());
        }
    }

    /// The step of the send on its way.
    fn step(&self) -> Step {
        let number = self.state().sends.len();
        self.scenario.step(u32::try_from(number).unwrap_or(u32::MAX)).clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
