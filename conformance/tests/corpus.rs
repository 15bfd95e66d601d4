//! The bodies of the fuzz targets over their corpus, and the seeds that it began with.
//!
//! The target that needs an HTTP client is replayed by the adapter's tests.
#![allow(unreachable_pub, dead_code, reason = "the bodies are shared with the fuzz targets, where they are public")]

#[path = "../../fuzz/src/budgets.rs"]
mod budgets;
#[path = "../../fuzz/src/bytes.rs"]
mod bytes;
#[path = "../../fuzz/src/coded.rs"]
mod coded;
#[path = "../../fuzz/src/date.rs"]
mod date;
#[path = "../../fuzz/src/inputs.rs"]
mod inputs;
#[path = "../../fuzz/src/machine.rs"]
mod machine;
#[path = "../../fuzz/src/policy_text.rs"]
mod policy_text;
#[path = "../../fuzz/src/pool_model.rs"]
mod pool_model;
#[path = "../../fuzz/src/proxies.rs"]
mod proxies;
#[path = "../../fuzz/src/retry_after.rs"]
mod retry_after;
#[path = "../../fuzz/src/shapes.rs"]
mod shapes;
#[path = "../../fuzz/src/trace.rs"]
mod trace;
#[path = "../../fuzz/src/vectors.rs"]
mod vectors;

use core::time::Duration;
use std::fs;
use std::time::UNIX_EPOCH;

use bytes::Coded;
use conformance::vectors::{Budget, RetryAfter, Run, load};
use serde_json::{Value, json};

#[test]
fn budgets_as_in_the_model() {
    inputs::replay("budgets", budgets::run);
}

#[test]
fn calls_as_in_the_model() {
    inputs::replay("machine", machine::run);
}

#[test]
fn dates_as_by_httpdate() {
    inputs::replay("date", date::run);
}

#[test]
fn headers_as_in_the_model() {
    inputs::replay("retry_after", retry_after::run);
}

#[test]
fn pools_as_in_the_model() {
    inputs::replay("proxies", proxies::run);
}

#[test]
fn any_text_gives_a_policy_or_an_error() {
    inputs::replay("policy_text", policy_text::run);
}

#[test]
fn any_text_gives_a_trace_or_an_error() {
    inputs::replay("trace", trace::run);
}

#[test]
fn any_text_gives_cases_or_an_error() {
    inputs::replay("vectors", vectors::run);
}

/// Each row of the list of differences is one, and is there for one reason.
#[test]
fn the_list_of_differences_is_true() {
    let now = 1_772_366_430;
    for row in date::LENIENT {
        let value = row.example.as_bytes();
        let moment = date::ours(value, now).unwrap_or_else(|| panic!("the core refuses {}", row.what));
        assert_eq!(date::theirs(value), None, "httpdate accepts {}", row.what);
        assert_eq!(date::has(&date::LENIENT, value, moment), [row.what]);
        date::run(value);
    }
    for row in date::STRICT {
        let value = row.example.as_bytes();
        let moment = date::theirs(value).unwrap_or_else(|| panic!("httpdate refuses {}", row.what));
        assert_eq!(date::ours(value, now), None, "the core accepts {}", row.what);
        assert_eq!(date::has(&date::STRICT, value, moment), [row.what]);
        date::run(value);
    }
    let century = date::CENTURY.as_bytes();
    let years = |moment: i64| moment / (365 * 86_400) + 1970;
    assert_eq!(date::ours(century, now).map(years), Some(2076), "at most 50 years ahead");
    assert_eq!(date::theirs(century).map(years), Some(1976));
    date::run(century);
}

/// What is written as a seed is read as the same again.
#[test]
fn a_seed_is_what_it_was_made_of() {
    let mut exact = 0;
    let cases = load::<Run>().expect("the vectors can be read");
    for case in &cases {
        let mut seed = Vec::new();
        case.body.scenario.write(&mut seed);
        let mut again: conformance::scenario::Scenario = bytes::Bytes::new(&seed).read();
        // The names of headers are known by their place.
        for (header, named) in again.script.iter_mut().zip(&case.body.scenario.script) {
            header.headers.clone_from(&named.headers);
        }
        exact += usize::from(again == case.body.scenario);
    }
    assert!(exact * 10 > cases.len() * 9, "{exact} of {} cases", cases.len());
    for case in load::<RetryAfter>().expect("the vectors can be read") {
        retry_after::run(&retry_after::write(&case.body));
    }
}

/// Writes the seeds, one for each case of the vectors: `cargo test -p conformance --test corpus seeds -- --ignored`.
#[test]
#[ignore = "it writes into the corpus"]
fn seeds() {
    let coded = |value: &dyn Fn(&mut Vec<u8>)| {
        let mut seed = Vec::new();
        value(&mut seed);
        seed
    };
    for case in load::<Run>().expect("the vectors can be read") {
        inputs::seed("machine", &coded(&|to| case.body.scenario.write(to)));
        inputs::seed("trace", conformance::sim::record(&case.body.scenario).1.to_string().as_bytes());
    }
    for case in load::<Budget>().expect("the vectors can be read") {
        inputs::seed("budgets", &coded(&|to| case.body.write(to)));
    }
    for case in load::<RetryAfter>().expect("the vectors can be read") {
        inputs::seed("retry_after", &retry_after::write(&case.body));
        for line in case.body.lines.iter().chain(&case.body.dates) {
            inputs::seed("date", &line.0);
        }
    }
    for row in date::LENIENT.into_iter().chain(date::STRICT) {
        inputs::seed("date", row.example.as_bytes());
    }
    for secs in [0_u64, 951_782_400, 1_772_366_430, 253_402_300_799] {
        inputs::seed("date", httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(secs)).as_bytes());
    }
    for rotation in 0..8_u8 {
        // Five proxies, then calls that pick, fail, succeed and wait in turn.
        let steps: Vec<u8> = (0..48).flat_map(|step: u8| [step.wrapping_mul(7), 20 + step]).collect();
        inputs::seed("proxies", &[&[5, rotation, rotation / 2, rotation / 4, 30, 1, 3], &steps[..]].concat());
    }
    let texts: Value = serde_json::from_str(include_str!("../../retry-core/tests/config/texts.json")).expect("JSON");
    let accepted = texts["accepted"].as_array().expect("a list").iter();
    for text in accepted.chain(texts["refused"].as_array().expect("a list").iter().map(|row| &row["text"])) {
        inputs::seed("policy_text", format!("j{text}").as_bytes());
        if let Ok(toml) = toml::to_string(text) {
            inputs::seed("policy_text", format!("t{toml}").as_bytes());
        }
    }
    for path in conformance::vectors::files().expect("the vectors can be read") {
        let kind = vectors::kind(&conformance::vectors::kind(&path)).expect("each file has a kind");
        let mut file: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        let cases = file["cases"].take();
        for case in cases.as_array().expect("cases").iter().step_by(5) {
            file["cases"] = json!([case]);
            inputs::seed("vectors", &[&[kind], file.to_string().as_bytes()].concat());
        }
    }
}
