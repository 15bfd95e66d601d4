//! How waits are spread: a million draws of each kind with a fixed seed, and small windows word by word.

use core::convert::Infallible;
use core::ops::RangeInclusive;
use std::collections::HashMap;

use rand_core::{Rng, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{Action, Attempt, Instant, Jitter, Outcome, Policy, PolicyBuilder, Replay, RetryAfter, Unlimited};

const DRAWS: usize = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// A kind of wait and the window that the rules give it, in nanoseconds.
struct Kind {
    name: &'static str,
    policy: Policy,
    hint: Option<u64>,
    window: RangeInclusive<u64>,
}

impl Kind {
    fn new(name: &'static str, jitter: Jitter, base: u64, ceiling: u64, window: RangeInclusive<u64>) -> Self {
        Self { name, policy: built(bounded(base, ceiling).jitter(jitter)), hint: None, window }
    }

    fn hard(self) -> Self {
        Self { policy: built(self.policy.edit().hard_cap(true)), ..self }
    }

    /// The first wait of a call, drawn with one word.
    fn wait(&self, words: &mut impl Rng) -> u64 {
        let now = Instant::EPOCH;
        let Action::Send(attempt) = Attempt::start(&self.policy, Replay::Always, None, now) else {
            panic!("nothing keeps the first send from going out")
        };
        let outcome = Outcome::status(503).with_hint(self.hint.map(core::time::Duration::from_nanos));
        let Action::Wait(pause) = attempt.finish(outcome, now, &mut Unlimited, words) else {
            panic!("the reply is worth another send")
        };
        u64::try_from(pause.duration().as_nanos()).expect("a wait is that short")
    }

    fn of_word(&self, word: u64) -> u64 {
        self.wait(&mut One(word))
    }
}

/// Each kind of jitter, below the ceiling, at it, and cut by it, and the spread of hints.
fn kinds() -> Vec<Kind> {
    let (s, ms) = (SECOND, SECOND / 1000);
    let spread = RetryAfter::replace().spread(0.1);
    let hinted = built(Policy::builder().retry_after(spread).total_timeout(None));
    vec![
        Kind::new("proportional", Jitter::Proportional(0.1), s, 30 * s, 900 * ms..=1100 * ms - 1),
        Kind::new("proportional, all of it", Jitter::Proportional(1.0), s, 30 * s, 0..=2 * s - 1),
        Kind::new("proportional at the ceiling", Jitter::Proportional(0.1), 30 * s, 30 * s, 27 * s..=33 * s - 1),
        Kind::new("proportional, hard cap", Jitter::Proportional(0.1), 30 * s, 30 * s, 27 * s..=30 * s).hard(),
        Kind::new("full", Jitter::Full, s, 30 * s, 0..=s),
        Kind::new("full, hard cap", Jitter::Full, 30 * s, 30 * s, 0..=30 * s).hard(),
        Kind::new("equal", Jitter::Equal, s, 30 * s, 500 * ms..=s),
        Kind::new("equal, hard cap", Jitter::Equal, 30 * s, 30 * s, 15 * s..=30 * s).hard(),
        Kind::new("decorrelated", Jitter::Decorrelated, s, 30 * s, s..=3 * s),
        Kind::new("decorrelated at the ceiling", Jitter::Decorrelated, s, 2 * s, s..=2 * s),
        Kind::new("decorrelated, hard cap", Jitter::Decorrelated, s, 2 * s, s..=2 * s).hard(),
        Kind { name: "a hint's spread", policy: hinted, hint: Some(60 * s), window: 60 * s..=66 * s },
    ]
}

#[test]
fn a_million_draws_of_each_kind_are_even() {
    for (seed, kind) in (0..).zip(kinds()) {
        assert_eq!(
            (kind.of_word(0), kind.of_word(u64::MAX)),
            (*kind.window.start(), *kind.window.end()),
            "{}",
            kind.name
        );
        let mut words = Xoshiro256PlusPlus::seed_from_u64(seed);
        let draws = core::iter::repeat_with(|| kind.wait(&mut words)).take(DRAWS);
        match even(&kind.window, draws) {
            Ok(told) => println!("{:<28} {told}", kind.name),
            Err(wrong) => panic!("{}: {wrong}", kind.name),
        }
    }
}

#[test]
fn no_jitter_is_no_jitter() {
    let kind = Kind::new("none", Jitter::None, SECOND, 30 * SECOND, SECOND..=SECOND);
    let mut words = Xoshiro256PlusPlus::seed_from_u64(0);
    for _ in 0..DRAWS {
        assert_eq!(kind.wait(&mut words), SECOND);
    }
}

/// What becomes of a right draw.
type Mistake<'a> = &'a dyn Fn(u64) -> u64;

#[test]
fn uneven_draws_are_noticed() {
    let window = 27 * SECOND..=30 * SECOND;
    let wider = Kind::new("", Jitter::Proportional(0.1), 30 * SECOND, 30 * SECOND, 27 * SECOND..=33 * SECOND - 1);
    // A right draw is half of a wider one.
    let half = |wait: u64| 27 * SECOND + (wait - 27 * SECOND) / 2;
    let percent = 3 * SECOND / 100;
    let mistakes: [(&str, &str, Mistake<'_>); 5] = [
        ("not cut", "outside", &|wait| wait),
        ("the last hundredth left out", "edges", &|wait| half(wait) - (half(wait) - 27 * SECOND) / 100),
        ("clamped after the draw", "mean", &|wait| wait.min(30 * SECOND)),
        ("two hundredths doubled", "chi-square", &|wait| match (half(wait) - 27 * SECOND) / percent {
            20 => half(wait) + percent,
            79 => half(wait) - percent,
            _ => half(wait),
        }),
        ("one in 10,000 at the ceiling", "times", &|wait| if wait % 10_000 == 0 { 30 * SECOND } else { half(wait) }),
    ];
    for (name, seen_by, mistake) in mistakes {
        let mut words = Xoshiro256PlusPlus::seed_from_u64(0);
        let draws = core::iter::repeat_with(|| mistake(wider.wait(&mut words))).take(DRAWS);
        let wrong = even(&window, draws).expect_err(name);
        println!("{name:<28} {wrong}");
        assert!(wrong.contains(seen_by), "{name} is seen by {seen_by}, not by: {wrong}");
    }
}

/// Of 2^64 words, each value of a window of n has floor(2^64 / n) or one more.
#[test]
fn small_windows_are_even_to_the_word() {
    for delay in 1..=40_u64 {
        let r = delay / 10;
        let whole = delay - delay / 2..=delay;
        let tenth = if r == 0 { delay..=delay } else { delay - r..=delay + r - 1 };
        let spread = built(Policy::builder().retry_after(RetryAfter::replace().spread(0.5)));
        for kind in [
            Kind::new("none", Jitter::None, delay, delay, delay..=delay),
            Kind::new("proportional", Jitter::Proportional(0.1), delay, delay, tenth),
            Kind::new("proportional, all of it", Jitter::Proportional(1.0), delay, delay, 0..=2 * delay - 1),
            Kind::new("proportional, hard cap", Jitter::Proportional(1.0), delay, delay, 0..=delay).hard(),
            Kind::new("full", Jitter::Full, delay, delay, 0..=delay),
            Kind::new("equal", Jitter::Equal, delay, delay, whole),
            Kind::new("decorrelated", Jitter::Decorrelated, delay, 1_000, delay..=3 * delay),
            Kind::new(
                "decorrelated at the ceiling",
                Jitter::Decorrelated,
                delay,
                delay + 5,
                delay..=(delay + 5).min(3 * delay),
            ),
            Kind { name: "spread", policy: spread, hint: Some(delay), window: delay..=delay + delay / 2 },
        ] {
            let values = u128::from(kind.window.end() - kind.window.start()) + 1;
            assert_eq!(kind.of_word(0), *kind.window.start(), "{} around {delay}", kind.name);
            let mut begin = 0;
            for value in kind.window.clone() {
                let end = first_above(&kind, value);
                let words = end - begin;
                let least = (1 << 64) / values;
                assert!(
                    words == least || words == least + 1,
                    "{} around {delay}: {words} words for {value}",
                    kind.name
                );
                begin = end;
            }
            assert_eq!(begin, 1 << 64, "{} around {delay}", kind.name);
        }
    }
}

/// The first word whose wait is above `value`, found by halving; 2^64 if there is none.
fn first_above(kind: &Kind, value: u64) -> u128 {
    let (mut low, mut high) = (0_u128, 1_u128 << 64);
    while low < high {
        let middle = low.midpoint(high);
        let word = u64::try_from(middle).expect("it is below 2^64");
        if kind.of_word(word) > value { high = middle } else { low = middle + 1 }
    }
    low
}

/// Whether draws are spread evenly over `window`; what says so.
fn even(window: &RangeInclusive<u64>, draws: impl Iterator<Item = u64>) -> Result<String, String> {
    let (first, last) = (*window.start(), *window.end());
    let width = (last - first + 1) as f64;
    let (mut bins, mut counts, mut sum) = ([0_u32; 100], HashMap::<u64, u32>::with_capacity(DRAWS), 0_u128);
    let (mut least, mut most) = (u64::MAX, 0);
    for wait in draws {
        if !window.contains(&wait) {
            return Err(format!("{wait} is outside of the window"));
        }
        bins[usize::try_from(u128::from(wait - first) * 100 / (u128::from(last - first) + 1)).unwrap_or(0)] += 1;
        *counts.entry(wait).or_default() += 1;
        sum += u128::from(wait);
        (least, most) = (least.min(wait), most.max(wait));
    }
    let count = DRAWS as f64;

    // The chance that none of a million falls into a ten-thousandth is e^-100.
    if (least - first) as f64 > width / 1e4 || (last - most) as f64 > width / 1e4 {
        return Err(format!("{least} ..= {most} does not reach the edges"));
    }
    let mean = (sum as f64 / count - first as f64) / width;
    // Five standard deviations of a mean.
    if (mean - 0.5).abs() > 5.0 / (12.0 * count).sqrt() {
        return Err(format!("the mean lies at {mean} of the window"));
    }
    let share = count / 100.0;
    let chi_square: f64 = bins.iter().map(|bin| (f64::from(*bin) - share).powi(2) / share).sum();
    // 99 degrees of freedom: one in 10,000 is above 161, one in 10,000 below 53.
    if !(53.0..161.0).contains(&chi_square) {
        return Err(format!("chi-square is {chi_square:.1}"));
    }
    // Of windows of 2 * 10^8 values and more, hardly a value is drawn four times.
    let often = counts.iter().max_by_key(|(_, count)| **count).map_or((0, 0), |(wait, count)| (*wait, *count));
    if often.1 > 5 {
        return Err(format!("{} was drawn {} times", often.0, often.1));
    }
    let at_the_end = counts.get(&last).copied().unwrap_or(0);
    Ok(format!("mean {mean:.5}, chi-square {chi_square:>5.1}, at most {}, at the end {at_the_end}", often.1))
}

fn bounded(base: u64, ceiling: u64) -> PolicyBuilder {
    let nanos = core::time::Duration::from_nanos;
    Policy::builder().base_delay(nanos(base)).max_delay(nanos(ceiling)).total_timeout(None)
}

fn built(policy: PolicyBuilder) -> Policy {
    policy.build().expect("the policy is valid")
}

/// One word, again and again.
struct One(u64);

impl TryRng for One {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("waits are drawn with whole words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("waits are drawn with whole words")
    }
}
