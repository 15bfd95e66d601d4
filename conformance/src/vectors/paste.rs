//! A scenario and its trace as a case, to be put into a file.

use serde_json::{Map, Value, json};

use crate::scenario::{Event, Scenario, Step};
use crate::trace::Trace;

/// The case as JSON, without what has its default anyway: it can be pasted into a file of scenarios.
///
/// ```
/// use conformance::{scenario::{Scenario, Step}, sim::by_hand, vectors::paste};
///
/// let scenario = Scenario { script: vec![Step::status(404)], ..Scenario::default() };
/// let case = paste("found-1", "A status outside of the set is the answer.", &scenario, &by_hand(&scenario));
/// assert!(case.contains(r#""scenario": {
///     "script": ["#), "{case}");
/// ```
pub fn paste(id: &str, note: &str, scenario: &Scenario, trace: &Trace) -> String {
    let mut call = json!(scenario);
    strip(&mut call, &json!(Scenario::default()));
    if let Some(Value::Array(steps)) = call.get_mut("script") {
        let default = json!(Step::status(200));
        for step in steps {
            // What came back is never left out.
            let came = ["status", "headers", "failure", "reached"].map(|field| (field, step[field].clone()));
            strip(step, &default);
            for (field, value) in came.into_iter().filter(|(_, value)| !value.is_null()) {
                step[field] = value;
            }
        }
    }
    let case = json!({"id": id, "note": note, "scenario": call, "expected": expected(scenario, trace)});
    serde_json::to_string_pretty(&case).unwrap_or_default()
}

fn expected(scenario: &Scenario, trace: &Trace) -> Value {
    let end = &trace.end;
    let status = match end.event {
        Some(Event::Status(status)) => Some(status),
        Some(Event::Failure(..)) | None => None,
    };
    let mut expected = json!({
        "sends": trace.sends.iter().map(|send| send.at).collect::<Vec<_>>(),
        "waits": trace.waits.iter().map(|wait| (wait.lasts, wait.source)).collect::<Vec<_>>(),
        "back": end.at,
        "attempts": end.attempts,
        "reason": end.reason,
        "code": end.code,
        "status": status,
    });
    if let Some(asked) = end.asked {
        expected["asked"] = json!(asked);
    }
    if end.elapsed != end.at {
        expected["elapsed"] = json!(end.elapsed);
    }
    let scripted = (1..).zip(&trace.sends).all(|(number, send)| send.event == Some(scenario.step(number).event));
    let replies: Option<Vec<_>> = trace.sends.iter().map(|send| send.event).collect();
    if let (false, Some(replies)) = (scripted, replies) {
        let bare = |event| match event {
            Event::Status(status) => json!({"status": status}),
            Event::Failure(cause, reached) => json!({"failure": cause, "reached": reached}),
        };
        expected["replies"] = replies.into_iter().map(bare).collect();
    }
    expected
}

/// Takes out what `default` has too, object by object.
fn strip(value: &mut Value, default: &Value) {
    let (Value::Object(fields), Value::Object(defaults)) = (value, default) else { return };
    let kept = core::mem::take(fields).into_iter().filter(|(field, value)| defaults.get(field) != Some(value));
    *fields = kept.collect::<Map<_, _>>();
    for (field, value) in fields {
        // The one who sets a field of a nested object has the rest by default; other values are whole.
        if let Some(default) = defaults.get(field).filter(|_| ["policy", "request"].contains(&field.as_str())) {
            strip(value, default);
        }
    }
}
