//! Each warning where it belongs, with its numbers, and not where it does not.

use serde_json::{Value, json};

use crate::program::{planned, printed};

/// The numbers of the warning of this kind, if there is one.
fn warning(kind: &str, arguments: &[&str]) -> Option<Value> {
    let plan = planned(arguments);
    let warnings = plan["warnings"].as_array().expect("a list").clone();
    let warning = warnings.into_iter().find(|warning| warning["kind"] == kind)?;
    let text = printed(arguments).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = warning["text"].as_str().expect("a text");
    assert!(text.contains(&format!("{kind} {said}")), "{text}");
    Some(warning["numbers"].clone())
}

#[test]
fn retries_that_do_not_fit_their_limit() {
    let numbers = warning("limit", &["--total-timeout=5s"]).unwrap();
    let expected =
        json!({ "limit_ns": 5e9 as u64, "first_retry": 3, "retries": 3, "share": 1.0, "needed_ns": 7_700_000_000_u64 });
    assert_eq!(numbers, expected);
    // The latest start is 7.699999997 s: three windows are open at their ends.
    assert!(warning("limit", &["--total-timeout=7.699999998s"]).is_none());
    let share = warning("limit", &["--total-timeout=7s"]).unwrap()["share"].as_f64().unwrap();
    assert!((share - 0.5).abs() < 0.01, "{share}");

    // A last send that is cut is a retry that is not used.
    assert!(warning("limit", &["--total-timeout=15.7s", "--send=2s"]).is_none());
    let numbers = warning("limit", &["--jitter=none", "--total-timeout=14.9s", "--send=2s"]).unwrap();
    assert_eq!(numbers["needed_ns"], 15_000_000_000_u64);

    for fits in [&["api"][..], &["none", "--total-timeout=1ms", "--send=2s"], &["--total-timeout=none"]] {
        assert!(warning("limit", fits).is_none(), "{fits:?}");
    }
    // More retries than are followed one by one: the bound alone tells.
    let many = ["--max-retries=4294967294", "--total-timeout=365d"];
    assert_eq!(warning("limit", &many).unwrap()["share"], 0.0);
    assert!(warning("limit", &[&many[..], &["--base-delay=0s", "--max-delay=0s"]].concat()).is_none());
}

#[test]
fn no_jitter() {
    let numbers = warning("jitter", &["--jitter=none", "--max-retries=50"]).unwrap();
    assert_eq!(numbers, json!({ "first_retry": 1, "last_retry": 50, "wait_ns": 1_000_000_000 }));
    assert!(warning("jitter", &["--jitter=proportional=0"]).is_some());
    // A tenth of 9 ns is nothing; of 18 ns it is 1 ns.
    let numbers = warning("jitter", &["--base-delay=9ns"]).unwrap();
    assert_eq!(numbers, json!({ "first_retry": 1, "last_retry": 1, "wait_ns": 9 }));
    for spread in [&["api"][..], &["--jitter=full"], &["--jitter=decorrelated"], &["none", "--jitter=none"]] {
        assert!(warning("jitter", spread).is_none(), "{spread:?}");
    }
}

#[test]
fn many_clients_in_one_instant() {
    let numbers = warning("crowd", &["microservice"]).unwrap();
    assert_eq!(numbers, json!({ "share": 1.0, "slot_ns": 100_000_000, "window_ns": 100_000_000 }));
    let numbers = warning("crowd", &["--base-delay=900ms"]).unwrap();
    let share = numbers["share"].as_f64().unwrap();
    assert!((share - 100.0 / 180.0).abs() < 1e-6, "{numbers}");
    // Without any jitter there is another warning.
    for spread in [&["api"][..], &["microservice", "--jitter=full"], &["--jitter=none"], &["none"]] {
        assert!(warning("crowd", spread).is_none(), "{spread:?}");
    }
}
