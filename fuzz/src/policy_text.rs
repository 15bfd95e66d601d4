//! Policies as text: any text is a policy within the bounds or a typed error, what is written reads back as the same, and
//! JSON and TOML mean the same.
//!
//! The first byte is `t` for TOML, or any other for JSON; the rest is the text.

use retry_core::Policy;
use serde_json::Value;

/// Fails if a policy that was read is not one that can be built, is written as another one, or depends on the format.
pub fn run(data: &[u8]) {
    let Some((format, text)) = data.split_first() else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let policy: Option<Policy> = if *format != b't' {
        formats_agree(text);
        serde_json::from_str(text).ok()
    } else {
        toml::from_str(text).ok()
    };
    let Some(policy) = policy else { return };
    assert_eq!(policy.edit().build(), Ok(policy), "{text:?}");

    let json = serde_json::to_value(policy).expect("a policy can be written");
    assert_eq!(serde_json::from_value(json).ok(), Some(policy), "{text:?}");
    let toml = toml::to_string(&policy).expect("a policy can be written");
    assert_eq!(toml::from_str(&toml).ok(), Some(policy), "{toml}");
}

/// The same object in both formats is the same policy, or is refused in both.
fn formats_agree(text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let by_value: Option<Policy> = serde_json::from_value(value.clone()).ok();
    // Read from text, a key that is there twice is refused; a value has its last.
    if let Ok(by_text) = serde_json::from_str::<Policy>(text) {
        assert_eq!(by_value, Some(by_text), "{text:?}");
    }
    // TOML has no null, and no document but a table.
    if let Some(toml) = toml::to_string(&value).ok().filter(|_| value.is_object() && !text.contains("null")) {
        assert_eq!(toml::from_str(&toml).ok(), by_value, "{text:?}, {toml:?}");
    }
}
