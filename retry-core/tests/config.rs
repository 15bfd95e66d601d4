//! Policies as text: what is read, what is refused with which words, and that what is written reads back.

use core::iter;
use core::time::Duration;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use retry_core::{Jitter, Mode, NonIdempotent, OverCap, Policy, RetryAfter, StatusSet};
use serde_json::{Value, json};

const DAY: u64 = 24 * 60 * 60 * 1_000_000_000;

fn texts() -> Value {
    serde_json::from_str(include_str!("config/texts.json")).expect("it is JSON")
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../policy.schema.json")).expect("it is JSON")
}

fn json_error(text: &str) -> String {
    let error = serde_json::from_str::<Policy>(text).expect_err(text).to_string();
    error.split_once(" at line ").expect(&error).0.to_owned()
}

/// `text` as TOML, which has no null, and no table but an object.
fn toml(text: &Value) -> Option<String> {
    toml::to_string(text).ok().filter(|_| text.is_object())
}

#[test]
fn what_is_accepted_means_the_same_in_json_and_toml() {
    let texts = texts();
    let mut count = 0;
    for text in texts["accepted"].as_array().unwrap() {
        let policy: Policy = serde_json::from_str(&text.to_string()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(serde_json::from_value::<Policy>(text.clone()).unwrap(), policy, "{text}");
        if let Some(toml) = toml(text) {
            assert_eq!(toml::from_str::<Policy>(&toml).unwrap(), policy, "{text}");
            count += 1;
        }
    }
    assert!(count > 30, "only {count} texts are TOML too");
}

#[test]
fn what_is_refused_is_told_with_field_and_value() {
    let texts = texts();
    let mut count = 0;
    for row in texts["refused"].as_array().unwrap() {
        let (text, says) = (&row["text"], row["says"].as_str().unwrap());
        assert_eq!(json_error(&text.to_string()), says, "{text}");
        if let Some(toml) = toml(text) {
            assert_eq!(toml::from_str::<Policy>(&toml).expect_err(&toml).message(), says, "{text}");
            count += 1;
        }
    }
    assert!(count > 40, "only {count} texts are TOML too");
}

#[test]
fn each_setting_lands_where_it_belongs() {
    let text = r#"
        preset = "download"
        max_retries = 7
        base_delay = "1m 30s"
        factor = 1.5
        max_delay = "1h30m"
        jitter = { proportional = 0.25 }
        hard_cap = true
        total_timeout = "2d"
        attempt_timeout = "1.5s"
        statuses = [409, "520-523"]
        non_idempotent = "when_unsent"
        [retry_after]
        mode = "at_least"
        cap = "2m"
        over_cap = "give_up"
        spread = 0.125
    "#;
    let hints = RetryAfter::at_least().cap(Duration::from_secs(120)).over_cap(OverCap::GiveUp).spread(0.125);
    let policy = Policy::builder()
        .max_retries(7)
        .base_delay(Duration::from_secs(90))
        .factor(1.5)
        .max_delay(Duration::from_secs(5_400))
        .jitter(Jitter::Proportional(0.25))
        .hard_cap(true)
        .total_timeout(Some(Duration::from_secs(2 * 86_400)))
        .attempt_timeout(Some(Duration::from_millis(1_500)))
        .statuses(&[409, 520, 521, 522, 523])
        .non_idempotent(NonIdempotent::WhenUnsent)
        .retry_after(hints);
    assert_eq!(toml::from_str(text), Ok(policy.build().unwrap()));
}

#[test]
fn a_preset_is_changed_by_what_else_is_there() {
    let presets = [
        ("api", Policy::API),
        ("microservice", Policy::MICROSERVICE),
        ("download", Policy::DOWNLOAD),
        ("high_throughput", Policy::HIGH_THROUGHPUT),
        ("none", Policy::NONE),
    ];
    assert_eq!(toml::from_str(""), Ok(Policy::default()));
    for (name, preset) in presets {
        assert_eq!(toml::from_str(&format!("preset = {name:?}")), Ok(preset), "{name}");
        let changed = preset.edit().max_delay(Duration::from_secs(40)).retry_after(RetryAfter::at_least()).build();
        // A key before the preset counts as much as one after it.
        let text = format!("max_delay = \"40s\"\npreset = {name:?}\nretry_after = {{ mode = \"at_least\" }}");
        assert_eq!(toml::from_str(&text), Ok(changed.unwrap()), "{name}");
    }
}

#[test]
fn a_key_may_come_once() {
    assert_eq!(json_error(r#"{"factor": 2, "max_retries": 1, "factor": 2}"#), "duplicate field `factor`");
    assert_eq!(json_error(r#"{"retry_after": {"cap": "1s", "cap": "1s"}}"#), "duplicate field `cap`");
    assert_eq!(json_error(r#"{"jitter": {"proportional": 0, "proportional": 0}}"#), "duplicate field `proportional`");
    assert_eq!(
        json_error(r#"{"attempt_timeout": null, "attempt_timeout": null}"#),
        "duplicate field `attempt_timeout`"
    );
}

#[test]
fn numbers_that_only_toml_has_are_refused() {
    let error = |text: &str| toml::from_str::<Policy>(text).expect_err(text).message().to_owned();
    assert_eq!(error("factor = nan"), "factor is NaN, accepted: 1.0, or 1.01 ..= 10.0");
    assert_eq!(error("factor = inf"), "factor is inf, accepted: 1.0, or 1.01 ..= 10.0");
    let said = "retry_after.spread is -inf, accepted: a share of 0.0 ..= 1.0";
    assert_eq!(error("retry_after.spread = -inf"), said);
}

#[test]
fn everything_is_written_in_its_shortest_form() {
    let policy = Policy::builder()
        .max_delay(Duration::from_millis(90_500))
        .jitter(Jitter::Full)
        .total_timeout(None)
        .attempt_timeout(Some(Duration::from_secs(86_400)))
        .statuses(&[404, 408, 409, 429, 500, 501, 502, 503, 504, 599])
        .build()
        .unwrap();
    let text = "\
        max_retries = 3\nbase_delay = \"1s\"\nfactor = 2.0\nmax_delay = \"1m30.5s\"\njitter = \"full\"\nhard_cap = false\n\
        total_timeout = \"none\"\nattempt_timeout = \"1d\"\nstatuses = [404, 408, 409, 429, \"500-504\", 599]\n\
        non_idempotent = \"never\"\n\n[retry_after]\nmode = \"replace\"\ncap = \"1m\"\nover_cap = \"clamp\"\nspread = 0.0\n";
    assert_eq!(toml::to_string(&policy).unwrap(), text);
    let text = json!({
        "max_retries": 3, "base_delay": "1s", "factor": 2.0, "max_delay": "30s", "jitter": {"proportional": 0.1},
        "hard_cap": false, "retry_after": {"mode": "replace", "cap": "1m", "over_cap": "clamp", "spread": 0.0},
        "total_timeout": "3m", "attempt_timeout": "none", "statuses": [408, 429, 500, "502-504"],
        "non_idempotent": "never",
    });
    assert_eq!(json!(Policy::API), text);
}

#[test]
fn the_schema_has_the_same_keys_and_defaults() {
    let schema = schema();
    let written = json!(Policy::API);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let expected: BTreeSet<_> = keys(&written).into_iter().chain(iter::once("preset".to_owned())).collect();
    assert_eq!(keys(&schema["properties"]), expected);
    let hints = &schema["properties"]["retry_after"]["properties"];
    assert_eq!(keys(hints), keys(&written["retry_after"]));
    for (properties, written) in [(&schema["properties"], &written), (hints, &written["retry_after"])] {
        for (key, value) in written.as_object().unwrap().iter().filter(|(key, _)| *key != "retry_after") {
            assert_eq!(&properties[key]["default"], value, "{key}");
        }
    }
}

/// Where `.ci/schema` finds texts at random, one a line. That they fit the schema is shown there.
#[test]
fn texts_at_random_are_left_for_the_schema() {
    let (mut runner, mut lines) = (TestRunner::deterministic(), String::new());
    let mut count = 0;
    for _ in 0..3_000 {
        let (policy, kept) = (policies(), btree_set(0..11_usize, 0..11)).new_tree(&mut runner).unwrap().current();
        let mut text = json!(policy);
        let places = text.as_object().unwrap().keys().cloned().enumerate().collect::<Vec<_>>();
        for (_, key) in places.iter().filter(|(place, _)| kept.contains(place)) {
            text.as_object_mut().unwrap().remove(key);
        }
        if serde_json::from_value::<Policy>(text.clone()).is_ok() {
            lines += &format!("{text}\n");
            count += 1;
        }
    }
    assert!(count > 1_000, "only {count} of them are policies");
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("policies.jsonl"), lines).unwrap();
}

/// Times of all sizes, many of them round.
fn nanos(most: u64) -> impl Strategy<Value = u64> {
    let units = select(vec![1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000, DAY / 24, DAY]);
    prop_oneof![0..=most, (units, 0..1_000_u64).prop_map(move |(unit, count)| (unit * count).min(most))]
}

fn limit() -> impl Strategy<Value = Option<Duration>> {
    proptest::option::of(nanos(365 * DAY).prop_map(|nanos| Duration::from_nanos(nanos.max(1))))
}

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0, Just(0.0), Just(1.0), Just(0.1)]
}

fn jitter() -> impl Strategy<Value = Jitter> {
    let words = vec![Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated];
    prop_oneof![select(words), share().prop_map(Jitter::Proportional)]
}

fn hints() -> impl Strategy<Value = RetryAfter> {
    let modes = select(vec![Mode::Replace, Mode::AtLeast, Mode::Ignore]);
    let over = select(vec![OverCap::Clamp, OverCap::GiveUp]);
    (modes, nanos(DAY), over, share()).prop_map(|(mode, cap, over_cap, spread)| {
        let start = match mode {
            Mode::Replace => RetryAfter::replace(),
            Mode::AtLeast => RetryAfter::at_least(),
            Mode::Ignore => RetryAfter::ignore(),
        };
        start.cap(Duration::from_nanos(cap.max(1))).over_cap(over_cap).spread(spread)
    })
}

/// Every policy that there is, in principle.
fn policies() -> impl Strategy<Value = Policy> {
    let retries = prop_oneof![0..10_u32, 0..u32::MAX];
    let factor = prop_oneof![Just(1.0), 1.01..=10.0, select(vec![1.5, 2.0, 10.0])];
    let growth = (nanos(DAY / 48), factor, nanos(DAY), jitter(), any::<bool>());
    let consent = select(vec![NonIdempotent::Never, NonIdempotent::WhenUnsent, NonIdempotent::Always]);
    let statuses = prop_oneof![
        vec(400..=599_u16, 0..20),
        (400..=599_u16, 0..200_u16)
            .prop_map(|(first, more)| { (first..=first.saturating_add(more).min(599)).collect() })
    ];
    (retries, growth, hints(), limit(), limit(), statuses, consent).prop_map(
        |(retries, (base, factor, max, jitter, cut), hints, total, attempt, statuses, consent)| {
            Policy::builder()
                .max_retries(retries)
                .base_delay(Duration::from_nanos(base))
                .factor(factor)
                .max_delay(Duration::from_nanos(max.max(base)))
                .jitter(jitter)
                .hard_cap(cut)
                .retry_after(hints)
                .total_timeout(total)
                .attempt_timeout(attempt)
                .statuses(&statuses)
                .non_idempotent(consent)
                .build()
                .expect("within its bounds")
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_reads_back(policy in policies()) {
        let text = toml::to_string(&policy).unwrap();
        prop_assert_eq!(toml::from_str::<Policy>(&text).unwrap(), policy, "{}", text);
        let text = serde_json::to_string(&policy).unwrap();
        prop_assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy, "{}", text);
    }

    /// Any text at all has an answer.
    #[test]
    fn times_are_read_or_refused(text in "[0-9.dhminsu\u{b5}\u{3bc} -]{0,12}|\\PC{0,8}") {
        let policy = serde_json::from_value::<Policy>(json!({"base_delay": text, "max_delay": "1d"}));
        if let Ok(policy) = policy {
            prop_assert!(policy.base_delay() <= Duration::from_secs(1_800));
            let again: Policy = toml::from_str(&toml::to_string(&policy).unwrap()).unwrap();
            prop_assert_eq!(again, policy);
        }
    }

    #[test]
    fn lists_of_statuses_are_read_as_they_are_meant(ranges in vec((390..610_u16, 390..610_u16), 0..5)) {
        let list: Vec<_> = ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
        let expected = ranges.iter().try_fold(StatusSet::EMPTY, |set, (first, last)| {
            (first <= last).then_some(set).and_then(|set| (*first..=*last).try_fold(set, StatusSet::with))
        });
        let read = serde_json::from_value::<Policy>(json!({"statuses": list}));
        prop_assert_eq!(read.ok().map(|policy| policy.statuses()), expected);
    }
}
