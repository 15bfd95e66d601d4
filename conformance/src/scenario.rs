//! One call as plain data: what was set, what comes back, and how the clocks behave.
//!
//! Nothing here belongs to one implementation, so the same scenario runs against the core, a model, or a client over
//! loopback. In JSON every field that is left out has its default; unknown fields are refused. Times are
//! [`Span`]s, moments are counted from the start of the call.

use serde::{Deserialize, Serialize};

use crate::json::Span;

mod policy;
mod reply;

pub use policy::{Jitter, Mode, NonIdempotent, OverCap, RetryAfter, Settings};
pub use reply::{Advice, Cause, Event, Reached, Step};

/// One call.
///
/// ```
/// use conformance::scenario::Scenario;
///
/// let scenario: Scenario = serde_json::from_str(
///     r#"{
///         "policy": {"base_delay": "100ms", "jitter": "none", "total_timeout": null},
///         "request": {"method": "POST", "non_idempotent": "when_unsent"},
///         "script": [{"failure": "network", "reached": "unsent"}, {"status": 200, "takes": "2s"}]
///     }"#,
/// )?;
/// assert_eq!(scenario.step(7), &scenario.script[1]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// The client's policy.
    pub policy: Settings,
    /// The request, and what it sets for itself.
    pub request: Request,
    /// What each send produces; the last step repeats. It must have one.
    pub script: Vec<Step>,
    /// The words that jitter is drawn with.
    pub random: Random,
    /// The wall clock at the start; null if there is none.
    pub wall: Option<Wall>,
    /// What becomes of the clocks later.
    pub clock: Vec<ClockStep>,
    /// When the caller gives the call up.
    pub cancel_at: Option<Span>,
}

impl Scenario {
    /// What send `number` (from 1) produces.
    ///
    /// # Panics
    ///
    /// If the script is empty.
    pub fn step(&self, number: u32) -> &Step {
        let index = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        self.script.get(index).or(self.script.last()).expect("a script has at least one step")
    }

    /// The settings that hold for this call: the request's own where it has some, else the policy's.
    ///
    /// All but `non_idempotent`, which is the policy's: how it meets the request's and a key is a rule, not an override.
    pub fn settings(&self) -> Settings {
        let Request { max_retries, total_timeout, attempt_timeout, retry_after, .. } = self.request.clone();
        let policy = self.policy.clone();
        Settings {
            max_retries: max_retries.unwrap_or(policy.max_retries),
            total_timeout: total_timeout.or(policy.total_timeout),
            attempt_timeout: attempt_timeout.or(policy.attempt_timeout),
            retry_after: retry_after.unwrap_or(policy.retry_after),
            ..policy
        }
    }

    /// The same with a seed in place of given words, for what draws its words itself.
    #[must_use]
    pub fn seeded(mut self) -> Self {
        if let Random::Words(_) = self.random {
            self.random = Random::Seed(0);
        }
        self
    }
}

impl Default for Scenario {
    /// A GET under the default policy that is answered with 200 at once.
    fn default() -> Self {
        Self {
            policy: Settings::default(),
            request: Request::default(),
            script: vec![Step::status(200)],
            random: Random::default(),
            wall: Some(Wall::default()),
            clock: Vec::new(),
            cancel_at: None,
        }
    }
}

/// A request, and what it sets for itself alone. What is left out is the policy's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// The method, spelled as it is sent.
    pub method: String,
    /// Whether each send can have the same body, as no body can.
    pub replayable: bool,
    /// Whether it has an idempotency key.
    pub idempotency_key: bool,
    /// See [`Settings::max_retries`].
    pub max_retries: Option<u32>,
    /// See [`Settings::total_timeout`].
    pub total_timeout: Option<Span>,
    /// See [`Settings::attempt_timeout`].
    pub attempt_timeout: Option<Span>,
    /// See [`Settings::retry_after`].
    pub retry_after: Option<RetryAfter>,
    /// See [`Settings::non_idempotent`].
    pub non_idempotent: Option<NonIdempotent>,
    /// The moment at which the call must have ended, besides the total limit.
    pub deadline: Option<Span>,
}

impl Default for Request {
    /// A GET that sets nothing.
    fn default() -> Self {
        Self {
            method: "GET".into(),
            replayable: true,
            idempotency_key: false,
            max_retries: None,
            total_timeout: None,
            attempt_timeout: None,
            retry_after: None,
            non_idempotent: None,
            deadline: None,
        }
    }
}

/// Where the random words come from: `{"words": [0]}` or `{"seed": 7}`. All are 64 bits wide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Random {
    /// These, one per decision; the last one repeats. None are the same as a 0.
    Words(Vec<u64>),
    /// Xoshiro256++, its state filled by `SplitMix64` from this seed.
    Seed(u64),
}

impl Default for Random {
    /// Zeros: each wait is the shortest of its window.
    fn default() -> Self {
        Self::Words(Vec::new())
    }
}

/// A moment of civil time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Whole seconds since 1970, rounded down.
    pub secs: i64,
    /// Nanoseconds above that.
    #[serde(default)]
    pub nanos: u32,
}

impl Default for Wall {
    /// Sun, 01 Mar 2026 12:00:00 GMT.
    fn default() -> Self {
        Self { secs: 1_772_366_400, nanos: 0 }
    }
}

/// One thing that becomes of the clocks: `{"at": "1s", "change": {"back": "5s"}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockStep {
    /// When, in time that really passes.
    pub at: Span,
    /// What.
    pub change: Change,
}

/// What becomes of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The monotonic clock stands still for so long, then goes on from where it stood. Timers do not stand still.
    Stand(Span),
    /// The monotonic clock goes back by so much.
    Back(Span),
    /// The machine sleeps for so long. The clocks go on; what becomes due meanwhile is noticed on waking.
    Suspend(Span),
    /// The wall clock jumps ahead.
    WallAhead(Span),
    /// The wall clock jumps back.
    WallBack(Span),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_its_default() {
        let scenario: Scenario = serde_json::from_str("{}").unwrap();
        assert_eq!(scenario, Scenario::default());
    }

    #[test]
    fn a_scenario_survives_being_written() {
        let scenario = Scenario {
            policy: Settings {
                jitter: Jitter::Proportional(0.5),
                factor: f64::INFINITY,
                total_timeout: None,
                ..Settings::default()
            },
            request: Request { deadline: Some(Span::from_millis(50)), ..Request::default() },
            script: vec![
                Step::failure(Cause::Proxy, Reached::Unsent),
                Step { advice: Advice::RetryAfter(Span::from_secs(1)), ..Step::status(429).header("Retry-After", "2") },
            ],
            random: Random::Seed(u64::MAX),
            wall: None,
            clock: vec![ClockStep { at: Span::ZERO, change: Change::Suspend(Span::from_secs(3600)) }],
            cancel_at: Some(Span::from_secs(9)),
        };
        let text = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario, "{text}");
    }

    #[test]
    fn a_request_overrides_what_it_sets() {
        let mut scenario = Scenario::default();
        assert_eq!(scenario.settings(), scenario.policy);
        scenario.request.max_retries = Some(0);
        scenario.request.total_timeout = Some(Span::from_secs(900));
        let settings = scenario.settings();
        assert_eq!((settings.max_retries, settings.total_timeout), (0, Some(Span::from_secs(900))));
        assert_eq!(settings.retry_after, scenario.policy.retry_after);
    }

    #[test]
    fn unknown_fields_and_unclear_steps_are_refused() {
        for json in [
            r#"{"polices": {}}"#,
            r#"{"policy": {"max_retry": 1}}"#,
            r#"{"request": {"verb": "GET"}}"#,
            r#"{"script": [{}]}"#,
            r#"{"script": [{"status": 200, "failure": "network"}]}"#,
            r#"{"script": [{"status": 200, "reached": "unsent"}]}"#,
            r#"{"script": [{"failure": "network", "headers": [["Age", "1"]]}]}"#,
            r#"{"script": [{"status": 200, "take": "1s"}]}"#,
            r#"{"clock": [{"at": "1s", "change": {"forward": "1s"}}]}"#,
            r#"{"random": {"words": [-1]}}"#,
        ] {
            assert!(serde_json::from_str::<Scenario>(json).is_err(), "{json}");
        }
    }
}
