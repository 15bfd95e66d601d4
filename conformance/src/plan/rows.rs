//! The retries one by one: the window of each wait, and when its send begins.

use core::time::Duration;

use retry_core::{Jitter, Policy};

use crate::calls::nanos;
use crate::draws::{self, Drawn};

/// One retry of a call without a total limit, whose sends all fail. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Counted from 1.
    pub(crate) number: u32,
    /// The delay before jitter; decorrelated jitter has none.
    pub(crate) computed: Option<u64>,
    /// The shortest and the longest wait, both included.
    pub(crate) window: (u64, u64),
    /// The mean wait.
    pub(crate) expected: f64,
    /// When the send can begin at the earliest and at the latest, after the call did.
    pub(crate) start: (u64, u64),
    /// When it begins on average.
    pub(crate) expected_start: f64,
    /// What was drawn of the wait; `None` where all values of its window are equally likely.
    pub(crate) drawn: Option<Drawn>,
}

impl Row {
    /// How many values the window has.
    pub(crate) fn values(&self) -> f64 {
        (self.window.1 - self.window.0) as f64 + 1.0
    }
}

/// The first retries, `most` of them at most, of a call whose sends take `send` each.
pub(crate) fn rows(policy: &Policy, send: Duration, most: u32) -> Vec<Row> {
    let retries = usize::try_from(policy.max_retries().min(most)).unwrap_or(usize::MAX);
    let waits = |policy: &Policy, words| policy.delays(words).take(retries).map(nanos).collect::<Vec<_>>();
    // Each wait grows with its word, and with the waits before it.
    let (low, high) = (waits(policy, draws::shortest()), waits(policy, draws::longest()));
    let windows: Vec<_> = low.into_iter().zip(high).collect();
    let (computed, drawn) = match policy.jitter() {
        Jitter::Decorrelated => (Vec::new(), draws::waits(policy, &windows)),
        Jitter::None | Jitter::Proportional(_) | Jitter::Full | Jitter::Equal => {
            let plain = policy.edit().jitter(Jitter::None).build();
            (plain.map(|plain| waits(&plain, draws::shortest())).unwrap_or_default(), Vec::new())
        }
    };

    // A send that its own limit cuts is over then.
    let send = nanos(policy.attempt_timeout().map_or(send, |limit| limit.min(send)));
    let (mut start, mut expected_start) = ((0, 0), 0.0);
    let mut rows = Vec::with_capacity(windows.len());
    for (place, (number, window)) in (1..).zip(windows).enumerate() {
        // The first window does not depend on what was drawn before.
        let drawn = drawn.get(place).filter(|_| number > 1 && window.0 < window.1).cloned();
        let middle = window.0 as f64 + (window.1 - window.0) as f64 / 2.0;
        let expected = drawn.as_ref().map_or(middle, |drawn| drawn.mean);
        start = (start.0 + send + window.0, start.1 + send + window.1);
        expected_start += send as f64 + expected;
        let computed = computed.get(place).copied();
        rows.push(Row { number, computed, window, expected, start, expected_start, drawn });
    }
    rows
}
