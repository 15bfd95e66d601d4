//! What must hold for any storm.

use core::time::Duration;

use conformance::storm::{Outage, Preset, Scenario, ScenarioError, chart, table::Table};
use proptest::prelude::*;

use crate::{played, read};

fn scenarios() -> impl Strategy<Value = Scenario> {
    let millis = |range: core::ops::Range<u64>| range.prop_map(Duration::from_millis);
    let fleet = (1..200_u32, 1..5_u32, 1..=3_u32, 1.0..300.0, 10.0..300.0);
    let outage = (millis(0..3000), millis(0..2000), millis(0..2000));
    let policy = (0..=3_u32, millis(0..1000), prop::option::of(millis(1..1500)), millis(1..20_000));
    let jitter = prop::sample::select(vec!["none", "10%", "full", "equal", "decorrelated"]);
    let budget = prop::sample::select(vec!["none", "10%", "20%+5", "aws-2.0:50", "aws-2.1", "throttle:10:0.1"]);
    (fleet, outage, policy, millis(100..4000), jitter, budget, any::<u64>()).prop_map(
        |((clients, processes, layers, load, capacity), (at, hang, down), policy, duration, jitter, budget, seed)| {
            let (retries, base, limit, total) = policy;
            let policy = Preset::Metastable.scenario(None).policy.edit();
            let policy = policy.max_retries(retries).base_delay(base).attempt_timeout(limit).total_timeout(Some(total));
            Scenario {
                name: "any".into(),
                clients,
                processes: processes.min(clients),
                layers,
                load,
                duration,
                capacity,
                outage: Outage { at, hang, down },
                policy: policy.build().expect("the settings are within their bounds"),
                jitters: read(&[jitter]),
                budgets: read(&[budget]),
                seed,
                step: Duration::from_millis(100),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_no_bound_is_passed(scenario in scenarios()) {
        let report = played(&scenario);
        let variant = &report.variants[0];
        let step = scenario.step.as_secs_f64();
        let sum = |series: &[f64]| (series.iter().sum::<f64>() * step).round() as u64;
        prop_assert_eq!(sum(&variant.offered), variant.sends);
        prop_assert_eq!(sum(&variant.goodput), variant.calls - variant.failed);
        let each = u64::from(scenario.policy.max_retries()) + 1;
        prop_assert!(variant.sends <= variant.calls * each.pow(scenario.layers));
        prop_assert!(variant.stale <= variant.sends && variant.retries < variant.sends.max(1));
        // No call is longer than the limit of its own layer, whatever those below still do.
        let longest = scenario.duration + scenario.policy.total_timeout().unwrap();
        prop_assert!(variant.end <= longest.as_secs_f64() + 1e-6 || scenario.layers > 1);
        let calls = scenario.load * scenario.duration.as_secs_f64();
        prop_assert!((variant.calls as f64 - calls).abs() <= f64::from(scenario.clients) + 1.0);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
    let texts = |seed| {
        let report = played(&Scenario { seed, ..Preset::Herd.scenario(Some(1000)) });
        (report.to_json().to_string(), Table(&report).to_string(), chart::draw(&report))
    };
    let (one, again, other) = (texts(7), texts(7), texts(8));
    assert_eq!(one, again);
    assert!(one.0 != other.0 && one.1 != other.1 && one.2 != other.2);
}

/// Two variants never share what is random: alone, each does what it does beside others.
#[test]
fn a_variant_does_the_same_alone() {
    let all = Preset::Herd.scenario(Some(1000));
    let together = played(&all);
    let alone = played(&Scenario { jitters: read(&["full"]), budgets: read(&["10%"]), ..all });
    assert_eq!(together.variant("full", "10%"), alone.variant("full", "10%"));
}

#[test]
fn a_field_out_of_its_bounds_is_named_with_its_value_and_bound() {
    type Change = fn(&mut Scenario);
    let changes: [(Change, &str); 12] = [
        (|it| it.clients = 0, "clients is 0, accepted: 1 ..= 1000000"),
        (|it| it.clients = 1_000_001, "clients is 1000001, accepted: 1 ..= 1000000"),
        (|it| it.processes = 1001, "processes is 1001, accepted: 1 ..= 1000"),
        (|it| it.layers = 5, "layers is 5, accepted: 1 ..= 4"),
        (|it| it.load = f64::NAN, "load is NaN, accepted: 0.001 ..= 1000000"),
        (|it| it.capacity = 0.0, "capacity is 0, accepted: 0.001 ..= 1000000"),
        (|it| it.duration = Duration::ZERO, "duration is 0ns, accepted: 1ms ..= 3600s"),
        (|it| it.outage.hang = Duration::from_secs(3601), "hang is 3601s, accepted: 0ns ..= 3600s"),
        (|it| it.step = Duration::from_millis(9), "step is 9ms, accepted: 40ms ..= 60s"),
        (|it| it.budgets.clear(), "budget is a list of 0, accepted: a list of 1 ..= 8"),
        (
            |it| it.policy = it.policy.edit().total_timeout(None).build().unwrap(),
            "total-timeout is none, accepted: at most 3600s",
        ),
        (
            |it| it.load = 20_000.0,
            "load is 20000 a second for 400s, with up to 16000000 sends, accepted: what leads to at most 10000000 sends \
             (fewer layers, retries or calls)",
        ),
    ];
    for (change, expected) in changes {
        let mut scenario = Preset::Metastable.scenario(None);
        change(&mut scenario);
        let error: ScenarioError = scenario.check().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert!(Preset::ALL.iter().all(|preset| preset.scenario(None).check().is_ok()));
}
