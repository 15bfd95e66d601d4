//! The fleet: clients and services whose calls are carried out by the core's machine, in virtual time.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{Action, Attempt, Cause, Event, Instant, Outcome, Pause, Policy, Reached, Replay};

use super::alarms::{Alarms, Ticket};
use super::arrivals::Arrivals;
use super::record::Record;
use super::scenario::Scenario;
use super::server::{Server, Step};
use super::variant::Fund;

/// A fleet that plays one variant of a scenario.
pub(super) struct Fleet<'a> {
    policy: &'a Policy,
    scenario: &'a Scenario,
    /// The budgets: those of the clients' processes, then those of the first service's, and so on.
    funds: Vec<Fund>,
    calls: Vec<Call<'a>>,
    /// The places in `calls` that are free.
    free: Vec<u32>,
    alarms: Alarms,
    server: Server,
    arrivals: Arrivals,
    serial: u32,
    rng: Xoshiro256PlusPlus,
    record: Record,
}

/// One call under way, of a client or of a service.
struct Call<'a> {
    state: State<'a>,
    serial: u32,
    /// Which of the funds pays for its retries.
    fund: u32,
    /// The send of the layer above that this call is made for; `None` for a client's call.
    above: Option<Ticket>,
    layer: u8,
    /// Whether it is made for a retry.
    again: bool,
}

enum State<'a> {
    Sent(Attempt<&'a Policy>),
    Waits(Pause<&'a Policy>),
    Free,
}

impl<'a> Fleet<'a> {
    pub(super) fn new(scenario: &'a Scenario, policy: &'a Policy, fund: &Fund) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(scenario.seed);
        // Every variant has the same clients, whatever it draws later.
        let arrivals = Arrivals::new(scenario, &mut rng.clone());
        rng.jump();
        Self {
            policy,
            scenario,
            funds: vec![fund.clone(); scenario.processes as usize * scenario.layers as usize],
            calls: Vec::new(),
            free: Vec::new(),
            alarms: Alarms::default(),
            server: Server::new(scenario),
            arrivals,
            serial: 0,
            rng,
            record: Record::new(scenario),
        }
    }

    /// Plays the variant to the end of its last call. `progress` is told now and then how far it is, as a share.
    pub(super) fn play(mut self, progress: impl Fn(f64)) -> Record {
        let all = (self.scenario.load * self.scenario.duration.as_secs_f64()).max(1.0);
        let mut steps: u32 = 0;
        loop {
            // A reply that comes in the very moment of a limit is in time, and a retry goes out before a new call.
            let next = [self.server.next(), self.alarms.next(), self.arrivals.next()];
            let Some(now) = next.into_iter().flatten().min() else { break };
            if next[2].is_none() && self.under_way() == 0 {
                break;
            }
            self.record.pass(now, self.server.queued());
            if next[0] == Some(now) {
                self.serve(now);
            } else if next[1] == Some(now) {
                self.wake(now);
            } else {
                self.arrive(now);
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1 << 16) {
                // A call under way is half done.
                let begun = self.record.calls() as f64;
                progress((begun - self.under_way() as f64 / 2.0) / all);
                let (live, calls) = (self.under_way(), &self.calls);
                self.alarms.sweep(live, |ticket| calls[ticket.slot as usize].serial == ticket.serial);
            }
        }
        self.record
    }

    fn under_way(&self) -> usize {
        self.calls.len() - self.free.len()
    }

    fn serve(&mut self, now: u64) {
        match self.server.step(now) {
            Step::Served(ticket) => {
                if !self.reply(ticket, Outcome::status(200), now) {
                    self.record.stale += 1;
                }
            }
            Step::Cut(tickets) => {
                for ticket in tickets {
                    self.reply(ticket, Outcome::failure(Cause::Network, Reached::MaybeSent), now);
                }
            }
            Step::Quiet => {}
        }
    }

    fn wake(&mut self, now: u64) {
        let Some(ticket) = self.alarms.ring() else { return };
        let call = &mut self.calls[ticket.slot as usize];
        if call.serial != ticket.serial {
            return;
        }
        match core::mem::replace(&mut call.state, State::Free) {
            State::Sent(attempt) => {
                self.finish(ticket.slot, attempt, Outcome::failure(Cause::Timeout, Reached::MaybeSent), now);
            }
            State::Waits(pause) => {
                let action = pause.resume(Instant::from_nanos(now));
                self.carry_out(ticket.slot, action, now);
            }
            State::Free => {}
        }
    }

    fn arrive(&mut self, now: u64) {
        let client = self.arrivals.take();
        self.record.begun(now);
        self.begin(
            Call {
                state: State::Free,
                serial: 0,
                fund: client % self.scenario.processes,
                above: None,
                layer: 1,
                again: false,
            },
            now,
        );
    }

    fn begin(&mut self, call: Call<'a>, now: u64) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.calls[slot as usize] = call;
                slot
            }
            None => {
                self.calls.push(call);
                (self.calls.len() - 1) as u32
            }
        };
        let action = Attempt::start(self.policy, Replay::Always, None, Instant::from_nanos(now));
        self.carry_out(slot, action, now);
    }

    /// Does what the machine says.
    fn carry_out(&mut self, slot: u32, action: Action<&'a Policy>, now: u64) {
        self.serial += 1;
        let ticket = Ticket { serial: self.serial, slot };
        let call = &mut self.calls[slot as usize];
        call.serial = ticket.serial;
        if let Some(at) = action.wake_at() {
            self.alarms.set(at.as_nanos(), ticket);
        }
        match action {
            Action::Send(attempt) => {
                let again = call.again || attempt.number() > 1;
                call.state = State::Sent(attempt);
                self.send(ticket, again, now);
            }
            Action::Wait(pause) => call.state = State::Waits(pause),
            Action::Done(end) | Action::GiveUp(end) => {
                let answered = end.event == Some(Event::Status(200));
                call.state = State::Free;
                let above = call.above;
                self.free.push(slot);
                match above {
                    Some(above) => _ = self.reply(above, Outcome::status(if answered { 200 } else { 503 }), now),
                    None => self.record.ended(now, answered),
                }
            }
        }
    }

    /// Sends a request to the layer below: to the server, or to a service that makes a call of its own for it.
    fn send(&mut self, ticket: Ticket, again: bool, now: u64) {
        let layer = self.calls[ticket.slot as usize].layer;
        if u32::from(layer) < self.scenario.layers {
            let processes = self.scenario.processes;
            // The serial number is as good as a load balancer's turn.
            let fund = u32::from(layer) * processes + ticket.serial % processes;
            let call = Call { state: State::Free, serial: 0, fund, above: Some(ticket), layer: layer + 1, again };
            self.begin(call, now);
            return;
        }
        self.record.send(now, again);
        if !self.server.take(ticket, now) {
            self.reply(ticket, Outcome::status(503), now);
        }
    }

    /// Brings a reply to the send it is for; `false` if that has been given up.
    fn reply(&mut self, ticket: Ticket, outcome: Outcome, now: u64) -> bool {
        let call = &mut self.calls[ticket.slot as usize];
        if call.serial != ticket.serial {
            return false;
        }
        match core::mem::replace(&mut call.state, State::Free) {
            State::Sent(attempt) => self.finish(ticket.slot, attempt, outcome, now),
            state @ (State::Waits(_) | State::Free) => call.state = state,
        }
        true
    }

    fn finish(&mut self, slot: u32, attempt: Attempt<&'a Policy>, outcome: Outcome, now: u64) {
        if outcome.event != Event::Status(200) {
            self.record.last_lost = Some(now);
        }
        let fund = &mut self.funds[self.calls[slot as usize].fund as usize];
        let action = attempt.finish(outcome, Instant::from_nanos(now), fund, &mut self.rng);
        self.carry_out(slot, action, now);
    }
}
