//! Where a policy comes from: a preset or a file, and the flags on top of it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use retry_core::Policy;
use serde_json::{Map, Value, json};

use crate::args::{SETTINGS, flag};
use crate::shown::shown;

/// No file of settings is longer, in bytes.
const FILE_MOST: u64 = 1 << 20;

/// The policy that `source` names: a preset or a file.
///
/// # Errors
///
/// One text that names the file, the value, and what would be accepted.
pub(crate) fn policy(source: &OsStr) -> Result<Policy, String> {
    match source.to_str().and_then(preset) {
        Some(policy) => Ok(policy),
        None => {
            file(Path::new(source)).map_err(|error| format!("{}: {}", shown(&source.to_string_lossy()), shown(&error)))
        }
    }
}

/// `policy` with these settings in place of its own.
///
/// # Errors
///
/// One text that names the flag, the value, and what would be accepted.
pub(crate) fn changed(policy: Policy, settings: &[(String, String)]) -> Result<Policy, String> {
    if settings.is_empty() {
        return Ok(policy);
    }
    let mut keys = match serde_json::to_value(policy) {
        Ok(Value::Object(keys)) => keys,
        other => return Err(format!("the policy cannot be written: {other:?}")),
    };
    for (key, text) in settings {
        set(&mut keys, key, read(key, text));
    }
    serde_json::from_value(Value::Object(keys)).map_err(|error| blamed(&error.to_string(), settings))
}

fn preset(name: &str) -> Option<Policy> {
    serde_json::from_value(json!({ "preset": name.to_ascii_lowercase().replace('-', "_") })).ok()
}

fn file(path: &Path) -> Result<Policy, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| match path.extension() {
        None => {
            format!("none of the presets api, microservice, download, high-throughput and none, and no file: {error}")
        }
        Some(_) => error.to_string(),
    })?;
    let read = file.take(FILE_MOST + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if read as u64 > FILE_MOST {
        return Err(format!("it is longer than {FILE_MOST} bytes"));
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        toml::from_str(&text).map_err(|error| error.to_string().trim_end().to_owned())
    }
}

/// Puts `value` where `key` says: `table.key`, or a key alone.
fn set(keys: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.').map(|(table, key)| (keys.get_mut(table), key)) {
        Some((Some(Value::Object(table)), key)) => table.insert(key.into(), value),
        _ => keys.insert(key.into(), value),
    };
}

/// What a file would have in place of a flag's text.
fn read(key: &str, text: &str) -> Value {
    match key {
        "statuses" => text.split(',').map(|status| plain(status.trim())).collect(),
        "jitter" => match text.split_once('=') {
            Some((kind, share)) => json!({ kind: plain(share) }),
            None => Value::from(text.replace('-', "_")),
        },
        "retry_after.mode" | "retry_after.over_cap" | "non_idempotent" => Value::from(text.replace('-', "_")),
        _ => plain(text),
    }
}

/// A number, true or false; else text.
fn plain(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::from(text),
    }
}

/// The error with the flag that it is about before it, where its text has the name of a setting that was given.
fn blamed(error: &str, settings: &[(String, String)]) -> String {
    let named = SETTINGS.iter().filter_map(|key| Some((error.find(key)?, key))).min_by_key(|(place, _)| *place);
    let given = named.and_then(|(_, named)| settings.iter().rev().find(|(key, _)| key == named));
    let error = shown(error);
    match given {
        Some((key, text)) => format!("{} for {}: {error}", shown(text), flag(key)),
        None => error,
    }
}
