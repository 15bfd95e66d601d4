//! The settings of a policy, unchecked.

use serde::{Deserialize, Serialize};

use crate::json::{Span, real};

/// The settings of a policy. They may be ones that no policy can have: refusing them is the implementation's part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How often a request is sent again at most.
    pub max_retries: u32,
    /// The computed wait before the first retry.
    pub base_delay: Span,
    /// The growth of the computed wait from retry to retry.
    #[serde(with = "real")]
    pub factor: f64,
    /// The ceiling of the computed wait.
    pub max_delay: Span,
    /// How the computed wait is spread.
    pub jitter: Jitter,
    /// Whether jitter, too, stays at or below `max_delay`.
    pub hard_cap: bool,
    /// How `Retry-After` is treated.
    pub retry_after: RetryAfter,
    /// The limit of the whole call; null for none.
    pub total_timeout: Option<Span>,
    /// The limit of one send; null for none.
    pub attempt_timeout: Option<Span>,
    /// The statuses that are worth another send.
    pub statuses: Vec<u16>,
    /// When a request that is not idempotent may be sent again.
    pub non_idempotent: NonIdempotent,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_retries: 3,
            base_delay: Span::from_secs(1),
            factor: 2.0,
            max_delay: Span::from_secs(30),
            jitter: Jitter::Proportional(0.1),
            hard_cap: false,
            retry_after: RetryAfter::default(),
            total_timeout: Some(Span::from_secs(180)),
            attempt_timeout: None,
            statuses: vec![408, 429, 500, 502, 503, 504],
            non_idempotent: NonIdempotent::Never,
        }
    }
}

/// How the computed delay d is spread: `"none"`, `{"proportional": 0.1}`, `"full"`, `"equal"`, `"decorrelated"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Jitter {
    /// Exactly d.
    None,
    /// By this share of d, below and above.
    Proportional(#[serde(with = "real")] f64),
    /// From 0 to d.
    Full,
    /// From half of d to d.
    Equal,
    /// From the base delay to three times the wait drawn before.
    Decorrelated,
}

/// How `Retry-After` is treated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryAfter {
    /// Which wait counts.
    pub mode: Mode,
    /// The longest hint that is followed.
    pub cap: Span,
    /// What to do above it.
    pub over_cap: OverCap,
    /// The share of the hint by which it is lengthened at random.
    #[serde(with = "real")]
    pub spread: f64,
}

impl Default for RetryAfter {
    fn default() -> Self {
        Self { mode: Mode::Replace, cap: Span::from_secs(60), over_cap: OverCap::Clamp, spread: 0.0 }
    }
}

/// Which wait counts when the server names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The server's.
    Replace,
    /// The longer one.
    AtLeast,
    /// The computed one.
    Ignore,
}

/// What to do when the server asks for more than the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverCap {
    /// Wait for the cap.
    Clamp,
    /// End the call.
    GiveUp,
}

/// When a request that is not idempotent may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NonIdempotent {
    /// Never.
    Never,
    /// After a failure that is known not to have reached the server.
    WhenUnsent,
    /// Like an idempotent one.
    Always,
}
