//! Time that really passes, and what the clocks show of it.

use super::{SECOND, nanos};
use crate::scenario::{Change, Scenario};

/// What the monotonic clock shows at the start of a scenario, in nanoseconds.
const START: i128 = 1_000_000 * SECOND;

/// The world of one scenario.
pub(crate) struct World<'a> {
    scenario: &'a Scenario,
    passed: i128,
}

impl<'a> World<'a> {
    pub(crate) fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, passed: 0 }
    }

    /// The same at another moment.
    pub(crate) fn at(self, passed: i128) -> Self {
        Self { passed, ..self }
    }

    pub(crate) fn passed(&self) -> i128 {
        self.passed
    }

    /// Lets `time` pass. `false`: the caller gives up before its end, or at it, and no more passes.
    pub(crate) fn pass(&mut self, time: i128) -> bool {
        let end = self.noticed_in(time);
        let canceled = self.canceled().filter(|cancel| *cancel <= end);
        self.passed = canceled.unwrap_or(end);
        canceled.is_none()
    }

    /// When a program that runs now notices that the caller has given up.
    pub(crate) fn canceled(&self) -> Option<i128> {
        self.scenario.cancel_at.map(|cancel| self.noticed(nanos(cancel)))
    }

    /// When a program that runs now notices that `time` has passed.
    pub(crate) fn noticed_in(&self, time: i128) -> i128 {
        self.noticed(self.passed + time)
    }

    fn noticed(&self, moment: i128) -> i128 {
        if moment <= self.passed {
            return self.passed;
        }
        let mut sleeps: Vec<_> = self.scenario.clock.iter().collect();
        sleeps.sort_by_key(|step| step.at);
        let mut noticed = moment;
        for step in sleeps {
            if let Change::Suspend(time) = step.change
                && nanos(step.at) <= noticed
            {
                noticed = noticed.max(nanos(step.at) + nanos(time));
            }
        }
        noticed
    }

    /// The monotonic clock.
    pub(crate) fn clock(&self) -> i128 {
        let mut shown = START + self.passed;
        for step in &self.scenario.clock {
            let since = self.passed - nanos(step.at);
            match step.change {
                Change::Stand(time) if since >= 0 => shown -= since.min(nanos(time)),
                Change::Back(time) if since >= 0 => shown -= nanos(time),
                _ => {}
            }
        }
        shown.max(0)
    }

    /// The wall clock, in nanoseconds since 1970.
    pub(crate) fn wall(&self) -> Option<i128> {
        let wall = self.scenario.wall?;
        let mut shown = i128::from(wall.secs) * SECOND + i128::from(wall.nanos) + self.passed;
        for step in &self.scenario.clock {
            if nanos(step.at) <= self.passed {
                match step.change {
                    Change::WallAhead(time) => shown += nanos(time),
                    Change::WallBack(time) => shown -= nanos(time),
                    _ => {}
                }
            }
        }
        Some(shown)
    }
}
