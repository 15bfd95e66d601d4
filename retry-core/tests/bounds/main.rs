//! The worst cases of a policy: the documented values, how they depend on the settings, and the calls that reach them.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod settings;
mod worst;

use core::time::Duration;

use proptest::prelude::*;
use retry_core::{Jitter, Policy, PolicyBuilder, RetryAfter};
use settings::{DAY, Settings, YEAR, nanos, settings};

const NANO: Duration = Duration::from_nanos(1);

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn built(builder: PolicyBuilder) -> Policy {
    builder.build().expect("a policy within the bounds")
}

#[test]
fn the_default_has_the_documented_bounds() {
    let policy = Policy::API;
    assert_eq!(policy.max_sends(), 4);
    assert_eq!(policy.nominal_waits(), secs(7));
    assert_eq!(policy.max_waits(), millis(7_700));
    assert_eq!(policy.max_waits_with_hints(), secs(180));
    assert_eq!(policy.max_total(), Some(secs(180)));
    assert_eq!(policy.time_needed(secs(2)), millis(15_700));
    assert_eq!(policy.time_needed(Duration::ZERO), policy.max_waits());
}

#[test]
fn a_limit_per_send_bounds_the_total_too() {
    let limited = Policy::API.edit().attempt_timeout(Some(secs(180)));
    let policy = built(limited.total_timeout(None));
    assert_eq!(policy.time_needed(secs(180)), millis(727_700));
    assert_eq!(policy.max_total(), Some(secs(900)));
    // The smaller of the two counts.
    assert_eq!(built(limited.total_timeout(Some(secs(900) - NANO))).max_total(), Some(secs(900) - NANO));
    assert_eq!(built(limited.total_timeout(Some(secs(900) + NANO))).max_total(), Some(secs(900)));
    assert_eq!(built(Policy::API.edit().total_timeout(None)).max_total(), None);
}

#[test]
fn a_request_with_five_retries_waits_31_seconds() {
    let policy = built(Policy::API.edit().max_retries(5));
    assert_eq!(policy.nominal_waits(), secs(31));
    assert_eq!(policy.max_waits(), millis(34_100));
}

#[test]
fn each_jitter_has_its_own_longest_wait() {
    let sum = |jitter, hard_cap| {
        // 10, 20, 30 s.
        let policy = Policy::API.edit().base_delay(secs(10)).jitter(jitter).hard_cap(hard_cap);
        built(policy).max_waits()
    };
    for hard_cap in [false, true] {
        for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Proportional(0.0)] {
            assert_eq!(sum(jitter, hard_cap), secs(60), "{jitter:?}");
        }
        // 30 s at once, since three times 10 s is the ceiling.
        assert_eq!(sum(Jitter::Decorrelated, hard_cap), secs(90));
    }
    assert_eq!(sum(Jitter::Proportional(0.5), false), secs(90));
    assert_eq!(sum(Jitter::Proportional(0.5), true), secs(75)); // 15, 30, 30 s
    assert_eq!(sum(Jitter::Proportional(1.0), false), secs(120));
}

#[test]
fn a_hint_counts_with_its_cap_and_its_whole_spread() {
    let sum = |retry_after: RetryAfter| built(Policy::API.edit().retry_after(retry_after)).max_waits_with_hints();
    assert_eq!(sum(RetryAfter::replace().cap(secs(100)).spread(0.25)), secs(375));
    assert_eq!(sum(RetryAfter::at_least().cap(secs(100)).spread(0.25)), secs(375));
    // A server need not give one, so a short cap does not shorten the sum.
    assert_eq!(sum(RetryAfter::replace().cap(secs(3))), millis(3_000 + 3_000 + 4_400));
    assert_eq!(sum(RetryAfter::replace().cap(NANO)), millis(7_700));
    assert_eq!(sum(RetryAfter::ignore()), millis(7_700));
}

/// The compiler gives up on a `const` that loops four thousand million times.
#[test]
fn bounds_cost_the_same_for_any_count() {
    const MOST: u32 = u32::MAX - 1;
    const SLOW: Policy = Policy::builder()
        .max_retries(MOST)
        .base_delay(NANO)
        .factor(1.01)
        .max_delay(Duration::from_nanos(DAY))
        .attempt_timeout(Some(Duration::from_nanos(YEAR)))
        .total_timeout(None)
        .build_const();
    const WAITS: Duration = SLOW.max_waits();
    const TOTAL: Option<Duration> = SLOW.max_total();
    const NOMINAL: Duration = SLOW.nominal_waits();
    const NEEDED: Duration = SLOW.time_needed(Duration::MAX);
    assert!(NOMINAL > secs(86_400) * (MOST - 4_000) && NOMINAL < secs(86_400) * MOST);
    assert!(WAITS > NOMINAL && WAITS < NOMINAL * 2);
    assert!(TOTAL.is_some_and(|total| total > WAITS + secs(31_536_000) * MOST));
    assert_eq!(NEEDED, Duration::MAX);

    // 1 + 2 + 4 + 8 + 16 s, and then 30 s each.
    let most = built(Policy::API.edit().max_retries(MOST));
    assert_eq!(most.max_sends(), u32::MAX);
    assert_eq!(most.nominal_waits(), secs(31) + secs(30) * (MOST - 5));
    assert_eq!(most.max_waits(), millis(34_100) + secs(33) * (MOST - 5));
    let fixed = |delay| built(Policy::API.edit().max_retries(MOST).factor(1.0).base_delay(delay)).nominal_waits();
    assert_eq!(fixed(secs(30)), secs(30) * MOST);
    assert_eq!(fixed(NANO), NANO * MOST);
    assert_eq!(fixed(Duration::ZERO), Duration::ZERO);
}

/// `settings` with one of them raised, or as they are where that one cannot be raised to `other`'s.
fn raised(settings: &Settings, other: &Settings, field: usize) -> Settings {
    let mut raised = settings.clone();
    // No limit is longer than any.
    let longer = |one: Option<u64>, other: Option<u64>| Some(one?.max(other?));
    match field {
        0 => raised.retries = raised.retries.max(other.retries),
        1 => raised.base = raised.base.max(other.base.min(raised.max)),
        2 => raised.factor = raised.factor.max(other.factor),
        3 => raised.max = raised.max.max(other.max),
        4 => raised.share = raised.share.max(other.share),
        5 => raised.cap = raised.cap.max(other.cap),
        6 => raised.spread = raised.spread.max(other.spread),
        7 => raised.total = longer(raised.total, other.total),
        8 => raised.attempt = longer(raised.attempt, other.attempt),
        _ => unreachable!("there are nine"),
    }
    raised
}

proptest! {
    #[test]
    fn no_bound_falls_when_a_setting_rises(
        settings in settings(),
        other in settings(),
        field in 0..9_usize,
        send in nanos(u64::MAX),
        longer in any::<u64>(),
    ) {
        let (less, more) = (settings.policy(), raised(&settings, &other, field).policy());
        let send = Duration::from_nanos(send);
        prop_assert!(less.max_sends() <= more.max_sends());
        prop_assert!(less.nominal_waits() <= more.nominal_waits());
        prop_assert!(less.max_waits() <= more.max_waits());
        prop_assert!(less.max_waits_with_hints() <= more.max_waits_with_hints());
        prop_assert!(less.time_needed(send) <= more.time_needed(send));
        prop_assert!(more.time_needed(send) <= more.time_needed(send.saturating_add(Duration::from_secs(longer))));
        let total = |policy: Policy| policy.max_total().unwrap_or(Duration::MAX);
        prop_assert!(total(less) <= total(more));
    }

    #[test]
    fn bounds_are_in_order(settings in settings()) {
        let policy = settings.policy();
        prop_assert!(policy.max_waits() <= policy.max_waits_with_hints());
        if settings.jitter != 4 {
            prop_assert!(policy.nominal_waits() <= policy.max_waits());
        }
        prop_assert!(policy.max_total().is_none_or(|total| policy.total_timeout().is_none_or(|limit| total <= limit)));
    }
}
