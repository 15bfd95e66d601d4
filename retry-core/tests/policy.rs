//! The settings: each bound from both sides, what an error says, the presets.

use core::time::Duration;

use proptest::prelude::*;
use retry_core::{Jitter, NonIdempotent, OverCap, Policy, PolicyBuilder, PolicyError, RetryAfter, StatusSet};

const NANO: Duration = Duration::from_nanos(1);
const HALF_HOUR: Duration = Duration::from_secs(30 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The error of a builder that must have one about `field`.
fn refused(field: &str, builder: PolicyBuilder) -> PolicyError {
    let error = builder.build().expect_err(field);
    assert_eq!(error.field(), field);
    assert!(error.to_string().starts_with(field), "{error}");
    assert!(error.to_string().ends_with(error.bound()), "{error}");
    assert!(error.to_string().contains(&error.value().to_string()), "{error}");
    error
}

#[test]
fn max_retries_leaves_room_for_the_first_send() {
    let builder = |count| Policy::builder().max_retries(count);
    for count in [0, 1, 3, u32::MAX - 1] {
        assert_eq!(builder(count).build().unwrap().max_retries(), count);
    }
    let error = refused("max_retries", builder(u32::MAX));
    assert_eq!(error.to_string(), "max_retries is 4294967295, accepted: 0 ..= 4294967294");
}

#[test]
fn base_delay_ends_at_half_an_hour() {
    let builder = |delay| Policy::builder().base_delay(delay).max_delay(DAY);
    for delay in [Duration::ZERO, NANO, HALF_HOUR - NANO, HALF_HOUR] {
        assert_eq!(builder(delay).build().unwrap().base_delay(), delay);
    }
    for delay in [HALF_HOUR + NANO, DAY, Duration::from_nanos(u64::MAX), secs(u64::MAX), Duration::MAX] {
        refused("base_delay", builder(delay));
    }
    let error = refused("base_delay", builder(HALF_HOUR + NANO));
    assert_eq!(error.to_string(), "base_delay is 1800.000000001s, accepted: 0 ..= 30 min");
}

#[test]
fn factor_is_one_or_grows_by_a_hundredth_at_least() {
    let builder = |factor| Policy::builder().factor(factor);
    for factor in [1.0, 1.01, 1.01_f64.next_up(), 1.5, 10.0_f64.next_down(), 10.0] {
        assert_eq!(builder(factor).build().unwrap().factor(), factor);
    }
    let below_one = [0.0, -0.0, -1.0, -2.0, 0.5, f64::MIN_POSITIVE, 1.0_f64.next_down(), f64::MIN, f64::NEG_INFINITY];
    let between = [1.0_f64.next_up(), 1.001, 1.005, 1.01_f64.next_down()];
    let above = [10.0_f64.next_up(), 11.0, f64::MAX, f64::INFINITY];
    for factor in below_one.into_iter().chain(between).chain(above).chain([f64::NAN, -f64::NAN]) {
        refused("factor", builder(factor));
    }
    let text = |factor| refused("factor", builder(factor)).to_string();
    assert_eq!(text(1.005), "factor is 1.005, accepted: 1.0, or 1.01 ..= 10.0");
    assert_eq!(text(f64::INFINITY), "factor is inf, accepted: 1.0, or 1.01 ..= 10.0");
    assert_eq!(text(f64::NAN), "factor is NaN, accepted: 1.0, or 1.01 ..= 10.0");
    // Where digits would be long, with an exponent.
    let values = [
        (0.0, "0"),
        (-1e-9, "-0.000000001"),
        (9e-10, "9e-10"),
        (999_999_999_999_999.0, "999999999999999"),
        (1e15, "1e15"),
        (-1e300, "-1e300"),
    ];
    for (factor, value) in values {
        assert_eq!(text(factor), format!("factor is {value}, accepted: 1.0, or 1.01 ..= 10.0"));
    }
}

#[test]
fn max_delay_lies_between_the_base_and_a_day() {
    let builder = |base, max| Policy::builder().base_delay(base).max_delay(max);
    let accepted = [(Duration::ZERO, Duration::ZERO), (NANO, NANO), (secs(1), secs(1)), (HALF_HOUR, DAY), (NANO, DAY)];
    for (base, max) in accepted {
        assert_eq!(builder(base, max).build().unwrap().max_delay(), max);
    }
    let refusals = [
        (NANO, Duration::ZERO),
        (secs(1), secs(1) - NANO),
        (HALF_HOUR, HALF_HOUR - NANO),
        (secs(1), DAY + NANO),
        (Duration::ZERO, Duration::MAX),
        (secs(1), secs(u64::MAX)),
    ];
    for (base, max) in refusals {
        refused("max_delay", builder(base, max));
    }
    let error = refused("max_delay", builder(secs(31), secs(30)));
    assert_eq!(error.to_string(), "max_delay is 30s with a base_delay of 31s, accepted: base_delay ..= 24 h");
    // The default base counts too.
    refused("max_delay", Policy::builder().max_delay(secs(1) - NANO));
    // And a base above the ceiling is refused, not cut.
    refused("max_delay", Policy::builder().base_delay(secs(31)));
}

const SHARES: [f64; 7] = [0.0, -0.0, f64::MIN_POSITIVE, 0.1, 0.5, 0.999_999, 1.0];

fn no_shares() -> [f64; 9] {
    let (below, above) = (-f64::MIN_POSITIVE, 1.0 + f64::EPSILON);
    [below, -0.1, -1.0, above, 1.5, 10.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
}

#[test]
fn a_share_of_jitter_is_at_most_the_whole() {
    let builder = |share| Policy::builder().jitter(Jitter::Proportional(share));
    for share in SHARES {
        let Jitter::Proportional(kept) = builder(share).build().unwrap().jitter() else { panic!("{share}") };
        assert!((kept - share).abs() <= 5e-7, "{share} became {kept}");
    }
    for share in no_shares() {
        refused("jitter", builder(share));
    }
    let error = refused("jitter", builder(1.5));
    assert_eq!(error.to_string(), "jitter is 1.5, accepted: a share of 0.0 ..= 1.0");
    for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        assert_eq!(Policy::builder().jitter(jitter).build().unwrap().jitter(), jitter);
    }
}

#[test]
fn a_spread_is_at_most_the_whole_hint() {
    let builder = |share| Policy::builder().retry_after(RetryAfter::replace().spread(share));
    for share in SHARES {
        builder(share).build().unwrap();
    }
    for share in no_shares() {
        refused("retry_after.spread", builder(share));
    }
    let error = refused("retry_after.spread", builder(-1.0));
    assert_eq!(error.to_string(), "retry_after.spread is -1, accepted: a share of 0.0 ..= 1.0");
}

#[test]
fn the_cap_of_hints_is_above_zero_and_at_most_a_day() {
    let builder = |cap| Policy::builder().retry_after(RetryAfter::at_least().cap(cap).over_cap(OverCap::GiveUp));
    for cap in [NANO, secs(60), DAY - NANO, DAY] {
        let expected = RetryAfter::at_least().cap(cap).over_cap(OverCap::GiveUp);
        assert_eq!(builder(cap).build().unwrap().retry_after(), expected);
    }
    for cap in [Duration::ZERO, DAY + NANO, Duration::MAX] {
        refused("retry_after.cap", builder(cap));
    }
    let error = refused("retry_after.cap", builder(Duration::ZERO));
    assert_eq!(error.to_string(), "retry_after.cap is 0ns, accepted: above 0, at most 24 h");
}

#[test]
fn a_limit_is_none_or_above_zero_and_at_most_a_year() {
    let total = |limit| Policy::builder().total_timeout(limit);
    let attempt = |limit| Policy::builder().attempt_timeout(limit);
    for limit in [None, Some(NANO), Some(secs(180)), Some(YEAR - NANO), Some(YEAR)] {
        assert_eq!(total(limit).build().unwrap().total_timeout(), limit);
        assert_eq!(attempt(limit).build().unwrap().attempt_timeout(), limit);
    }
    for limit in [Duration::ZERO, YEAR + NANO, secs(u64::MAX), Duration::MAX] {
        refused("total_timeout", total(Some(limit)));
        refused("attempt_timeout", attempt(Some(limit)));
    }
    let error = refused("total_timeout", total(Some(Duration::ZERO)));
    assert_eq!(error.to_string(), "total_timeout is 0ns, accepted: none, or above 0, at most 1 year");
    let error = refused("attempt_timeout", attempt(Some(YEAR + NANO)));
    let text = "attempt_timeout is 31536000.000000001s, accepted: none, or above 0, at most 1 year";
    assert_eq!(error.to_string(), text);
}

#[test]
fn statuses_are_errors() {
    let with = |statuses: &[u16]| Policy::builder().statuses(statuses);
    assert_eq!(with(&[]).build().unwrap().statuses(), StatusSet::EMPTY);
    assert!(with(&[599, 400, 400]).build().unwrap().statuses().iter().eq([400, 599]));
    for status in [0, 100, 200, 301, 399, 600, 999, u16::MAX] {
        let error = refused("statuses", with(&[503, status, 500]));
        assert_eq!(error.to_string(), format!("statuses is {status}, accepted: 400 ..= 599"));
        refused("statuses", Policy::builder().add_status(status));
    }
    assert_eq!(refused("statuses", with(&[200, 503, 100])).to_string(), "statuses is 200, accepted: 400 ..= 599");
    // A list takes the place of all that came before, a single status does not.
    let changed = with(&[500]).add_status(520).remove_status(500).remove_status(200).build().unwrap();
    assert!(changed.statuses().iter().eq([520]));
    assert!(Policy::builder().add_status(200).statuses(&[503]).build().is_ok());
}

#[test]
fn the_default_is_the_documented_one() {
    let policy = Policy::default();
    assert_eq!(policy, Policy::API);
    assert_eq!(policy, Policy::builder().build().unwrap());
    assert_eq!(policy.max_retries(), 3);
    assert_eq!(policy.base_delay(), secs(1));
    assert_eq!(policy.factor(), 2.0);
    assert_eq!(policy.max_delay(), secs(30));
    assert_eq!(policy.jitter(), Jitter::Proportional(0.1));
    assert!(!policy.hard_cap());
    assert_eq!(policy.retry_after(), RetryAfter::default());
    assert_eq!(policy.retry_after(), RetryAfter::replace().cap(secs(60)).over_cap(OverCap::Clamp).spread(0.0));
    assert_eq!(policy.total_timeout(), Some(secs(180)));
    assert_eq!(policy.attempt_timeout(), None);
    assert!(policy.statuses().iter().eq([408, 429, 500, 502, 503, 504]));
    assert_eq!(policy.non_idempotent(), NonIdempotent::Never);
}

#[test]
fn each_setting_is_told_as_it_was_given_and_survives_an_edit() {
    let hints = RetryAfter::at_least().cap(secs(5)).over_cap(OverCap::GiveUp).spread(0.5);
    let builder = Policy::builder()
        .max_retries(7)
        .base_delay(millis(250))
        .factor(1.5)
        .max_delay(secs(20))
        .jitter(Jitter::Full)
        .hard_cap(true)
        .retry_after(hints)
        .total_timeout(Some(secs(90)))
        .attempt_timeout(Some(secs(9)))
        .statuses(&[418])
        .non_idempotent(NonIdempotent::WhenUnsent);
    let policy = builder.build().unwrap();
    assert_eq!(policy.edit().build(), Ok(policy));
    assert_eq!((policy.max_retries(), policy.base_delay(), policy.factor()), (7, millis(250), 1.5));
    assert_eq!((policy.max_delay(), policy.jitter(), policy.hard_cap()), (secs(20), Jitter::Full, true));
    assert_eq!((policy.total_timeout(), policy.attempt_timeout()), (Some(secs(90)), Some(secs(9))));
    assert_eq!((policy.retry_after(), policy.non_idempotent()), (hints, NonIdempotent::WhenUnsent));
    assert!(policy.statuses().iter().eq([418]));
}

#[test]
fn the_presets_are_the_documented_ones() {
    // Retries, base, factor, the longest sum of waits.
    let presets = [
        (Policy::API, 3, secs(1), 2.0, millis(7_700)),
        (Policy::MICROSERVICE, 2, millis(500), 2.0, millis(1_650)),
        (Policy::DOWNLOAD, 5, secs(2), 2.0, secs(66)),
        (Policy::HIGH_THROUGHPUT, 3, millis(500), 1.5, Duration::from_micros(2_612_500)),
        (Policy::NONE, 0, secs(1), 2.0, Duration::ZERO),
    ];
    for (preset, retries, base, factor, waits) in presets {
        let expected = Policy::builder().max_retries(retries).base_delay(base).factor(factor).build().unwrap();
        assert_eq!(preset, expected);
        assert_eq!(preset.max_waits(), waits);
        assert_eq!(preset.max_total(), Some(secs(180)));
    }
    assert_eq!(Policy::NONE.max_sends(), 1);
}

#[test]
fn debug_prints_settings_as_they_were_given() {
    let policy = Policy::builder().base_delay(millis(1_500)).statuses(&[503]).build().unwrap();
    let text = format!("{policy:?}");
    for part in ["max_retries: 3", "base_delay: 1.5s", "Proportional(0.1)", "{503}", "total_timeout: Some(180s)"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn a_policy_can_be_had_in_a_const() {
    const POLICY: Policy = match Policy::builder().max_retries(5).statuses(&[400, 599]).build() {
        Ok(policy) => policy,
        Err(_) => Policy::NONE,
    };
    static SAME: Policy = Policy::API.edit().max_retries(5).statuses(&[599, 400]).build_const();
    assert_eq!(POLICY, SAME);
    assert_eq!(POLICY.max_retries(), 5);
}

#[test]
#[should_panic(expected = "factor is out of bounds, accepted: 1.0, or 1.01 ..= 10.0")]
fn a_policy_for_a_const_that_is_none_panics_elsewhere() {
    let builder = |factor| Policy::builder().factor(factor);
    assert_eq!(Ok(builder(1.5).build_const()), builder(1.5).build());
    builder(0.5).build_const();
}

#[test]
fn every_millionth_survives_an_edit() {
    for millionths in 0..=1_000_000 {
        let share = f64::from(millionths) / 1e6;
        let policy = Policy::builder()
            .jitter(Jitter::Proportional(share))
            .retry_after(RetryAfter::replace().spread(share))
            .build()
            .unwrap();
        assert_eq!(policy.jitter(), Jitter::Proportional(share));
        assert_eq!(policy.retry_after(), RetryAfter::replace().spread(share));
    }
}

proptest! {
    /// Any numbers at all: accepted exactly if each is within its bounds, and an accepted policy says what it was given.
    #[test]
    fn build_accepts_what_the_bounds_accept(
        max_retries in prop_oneof![any::<u32>(), Just(u32::MAX)],
        base in prop_oneof![0..=3_600_u64, any::<u64>()],
        factor in prop_oneof![0.9..11.0, any::<f64>(), Just(1.0)],
        max in prop_oneof![0..=172_800_u64, any::<u64>()],
        share in prop_oneof![-0.1..1.1, any::<f64>()],
        total in proptest::option::of(prop_oneof![0..=63_072_000_u64, any::<u64>()]),
    ) {
        let built = Policy::builder()
            .max_retries(max_retries)
            .base_delay(secs(base))
            .factor(factor)
            .max_delay(secs(max))
            .jitter(Jitter::Proportional(share))
            .total_timeout(total.map(secs))
            .build();
        let good = max_retries != u32::MAX
            && base <= 1_800
            && (factor == 1.0 || (1.01..=10.0).contains(&factor))
            && (base..=86_400).contains(&max)
            && (0.0..=1.0).contains(&share)
            && total.is_none_or(|total| (1..=31_536_000).contains(&total));
        prop_assert_eq!(built.is_ok(), good, "{:?}", built);
        if let Ok(policy) = built {
            prop_assert_eq!(policy.edit().build(), Ok(policy));
            prop_assert_eq!(policy.base_delay(), secs(base));
            prop_assert_eq!(policy.factor(), factor);
            prop_assert_eq!(policy.max_delay(), secs(max));
            prop_assert_eq!(policy.total_timeout(), total.map(secs));
        }
    }
}
