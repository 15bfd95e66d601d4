//! What is counted while a variant runs.

use std::collections::VecDeque;

use super::nanos;
use super::scenario::Scenario;

const MILLISECOND: u64 = 1_000_000;

/// The counts of one step of time, or of a longer part of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Calls begun by clients.
    pub(super) begun: u64,
    /// Sends that the server was asked to serve, whether or not it took them.
    pub(super) sends: u64,
    /// Clients' calls that were answered.
    pub(super) answered: u64,
}

/// The parts of a run: before the outage, during it, and after it to the last call's beginning. Where no call is begun
/// after the outage, the third part lasts to the end. What follows is no part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Before,
    Outage,
    After,
}

/// All that is known of a run when it is over.
#[derive(Clone, Debug)]
pub(super) struct Record {
    step: u64,
    /// The ends of the first three parts.
    ends: [u64; 3],
    pub(super) bins: Vec<Counts>,
    parts: [Counts; 4],
    /// Clients' calls that failed.
    pub(super) failed: u64,
    /// Sends served for which nobody waited any more.
    pub(super) stale: u64,
    /// When the last send that brought no answer came to its end.
    pub(super) last_lost: Option<u64>,
    pub(super) all: Busiest,
    pub(super) retries: Busiest,
    /// How many sends the server had before it as the outage ended, and as the last call was begun.
    pub(super) queued: [Option<usize>; 2],
    pub(super) end: u64,
}

impl Record {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let duration = nanos(scenario.duration);
        let (at, end) = (nanos(scenario.outage.at), nanos(scenario.outage.end()));
        Self {
            step: nanos(scenario.step),
            ends: [at, end, if duration > end { duration } else { u64::MAX }],
            bins: Vec::new(),
            parts: [Counts::default(); 4],
            failed: 0,
            stale: 0,
            last_lost: None,
            all: Busiest::default(),
            retries: Busiest::default(),
            queued: [None; 2],
            end: 0,
        }
    }

    /// Notes that time went on to `now`, while the server had `queued` sends before it.
    pub(super) fn pass(&mut self, now: u64, queued: usize) {
        self.end = now;
        for (end, noted) in self.ends[1..].iter().zip(&mut self.queued) {
            if now >= *end && noted.is_none() {
                *noted = Some(queued);
            }
        }
    }

    /// How many calls clients have begun so far.
    pub(super) fn calls(&self) -> u64 {
        self.parts.iter().map(|part| part.begun).sum()
    }

    pub(super) fn begun(&mut self, now: u64) {
        self.count(now, |counts| counts.begun += 1);
    }

    pub(super) fn send(&mut self, now: u64, again: bool) {
        self.count(now, |counts| counts.sends += 1);
        self.all.add(now);
        if again {
            self.retries.add(now);
        }
    }

    pub(super) fn ended(&mut self, now: u64, answered: bool) {
        if answered { self.count(now, |counts| counts.answered += 1) } else { self.failed += 1 }
    }

    /// The counts of a part, and its length in nanoseconds.
    pub(super) fn part(&self, part: Part) -> (Counts, u64) {
        let [before, outage, after] = self.ends.map(|end| end.min(self.end));
        let length = match part {
            Part::Before => before,
            Part::Outage => outage - before,
            Part::After => after - outage,
        };
        (self.parts[part as usize], length)
    }

    fn count(&mut self, now: u64, one_more: impl Fn(&mut Counts)) {
        let place = usize::try_from(now / self.step).unwrap_or(usize::MAX);
        if place >= self.bins.len() {
            self.bins.resize(place + 1, Counts::default());
        }
        one_more(&mut self.bins[place]);
        one_more(&mut self.parts[self.ends.iter().filter(|end| now >= **end).count()]);
    }
}

/// The busiest 100 ms: the most that 100 whole milliseconds in a row had.
#[derive(Clone, Debug, Default)]
pub(super) struct Busiest {
    /// The milliseconds that had any, of the last hundred.
    window: VecDeque<(u64, u64)>,
    in_window: u64,
    most: u64,
    total: u64,
}

impl Busiest {
    /// One more at `now`, which is no earlier than the one before.
    fn add(&mut self, now: u64) {
        let now = now / MILLISECOND;
        while let Some((at, old)) = self.window.front()
            && at + 100 <= now
        {
            self.in_window -= old;
            self.window.pop_front();
        }
        match self.window.back_mut() {
            Some((at, count)) if *at == now => *count += 1,
            _ => self.window.push_back((now, 1)),
        }
        self.in_window += 1;
        self.total += 1;
        self.most = self.most.max(self.in_window);
    }

    /// How many there were in all.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    /// The share of the busiest 100 ms in all of them; `None` if there were none.
    pub(super) fn share(&self) -> Option<f64> {
        (self.total > 0).then(|| self.most as f64 / self.total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_hundred_milliseconds_slide() {
        let mut busiest = Busiest::default();
        assert_eq!(busiest.share(), None);
        for millis in [0, 60, 99, 100, 150, 159, 400] {
            busiest.add(millis * MILLISECOND + 999_999);
        }
        // 60, 99, 100, 150 and 159; 0 is 159 before the last of them.
        assert_eq!(busiest.share(), Some(5.0 / 7.0));
    }
}
