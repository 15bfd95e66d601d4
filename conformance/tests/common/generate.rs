//! Scenarios at random. Their moments are few, so that many of them coincide.

use conformance::json::{Bytes, Span};
use conformance::scenario::{
    Advice, Cause, Change, ClockStep, Event, Jitter, Mode, NonIdempotent, OverCap, Random, Reached, Request,
    RetryAfter, Scenario, Settings, Step, Wall,
};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;

use super::headers;

const HOUR: u64 = 3_600_000_000_000;

/// How many of the scenarios have what.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    /// Clocks that are not as they should be.
    pub(crate) clocks: f64,
    /// Headers that ask for a wait.
    pub(crate) hints: f64,
    /// Limits, of all kinds.
    pub(crate) limits: f64,
    /// Advice of a custom policy.
    pub(crate) advice: f64,
}

/// Calls of all kinds.
pub(crate) fn scenarios(share: Share) -> impl Strategy<Value = Scenario> {
    let call = (policy(share), request(share), vec(step(share), 1..5));
    let world =
        (random(), wall(), weighted(share.clocks, vec(clock_step(), 1..3)), weighted(share.limits / 3.0, span()));
    (call, world).prop_map(|((policy, request, script), (random, wall, clock, cancel_at))| {
        let clock = clock.unwrap_or_default();
        let mut scenario = Scenario { policy, request, script, random, wall, clock, cancel_at };
        let stands = |step: &ClockStep| matches!(step.change, Change::Stand(_) | Change::Back(_));
        if scenario.clock.iter().any(stands) {
            // Draining takes time that such a clock does not show, so the rest of the wait cannot be told.
            scenario.script.iter_mut().for_each(|step| step.drain = Span::ZERO);
        }
        scenario
    })
}

fn policy(share: Share) -> impl Strategy<Value = Settings> {
    let growth = (base_delay(), factor(), 0..2 * HOUR, jitter(), any::<bool>());
    let limits = (weighted(share.limits, limit()), weighted(share.limits / 2.0, limit()));
    let rules = (max_retries(), retry_after(), statuses(), non_idempotent());
    (growth, limits, rules).prop_map(|(growth, (total_timeout, attempt_timeout), rules)| {
        let (base_delay, factor, more, jitter, hard_cap) = growth;
        let (max_retries, retry_after, statuses, non_idempotent) = rules;
        // Often the ceiling is near, now and then it is the base itself.
        let more = if more % 3 == 0 { more % 1_000 } else { more };
        Settings {
            max_retries,
            base_delay,
            factor,
            max_delay: Span::from_nanos(base_delay.as_nanos() + more),
            jitter,
            hard_cap,
            retry_after,
            total_timeout,
            attempt_timeout,
            statuses,
            non_idempotent,
        }
    })
}

fn request(share: Share) -> impl Strategy<Value = Request> {
    let own = (
        weighted(0.1, max_retries()),
        weighted(share.limits / 3.0, limit()),
        weighted(share.limits / 3.0, limit()),
        weighted(0.1, retry_after()),
        weighted(0.2, non_idempotent()),
        weighted(share.limits / 3.0, span()),
    );
    let request = (select(&METHODS[..]), prop::bool::weighted(0.95), prop::bool::weighted(0.1));
    (request, own).prop_map(|((method, replayable, idempotency_key), own)| {
        let (max_retries, total_timeout, attempt_timeout, retry_after, non_idempotent, deadline) = own;
        Request {
            method: method.into(),
            replayable,
            idempotency_key,
            max_retries,
            total_timeout,
            attempt_timeout,
            retry_after,
            non_idempotent,
            deadline,
        }
    })
}

const METHODS: [&str; 12] =
    ["GET", "GET", "GET", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "POST", "PATCH", "get", "QUERY"];

fn step(share: Share) -> impl Strategy<Value = Step> {
    let headers = weighted(share.hints, headers::headers());
    let more = (span(), span(), weighted(share.advice, advice()), weighted(share.advice / 4.0, span()));
    (event(), headers, more).prop_map(|(event, headers, (takes, drain, advice, untried))| {
        let headers: Vec<(String, Bytes)> = match event {
            Event::Status(_) => headers.unwrap_or_default(),
            Event::Failure(..) => Vec::new(),
        };
        // Half of all replies come at once.
        let takes = if drain.as_nanos() % 2 == 0 { takes } else { Span::ZERO };
        Step { event, headers, takes, drain, advice: advice.unwrap_or_default(), untried }
    })
}

fn event() -> impl Strategy<Value = Event> {
    use Cause::{
        BodyTooLarge, Canceled, Certificate, DnsNoSuchName, DnsTemporary, Network, Proxy, ProxyAuth, ResponseRead,
        Timeout, Tls, Transport, Unknown, Validation,
    };
    let likely = vec![Network, Timeout, DnsTemporary, ResponseRead, Transport, Proxy];
    let rest = vec![Certificate, Tls, DnsNoSuchName, ProxyAuth, BodyTooLarge, Validation, Canceled, Unknown];
    let reached = || select(&[Reached::Unsent, Reached::MaybeSent][..]);
    prop_oneof![
        6 => select(&[429_u16, 503, 500, 502, 504, 408][..]).prop_map(Event::Status),
        2 => select(&[200_u16, 204, 307, 404, 401][..]).prop_map(Event::Status),
        1 => (100_u16..=999).prop_map(Event::Status),
        4 => (select(likely), reached()).prop_map(|(cause, reached)| Event::Failure(cause, reached)),
        1 => (select(rest), reached()).prop_map(|(cause, reached)| Event::Failure(cause, reached)),
    ]
}

fn advice() -> impl Strategy<Value = Advice> {
    prop_oneof![Just(Advice::Retry), Just(Advice::Stop), span().prop_map(Advice::RetryAfter)]
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        6 => (0_u64..8).prop_map(|tenths| Span::from_millis(100 * tenths)),
        1 => (0_u64..=20).prop_map(Span::from_nanos),
        1 => (0_u64..=120).prop_map(Span::from_secs),
        1 => (0..3 * HOUR).prop_map(Span::from_nanos),
    ]
}

fn limit() -> impl Strategy<Value = Span> {
    span().prop_map(|span| if span == Span::ZERO { Span::from_millis(800) } else { span })
}

fn base_delay() -> impl Strategy<Value = Span> {
    prop_oneof![
        4 => (0_u64..5).prop_map(|tenths| Span::from_millis(100 * tenths)),
        1 => (0_u64..=20).prop_map(Span::from_nanos),
        1 => (0..=HOUR / 2).prop_map(Span::from_nanos),
    ]
}

fn factor() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(2.0), 1 => Just(1.0), 2 => 1.01..=10.0]
}

fn max_retries() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0_u32..6, 1 => 6_u32..60]
}

fn share_of_one() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(0.1), 1 => Just(0.0), 1 => Just(1.0), 2 => 0.0..=1.0]
}

fn jitter() -> impl Strategy<Value = Jitter> {
    prop_oneof![
        2 => Just(Jitter::None),
        3 => share_of_one().prop_map(Jitter::Proportional),
        1 => Just(Jitter::Full),
        1 => Just(Jitter::Equal),
        1 => Just(Jitter::Decorrelated),
    ]
}

fn retry_after() -> impl Strategy<Value = RetryAfter> {
    let mode = select(&[Mode::Replace, Mode::Replace, Mode::AtLeast, Mode::Ignore][..]);
    let over_cap = select(&[OverCap::Clamp, OverCap::Clamp, OverCap::GiveUp][..]);
    let cap = prop_oneof![2 => Just(Span::from_secs(60)), 1 => limit()];
    (mode, cap, over_cap, share_of_one()).prop_map(|(mode, cap, over_cap, spread)| RetryAfter {
        mode,
        cap,
        over_cap,
        spread,
    })
}

fn statuses() -> impl Strategy<Value = Vec<u16>> {
    prop_oneof![4 => Just(Settings::default().statuses), 1 => vec(400_u16..=599, 0..8)]
}

fn non_idempotent() -> impl Strategy<Value = NonIdempotent> {
    select(&[NonIdempotent::Never, NonIdempotent::WhenUnsent, NonIdempotent::Always][..])
}

fn random() -> impl Strategy<Value = Random> {
    let word = prop_oneof![any::<u64>(), Just(0), Just(u64::MAX)];
    prop_oneof![any::<u64>().prop_map(Random::Seed), vec(word, 0..4).prop_map(Random::Words)]
}

fn wall() -> impl Strategy<Value = Option<Wall>> {
    let nanos = prop_oneof![Just(0), 0_u32..1_000_000_000];
    let any = (-100_000_000_000_i64..1_000_000_000_000, nanos.clone()).prop_map(|(secs, nanos)| Wall { secs, nanos });
    let noon = nanos.prop_map(|nanos| Wall { nanos, ..Wall::default() });
    of(prop_oneof![4 => noon, 1 => any])
}

fn clock_step() -> impl Strategy<Value = ClockStep> {
    let change = prop_oneof![
        span().prop_map(Change::Stand),
        span().prop_map(Change::Back),
        span().prop_map(Change::Suspend),
        span().prop_map(Change::WallAhead),
        span().prop_map(Change::WallBack),
        Just(Change::Back(Span::from_secs(3_000_000))),
    ];
    (span(), change).prop_map(|(at, change)| ClockStep { at, change })
}
