//! The two ways through the core agree, and clocks that misbehave do no harm.

use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::HashSet;

use conformance::Subject;
use conformance::json::Span;
use conformance::model::Model;
use conformance::scenario::{
    Advice, Cause, Change, ClockStep, Jitter, Random, Reached, RetryAfter, Scenario, Settings, Step,
};
use conformance::sim::{Clock, by_hand, simulate};
use conformance::trace::{Reason, Trace};
use conformance::vectors::{self, Run};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::Timer;

/// Runs `scenario` both ways.
fn both(scenario: &Scenario) -> Trace {
    let (one, other) = (simulate(scenario), by_hand(scenario));
    let json = serde_json::to_string(scenario).expect("a scenario can be written");
    assert_eq!(one, other, "the loop\n{one}by hand\n{other}{json}");
    one
}

/// 503 for ever, with the waits 100, 200 and 400 ms.
fn busy() -> Scenario {
    let policy = Settings {
        base_delay: Span::from_millis(100),
        max_delay: Span::from_secs(10),
        jitter: Jitter::None,
        total_timeout: None,
        ..Settings::default()
    };
    Scenario { policy, script: vec![Step::status(503)], ..Scenario::default() }
}

fn clock(at: Span, change: Change) -> Vec<ClockStep> {
    vec![ClockStep { at, change }]
}

#[test]
fn the_loop_and_the_machine_by_hand_agree_on_all_cases() {
    let cases = vectors::load::<Run>().unwrap();
    assert!(cases.len() >= 264, "{} cases", cases.len());
    for case in cases {
        println!("{}", case.id);
        both(&case.body.scenario);
    }
}

/// A file of vectors cannot ask for so many.
#[test]
fn only_the_time_ends_the_most_retries() {
    let mut scenario = busy();
    (scenario.policy.max_retries, scenario.policy.total_timeout) = (u32::MAX - 1, Some(Span::from_secs(1)));
    let trace = both(&scenario);
    assert_eq!((trace.end.attempts, trace.end.reason, trace.end.at), (4, Reason::TotalTimeout, Span::from_millis(700)));
    assert_eq!(Model.run(&scenario), Ok(trace));
}

#[test]
fn they_agree_on_scenarios_made_at_random() {
    let mut retried = 0;
    for seed in 0..5_000 {
        let scenario = random(&mut Dice(Xoshiro256PlusPlus::seed_from_u64(seed)));
        let trace = both(&scenario);
        assert_eq!(trace.sends.len(), usize::try_from(trace.end.attempts).unwrap(), "{trace}");
        assert_eq!(trace.end.elapsed, trace.end.at, "{trace}");
        retried += usize::from(trace.sends.len() > 1);
    }
    assert!(retried > 1_000, "only {retried} calls had a retry");
}

#[test]
fn a_clock_that_stands_still_or_goes_back_shortens_no_wait_and_ends_the_call_all_the_same() {
    let hour = Span::from_secs(3600);
    for at in [0, 1, 50, 100, 150, 299, 300, 301, 700] {
        for change in [Change::Stand(hour), Change::Stand(Span::from_millis(70)), Change::Back(Span::from_millis(70))] {
            for limits in [(None, None), (Some(hour), None), (None, Some(Span::from_millis(20)))] {
                for takes in [0, 7, 60] {
                    let mut scenario = busy();
                    (scenario.policy.total_timeout, scenario.policy.attempt_timeout) = limits;
                    scenario.script[0].takes = Span::from_millis(takes);
                    scenario.clock = clock(Span::from_millis(at), change);
                    let trace = both(&scenario);
                    assert_eq!(trace.end.reason, Reason::RetriesExhausted, "{scenario:?}\n{trace}");
                    assert_eq!(trace.waits.iter().map(|wait| wait.lasts.as_nanos() / 1_000_000).sum::<u64>(), 700);
                    on_time(&trace);
                }
            }
        }
    }
}

#[test]
fn a_clock_that_stands_still_does_not_stop_the_limits() {
    let mut scenario = busy();
    scenario.policy.max_retries = 1_000;
    scenario.policy.total_timeout = Some(Span::from_secs(1));
    scenario.clock = clock(Span::ZERO, Change::Stand(Span::from_secs(86_400)));
    let trace = both(&scenario);
    assert_eq!((trace.end.attempts, trace.end.code), (4, Some("TIMEOUT")), "{trace}");

    scenario.script[0].takes = Span::from_secs(3600);
    let trace = both(&scenario);
    assert_eq!((trace.end.attempts, trace.end.code), (1, Some("TIMEOUT")), "{trace}");
    assert_eq!(trace.end.at, Span::from_secs(1), "{trace}");
}

#[test]
fn a_clock_that_stands_still_or_goes_back_makes_no_wait_and_no_limit_longer() {
    let hour = Span::from_secs(3600);
    let mut scenario = busy();
    scenario.policy = Default::default();
    scenario.script = vec![Step::status(429).header("Retry-After", "120")];
    scenario.clock = clock(Span::ZERO, Change::Stand(hour));
    let trace = both(&scenario);
    assert_eq!(
        trace.sends.iter().map(|send| send.at).collect::<Vec<_>>(),
        [0, 60, 120].map(Span::from_secs),
        "{trace}"
    );
    assert_eq!(trace.end.at, Span::from_secs(120), "{trace}");

    let mut scenario = busy();
    scenario.policy.max_retries = 20;
    scenario.policy.base_delay = Span::from_secs(1);
    scenario.policy.max_delay = Span::from_secs(1);
    scenario.clock = clock(Span::ZERO, Change::Stand(hour));
    assert_eq!(both(&scenario).end.at, Span::from_secs(20));

    let mut scenario = busy();
    scenario.clock = clock(Span::from_millis(50), Change::Back(hour));
    let trace = both(&scenario);
    assert_eq!(trace.sends[2].at, Span::from_millis(300), "{trace}");
    for limit in [&mut scenario.policy.attempt_timeout, &mut scenario.policy.total_timeout] {
        *limit = Some(Span::from_secs(1));
    }
    let mut stalled = Step::status(503);
    stalled.takes = hour;
    scenario.script = vec![Step::status(503), stalled];
    let trace = both(&scenario);
    assert!(trace.end.at <= Span::from_millis(1100), "{trace}");
}

#[test]
fn a_clock_that_goes_back_before_the_epoch_is_no_trouble() {
    for at in [0, 50, 100] {
        let mut scenario = busy();
        scenario.clock = clock(Span::from_millis(at), Change::Back(Span::from_secs(3_000_000)));
        let trace = both(&scenario);
        assert_eq!(trace.end.attempts, 4, "{trace}");
        on_time(&trace);
    }
}

#[test]
fn the_wall_clock_moves_no_wait() {
    let still = both(&busy());
    for at in [0, 50, 100, 150, 700] {
        for jump in [Change::WallAhead, Change::WallBack] {
            let mut scenario = busy();
            scenario.clock = clock(Span::from_millis(at), jump(Span::from_secs(10_000_000_000)));
            assert_eq!(both(&scenario), still);
            scenario.wall = None;
            assert_eq!(both(&scenario), still);
        }
    }
}

/// C3: clients that were all told the same do not return together, and none early.
#[test]
fn a_hundred_clients_spread_over_what_they_were_told() {
    let waits: HashSet<_> = (0..100)
        .map(|seed| {
            let mut scenario = busy();
            scenario.policy.retry_after = RetryAfter { spread: 0.1, ..RetryAfter::default() };
            scenario.script = vec![Step::status(429).header("Retry-After", "60"), Step::status(200)];
            scenario.random = Random::Seed(seed);
            both(&scenario).waits[0].lasts
        })
        .collect();
    assert_eq!(waits.len(), 100);
    assert!(waits.iter().all(|wait| (Span::from_secs(60)..=Span::from_secs(66)).contains(wait)));
    // Over the whole window: all within its tenth would be a chance of 10^-99.
    let (first, last) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
    assert!(last.as_nanos() - first.as_nanos() > 5_000_000_000, "{first} to {last}");
}

/// D6: another seed has other waits, the same seed the same.
#[test]
fn a_seed_decides_all_waits() {
    let run = |seed| {
        let policy = Settings { max_retries: 6, ..Settings::default() };
        let script = vec![Step::status(503)];
        both(&Scenario { policy, script, random: Random::Seed(seed), ..Scenario::default() })
    };
    let traces: Vec<_> = (0..100).map(run).collect();
    for (seed, trace) in (0..).zip(&traces) {
        assert_eq!(run(seed), *trace);
        assert_eq!(traces.iter().filter(|other| other.waits == trace.waits).count(), 1, "seed {seed}");
    }
}

/// E4: nothing happens to a call that was dropped.
#[test]
fn a_sleep_that_is_dropped_wakes_nobody() {
    let clock = Clock::new(&Scenario::default());
    {
        let mut dropped = pin!(clock.sleep(Duration::from_secs(1)));
        assert_eq!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending);
    }
    clock.run(clock.sleep(Duration::from_secs(60)));
    assert_eq!(clock.passed(), Span::from_secs(60));
}

#[test]
#[should_panic(expected = "waits for nothing")]
fn a_future_without_a_timer_is_noticed() {
    Clock::new(&Scenario::default()).run(core::future::pending::<()>());
}

#[test]
#[should_panic(expected = "no policy has these settings: factor is 0.5")]
fn settings_that_no_policy_has_are_noticed() {
    let mut scenario = busy();
    scenario.policy.factor = 0.5;
    simulate(&scenario);
}

#[test]
fn a_trace_prints_one_line_a_step() {
    let mut scenario = busy();
    scenario.script = vec![
        Step::failure(Cause::Network, Reached::Unsent).takes(Span::from_millis(5)),
        Step::status(429).header("Retry-After", "120"),
    ];
    scenario.policy.total_timeout = Some(Span::from_secs(60));
    let right = "\
0ns         send 1: Network (Unsent) after 5ms
5ms         wait 100ms (Computed)
105ms       send 2: 429 after 0ns
105ms       back: TotalTimeout TIMEOUT, 429, asked for 120s, attempts 2, elapsed 105ms
";
    assert_eq!(both(&scenario).to_string(), right);
    scenario.script[0].takes = Span::from_secs(10);
    scenario.cancel_at = Some(Span::from_secs(2));
    let right = "\
0ns         send 1: given up after 2s
2s          back: Canceled CANCELED, no reply, attempts 1, elapsed 2s
";
    assert_eq!(both(&scenario).to_string(), right);
}

/// No wait was shorter, in time that really passed, than it was to be.
fn on_time(trace: &Trace) {
    for (wait, next) in trace.waits.iter().zip(&trace.sends[1..]) {
        assert!(next.at.as_nanos() - wait.at.as_nanos() >= wait.lasts.as_nanos(), "{trace}");
    }
}

/// A scenario with well-behaved clocks. Its moments are few, so that many of them coincide.
fn random(dice: &mut Dice) -> Scenario {
    let mut scenario = busy();
    scenario.policy.max_retries = dice.one_of([0, 1, 2, 3, 5]);
    scenario.policy.jitter = dice.one_of([Jitter::None, Jitter::Full, Jitter::Decorrelated]);
    scenario.policy.total_timeout = dice.one_of([None, Some(400), Some(800)]).map(Span::from_millis);
    scenario.policy.attempt_timeout = dice.one_of([None, Some(100), Some(300)]).map(Span::from_millis);
    scenario.request.replayable = dice.below(8) > 0;
    scenario.request.deadline = dice.one_of([false, false, false, true]).then(|| dice.span());
    scenario.cancel_at = dice.one_of([false, false, false, true]).then(|| dice.span());
    scenario.random = Random::Seed(dice.below(u64::MAX));
    scenario.script = (0..=dice.below(4)).map(|_| step(dice)).collect();
    if dice.one_of([false, false, true]) {
        scenario.clock = clock(dice.span(), Change::Suspend(dice.span()));
    }
    scenario
}

fn step(dice: &mut Dice) -> Step {
    let own = Advice::RetryAfter(dice.span());
    let step = dice.one_of([
        Step::status(200),
        Step::status(503),
        Step::status(503).header("Retry-After", "0.3"),
        Step::failure(Cause::Network, Reached::Unsent),
        Step::failure(Cause::Certificate, Reached::Unsent),
    ]);
    let advice = dice.one_of([Advice::Keep, Advice::Keep, Advice::Keep, Advice::Stop, Advice::Retry, own]);
    Step { advice, takes: dice.span(), drain: dice.span(), ..step }
}

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    fn one_of<T: Clone, const N: usize>(&mut self, choices: [T; N]) -> T {
        let place = usize::try_from(self.below(N as u64)).unwrap_or_default();
        choices[place].clone()
    }

    fn span(&mut self) -> Span {
        Span::from_millis(100 * self.below(8))
    }
}
