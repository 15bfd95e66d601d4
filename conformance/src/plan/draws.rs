//! Many calls with random words, for what no formula tells: the same seed gives the same numbers.

use conformance::scenario::Random;
use conformance::sim::Words;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{End, Policy};

use crate::calls::{Server, nanos};

/// The seed of the first call; the calls after it have those after it, as the calls of an adapter have.
pub(crate) const SEED: u64 = 1;

/// How many calls are drawn where they are short.
const CALLS: u32 = 100_000;

/// How many waits are drawn in all.
const WAITS: u32 = 4_000_000;

/// The words with which every wait is the shortest that there is.
pub(crate) fn shortest() -> Words {
    Words::new(&Random::Words(vec![0]))
}

/// The words with which every wait is the longest that there is.
pub(crate) fn longest() -> Words {
    Words::new(&Random::Words(vec![u64::MAX]))
}

/// How many calls of up to `waits` waits are drawn.
pub(crate) fn count(waits: u32) -> u32 {
    (WAITS / waits.max(1)).clamp(100, CALLS)
}

/// The ends of `count(sends)` calls; those that go on beyond `sends` have none.
pub(crate) fn ends(policy: &Policy, server: Server, sends: u32) -> Vec<Option<End>> {
    words(count(sends)).map(|mut words| server.call(policy, &mut words, sends)).collect()
}

/// What was drawn for one wait.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// In nanoseconds.
    pub(crate) mean: f64,
    /// The mean of other calls is no more than twice this away, in 95 of 100 cases.
    pub(crate) error: f64,
    /// The share of the calls in each part of the window, from its low end; the parts are of one width.
    pub(crate) shares: Vec<f64>,
}

/// How many parts a window is cut into.
const PARTS: u32 = 60;

/// The first waits of a policy one by one; `windows` has the shortest and the longest of each.
pub(crate) fn waits(policy: &Policy, windows: &[(u64, u64)]) -> Vec<Drawn> {
    let calls = count(u32::try_from(windows.len()).unwrap_or(u32::MAX));
    let mut tallies = vec![Tally { counts: [0; PARTS as usize], sum: 0.0, squares: 0.0 }; windows.len()];
    for words in words(calls) {
        for ((tally, window), wait) in tallies.iter_mut().zip(windows).zip(policy.delays(words)) {
            tally.add(nanos(wait), *window);
        }
    }
    tallies.iter().zip(windows).map(|(tally, window)| tally.drawn(calls.into(), *window)).collect()
}

/// Sums are taken from the low end, so that nothing is lost where a window is narrow and far from zero.
#[derive(Clone)]
struct Tally {
    counts: [u32; PARTS as usize],
    sum: f64,
    squares: f64,
}

impl Tally {
    fn add(&mut self, wait: u64, (low, high): (u64, u64)) {
        let above = wait.saturating_sub(low);
        let part = u128::from(above) * u128::from(PARTS) / (u128::from(high - low) + 1);
        if let Some(count) = usize::try_from(part).ok().and_then(|part| self.counts.get_mut(part)) {
            *count += 1;
        }
        self.sum += above as f64;
        self.squares += (above as f64).powi(2);
    }

    fn drawn(&self, calls: f64, (low, _): (u64, u64)) -> Drawn {
        let mean = self.sum / calls;
        let variance = (self.squares / calls - mean * mean).max(0.0);
        Drawn {
            mean: low as f64 + mean,
            error: (variance / calls).sqrt(),
            shares: self.counts.iter().map(|count| f64::from(*count) / calls).collect(),
        }
    }
}

/// The words of so many calls.
fn words(calls: u32) -> impl Iterator<Item = Xoshiro256PlusPlus> {
    (0..calls).map(|call| Xoshiro256PlusPlus::seed_from_u64(SEED.wrapping_add(call.into())))
}
