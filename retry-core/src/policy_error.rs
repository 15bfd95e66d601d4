//! What is wrong with a setting.

use core::fmt;
use core::time::Duration;

/// A setting that no policy can have.
///
/// ```
/// use core::time::Duration;
/// use retry_core::Policy;
///
/// let error = Policy::builder().max_delay(Duration::from_millis(500)).build().unwrap_err();
/// assert_eq!(error.field(), "max_delay");
/// assert_eq!(error.bound(), "base_delay ..= 24 h");
/// assert_eq!(error.to_string(), "max_delay is 500ms with a base_delay of 1s, accepted: base_delay ..= 24 h");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyError {
    pub(crate) rule: rule::Rule,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Time(Duration),
    MaxDelay { max_delay: Duration, base_delay: Duration },
}

impl PolicyError {
    /// The name of the setting, as the builder spells it; `retry_after.cap` and `retry_after.spread` for those two.
    pub const fn field(&self) -> &'static str {
        self.rule.field
    }

    /// What would have been accepted.
    pub const fn bound(&self) -> &'static str {
        self.rule.bound
    }

    /// The value that was refused, to be printed.
    pub fn value(&self) -> impl fmt::Display + '_ {
        self.value
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if *number != 0.0 && (number.abs() < 1e-9 || number.abs() >= 1e15) => {
                write!(f, "{number:e}")
            }
            Self::Number(number) => write!(f, "{number}"),
            Self::Time(time) => write!(f, "{time:?}"),
            Self::MaxDelay { max_delay, base_delay } => {
                write!(f, "{max_delay:?} with a base_delay of {base_delay:?}")
            }
        }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, accepted: {}", self.field(), self.value, self.bound())
    }
}

impl core::error::Error for PolicyError {}

/// The bounds, as an error says them. The compiler can print one fixed text only, so each rule has it ready.
pub(crate) mod rule {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Rule {
        pub(crate) field: &'static str,
        pub(crate) bound: &'static str,
        pub(crate) refusal: &'static str,
    }

    macro_rules! rules {
        ($($name:ident: $field:literal, $bound:literal;)*) => {
            $(pub(crate) const $name: Rule = Rule {
                field: $field,
                bound: $bound,
                refusal: concat!($field, " is out of bounds, accepted: ", $bound),
            };)*
        };
    }

    rules! {
        MAX_RETRIES: "max_retries", "0 ..= 4294967294";
        BASE_DELAY: "base_delay", "0 ..= 30 min";
        FACTOR: "factor", "1.0, or 1.01 ..= 10.0";
        MAX_DELAY: "max_delay", "base_delay ..= 24 h";
        JITTER: "jitter", "a share of 0.0 ..= 1.0";
        CAP: "retry_after.cap", "above 0, at most 24 h";
        SPREAD: "retry_after.spread", "a share of 0.0 ..= 1.0";
        TOTAL_TIMEOUT: "total_timeout", "none, or above 0, at most 1 year";
        ATTEMPT_TIMEOUT: "attempt_timeout", "none, or above 0, at most 1 year";
        STATUSES: "statuses", "400 ..= 599";
        ROTATE_ON_STATUS: "rotate_on_status", "400 ..= 599";
        THRESHOLD: "threshold", "1 or more";
        REST: "rest", "above 0, at most 24 h";
        RATIO_SHARE: "ratio.share", "a share of 0.0 ..= 1.0";
        THROTTLE_MAX: "throttle.max", "1 ..= 1000";
        THROTTLE_RATIO: "throttle.ratio", "0.001 ..= 1000.0";
    }
}
