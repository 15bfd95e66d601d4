//! The budgets' check values, through whole calls of the machine, and against naive models.

mod common;

use core::time::Duration;

use common::Words;
use proptest::prelude::*;
use retry_core::{
    Action, Attempt, Budget, Cause, End, ErrorKind, Event, Failure, Instant, Jitter, Judged, Level, Outcome, Policy,
    Ratio, Reached, Reason, Replay, Tally, Throttle, TokenBucket, Unlimited,
};

/// One call whose sends come back as `replies` say, the last one again and again; what the budget had after each.
fn call(budget: &mut dyn Budget, replies: &[Outcome]) -> (End, Vec<u64>) {
    let policy = Policy::API.edit().max_retries(20).jitter(Jitter::None).total_timeout(None).build();
    let policy = policy.expect("a valid policy");
    let mut replies = replies.iter().copied();
    let mut last = Outcome::status(200);
    let mut levels = Vec::new();
    let mut action = Attempt::start(&policy, Replay::Always, None, Instant::EPOCH);
    loop {
        action = match action {
            Action::Send(attempt) => {
                last = replies.next().unwrap_or(last);
                let next = attempt.finish(last, Instant::EPOCH, budget, &mut Words::new(&[0]));
                levels.push(budget.level().left.expect("it has a limit"));
                next
            }
            Action::Wait(pause) => {
                let until = pause.until();
                pause.resume(until)
            }
            Action::Done(end) | Action::GiveUp(end) => return (end, levels),
        };
    }
}

fn timeout() -> Outcome {
    Outcome::failure(Cause::Timeout, Reached::MaybeSent)
}

#[test]
fn aws_2_0() {
    let mut bucket = TokenBucket::aws_2_0();
    let replies = [Outcome::status(500), Outcome::status(500), Outcome::status(200)];
    assert_eq!(call(&mut bucket, &replies).1, [495, 490, 495]);
    assert_eq!(call(&mut bucket, &[timeout(), Outcome::status(200)]).1, [485, 495], "a timeout costs 10");
    let reset = Outcome::failure(Cause::Network, Reached::MaybeSent);
    assert_eq!(call(&mut bucket.clone(), &[reset, Outcome::status(200)]).1, [490, 495], "another failure 5");
    assert_eq!(call(&mut bucket, &[Outcome::status(200)]).1, [496], "a success at the first try gives one");
    assert_eq!(call(&mut bucket, &[Outcome::status(404)]).1, [497], "a 404 is an answer");
    let failed = Outcome::failure(Cause::Certificate, Reached::Unsent);
    assert_eq!(call(&mut bucket, &[failed]).1, [497], "a final failure gives nothing");

    let mut bucket = TokenBucket::aws_2_0().filled(5);
    let (end, levels) = call(&mut bucket, &[Outcome::status(500)]);
    assert_eq!((end.attempts, end.reason, end.kind()), (2, Reason::BudgetSpent, Some(ErrorKind::BudgetSpent)));
    assert_eq!((levels, bucket.level().refused), (vec![0, 0], 1));
}

#[test]
fn aws_2_1() {
    let mut bucket = TokenBucket::aws_2_1();
    let replies = [Outcome::status(500), Outcome::status(500), Outcome::status(200)];
    assert_eq!(call(&mut bucket, &replies).1, [486, 472, 486]);
    assert_eq!(call(&mut bucket, &[Outcome::status(429), Outcome::status(200)]).1, [481, 486], "throttling costs 5");

    let mut bucket = TokenBucket::aws_2_1().filled(14);
    assert_eq!(call(&mut bucket, &[Outcome::status(500)]).0.attempts, 2);
    let mut bucket = TokenBucket::aws_2_1().filled(20);
    let (end, levels) = call(&mut bucket, &[Outcome::status(500)]);
    assert_eq!((end.attempts, levels), (2, vec![6, 6]), "refused, and 6 stay");
}

#[test]
fn a_bucket_is_never_above_its_capacity() {
    let mut bucket = TokenBucket::aws_2_0().filled(9_999);
    assert_eq!(bucket.tokens(), 500);
    assert_eq!(call(&mut bucket, &[Outcome::status(200)]).1, [500]);
    assert_eq!(TokenBucket::aws_2_0().capacity(7).level().left, Some(7));
    assert_eq!(TokenBucket::aws_2_0().capacity(7).filled(9).tokens(), 7);
}

/// A budget driven reply by reply, without a machine.
struct Traffic<B>(B);

impl<B: Budget> Traffic<B> {
    fn judged(event: Event, tally: Tally, attempt: u32) -> Judged {
        Judged { event, tally, attempt, paid: 0 }
    }

    fn answers(&mut self, count: u32, at: u64) {
        for _ in 0..count {
            self.0.reply(Self::judged(Event::Status(200), Tally::Success, 1), seconds(at));
        }
    }

    /// A first send that fails; whether it may be sent again.
    fn fails(&mut self, at: u64) -> bool {
        let reply = Self::judged(Event::Status(503), Tally::Failure, 1);
        self.0.reply(reply, seconds(at));
        self.0.withdraw(reply, seconds(at)).is_some()
    }

    /// How many retries of sends that failed before are granted.
    fn granted(&mut self, at: u64) -> u32 {
        let reply = Self::judged(Event::Status(503), Tally::Failure, 2);
        let mut count = 0;
        while self.0.withdraw(reply, seconds(at)).is_some() {
            count += 1;
            assert!(count < 100_000, "the budget has no end");
        }
        count
    }
}

fn seconds(count: u64) -> Instant {
    Instant::from_nanos(count * 1_000_000_000)
}

#[test]
fn ratio_counts_exactly() {
    let granted = |share: f64, sends: u32| {
        let mut traffic = Traffic(Ratio::new(share, 0).unwrap());
        traffic.answers(sends, 5);
        traffic.granted(5)
    };
    assert_eq!((granted(0.1, 10), granted(0.1, 9)), (1, 0));
    assert_eq!((granted(0.6, 100), granted(0.9, 100)), (60, 90));
    assert_eq!((granted(0.2, 1000), granted(0.0, 1000), granted(1.0, 1000)), (200, 0, 1000));
}

#[test]
fn a_ratios_first_send_counts_before_its_own_retry() {
    assert!(Traffic(Ratio::new(1.0, 0).unwrap()).fails(0));
    assert!(!Traffic(Ratio::new(0.9, 0).unwrap()).fails(0));
}

#[test]
fn a_ratios_deposits_and_retries_leave_the_window() {
    let mut traffic = Traffic(Ratio::new(0.5, 0).unwrap());
    traffic.answers(10, 0);
    assert_eq!(traffic.0.level().left, Some(5_000_000));
    assert_eq!(traffic.granted(9), 5, "still there in the tenth second");
    let mut traffic = Traffic(Ratio::new(0.5, 0).unwrap());
    traffic.answers(10, 0);
    assert_eq!(traffic.granted(10), 0, "gone in the eleventh");

    let mut traffic = Traffic(Ratio::default());
    assert_eq!(traffic.granted(0), 100, "the reserve can be used at once");
    assert_eq!(traffic.granted(9), 0);
    assert_eq!(traffic.granted(10), 100, "and again after ten seconds");
    assert_eq!(traffic.granted(1_000_000), 100);
}

#[test]
fn throttle_allows_while_more_than_half_is_there() {
    let mut traffic = Traffic(Throttle::new(10, 0.1).unwrap());
    let allowed: Vec<bool> = (0..5).map(|_| traffic.fails(0)).collect();
    assert_eq!(allowed, [true, true, true, true, false]);
    let after = |successes| {
        let mut later = Traffic(traffic.0.clone());
        later.answers(successes, 0);
        later.fails(0)
    };
    assert_eq!((after(10), after(11)), (false, true));
    for (max, ratio) in [(0, 0.1), (1001, 0.1), (10, 0.0), (10, f64::NAN), (10, -1.0), (10, 1000.1)] {
        assert!(Throttle::new(max, ratio).is_err(), "{max} {ratio}");
    }
    let back = |ratio| {
        let mut traffic = Traffic(Throttle::new(10, ratio).unwrap());
        traffic.fails(0);
        traffic.answers(1, 0);
        traffic.0.level().left
    };
    assert_eq!((back(0.5466), back(0.546), back(0.001)), (Some(9_546), Some(9_546), Some(9_001)));
    assert!(Throttle::new(1, 0.001).is_ok() && Throttle::new(1000, 1000.0).is_ok());
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Reply(Tally, u16, u32),
    Withdraw(u16),
    /// Moves the clock, back too.
    Clock(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let tally = prop_oneof![Just(Tally::Success), Just(Tally::Failure), Just(Tally::Neutral)];
    let status = prop_oneof![Just(200_u16), Just(429), Just(503)];
    prop_oneof![
        3 => (tally, status.clone(), 1_u32..4).prop_map(|(tally, status, attempt)| Step::Reply(tally, status, attempt)),
        3 => status.prop_map(Step::Withdraw),
        1 => (-3_000_i64..15_000).prop_map(Step::Clock),
    ]
}

/// Runs `steps` on a budget and on a naive model of it; both must grant the same retries.
fn agree(
    mut budget: impl Budget,
    steps: &[Step],
    mut model: impl FnMut(Step, u64) -> Option<bool>,
    most: u64,
) -> Result<(), TestCaseError> {
    let mut millis = 0_i64;
    for step in steps {
        let now = Instant::EPOCH.saturating_add(Duration::from_millis(millis as u64));
        let granted = match *step {
            Step::Reply(tally, status, attempt) => {
                budget.reply(Judged { event: Event::Status(status), tally, attempt, paid: 5 }, now);
                None
            }
            Step::Withdraw(status) => {
                let event = Event::Status(status);
                Some(budget.withdraw(Judged { event, tally: Tally::Failure, attempt: 1, paid: 0 }, now).is_some())
            }
            Step::Clock(moved) => {
                millis = (millis + moved).max(0);
                None
            }
        };
        prop_assert_eq!(granted, model(*step, millis as u64));
        prop_assert!(budget.level().left.is_some_and(|left| left <= most));
    }
    Ok(())
}

proptest! {
    #[test]
    fn token_buckets_agree_with_plain_sums(steps in prop::collection::vec(step(), 0..200), start in 0_u32..60) {
        let mut tokens = i64::from(start);
        agree(TokenBucket::aws_2_1().capacity(60).filled(start), &steps, |step, _| match step {
            Step::Reply(Tally::Success, _, attempt) => {
                tokens = 60.min(tokens + if attempt == 1 { 1 } else { 5 });
                None
            }
            Step::Withdraw(status) => {
                let cost = if status == 429 { 5 } else { 14 };
                let granted = tokens >= cost;
                tokens -= if granted { cost } else { 0 };
                Some(granted)
            }
            Step::Reply(..) | Step::Clock(_) => None,
        }, 60)?;
    }

    #[test]
    fn ratios_agree_with_a_list_of_all_that_happened(
        steps in prop::collection::vec(step(), 0..200),
        share in 0_u32..=1_000_000,
        reserve in 0_u32..4,
    ) {
        let mut happened: Vec<(u64, i128)> = Vec::new();
        let mut newest = 0;
        let most = u64::from(reserve) * 1_000_000 + 200 * u64::from(share);
        agree(Ratio::new(f64::from(share) / 1e6, reserve).unwrap(), &steps, |step, millis| match step {
            Step::Reply(_, _, 1) => {
                newest = newest.max(millis / 1000);
                happened.push((newest, share.into()));
                None
            }
            Step::Withdraw(_) => {
                newest = newest.max(millis / 1000);
                let inside = happened.iter().filter(|(second, _)| second + 10 > newest);
                let balance: i128 = i128::from(reserve) * 1_000_000 + inside.map(|(_, amount)| amount).sum::<i128>();
                let granted = balance >= 1_000_000;
                happened.push((newest, if granted { -1_000_000 } else { 0 }));
                Some(granted)
            }
            Step::Reply(..) | Step::Clock(_) => None,
        }, most)?;
    }

    #[test]
    fn throttles_agree_with_plain_sums(
        steps in prop::collection::vec(step(), 0..200),
        max in 1_u32..=20,
        ratio in 1_u32..3000,
    ) {
        let mut tokens = i64::from(max) * 1000;
        agree(Throttle::new(max, f64::from(ratio) / 1000.0).unwrap(), &steps, |step, _| match step {
            Step::Reply(Tally::Success, ..) => {
                tokens = (tokens + i64::from(ratio)).min(i64::from(max) * 1000);
                None
            }
            Step::Reply(Tally::Failure, ..) => {
                tokens = (tokens - 1000).max(0);
                None
            }
            Step::Withdraw(_) => Some(tokens * 2 > i64::from(max) * 1000),
            Step::Reply(..) | Step::Clock(_) => None,
        }, u64::from(max) * 1000)?;
    }
}

#[test]
fn a_stop_counts_by_its_verdict_and_a_wanted_answer_as_a_failure() {
    /// Notes the tallies.
    #[derive(Default)]
    struct Notes(Vec<Tally>);
    impl Budget for Notes {
        fn reply(&mut self, reply: Judged, _: Instant) {
            self.0.push(reply.tally);
        }
        fn withdraw(&mut self, _: Judged, _: Instant) -> Option<u32> {
            None
        }
    }
    let tally = |outcome: Outcome, replay| {
        let mut notes = Notes::default();
        let Action::Send(attempt) = Attempt::start(Policy::API, replay, None, Instant::EPOCH) else { unreachable!() };
        let _ = attempt.finish(outcome, Instant::EPOCH, &mut notes, &mut Words::new(&[0]));
        notes.0
    };
    use retry_core::{Advice, Why};
    let once = Replay::Once(Why::Method);
    assert_eq!(tally(Outcome::status(200), Replay::Always), [Tally::Success]);
    assert_eq!(tally(Outcome::status(503), once), [Tally::Failure]);
    assert_eq!(tally(Outcome::status(200).with_advice(Advice::Retry), Replay::Always), [Tally::Failure]);
    assert_eq!(tally(Outcome::status(503).with_advice(Advice::Stop), Replay::Always), [Tally::Failure]);
    assert_eq!(tally(Outcome::status(200).with_advice(Advice::Retry), once), [Tally::Success], "not asked");
    let certificate = Event::Failure(Failure::new(Cause::Certificate, Reached::Unsent));
    assert_eq!(tally(Outcome::new(certificate), Replay::Always), [Tally::Neutral]);
}

#[test]
fn without_a_budget_a_retry_costs_nothing_and_nothing_is_told() {
    let reply = Judged { event: Event::Status(503), tally: Tally::Failure, attempt: 1, paid: 0 };
    for _ in 0..100 {
        Unlimited.reply(reply, Instant::EPOCH);
        assert_eq!(Unlimited.withdraw(reply, Instant::EPOCH), Some(0));
    }
    assert_eq!(Unlimited.level(), Level { left: None, refused: 0 });
}

#[test]
fn a_borrowed_budget_is_the_budget() {
    fn all(budget: &mut (impl Budget + ?Sized), reply: Judged) -> (Option<u32>, Level) {
        budget.reply(reply, Instant::EPOCH);
        (budget.withdraw(reply, Instant::EPOCH), budget.level())
    }
    let reply = Judged { event: Event::Status(503), tally: Tally::Success, attempt: 1, paid: 0 };
    let (mut one, mut other) = (TokenBucket::aws_2_1().filled(20), TokenBucket::aws_2_1().filled(20));
    for (cost, left, refused) in [(Some(14), 7, 0), (None, 8, 1)] {
        let right = (cost, Level { left: Some(left), refused });
        assert_eq!(all(&mut one, reply), right);
        assert_eq!(all(&mut &mut other, reply), right);
    }
    assert_eq!(one, other);
}
