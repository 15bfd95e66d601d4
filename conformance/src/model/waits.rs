//! How long to wait: the computed delay, its window, the word, and the server's hint.

use super::nanos;
use super::random::Words;
use crate::scenario::{Jitter, Mode, OverCap, Random, RetryAfter, Settings};
use crate::trace::Source;

/// One retry's draw.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) wait: i128,
    pub(crate) word: u64,
    /// The shortest and the longest wait that it could have been.
    pub(crate) window: (i128, i128),
}

/// The draws of one call, retry after retry.
pub(crate) struct Draws {
    settings: Settings,
    words: Words,
    product: f64,
    previous: i128,
}

impl Draws {
    pub(crate) fn new(settings: &Settings, random: &Random) -> Self {
        Self {
            words: Words::new(random),
            product: settings.base_delay.as_nanos() as f64,
            previous: nanos(settings.base_delay),
            settings: settings.clone(),
        }
    }

    /// The next retry's: it takes one word, whatever becomes of it.
    pub(crate) fn next(&mut self) -> Drawn {
        let delay = (self.product as i128).min(nanos(self.settings.max_delay));
        self.product *= self.settings.factor;
        let window = window_of(&self.settings, delay, self.previous);
        let word = self.words.next();
        self.previous = pick(window, word);
        Drawn { wait: self.previous, word, window }
    }
}

/// The waits around `delay`, from the first to the last; `previous` is the wait drawn before.
fn window_of(settings: &Settings, delay: i128, previous: i128) -> (i128, i128) {
    let base = nanos(settings.base_delay);
    let ceiling = nanos(settings.max_delay);
    let (first, last) = match settings.jitter {
        Jitter::None => (delay, delay),
        Jitter::Proportional(share) => {
            let r = share_of(delay, share);
            if r == 0 { (delay, delay) } else { (delay - r, delay + r - 1) }
        }
        Jitter::Full => (0, delay),
        Jitter::Equal => (delay - delay / 2, delay),
        Jitter::Decorrelated => (base, ceiling.min(3 * previous)),
    };
    (first, if settings.hard_cap { last.min(ceiling) } else { last })
}

/// The wait after a hint; `None` if it is longer than the policy accepts.
pub(crate) fn after_hint(rule: &RetryAfter, asked: i128, drawn: Drawn) -> Option<(i128, Source)> {
    let cap = nanos(rule.cap);
    if rule.mode == Mode::Ignore {
        return Some((drawn.wait, Source::Computed));
    }
    if asked > cap && rule.over_cap == OverCap::GiveUp {
        return None;
    }
    let capped = asked.min(cap);
    let wait = pick((capped, capped + share_of(capped, rule.spread)), drawn.word);
    if rule.mode == Mode::AtLeast && drawn.wait > wait {
        return Some((drawn.wait, Source::Computed));
    }
    Some((wait, Source::RetryAfter))
}

/// A share of a time, rounded down. Shares are kept in millionths.
pub(crate) fn share_of(nanos: i128, share: f64) -> i128 {
    nanos * (share * 1e6).round() as i128 / 1_000_000
}

fn pick((first, last): (i128, i128), word: u64) -> i128 {
    first + ((i128::from(word) * (last - first + 1)) >> 64)
}
