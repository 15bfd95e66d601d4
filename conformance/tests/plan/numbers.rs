//! The numbers: those of the vectors, and those that a formula tells.

use core::time::Duration;
use std::fs;

use conformance::json::Span;
use conformance::vectors::{self, Backoff, Bounds};
use serde_json::{Value, json};

use crate::program::{Scratch, planned};

/// The policy of each case of these vectors as a file, with the plan for it.
fn plans(kind: &str, more: impl Fn(usize) -> Vec<String>) -> Vec<Value> {
    let scratch = Scratch::new();
    let paths = vectors::files().expect("they can be read");
    let path = paths.iter().find(|path| path.ends_with(format!("{kind}.json"))).expect("there is such a file");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).expect("it can be read")).expect("it is JSON");
    let cases = file["cases"].as_array().expect("it has cases").iter().enumerate();
    let plans = cases.map(|(place, case)| {
        let policy = case.get("policy").cloned().unwrap_or(json!({}));
        let path = scratch.file("policy.json", policy.to_string());
        let more = more(place);
        planned(&[&[path.as_str()], more.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat())
    });
    plans.collect()
}

fn whole(span: Span) -> Value {
    let nanos = Duration::from(span).as_nanos();
    u64::try_from(nanos).map_or_else(|_| (nanos as f64).into(), Value::from)
}

#[test]
fn the_bounds_are_those_of_the_vectors() {
    let cases = vectors::load::<Bounds>().unwrap();
    let send = |place: usize| cases[place].body.needed.send;
    let within = |place: usize| send(place) <= Span::from_secs(86_400);
    let plans = plans("bounds", |place| if within(place) { vec![format!("--send={}", send(place))] } else { vec![] });
    assert!(plans.len() > 10 && plans.len() == cases.len());
    for (place, (plan, case)) in plans.iter().zip(&cases).enumerate() {
        let (bounds, body) = (&plan["bounds"], &case.body);
        assert_eq!(bounds["sends"], body.sends, "{}", case.id);
        assert_eq!(bounds["waits_ns"], whole(body.waits), "{}", case.id);
        assert_eq!(bounds["waits_with_hints_ns"], whole(body.waits_with_hints), "{}", case.id);
        assert_eq!(bounds["total_ns"], body.total.map_or(Value::Null, whole), "{}", case.id);
        if let Some(nominal) = body.nominal {
            assert_eq!(bounds["waits_computed_ns"], whole(nominal), "{}", case.id);
        }
        if within(place) {
            assert_eq!(bounds["needed_ns"], whole(body.needed.time), "{}", case.id);
        }
    }
}

#[test]
fn the_computed_delays_are_those_of_the_vectors() {
    let cases = vectors::load::<Backoff>().unwrap();
    let plans =
        plans("backoff", |_| vec!["--rows=1000".into(), "--max-retries=1000".into(), "--total-timeout=none".into()]);
    let mut seen = 0;
    for (plan, case) in plans.iter().zip(&cases) {
        for (number, delay) in case.body.delays.iter().filter(|(number, _)| *number <= 1_000) {
            assert_eq!(plan["retries"][*number as usize - 1]["computed_ns"], whole(*delay), "{} {number}", case.id);
            seen += 1;
        }
    }
    assert!(seen > 30 && plans.len() == cases.len(), "{seen}");
}

/// Longer than 584 years: more nanoseconds than 64 bits hold.
#[test]
fn the_largest_bounds_are_floats() {
    let bounds = &planned(&["--max-retries=4294967294", "--total-timeout=none", "--jitter=none"])["bounds"];
    assert_eq!(bounds["waits_ns"].as_f64(), Some(31e9 + 30e9 * 4_294_967_289.0));
}

/// The windows of SPEC 3, and what adds up from them.
#[test]
fn the_default_has_the_windows_that_are_documented() {
    let plan = planned(&["api", "--max-retries", "6", "--total-timeout", "none"]);
    let ms = 1_000_000_u64;
    let windows = [(900, 1_100), (1_800, 2_200), (3_600, 4_400), (7_200, 8_800), (14_400, 17_600), (27_000, 33_000)];
    let (mut earliest, mut latest) = (0, 0);
    for (row, (low, open)) in plan["retries"].as_array().unwrap().iter().zip(windows) {
        let (low, high) = (low * ms, open * ms - 1);
        (earliest, latest) = (earliest + low, latest + high);
        let middle = (low + high) as f64 / 2.0;
        assert_eq!(row["wait_ns"], json!({ "shortest": low, "expected": middle, "longest": high }));
        assert_eq!(row["start_ns"]["earliest"], earliest);
        assert_eq!(row["start_ns"]["latest"], latest);
        assert_eq!(row["start_ns"]["expected"], (earliest + latest) as f64 / 2.0);
        assert_eq!((&row["made"], &row["standard_error_ns"]), (&json!(1.0), &Value::Null));
    }
    assert_eq!(plan["retries"].as_array().unwrap().len(), 6);
    assert_eq!(plan["crowd"]["share"], 0.5);
}

#[test]
fn sends_count_up_to_their_limit() {
    let starts = |arguments: &[&str]| {
        let start = planned(arguments)["retries"][1]["start_ns"].clone();
        ["earliest", "expected", "latest"].map(|moment| start[moment].as_f64().expect("a number") / 1e9)
    };
    let plain = ["--jitter=none", "--send=2s"];
    assert_eq!(starts(&plain), [7.0; 3]);
    assert_eq!(starts(&[&plain[..], &["--attempt-timeout=1500ms"]].concat()), [6.0; 3]);
    assert_eq!(starts(&["--jitter=full", "--send=2s"]), [4.0, 5.5, 7.0]);
    // An answer at the very limit counts, and what it asks for is obeyed: four sends and three waits of a minute.
    let ends = &planned(&["--send=2s", "--attempt-timeout=2s", "--total-timeout=none"])["ends"];
    assert_eq!(ends[2]["endings"][0]["after_ns"]["latest"], 188_000_000_000_u64);
    assert_eq!(planned(&["--send=2s", "--attempt-timeout=1999ms"])["ends"][2], Value::Null);
}

/// SPEC 6: with 5 s in all the call is back after three sends at 3 s.
#[test]
fn the_end_is_that_of_the_documented_calls() {
    let ends = |arguments: &[&str]| planned(arguments)["ends"].clone();
    let ending = |cause: &str, sends: u32, secs: u64| {
        let nanos = secs * 1_000_000_000;
        json!([{
            "cause": cause,
            "share": 1.0,
            "sends": { "fewest": sends, "most": sends },
            "after_ns": { "earliest": nanos, "latest": nanos },
        }])
    };
    let short = ends(&["--jitter=none", "--total-timeout=5s"]);
    assert_eq!(short[0]["endings"], ending("wait_beyond_total_timeout", 3, 3));
    assert_eq!(short[1]["endings"], ending("total_timeout", 1, 5));
    // SPEC 5: 120 s asked for, cut to 60 s.
    let asked = ends(&["api"]);
    assert_eq!(
        (&asked[2]["if"], &asked[2]["endings"]),
        (&json!("asks_for_the_cap"), &ending("wait_beyond_total_timeout", 3, 120))
    );

    let limited = ends(&["--jitter=none", "--attempt-timeout=2s", "--retry-after.over-cap=give-up"]);
    assert_eq!(limited[0]["endings"], ending("retries", 4, 7));
    assert_eq!(limited[1]["endings"], ending("retries", 4, 15));
    assert_eq!(limited[3]["endings"], ending("retry_after_cap", 1, 0));
    let endless = ends(&["--total-timeout=none"]);
    assert_eq!(endless[1]["endings"], ending("nothing", 1, 0));
}

/// What is drawn lies where a formula puts it: within five standard errors.
#[test]
fn what_is_drawn_is_right() {
    let plan = planned(&["--jitter=decorrelated", "--max-retries=5", "--max-delay=24h", "--total-timeout=none"]);
    // Far from the ceiling, each mean wait is half of the base and three times the mean before.
    let mut mean = 1e9;
    for (number, row) in (1..).zip(plan["retries"].as_array().unwrap()) {
        mean = (1e9 + 3.0 * mean) / 2.0;
        let (expected, error) = (row["wait_ns"]["expected"].as_f64().unwrap(), row["standard_error_ns"].as_f64());
        match error {
            None => assert!(number == 1 && expected == mean, "{row}"),
            Some(error) => assert!(number > 1 && (expected - mean).abs() < 5.0 * error && error < 0.01 * mean, "{row}"),
        }
    }
    assert!(plan["retries"][4]["standard_error_ns"].is_f64());

    // Two waits, even over half a second and over one, end before 1.2 s in 91 of 100 calls.
    let plan = planned(&["microservice", "--jitter=full", "--total-timeout=1200ms"]);
    let made = plan["retries"][1]["made"].as_f64().unwrap();
    assert!((made - 0.91).abs() < 5.0 * (0.91 * 0.09 / 100_000.0_f64).sqrt(), "{made}");
    let ends = &plan["ends"][0];
    let shares = ends["endings"].as_array().unwrap().iter().map(|ending| ending["share"].as_f64().unwrap());
    assert_eq!((ends["calls_drawn"].as_u64(), ends["endings"][0]["cause"].as_str()), (Some(100_000), Some("retries")));
    let shares: Vec<f64> = shares.collect();
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{ends}");
    // Each is a number of calls, without what sums of floats add.
    assert!(shares.iter().all(|share| *share == (share * 100_000.0).round() / 100_000.0), "{ends}");
}

#[test]
fn the_same_words_give_the_same_numbers() {
    let arguments = ["--diff", "api", "none", "--jitter=decorrelated", "--max-retries=40", "--total-timeout=5m"];
    let plan = planned(&arguments);
    assert_eq!(plan, planned(&arguments));
    assert_eq!(plan.as_array().map(Vec::len), Some(2));
}

/// The policy in the output is one that can be read again.
#[test]
fn a_plan_has_its_policy() {
    let scratch = Scratch::new();
    let flags = ["--max-retries=7", "--jitter=equal", "--statuses=429,500-504", "--retry-after.cap=2m", "--factor=1.5"];
    let plan = planned(&flags);
    let path = scratch.file("again.json", plan["policy"].to_string());
    let mut again = planned(&[&path]);
    again["name"] = plan["name"].clone();
    assert_eq!(again, plan);

    let toml = "max_retries = 7\njitter = \"equal\"\nstatuses = [429, \"500-504\"]\nfactor = 1.5\n[retry_after]\ncap = \"2m\"\n";
    let mut read = planned(&[&scratch.file("policy.toml", toml)]);
    read["name"] = plan["name"].clone();
    assert_eq!(read, plan);
}
