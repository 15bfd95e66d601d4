//! Which settings a policy can have.

use super::{SECOND, nanos};
use crate::json::Span;
use crate::scenario::{Jitter, Settings};

/// The first field that is refused.
pub(super) fn refused(settings: &Settings) -> Option<&'static str> {
    let day = 24 * 3600 * SECOND;
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    let is_limit = |limit: Option<Span>| limit.is_none_or(|limit| (1..=365 * day).contains(&nanos(limit)));
    let base = nanos(settings.base_delay);
    let checks = [
        ("max_retries", settings.max_retries < u32::MAX),
        ("base_delay", base <= 1800 * SECOND),
        ("factor", settings.factor == 1.0 || (1.01..=10.0).contains(&settings.factor)),
        ("max_delay", (base..=day).contains(&nanos(settings.max_delay))),
        ("jitter", if let Jitter::Proportional(share) = settings.jitter { is_share(share) } else { true }),
        ("retry_after.cap", (1..=day).contains(&nanos(settings.retry_after.cap))),
        ("retry_after.spread", is_share(settings.retry_after.spread)),
        ("total_timeout", is_limit(settings.total_timeout)),
        ("attempt_timeout", is_limit(settings.attempt_timeout)),
        ("statuses", settings.statuses.iter().all(|status| (400..=599).contains(status))),
    ];
    checks.into_iter().find(|(_, accepted)| !accepted).map(|(field, _)| field)
}

/// The settings that have a name.
pub(super) fn preset(name: &str) -> Option<Settings> {
    let (max_retries, base_delay, factor) = match name {
        "API" => (3, 1000, 2.0),
        "MICROSERVICE" => (2, 500, 2.0),
        "DOWNLOAD" => (5, 2000, 2.0),
        "HIGH_THROUGHPUT" => (3, 500, 1.5),
        "NONE" => (0, 1000, 2.0),
        _ => return None,
    };
    Some(Settings { max_retries, base_delay: Span::from_millis(base_delay), factor, ..Settings::default() })
}
