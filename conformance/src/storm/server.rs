//! The server: one request after the other, first in, first out, whether or not anybody still waits for the reply.

use std::collections::VecDeque;

use super::alarms::Ticket;
use super::nanos;
use super::scenario::Scenario;

/// The server at the bottom.
#[derive(Debug)]
pub(super) struct Server {
    /// How long one request takes.
    service: u64,
    mode: Mode,
    /// The changes to come, the next one last.
    changes: Vec<(u64, Mode)>,
    queue: VecDeque<Ticket>,
    /// When the first of the queue is done; `None` while nothing is being served.
    done_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Up,
    Hangs,
    Down,
}

/// What a step of the server led to.
pub(super) enum Step {
    /// This request was served.
    Served(Ticket),
    /// These were cut off.
    Cut(VecDeque<Ticket>),
    /// Nobody notices.
    Quiet,
}

impl Server {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let outage = &scenario.outage;
        let (hangs, end) = (nanos(outage.at), nanos(outage.end()));
        let down = hangs + nanos(outage.hang);
        let changes = [(end, Mode::Up), (down, Mode::Down), (hangs, Mode::Hangs)];
        let lasting = changes.into_iter().filter(|(at, mode)| match mode {
            Mode::Up => end > hangs,
            Mode::Down => end > down,
            Mode::Hangs => down > *at,
        });
        Self {
            service: ((1e9 / scenario.capacity).round() as u64).max(1),
            mode: Mode::Up,
            changes: lasting.collect(),
            queue: VecDeque::new(),
            done_at: None,
        }
    }

    /// Takes a request that arrives at `now`; `false` if the server is down.
    pub(super) fn take(&mut self, ticket: Ticket, now: u64) -> bool {
        if self.mode == Mode::Down {
            return false;
        }
        self.queue.push_back(ticket);
        self.serve(now);
        true
    }

    /// When its next step is due.
    pub(super) fn next(&self) -> Option<u64> {
        let change = self.changes.last().map(|(at, _)| *at);
        match (self.done_at, change) {
            (Some(done), Some(change)) => Some(done.min(change)),
            (done, change) => done.or(change),
        }
    }

    /// Makes the step that is due at `now`.
    pub(super) fn step(&mut self, now: u64) -> Step {
        if let Some((_, mode)) = self.changes.pop_if(|(at, _)| *at <= now) {
            self.mode = mode;
            // What was being served is begun anew when the server is back.
            self.done_at = None;
            self.serve(now);
            return if mode == Mode::Down { Step::Cut(core::mem::take(&mut self.queue)) } else { Step::Quiet };
        }
        self.done_at = None;
        let served = self.queue.pop_front();
        self.serve(now);
        served.map_or(Step::Quiet, Step::Served)
    }

    /// How many requests wait or are being served.
    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    fn serve(&mut self, now: u64) {
        if self.mode == Mode::Up && self.done_at.is_none() && !self.queue.is_empty() {
            self.done_at = Some(now + self.service);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::storm::scenario::{Outage, Preset};

    const MS: u64 = 1_000_000;

    fn server(hang: u64, down: u64) -> Server {
        let millis = Duration::from_millis;
        let outage = Outage { at: millis(100), hang: millis(hang), down: millis(down) };
        Server::new(&Scenario { capacity: 100.0, outage, ..Preset::Metastable.scenario(None) })
    }

    /// Sends at these milliseconds, and what became of them: served at, cut at, or refused.
    fn play(mut server: Server, sends: &[u64]) -> Vec<String> {
        let mut told = vec![String::new(); sends.len()];
        let mut rest = sends.iter().enumerate().peekable();
        loop {
            let send = rest.peek().map(|(_, at)| *at * MS);
            match (server.next(), send) {
                (Some(now), send) if send.is_none_or(|at| now <= at) => match server.step(now) {
                    Step::Served(ticket) => told[ticket.slot as usize] = format!("served {}", now / MS),
                    Step::Cut(tickets) => {
                        tickets.iter().for_each(|ticket| told[ticket.slot as usize] = format!("cut {}", now / MS));
                    }
                    Step::Quiet => {}
                },
                (_, Some(now)) => {
                    let (slot, _) = rest.next().unwrap();
                    if !server.take(Ticket { serial: 0, slot: slot as u32 }, now) {
                        told[slot] = "refused".into();
                    }
                }
                _ => return told,
            }
        }
    }

    #[test]
    fn requests_are_served_in_order_one_every_hundredth_of_a_second() {
        assert_eq!(play(server(0, 0), &[0, 0, 5, 200]), ["served 10", "served 20", "served 30", "served 210"]);
    }

    #[test]
    fn one_that_hangs_serves_later_what_it_took() {
        assert_eq!(play(server(50, 0), &[95, 100, 149, 300]), ["served 160", "served 170", "served 180", "served 310"]);
    }

    #[test]
    fn one_that_goes_down_cuts_what_waits_and_refuses_until_it_is_back() {
        let expected = ["cut 150", "cut 150", "refused", "refused", "served 210"];
        assert_eq!(play(server(50, 50), &[95, 149, 151, 199, 200]), expected);
        assert_eq!(play(server(0, 50), &[95, 120, 150]), ["cut 100", "refused", "served 160"]);
    }
}
