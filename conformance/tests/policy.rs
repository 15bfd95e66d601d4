//! The policies of the vectors are policies as text, too: `retry-core` reads the same keys, and means the same.

use std::fs;

use conformance::scenario::Settings;
use conformance::sim::convert;
use conformance::vectors;
use retry_core::Policy;
use serde_json::{Value, json};

#[test]
fn a_policy_of_the_vectors_reads_as_a_policy() {
    let (mut read, mut refused) = (0, 0);
    for path in vectors::files().expect("they can be read") {
        let file: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for case in file["cases"].as_array().into_iter().flatten() {
            let policy = [&case["policy"], &case["scenario"]["policy"]].into_iter().find(|policy| policy.is_object());
            let Some(text) = policy else { continue };
            let settings: Settings = serde_json::from_value(text.clone()).unwrap();
            let policy = serde_json::from_value::<Policy>(text.clone());
            match convert::builder(&settings).build() {
                Ok(expected) => {
                    assert_eq!(policy.unwrap_or_else(|error| panic!("{text}: {error}")), expected, "{text}");
                    read += 1;
                }
                Err(error) => {
                    let said = policy.expect_err(error.field()).to_string();
                    assert!(said.contains(error.field()), "{text}: {said}");
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 200 && refused > 30, "{read} read, {refused} refused");
}

/// What the core writes, the suite's own reader takes; but for ranges of statuses, compound times, and `"none"`.
#[test]
fn a_policy_as_text_has_the_keys_of_the_vectors() {
    let keys = |value: Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let (ours, theirs) = (json!(Policy::API), json!(Settings::default()));
    assert_eq!(keys(ours["retry_after"].clone()), keys(theirs["retry_after"].clone()));
    assert_eq!(keys(ours), keys(theirs));
}
