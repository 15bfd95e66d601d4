//! When clients begin calls.

use rand_core::Rng;

use super::nanos;
use super::scenario::Scenario;

/// When clients begin their calls: each at a random phase of the same period.
pub(super) struct Arrivals {
    /// Sorted.
    phases: Vec<u64>,
    period: u64,
    round: u64,
    client: usize,
    until: u64,
}

impl Arrivals {
    pub(super) fn new(scenario: &Scenario, rng: &mut impl Rng) -> Self {
        let period = ((f64::from(scenario.clients) * 1e9 / scenario.load).round() as u64).max(1);
        let phase = |_| ((u128::from(rng.next_u64()) * u128::from(period)) >> 64) as u64;
        let mut phases: Vec<u64> = (0..scenario.clients).map(phase).collect();
        phases.sort_unstable();
        Self { phases, period, round: 0, client: 0, until: nanos(scenario.duration) }
    }

    pub(super) fn next(&self) -> Option<u64> {
        let at = self.round * self.period + self.phases[self.client];
        (at < self.until).then_some(at)
    }

    /// The client whose call is next.
    pub(super) fn take(&mut self) -> u32 {
        let client = self.client;
        self.client += 1;
        if self.client == self.phases.len() {
            self.client = 0;
            self.round += 1;
        }
        client as u32
    }
}
