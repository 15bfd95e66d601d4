//! The policy of a call: checked once, then a plain `Copy` value that every decision reads.

use core::fmt;
use core::time::Duration;

use crate::builder::PolicyBuilder;
use crate::hint::{Hints, RetryAfter};
use crate::jitter::{Jitter, Kind};
use crate::status::StatusSet;

/// What decides about retries: how many, how long to wait, what is worth one, and the time limits.
///
/// A policy can only be had through a check, so every policy is a valid one. Start from a preset or from
/// [`Policy::builder`], or change an existing one with [`edit`](Self::edit).
///
/// | field | default | accepted |
/// |---|---|---|
/// | `max_retries` | 3 | 0 ..= u32::MAX - 1; 0 is one send, retries off |
/// | `base_delay` | 1 s | 0 ..= 30 min |
/// | `factor` | 2.0 | 1.0, or 1.01 ..= 10.0 |
/// | `max_delay` | 30 s | `base_delay` ..= 24 h |
/// | `jitter` | `Proportional(0.1)` | shares 0.0 ..= 1.0 |
/// | `retry_after` | `replace()`, cap 60 s, clamped | cap > 0, <= 24 h; spread 0.0 ..= 1.0 |
/// | `total_timeout` | 180 s | none, or > 0, <= 1 year |
/// | `attempt_timeout` | none | none, or > 0, <= 1 year |
/// | `statuses` | 408 429 500 502 503 504 | 400 ..= 599 |
/// | `non_idempotent` | `Never` | |
///
/// ```
/// use core::time::Duration;
/// use retry_core::Policy;
///
/// // Checked when this is compiled.
/// const PATIENT: Policy = Policy::builder().max_retries(5).base_delay(Duration::from_secs(2)).build_const();
///
/// // Checked when it runs.
/// let patient = Policy::API.edit().max_retries(5).base_delay(Duration::from_secs(2)).build()?;
/// assert_eq!(patient, PATIENT);
/// # Ok::<(), retry_core::PolicyError>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Policy {
    pub(crate) base_delay: u64,
    pub(crate) factor: f64,
    pub(crate) max_delay: u64,
    pub(crate) total_timeout: Option<Limit>,
    pub(crate) attempt_timeout: Option<Limit>,
    pub(crate) hints: Hints,
    pub(crate) jitter: Kind,
    pub(crate) max_retries: u32,
    pub(crate) statuses: StatusSet,
    pub(crate) hard_cap: bool,
    pub(crate) non_idempotent: NonIdempotent,
}

/// Nanoseconds above zero, so that an optional limit takes one word.
pub(crate) type Limit = core::num::NonZeroU64;

/// When a request with a method that is not idempotent (RFC 9110 9.2.2) may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NonIdempotent {
    /// Never: it goes out once, and its reply is handed over as it is.
    Never,
    /// After a failure that is known not to have reached the server.
    WhenUnsent,
    /// Like an idempotent one.
    Always,
}

impl Policy {
    /// The default: 3 retries from 1 s, doubling. Waits at most 7.7 s in sum, 180 s in all.
    pub const API: Self = Self::builder().build_const();

    /// For calls between one's own services: 2 retries from 500 ms, doubling. Waits at most 1.65 s in sum.
    pub const MICROSERVICE: Self = Self::builder().max_retries(2).base_delay(Duration::from_millis(500)).build_const();

    /// For downloads whose body is read inside the attempt: 5 retries from 2 s, doubling. Waits at most 66 s in sum.
    pub const DOWNLOAD: Self = Self::builder().max_retries(5).base_delay(Duration::from_secs(2)).build_const();

    /// For many short calls: 3 retries from 500 ms, growing by half. Waits at most 2.6125 s in sum.
    pub const HIGH_THROUGHPUT: Self = Self::builder().base_delay(Duration::from_millis(500)).factor(1.5).build_const();

    /// One send, limited to 180 s.
    pub const NONE: Self = Self::builder().max_retries(0).build_const();

    /// A builder with the defaults.
    pub const fn builder() -> PolicyBuilder {
        PolicyBuilder {
            max_retries: 3,
            base_delay: Duration::from_secs(1),
            factor: 2.0,
            max_delay: Duration::from_secs(30),
            jitter: Jitter::Proportional(0.1),
            hard_cap: false,
            retry_after: RetryAfter::replace(),
            total_timeout: Some(Duration::from_secs(180)),
            attempt_timeout: None,
            statuses: StatusSet::DEFAULT,
            refused_status: None,
            non_idempotent: NonIdempotent::Never,
        }
    }

    /// A builder with this policy's settings.
    pub const fn edit(&self) -> PolicyBuilder {
        PolicyBuilder {
            max_retries: self.max_retries,
            base_delay: self.base_delay(),
            factor: self.factor,
            max_delay: self.max_delay(),
            jitter: self.jitter(),
            hard_cap: self.hard_cap,
            retry_after: self.retry_after(),
            total_timeout: self.total_timeout(),
            attempt_timeout: self.attempt_timeout(),
            statuses: self.statuses,
            refused_status: None,
            non_idempotent: self.non_idempotent,
        }
    }

    /// How often a request is sent again at most; it goes out once more than that.
    pub const fn max_retries(&self) -> u32 {
        self.max_retries
    }

    /// The computed wait before the first retry.
    pub const fn base_delay(&self) -> Duration {
        Duration::from_nanos(self.base_delay)
    }

    /// The growth of the computed wait from retry to retry.
    pub const fn factor(&self) -> f64 {
        self.factor
    }

    /// The ceiling of the computed wait.
    pub const fn max_delay(&self) -> Duration {
        Duration::from_nanos(self.max_delay)
    }

    /// How the computed wait is spread.
    pub const fn jitter(&self) -> Jitter {
        self.jitter.public()
    }

    /// Whether jitter, too, stays at or below `max_delay`.
    pub const fn hard_cap(&self) -> bool {
        self.hard_cap
    }

    /// How `Retry-After` is treated.
    pub const fn retry_after(&self) -> RetryAfter {
        self.hints.public()
    }

    /// The limit of the whole call: every send and every wait together.
    pub const fn total_timeout(&self) -> Option<Duration> {
        duration(self.total_timeout)
    }

    /// The limit of one send.
    pub const fn attempt_timeout(&self) -> Option<Duration> {
        duration(self.attempt_timeout)
    }

    /// The statuses that are worth another send.
    pub const fn statuses(&self) -> StatusSet {
        self.statuses
    }

    /// When a request that is not idempotent may be sent again.
    pub const fn non_idempotent(&self) -> NonIdempotent {
        self.non_idempotent
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::API
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("max_retries", &self.max_retries)
            .field("base_delay", &self.base_delay())
            .field("factor", &self.factor)
            .field("max_delay", &self.max_delay())
            .field("jitter", &self.jitter())
            .field("hard_cap", &self.hard_cap)
            .field("retry_after", &self.retry_after())
            .field("total_timeout", &self.total_timeout())
            .field("attempt_timeout", &self.attempt_timeout())
            .field("statuses", &self.statuses)
            .field("non_idempotent", &self.non_idempotent)
            .finish()
    }
}

const fn duration(limit: Option<Limit>) -> Option<Duration> {
    match limit {
        Some(nanos) => Some(Duration::from_nanos(nanos.get())),
        None => None,
    }
}
