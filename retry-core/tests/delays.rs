//! The waits, to the nanosecond: the computed delay, the window of each jitter, and which words they take.

mod common;

use core::time::Duration;

use common::Words;
use proptest::prelude::*;
use retry_core::{
    Action, Advice, Attempt, Cause, Instant, Jitter, Outcome, OverCap, Policy, PolicyBuilder, Reached, Reason, Replay,
    RetryAfter, Unlimited, WaitSource, Why,
};

const SECOND: u64 = 1_000_000_000;
const BUSY: Outcome = Outcome::status(503);

/// Words whose place in any window is known: the start, the start again, just below the middle, and the end.
const LOW: u64 = 0;
const NEXT: u64 = 1;
const MIDDLE: u64 = u64::MAX / 2;
const HIGH: u64 = u64::MAX;

fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A policy with more retries and time than a test needs.
fn policy(builder: PolicyBuilder) -> Policy {
    builder.max_retries(u32::MAX - 1).total_timeout(None).build().expect("a policy within the bounds")
}

/// From `base` nanoseconds to 30 s.
fn jittered(base: u64, jitter: Jitter) -> Policy {
    policy(Policy::builder().base_delay(nanos(base)).jitter(jitter))
}

/// A call that is answered at once, outcome after outcome.
struct Call<'a> {
    send: Option<Attempt<&'a Policy>>,
    rng: Words<'a>,
}

impl<'a> Call<'a> {
    fn new(policy: &'a Policy, words: &'a [u64]) -> Self {
        Self { send: Some(sent(Attempt::start(policy, Replay::Always, None, Instant::EPOCH))), rng: Words::new(words) }
    }

    /// The wait after `outcome`, in nanoseconds. It is over at the return.
    fn wait(&mut self, outcome: Outcome) -> (u64, WaitSource) {
        let send = self.send.take().expect("a call goes on for ever here");
        let now = send.sent_at();
        let Action::Wait(pause) = send.finish(outcome, now, &mut Unlimited, &mut self.rng) else {
            panic!("no wait after {outcome:?}")
        };
        let wait = pause.duration().as_nanos();
        let wait = (u64::try_from(wait).expect("waits are u64 nanoseconds"), pause.source());
        let until = pause.until();
        self.send = Some(sent(pause.resume(until)));
        wait
    }
}

fn sent(action: Action<&Policy>) -> Attempt<&Policy> {
    let Action::Send(attempt) = action else { panic!("a send and not {action:?}") };
    attempt
}

/// The first waits of a call that is answered with 503 for ever.
fn waits<const N: usize>(policy: &Policy, words: &[u64]) -> [u64; N] {
    let mut call = Call::new(policy, words);
    core::array::from_fn(|_| call.wait(BUSY).0)
}

/// The first wait for each of the four words.
fn first(policy: Policy) -> [u64; 4] {
    [LOW, NEXT, MIDDLE, HIGH].map(|word| waits::<1>(&policy, &[word])[0])
}

/// SPEC 3 in other words: the `word`th part of the window.
fn pick(low: u64, high: u64, word: u64) -> u64 {
    let values = u128::from(high - low) + 1;
    low + u64::try_from((u128::from(word) * values) >> 64).expect("a value of the window")
}

fn plain(base: u64, factor: f64) -> Policy {
    policy(Policy::builder().base_delay(nanos(base)).factor(factor).jitter(Jitter::None))
}

#[test]
fn delays_double_up_to_the_ceiling() {
    let expected = [1, 2, 4, 8, 16, 30, 30, 30].map(|secs| secs * SECOND);
    assert_eq!(waits(&plain(SECOND, 2.0), &[HIGH]), expected);
}

#[test]
fn delays_are_cut_to_whole_nanoseconds_only_where_they_are_used() {
    // A product that was cut at each step would end in ...686 and ...529.
    let expected = [
        500_000_000,
        750_000_000,
        1_125_000_000,
        1_687_500_000,
        2_531_250_000,
        3_796_875_000,
        5_695_312_500,
        8_542_968_750,
        12_814_453_125,
        19_221_679_687,
        28_832_519_531,
        30_000_000_000,
        30_000_000_000,
    ];
    assert_eq!(waits(&plain(500_000_000, 1.5), &[HIGH]), expected);
}

#[test]
fn delays_grow_by_fractions() {
    let expected = [100_000_000, 110_000_000, 121_000_000, 133_100_000];
    assert_eq!(waits(&plain(100_000_000, 1.1), &[HIGH]), expected);
    let expected = [SECOND, 3_300_000_000, 10_890_000_000, 30 * SECOND, 30 * SECOND];
    assert_eq!(waits(&plain(SECOND, 3.3), &[HIGH]), expected);
    let expected = [SECOND, 1_200_000_000, 1_440_000_000, 1_728_000_000];
    assert_eq!(waits(&plain(SECOND, 1.2), &[HIGH]), expected);
}

#[test]
fn a_factor_of_one_is_a_fixed_delay() {
    assert_eq!(waits(&plain(SECOND, 1.0), &[LOW, HIGH]), [SECOND; 6]);
}

#[test]
fn a_delay_stays_in_range_for_any_retry() {
    for (base, factor, last) in [(1, 10.0, 30 * SECOND), (SECOND, 1.01, 30 * SECOND), (0, 10.0, 0), (7, 1.0, 7)] {
        let policy = plain(base, factor);
        let mut call = Call::new(&policy, &[HIGH]);
        let mut previous = 0;
        for _ in 0..20_000 {
            let (wait, _) = call.wait(BUSY);
            assert!(previous <= wait && wait <= 30 * SECOND, "{base} {factor}: {wait} after {previous}");
            previous = wait;
        }
        assert_eq!(previous, last);
    }
}

#[test]
fn the_smallest_delays_grow_too() {
    assert_eq!(waits(&plain(1, 1.5), &[LOW]), [1, 1, 2, 3, 5, 7, 11, 17]);
    // 9 * 1.01^11 is the first that reaches 10.
    assert_eq!(waits(&plain(9, 1.01), &[LOW]), [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10]);
}

#[test]
fn a_retry_counts_whatever_made_the_earlier_waits() {
    let policy = plain(SECOND, 2.0);
    let mut call = Call::new(&policy, &[HIGH]);
    let hinted = BUSY.with_hint(Some(secs(5)));
    let advised = BUSY.with_advice(Advice::RetryAfter(secs(40)));
    let mut moved = Outcome::failure(Cause::Proxy, Reached::Unsent);
    moved.untried = Some(Duration::ZERO);
    assert_eq!(call.wait(hinted), (5 * SECOND, WaitSource::RetryAfter));
    assert_eq!(call.wait(advised), (40 * SECOND, WaitSource::Custom));
    assert_eq!(call.wait(moved), (0, WaitSource::Proxy));
    assert_eq!(call.wait(BUSY), (8 * SECOND, WaitSource::Computed));
}

#[test]
fn proportional_spreads_both_ways_and_leaves_out_the_end() {
    let expected = [900_000_000, 900_000_000, 999_999_999, 1_099_999_999];
    assert_eq!(first(jittered(SECOND, Jitter::Proportional(0.1))), expected);
    assert_eq!(
        first(jittered(SECOND, Jitter::Proportional(0.5))),
        [500_000_000, 500_000_000, 999_999_999, 1_499_999_999]
    );
    assert_eq!(first(jittered(SECOND, Jitter::Proportional(1.0))), [0, 0, 999_999_999, 1_999_999_999]);
    assert_eq!(first(jittered(SECOND, Jitter::Proportional(0.0))), [SECOND; 4]);
    assert_eq!(first(jittered(SECOND, Jitter::None)), [SECOND; 4]);
}

#[test]
fn the_default_has_the_documented_windows() {
    let policy = policy(Policy::API.edit());
    let lows = [900, 1_800, 3_600, 7_200, 14_400, 27_000, 27_000].map(|millis| millis * 1_000_000);
    let ends = [1_100, 2_200, 4_400, 8_800, 17_600, 33_000, 33_000].map(|millis| millis * 1_000_000 - 1);
    assert_eq!(waits(&policy, &[LOW]), lows);
    assert_eq!(waits(&policy, &[HIGH]), ends);
}

#[test]
fn full_and_equal_include_both_ends() {
    assert_eq!(first(jittered(SECOND, Jitter::Full)), [0, 0, 500_000_000, SECOND]);
    assert_eq!(first(jittered(SECOND, Jitter::Equal)), [500_000_000, 500_000_000, 750_000_000, SECOND]);
    assert_eq!(waits(&jittered(SECOND, Jitter::Full), &[HIGH]), [1, 2, 4, 8, 16, 30, 30].map(|secs| secs * SECOND));
    assert_eq!(waits(&jittered(SECOND, Jitter::Equal), &[LOW]), [500, 1_000, 2_000, 4_000].map(|ms| ms * 1_000_000));
}

#[test]
fn the_smallest_windows_are_exact() {
    // Each is the first wait for the words LOW, NEXT, MIDDLE and HIGH.
    let cases = [
        (Jitter::Proportional(0.1), 0, [0, 0, 0, 0]),
        (Jitter::Proportional(0.1), 1, [1, 1, 1, 1]),
        (Jitter::Proportional(0.1), 9, [9, 9, 9, 9]),
        (Jitter::Proportional(0.1), 10, [9, 9, 9, 10]),
        (Jitter::Proportional(1.0), 1, [0, 0, 0, 1]),
        (Jitter::Proportional(0.5), 9, [5, 5, 8, 12]),
        (Jitter::Full, 0, [0, 0, 0, 0]),
        (Jitter::Full, 1, [0, 0, 0, 1]),
        (Jitter::Full, 9, [0, 0, 4, 9]),
        (Jitter::Equal, 0, [0, 0, 0, 0]),
        (Jitter::Equal, 1, [1, 1, 1, 1]),
        (Jitter::Equal, 9, [5, 5, 7, 9]),
        (Jitter::Decorrelated, 0, [0, 0, 0, 0]),
        (Jitter::Decorrelated, 1, [1, 1, 2, 3]),
        (Jitter::Decorrelated, 9, [9, 9, 18, 27]),
    ];
    for (jitter, base, expected) in cases {
        assert_eq!(first(jittered(base, jitter)), expected, "{jitter:?} around {base} ns");
    }
}

#[test]
fn a_hard_cap_cuts_the_window_and_not_the_value() {
    let capped =
        |base| policy(Policy::builder().base_delay(secs(base)).jitter(Jitter::Proportional(0.1)).hard_cap(true));
    // [27, 30] s, the end included.
    assert_eq!(first(capped(30)), [27_000_000_000, 27_000_000_000, 28_500_000_000, 30_000_000_000]);
    // A clamp after the draw would make the ceiling of the upper half of all words, and of this one.
    let three_quarters = HIGH / 4 * 3;
    assert_eq!(waits(&capped(30), &[three_quarters]), [29_250_000_000]);
    // The cut reaches delays below the ceiling too: [26.1, 30] s instead of [26.1, 31.9).
    assert_eq!(first(capped(29)), [26_100_000_000, 26_100_000_000, 28_050_000_000, 30_000_000_000]);
    // But not those far below.
    assert_eq!(first(capped(1)), first(jittered(SECOND, Jitter::Proportional(0.1))));
    for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let uncapped = Policy::builder().jitter(jitter);
        let words = [LOW, MIDDLE, HIGH, NEXT, HIGH];
        assert_eq!(
            waits::<20>(&policy(uncapped.hard_cap(true)), &words),
            waits::<20>(&policy(uncapped), &words),
            "{jitter:?}"
        );
    }
}

#[test]
fn decorrelated_goes_by_the_wait_drawn_before() {
    let policy = jittered(SECOND, Jitter::Decorrelated);
    assert_eq!(waits(&policy, &[HIGH]), [3, 9, 27, 30, 30].map(|secs| secs * SECOND));
    assert_eq!(waits(&policy, &[LOW]), [SECOND; 5]);
    // Up, half of it, down to the base, and up again: [1, 3], [1, 9], [1, 15], [1, 3], [1, 9].
    let words = [HIGH, MIDDLE, LOW, HIGH, HIGH];
    assert_eq!(waits(&policy, &words), [3, 5, 1, 3, 9].map(|secs| secs * SECOND));
    // The factor has no part in it.
    let steep = self::policy(Policy::builder().jitter(Jitter::Decorrelated).factor(10.0));
    assert_eq!(waits::<5>(&steep, &words), waits::<5>(&policy, &words));
}

#[test]
fn decorrelated_goes_by_the_draw_even_where_another_wait_was_used() {
    let policy = jittered(SECOND, Jitter::Decorrelated);
    let mut call = Call::new(&policy, &[HIGH, HIGH, LOW, HIGH]);
    // 3 s drawn, the server's 50 s used.
    assert_eq!(call.wait(BUSY.with_hint(Some(secs(50)))), (50 * SECOND, WaitSource::RetryAfter));
    // 9 s drawn, an own 100 ms used.
    let own = BUSY.with_advice(Advice::RetryAfter(nanos(100_000_000)));
    assert_eq!(call.wait(own), (100_000_000, WaitSource::Custom));
    // 1 s drawn of [1, 27].
    assert_eq!(call.wait(BUSY), (SECOND, WaitSource::Computed));
    assert_eq!(call.wait(BUSY), (3 * SECOND, WaitSource::Computed));
    let mut call = Call::new(&policy, &[HIGH, HIGH, HIGH]);
    call.wait(BUSY.with_hint(Some(secs(50))));
    call.wait(BUSY.with_advice(Advice::RetryAfter(Duration::ZERO)));
    assert_eq!(call.wait(BUSY), (27 * SECOND, WaitSource::Computed));
}

#[test]
fn a_wait_of_zero_is_a_wait() {
    let policy = plain(0, 2.0);
    assert_eq!(waits(&policy, &[HIGH]), [0, 0, 0]);
}

#[test]
fn a_hint_spreads_upward_with_the_same_word() {
    let policy = |retry_after| policy(Policy::builder().retry_after(retry_after));
    let spread = policy(RetryAfter::replace().spread(0.25));
    let hinted = |policy: &Policy, word, hint| Call::new(policy, &[word]).wait(BUSY.with_hint(Some(hint)));
    let seconds = |millis: u64, source| (millis * 1_000_000, source);
    use WaitSource::{Computed, RetryAfter as Hint};
    assert_eq!(hinted(&spread, LOW, secs(10)), seconds(10_000, Hint));
    assert_eq!(hinted(&spread, MIDDLE, secs(10)), seconds(11_250, Hint));
    assert_eq!(hinted(&spread, HIGH, secs(10)), seconds(12_500, Hint));
    // The cap comes first.
    assert_eq!(hinted(&spread, HIGH, secs(600)), seconds(75_000, Hint));
    assert_eq!(hinted(&spread, LOW, Duration::MAX), seconds(60_000, Hint));
    // A hint below the computed delay replaces it, or loses to it after its own spread: 1.2 s at most against 1.1 s.
    let longer = policy(RetryAfter::at_least().spread(0.2));
    assert_eq!(hinted(&spread, HIGH, nanos(1)), (1, Hint));
    assert_eq!(hinted(&longer, HIGH, secs(1)), seconds(1_200, Hint));
    assert_eq!(hinted(&longer, HIGH, nanos(900_000_000)), (1_099_999_999, Computed));
    assert_eq!(hinted(&policy(RetryAfter::ignore().spread(0.2)), HIGH, secs(10)), (1_099_999_999, Computed));
    assert_eq!(hinted(&spread, HIGH, Duration::ZERO), (1_099_999_999, Computed));
}

/// How many words the first send's `outcome` takes.
fn taken(policy: &Policy, replay: Replay, outcome: Outcome) -> usize {
    let mut rng = Words::new(&[MIDDLE]);
    let _ = sent(Attempt::start(policy, replay, None, Instant::EPOCH)).finish(
        outcome,
        Instant::EPOCH,
        &mut Unlimited,
        &mut rng,
    );
    rng.taken
}

#[test]
fn a_retry_takes_one_word_whether_or_not_its_wait_uses_it() {
    for jitter in [Jitter::None, Jitter::Proportional(0.1), Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let policy = jittered(SECOND, jitter);
        let mut moved = BUSY;
        moved.untried = Some(Duration::ZERO);
        let retried = [
            BUSY,
            Outcome::failure(Cause::Network, Reached::Unsent),
            BUSY.with_hint(Some(secs(5))),
            BUSY.with_advice(Advice::Retry),
            BUSY.with_advice(Advice::RetryAfter(secs(5))),
            Outcome::status(404).with_advice(Advice::Retry),
            moved,
        ];
        for outcome in retried {
            assert_eq!(taken(&policy, Replay::Always, outcome), 1, "{jitter:?} {outcome:?}");
        }
    }
    // One each, over a whole call.
    let policy = jittered(SECOND, Jitter::Full);
    let mut call = Call::new(&policy, &[LOW]);
    for retry in 1..=100 {
        call.wait(BUSY);
        assert_eq!(call.rng.taken, retry);
    }
}

#[test]
fn no_word_is_taken_where_nothing_is_retried() {
    let policy = jittered(SECOND, Jitter::Full);
    let failure = Outcome::failure(Cause::Certificate, Reached::Unsent);
    let maybe = Outcome::failure(Cause::Network, Reached::MaybeSent);
    let none = [
        (Replay::Always, Outcome::status(200)),
        (Replay::Always, Outcome::status(404).with_hint(Some(secs(5)))),
        (Replay::Always, failure),
        (Replay::Always, BUSY.with_advice(Advice::Stop)),
        (Replay::Once(Why::Method), BUSY),
        (Replay::Once(Why::Body), BUSY.with_advice(Advice::RetryAfter(secs(1)))),
        (Replay::IfUnsent, BUSY),
        (Replay::IfUnsent, maybe),
    ];
    for (replay, outcome) in none {
        assert_eq!(taken(&policy, replay, outcome), 0, "{replay:?} {outcome:?}");
    }
    // Nor where no send is left.
    assert_eq!(taken(&Policy::NONE, Replay::Always, BUSY), 0);
    let policy = Policy::API.edit().max_retries(2).build().unwrap();
    let mut call = Call::new(&policy, &[LOW]);
    call.wait(BUSY);
    call.wait(BUSY);
    let last = call.send.take().expect("a third send");
    let _ = last.finish(BUSY, Instant::EPOCH, &mut Unlimited, &mut call.rng);
    assert_eq!(call.rng.taken, 2);
}

#[test]
fn a_hint_over_the_cap_that_ends_the_call_is_known_only_after_the_word() {
    let policy = policy(Policy::builder().retry_after(RetryAfter::replace().over_cap(OverCap::GiveUp)));
    let mut rng = Words::new(&[MIDDLE]);
    let mut finish = |hint| {
        let attempt = sent(Attempt::start(&policy, Replay::Always, None, Instant::EPOCH));
        attempt.finish(BUSY.with_hint(Some(hint)), Instant::EPOCH, &mut Unlimited, &mut rng)
    };
    let (at_cap, above) = (finish(secs(60)), finish(secs(60) + nanos(1)));
    assert!(matches!(&at_cap, Action::Wait(pause) if pause.source() == WaitSource::RetryAfter), "{at_cap:?}");
    assert!(matches!(&above, Action::GiveUp(end) if end.reason == Reason::RetryAfterTooLong), "{above:?}");
    assert_eq!(rng.taken, 2);
}

proptest! {
    /// The rules of SPEC 3, written down once more without the core.
    #[test]
    fn waits_are_what_the_rules_say(
        base in prop_oneof![0..=20_u64, 0..=1_800_000_000_000_u64],
        above in prop_oneof![0..=20_u64, 0..=84_600_000_000_000_u64],
        factor in prop_oneof![Just(1.0), 1.01..=10.0_f64],
        kind in 0..5_u8,
        millionths in 0..=1_000_000_u32,
        hard_cap: bool,
        words in proptest::collection::vec(prop_oneof![any::<u64>(), Just(LOW), Just(HIGH)], 30),
    ) {
        let max = base + above;
        let jitter = match kind {
            0 => Jitter::None,
            1 => Jitter::Proportional(f64::from(millionths) / 1e6),
            2 => Jitter::Full,
            3 => Jitter::Equal,
            _ => Jitter::Decorrelated,
        };
        let builder = Policy::builder().base_delay(nanos(base)).max_delay(nanos(max)).factor(factor);
        let policy = policy(builder.jitter(jitter).hard_cap(hard_cap));
        let got = waits::<30>(&policy, &words);

        let mut product = base as f64;
        let mut previous = base;
        for (word, got) in words.into_iter().zip(got) {
            let delay = if product < max as f64 { product as u64 } else { max };
            product *= factor;
            let (low, high) = match kind {
                0 => (delay, delay),
                1 => {
                    let r = u64::try_from(u128::from(delay) * u128::from(millionths) / 1_000_000).unwrap();
                    (delay - r, (delay + r).saturating_sub(u64::from(r > 0)))
                }
                2 => (0, delay),
                3 => (delay - delay / 2, delay),
                _ => (base, max.min(3 * previous)),
            };
            let high = if hard_cap { high.min(max) } else { high };
            previous = pick(low, high, word);
            prop_assert_eq!(got, previous);
        }
    }
}

fn any_jitter() -> impl Strategy<Value = Jitter> {
    prop_oneof![
        Just(Jitter::None),
        (0.0..=1.0).prop_map(Jitter::Proportional),
        Just(Jitter::Full),
        Just(Jitter::Equal),
        Just(Jitter::Decorrelated),
    ]
}

proptest! {
    #[test]
    fn a_plain_schedule_has_the_waits_of_the_machine(
        jitter in any_jitter(),
        base in 0..=SECOND,
        factor in 1.01..=10.0,
        hard_cap: bool,
        words in prop::collection::vec(any::<u64>(), 1..20),
    ) {
        let policy = Policy::builder().base_delay(nanos(base)).factor(factor).jitter(jitter).hard_cap(hard_cap);
        let policy = policy.max_retries(u32::try_from(words.len()).unwrap()).total_timeout(None).build().unwrap();
        let mut call = Call::new(&policy, &words);
        let waits: Vec<_> = words.iter().map(|_| nanos(call.wait(BUSY).0)).collect();
        let mut rng = Words::new(&words);
        let delays = policy.delays(&mut rng);
        prop_assert_eq!(delays.size_hint(), (words.len(), Some(words.len())));
        prop_assert_eq!(delays.collect::<Vec<_>>(), waits);
        prop_assert_eq!(rng.taken, words.len());
    }
}
