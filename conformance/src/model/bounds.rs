//! The worst cases of a policy: every wait at the end of its window, added up.

use core::time::Duration;

use super::nanos;
use super::waits::share_of;
use crate::json::Span;
use crate::rules::Worst;
use crate::scenario::{Jitter, Mode, Settings};

/// The worst cases, and the time to be sure of all retries with sends of `send`.
pub(super) fn worst(settings: &Settings, send: Span) -> Worst {
    let hints = &settings.retry_after;
    let cap = nanos(hints.cap);
    let hint = if hints.mode == Mode::Ignore { 0 } else { cap + share_of(cap, hints.spread) };
    let sends = i128::from(settings.max_retries) + 1;
    let (waits, with_hints) = (sum(settings, 0), sum(settings, hint));
    let plain = Settings { jitter: Jitter::None, hard_cap: false, ..settings.clone() };
    let by_sends = settings.attempt_timeout.map(|limit| sends * nanos(limit) + with_hints);
    let total = settings.total_timeout.map(nanos).into_iter().chain(by_sends).min();
    Worst {
        sends: settings.max_retries + 1,
        nominal: long(sum(&plain, 0)),
        waits: long(waits),
        waits_with_hints: long(with_hints),
        total: total.map(long),
        needed: long(sends * nanos(send) + waits),
    }
}

/// The sum of the longest waits, each at least `floor`.
fn sum(settings: &Settings, floor: i128) -> i128 {
    let ceiling = nanos(settings.max_delay);
    let (mut product, mut previous) = (settings.base_delay.as_nanos() as f64, nanos(settings.base_delay));
    let mut sum = 0;
    for before in 0..settings.max_retries {
        let delay = (product as i128).min(ceiling);
        // The open end of a window, where it has one.
        let end = match settings.jitter {
            Jitter::None | Jitter::Full | Jitter::Equal => delay,
            Jitter::Proportional(share) => delay + share_of(delay, share),
            Jitter::Decorrelated => ceiling.min(3 * previous),
        };
        let wait = if settings.hard_cap { end.min(ceiling) } else { end };
        sum += wait.max(floor);
        // Billions of retries are not counted one by one once they are all the same.
        let grown = product * settings.factor;
        let is_settled = match settings.jitter {
            Jitter::Decorrelated => previous == wait,
            _ => product >= ceiling as f64 || grown == product,
        };
        if is_settled {
            return sum + i128::from(settings.max_retries - before - 1) * wait.max(floor);
        }
        (product, previous) = (grown, wait);
    }
    sum
}

fn long(nanos: i128) -> Span {
    let second = 1_000_000_000;
    let secs = u64::try_from(nanos / second).unwrap_or(u64::MAX);
    Span::from(Duration::new(secs, u32::try_from(nanos % second).unwrap_or(0)))
}
