//! An event loop of one's own: ten thousand calls at once on one thread, each woken at `Action::wake_at()`.
//!
//! Time is virtual and the server is in memory, so nothing takes real time. With sockets, `next` would ask epoll or the
//! like for what has arrived, and have it wait no longer than until the first moment in the heap.
//!
//! ```sh
//! cargo run -p conformance --example event_loop
//! ```

use core::cmp::Reverse;
use core::time::Duration;
use std::collections::{BinaryHeap, VecDeque};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{Action, Attempt, Cause, Instant, Outcome, Policy, Reached, Replay, Unlimited};

const POLICY: Policy = Policy::builder().attempt_timeout(Some(Duration::from_secs(1))).build_const();

/// How many calls came to which end, and what it took.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) answered: usize,
    pub(crate) failed: usize,
    pub(crate) sends: usize,
    pub(crate) cut: usize,
    /// When the last call went on, counted from the start.
    pub(crate) lasted: Duration,
}

pub(crate) struct EventLoop {
    now: Instant,
    rng: Xoshiro256PlusPlus,
    /// What each call does at the moment; `None` after its end.
    actions: Vec<Option<Action<&'static Policy>>>,
    /// When to look at which call again. An entry whose action is over by then is passed over.
    wakes: BinaryHeap<Reverse<(Instant, usize)>>,
    server: Server,
    summary: Summary,
}

impl EventLoop {
    pub(crate) fn run(calls: usize) -> Summary {
        let mut this = Self {
            now: Instant::EPOCH,
            rng: Xoshiro256PlusPlus::seed_from_u64(7),
            actions: (0..calls).map(|_| None).collect(),
            wakes: BinaryHeap::new(),
            server: Server::default(),
            summary: Summary::default(),
        };
        for call in 0..calls {
            this.begin(call, Attempt::start(&POLICY, Replay::Always, None, this.now));
        }
        while let Some((call, reply)) = this.next() {
            this.go_on(call, reply);
        }
        this.summary
    }

    /// Carries an action out as far as it goes by itself, and keeps it until the next event.
    fn begin(&mut self, call: usize, action: Action<&'static Policy>) {
        match &action {
            Action::Send(attempt) => {
                self.summary.sends += 1;
                self.server.send(call, attempt.number(), self.now);
            }
            Action::Wait(_) => {}
            Action::Done(_) => self.summary.answered += 1,
            Action::GiveUp(_) => self.summary.failed += 1,
        }
        self.summary.lasted = self.now.saturating_since(Instant::EPOCH);
        if let Some(moment) = action.wake_at() {
            self.wakes.push(Reverse((moment, call)));
            self.actions[call] = Some(action);
        }
    }

    /// Lets time pass until the next event: a call's reply, or its moment to wake up.
    fn next(&mut self) -> Option<(usize, Option<Arrival>)> {
        let wake = self.wakes.peek().map(|Reverse((moment, _))| *moment);
        let arrival = self.server.next();
        // What arrives at the moment of a limit is in time.
        if let Some(moment) = arrival.filter(|arrival| wake.is_none_or(|wake| *arrival <= wake)) {
            let arrival = self.server.take()?;
            self.now = moment;
            return Some((arrival.call, Some(arrival)));
        }
        let Reverse((moment, call)) = self.wakes.pop()?;
        self.now = moment;
        Some((call, None))
    }

    fn go_on(&mut self, call: usize, arrival: Option<Arrival>) {
        let next = match (self.actions[call].take(), arrival) {
            (Some(Action::Send(attempt)), Some(arrival)) if attempt.number() == arrival.send => {
                attempt.finish(arrival.outcome, self.now, &mut Unlimited, &mut self.rng)
            }
            (Some(Action::Send(attempt)), None) if attempt.deadline() == Some(self.now) => {
                self.summary.cut += 1;
                let cut = Outcome::failure(Cause::Timeout, Reached::MaybeSent);
                attempt.finish(cut, self.now, &mut Unlimited, &mut self.rng)
            }
            (Some(Action::Wait(pause)), None) if pause.until() == self.now => pause.resume(self.now),
            // A reply to a send that was cut, or a limit that was not needed.
            (action, _) => {
                self.actions[call] = action;
                return;
            }
        };
        self.begin(call, next);
    }
}

/// A reply on its way.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    call: usize,
    send: u32,
    outcome: Outcome,
}

/// A scripted server in memory. It answers in the order in which it is asked, 20 ms later.
#[derive(Debug, Default)]
struct Server(VecDeque<(Instant, Arrival)>);

impl Server {
    fn send(&mut self, call: usize, send: u32, now: Instant) {
        let outcome = match (call % 5, send) {
            (0, 1) | (1, 1..=2) => Outcome::status(503),
            (2, 1) => Outcome::status(429).with_hint(Some(Duration::from_secs(20))),
            (3, 1) => return, // it hangs
            (4, _) => Outcome::failure(Cause::Network, Reached::MaybeSent),
            _ => Outcome::status(200),
        };
        self.0.push_back((now.saturating_add(Duration::from_millis(20)), Arrival { call, send, outcome }));
    }

    fn next(&self) -> Option<Instant> {
        self.0.front().map(|(moment, _)| *moment)
    }

    fn take(&mut self) -> Option<Arrival> {
        self.0.pop_front().map(|(_, arrival)| arrival)
    }
}

pub(crate) fn main() {
    println!("{:#?}", EventLoop::run(10_000));
}
