//! From settings to a checked policy.

use core::time::Duration;

use crate::hint::{Hints, RetryAfter};
use crate::jitter::{Jitter, Kind, Share};
use crate::policy::{Limit, NonIdempotent, Policy};
use crate::policy_error::{PolicyError, Value, rule};
use crate::status::StatusSet;
use crate::time::{NANOS_PER_SEC, nanos};

/// Settings on their way to a [`Policy`]. Nothing is checked before [`build`](Self::build).
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct PolicyBuilder {
    pub(crate) max_retries: u32,
    pub(crate) base_delay: Duration,
    pub(crate) factor: f64,
    pub(crate) max_delay: Duration,
    pub(crate) jitter: Jitter,
    pub(crate) hard_cap: bool,
    pub(crate) retry_after: RetryAfter,
    pub(crate) total_timeout: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) statuses: StatusSet,
    pub(crate) refused_status: Option<u16>,
    pub(crate) non_idempotent: NonIdempotent,
}

impl PolicyBuilder {
    /// How often a request is sent again at most: 0 ..= u32::MAX - 1. 0 is one send, retries off.
    pub const fn max_retries(mut self, count: u32) -> Self {
        self.max_retries = count;
        self
    }

    /// The wait before the first retry: 0 ..= 30 min.
    pub const fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// The growth per retry: 1.0 for a fixed delay, or 1.01 ..= 10.0.
    pub const fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// The ceiling of the computed wait: `base_delay` ..= 24 h.
    pub const fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// How the computed wait is spread; shares 0.0 ..= 1.0.
    pub const fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// Cuts the jitter's window at `max_delay`, so that no wait is longer.
    pub const fn hard_cap(mut self, cut: bool) -> Self {
        self.hard_cap = cut;
        self
    }

    /// How `Retry-After` is treated: cap above zero and at most 24 h, spread 0.0 ..= 1.0.
    pub const fn retry_after(mut self, retry_after: RetryAfter) -> Self {
        self.retry_after = retry_after;
        self
    }

    /// The limit of the whole call, every send and every wait together: none, or above zero and at most 1 year.
    pub const fn total_timeout(mut self, limit: Option<Duration>) -> Self {
        self.total_timeout = limit;
        self
    }

    /// The limit of one send: none, or above zero and at most 1 year.
    pub const fn attempt_timeout(mut self, limit: Option<Duration>) -> Self {
        self.attempt_timeout = limit;
        self
    }

    /// The statuses that are worth another send, in place of the ones before: each 400 ..= 599.
    pub const fn statuses(mut self, statuses: &[u16]) -> Self {
        self.statuses = StatusSet::EMPTY;
        self.refused_status = None;
        let mut rest = statuses;
        while let [status, tail @ ..] = rest {
            self = self.add_status(*status);
            rest = tail;
        }
        self
    }

    /// One more status that is worth another send: 400 ..= 599.
    pub const fn add_status(mut self, status: u16) -> Self {
        match self.statuses.with(status) {
            Some(statuses) => self.statuses = statuses,
            None if self.refused_status.is_none() => self.refused_status = Some(status),
            None => {}
        }
        self
    }

    /// One status less.
    pub const fn remove_status(mut self, status: u16) -> Self {
        self.statuses = self.statuses.without(status);
        self
    }

    /// When a request that is not idempotent may be sent again.
    pub const fn non_idempotent(mut self, when: NonIdempotent) -> Self {
        self.non_idempotent = when;
        self
    }

    /// The policy.
    ///
    /// # Errors
    ///
    /// A [`PolicyError`] for the first setting out of its bounds.
    ///
    /// ```
    /// use retry_core::Policy;
    ///
    /// let error = Policy::builder().factor(f64::NAN).build().unwrap_err();
    /// assert_eq!(error.to_string(), "factor is NaN, accepted: 1.0, or 1.01 ..= 10.0");
    /// ```
    pub const fn build(self) -> Result<Policy, PolicyError> {
        if self.max_retries == u32::MAX {
            return Err(PolicyError { rule: rule::MAX_RETRIES, value: Value::Number(self.max_retries as f64) });
        }
        if exceeds(self.base_delay, HALF_HOUR) {
            return Err(PolicyError { rule: rule::BASE_DELAY, value: Value::Time(self.base_delay) });
        }
        if !(self.factor == 1.0 || self.factor >= 1.01 && self.factor <= 10.0) {
            return Err(PolicyError { rule: rule::FACTOR, value: Value::Number(self.factor) });
        }
        if exceeds(self.max_delay, DAY) || exceeds(self.base_delay, nanos(self.max_delay)) {
            let value = Value::MaxDelay { max_delay: self.max_delay, base_delay: self.base_delay };
            return Err(PolicyError { rule: rule::MAX_DELAY, value });
        }
        let jitter = match Kind::checked(self.jitter) {
            Ok(jitter) => jitter,
            Err(share) => return Err(PolicyError { rule: rule::JITTER, value: Value::Number(share) }),
        };
        let RetryAfter { mode, cap, over_cap, spread } = self.retry_after;
        if cap.is_zero() || exceeds(cap, DAY) {
            return Err(PolicyError { rule: rule::CAP, value: Value::Time(cap) });
        }
        let Some(spread) = Share::new(spread) else {
            return Err(PolicyError { rule: rule::SPREAD, value: Value::Number(spread) });
        };
        let total_timeout = match limit(self.total_timeout) {
            Ok(limit) => limit,
            Err(value) => return Err(PolicyError { rule: rule::TOTAL_TIMEOUT, value }),
        };
        let attempt_timeout = match limit(self.attempt_timeout) {
            Ok(limit) => limit,
            Err(value) => return Err(PolicyError { rule: rule::ATTEMPT_TIMEOUT, value }),
        };
        if let Some(status) = self.refused_status {
            return Err(PolicyError { rule: rule::STATUSES, value: Value::Number(status as f64) });
        }
        Ok(Policy {
            base_delay: nanos(self.base_delay),
            factor: self.factor,
            max_delay: nanos(self.max_delay),
            total_timeout,
            attempt_timeout,
            hints: Hints { cap: nanos(cap), spread, mode, over_cap },
            jitter,
            max_retries: self.max_retries,
            statuses: self.statuses,
            hard_cap: self.hard_cap,
            non_idempotent: self.non_idempotent,
        })
    }

    /// The policy, for a `const` or `static`: a setting out of its bounds stops the compilation.
    ///
    /// # Panics
    ///
    /// Outside of a `const` a wrong setting panics. Use [`build`](Self::build) there.
    ///
    /// ```compile_fail
    /// # use retry_core::Policy;
    /// const WRONG: Policy = Policy::builder().factor(0.5).build_const();
    /// ```
    #[track_caller]
    pub const fn build_const(self) -> Policy {
        match self.build() {
            Ok(policy) => policy,
            Err(error) => panic!("{}", error.rule.refusal),
        }
    }
}

const HALF_HOUR: u64 = 30 * 60 * NANOS_PER_SEC;
const DAY: u64 = 24 * 60 * 60 * NANOS_PER_SEC;
const YEAR: u64 = 365 * DAY;

const fn exceeds(duration: Duration, most: u64) -> bool {
    nanos(duration) > most
}

const fn limit(limit: Option<Duration>) -> Result<Option<Limit>, Value> {
    match limit {
        None => Ok(None),
        Some(time) if exceeds(time, YEAR) => Err(Value::Time(time)),
        Some(time) => match Limit::new(nanos(time)) {
            Some(limit) => Ok(Some(limit)),
            None => Err(Value::Time(time)),
        },
    }
}
