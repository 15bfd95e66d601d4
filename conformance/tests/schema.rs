//! The JSON Schema has the fields and names that the suite reads. Whether the files fit it, `.ci/schema` checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use conformance::json::Span;
use conformance::scenario::{Cause, Change, ClockStep, Reached, Scenario, Step, Wall};
use conformance::vectors::{Bucket, BudgetStep, KINDS, Limit, Tally};
use serde::Serialize;
use serde_json::{Value, json};

fn schema() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/schema.json");
    let text = fs::read_to_string(file).expect("the schema can be read");
    serde_json::from_str(&text).expect("it is JSON")
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn objects_have_the_same_fields() {
    let schema = schema();
    let mut scenario = json!(Scenario::default());
    scenario["clock"] = json!([ClockStep { at: Span::ZERO, change: Change::Stand(Span::ZERO) }]);
    for (part, written) in [
        ("scenario", &scenario),
        ("settings", &scenario["policy"]),
        ("hints", &scenario["policy"]["retry_after"]),
        ("request", &scenario["request"]),
        ("wall", &json!(Wall::default())),
        ("clock_step", &scenario["clock"][0]),
    ] {
        assert_eq!(keys(&schema["$defs"][part]["properties"]), keys(written), "{part}");
    }
    let step = budget_step();
    let full = json!(BudgetStep { cost: Some(5), left: Some(495), ..step });
    assert_eq!(keys(&schema["$defs"]["budget_step"]["properties"]), keys(&full));
    let bucket = Bucket { capacity: 500, filled: Some(5) };
    let limits = [
        Limit::Aws20(bucket),
        Limit::Aws21(bucket),
        Limit::Ratio { share: 0.2, reserve: 100 },
        Limit::Throttle { max: 10, ratio: 0.1 },
    ];
    let properties = &schema["$defs"]["budget"]["properties"];
    let written = limits.map(|limit| json!(limit));
    assert_eq!(keys(properties), written.iter().flat_map(keys).collect());
    assert_eq!(keys(&schema["$defs"]["bucket"]["properties"]), keys(&written[0]["aws_2_0"]));
    for limit in ["ratio", "throttle"] {
        let written = written.iter().find_map(|written| written.get(limit)).unwrap();
        assert_eq!(keys(&properties[limit]["properties"]), keys(written), "{limit}");
    }
    let response = json!(Step { untried: Some(Span::ZERO), ..Step::status(200).header("Age", "1") });
    let failure = json!(Step::failure(Cause::Network, Reached::Unsent));
    let both: BTreeSet<_> = keys(&response).union(&keys(&failure)).copied().collect();
    assert_eq!(keys(&schema["$defs"]["step"]["properties"]), both);
}

/// A step with no more than it must have.
fn budget_step() -> BudgetStep {
    let step = json!({"reply": {"status": 503}, "tally": "failure", "granted": true});
    serde_json::from_value(step).expect("a step")
}

/// A default in the schema is what a field has that is left out.
#[test]
fn defaults_are_the_same() {
    let schema = schema();
    let scenario = json!(Scenario::default());
    let mut count = 0;
    for (part, written) in [
        ("settings", &scenario["policy"]),
        ("hints", &scenario["policy"]["retry_after"]),
        ("request", &scenario["request"]),
        ("step", &json!(Step::failure(Cause::Network, Reached::MaybeSent))),
        ("bucket", &json!(serde_json::from_value::<Bucket>(json!({})).unwrap())),
        ("budget_step", &json!(budget_step())),
    ] {
        for (field, definition) in schema["$defs"][part]["properties"].as_object().unwrap() {
            let Some(default) = definition.get("default") else { continue };
            let span = |value: &Value| value.as_str().and_then(|text| text.parse::<Span>().ok());
            let same = &written[field] == default || span(default).is_some() && span(&written[field]) == span(default);
            assert!(same, "{part}.{field}: {} is written, {default} in the schema", written[field]);
            count += 1;
        }
    }
    assert!(count > 15, "only {count} defaults");
}

#[test]
fn names_are_the_same() {
    fn name(value: impl Serialize) -> Value {
        json!(value)
    }
    let schema = schema();
    assert_eq!(schema["$defs"]["cause"]["enum"], Cause::ALL.into_iter().map(name).collect::<Value>());
    let tallies = [Tally::Success, Tally::Failure, Tally::Neutral];
    let tally = &schema["$defs"]["budget_step"]["properties"]["tally"];
    assert_eq!(tally["enum"], tallies.into_iter().map(name).collect::<Value>());
    let kinds: BTreeSet<_> =
        schema["anyOf"].as_array().unwrap().iter().map(|kind| kind["$ref"].as_str().unwrap()).collect();
    let right: BTreeSet<_> = KINDS.iter().map(|kind| format!("#/$defs/{kind}")).collect();
    assert_eq!(kinds, right.iter().map(String::as_str).collect());
}
