//! Thousands of budgets at random, with clocks that go back, too: the core and the model agree on each reply.

use core::num::NonZeroU32;

use conformance::json::Span;
use conformance::model::Model;
use conformance::rules::{Rules, Spent};
use conformance::scenario::{Cause, Reached, Step};
use conformance::sim::Core;
use conformance::vectors::{Bucket, Budget, BudgetStep, Limit, Tally};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestError, TestRunner};

const CASES: u32 = 4_000;

#[test]
fn agreed_on_token_buckets() {
    let bucket = (0_u32..100, option::of(0_u32..120));
    let bucket = bucket.prop_map(|(capacity, filled)| Bucket { capacity, filled });
    let limits = (bucket, any::<bool>());
    agreed(limits.prop_map(|(bucket, new)| if new { Limit::Aws21(bucket) } else { Limit::Aws20(bucket) }));
}

#[test]
fn agreed_on_ratios() {
    // Shares between two millionths are rounded.
    let share = prop_oneof![select(vec![0.0, 0.1, 0.6, 0.9, 1.0]), 0.0..=1.0];
    agreed((share, 0_u32..4).prop_map(|(share, reserve)| Limit::Ratio { share, reserve }));
}

#[test]
fn agreed_on_throttles() {
    let limits = (1_u32..=12, 1_u32..3_000);
    agreed(limits.prop_map(|(max, ratio)| Limit::Throttle { max, ratio: f64::from(ratio) / 1e3 }));
}

#[test]
fn agreed_on_what_no_budget_can_be() {
    let number = || prop_oneof![Just(f64::NAN), -0.1..1.1, Just(0.001), Just(0.0009), Just(1000.0), Just(1000.1)];
    let limits = prop_oneof![
        number().prop_map(|share| Limit::Ratio { share, reserve: 0 }),
        (select(vec![0, 1, 1000, 1001]), number()).prop_map(|(max, ratio)| Limit::Throttle { max, ratio }),
    ];
    let done = runner().run(&limits, |budget| {
        let case = Budget { budget, steps: Vec::new(), refused: None };
        prop_assert_eq!(Core.budget(&case), Model.budget(&case));
        Ok(())
    });
    done.unwrap();
}

fn agreed(limits: impl Strategy<Value = Limit>) {
    let seen = core::cell::Cell::new((0_u64, 0_u64));
    let found = runner().run(&(limits, steps()), |(budget, steps)| {
        let most = most(budget, steps.len());
        let case = Budget { budget, steps, refused: None };
        let spent = Core.budget(&case);
        prop_assert_eq!(&spent, &Model.budget(&case));
        let spent = spent.expect("all of these can be");
        prop_assert!(spent.iter().all(|spent| spent.left <= most), "more than {most}: {spent:?}");
        let granted = spent.iter().filter(|spent| spent.cost.is_some()).count() as u64;
        let refused = spent.last().map_or(0, |Spent { refused, .. }| *refused);
        seen.set((seen.get().0 + granted, seen.get().1 + refused));
        Ok(())
    });
    match found {
        Ok(()) => {}
        // As it can stand in a file of vectors, but for its id, note and results.
        Err(TestError::Fail(what, (budget, steps))) => {
            let case = serde_json::to_string(&Budget { budget, steps, refused: None }).expect("it can be written");
            panic!("{what}\n{case}")
        }
        Err(TestError::Abort(what)) => panic!("{what}"),
    }
    let (granted, refused) = seen.get();
    println!("{granted} granted, {refused} refused");
    assert!(granted > 1_000 && refused > 1_000, "{granted} granted, {refused} refused: nothing of interest");
}

/// The most that may ever be left.
fn most(limit: Limit, steps: usize) -> u64 {
    match limit {
        Limit::Aws20(bucket) | Limit::Aws21(bucket) => bucket.capacity.into(),
        Limit::Ratio { reserve, .. } => (u64::from(reserve) + 3 * steps as u64) * 1_000_000,
        Limit::Throttle { max, .. } => u64::from(max) * 1_000,
    }
}

/// Replies at moments that mostly go on a little, now and then far, now and then back.
fn steps() -> impl Strategy<Value = Vec<BudgetStep>> {
    let moved = prop_oneof![
        6 => 0_i64..1_500,
        2 => select(vec![999_i64, 1_000, 9_999, 10_000, 10_001, 20_000, 100_000_000]),
        2 => -12_000_i64..0,
    ];
    vec((moved, step()), 0..60).prop_map(|steps| {
        let mut millis = 0_i64;
        let steps = steps.into_iter().map(|(moved, step)| {
            millis = (millis + moved).max(0);
            BudgetStep { at: Span::from_millis(millis.unsigned_abs()), ..step }
        });
        steps.collect()
    })
}

fn step() -> impl Strategy<Value = BudgetStep> {
    let status = select(vec![200_u16, 404, 408, 429, 500, 503, 504]).prop_map(Step::status);
    let failure = select(Cause::ALL.to_vec()).prop_map(|cause| Step::failure(cause, Reached::MaybeSent));
    let reply = prop_oneof![status, failure];
    let tally = select(vec![Tally::Success, Tally::Failure, Tally::Failure, Tally::Neutral]);
    let number = || (1_u32..4).prop_map(|number| NonZeroU32::new(number).expect("not 0"));
    // Whether a retry is asked for is all that is read of what is expected.
    let asked = prop_oneof![Just(None), Just(Some(true))];
    (reply, tally, number(), 0_u32..20, number(), asked).prop_map(|(reply, tally, attempt, paid, times, granted)| {
        BudgetStep { at: Span::ZERO, reply, tally, attempt, paid, times, granted, cost: None, left: None }
    })
}

fn runner() -> TestRunner {
    // The case is printed in place of being kept.
    TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() })
}
