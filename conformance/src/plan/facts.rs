//! What is known of a policy as lines of a name and a value, for one policy or for two side by side.

use core::time::Duration;

use retry_core::{Jitter, Mode, NonIdempotent, OverCap, Policy};

use crate::draws;
use crate::ends::{Case, Cause, Ending, Trouble};
use crate::plan::Plan;
use crate::span::{human, percent, range, span};
use crate::warnings::{SLOT, crowd};

/// A name and its value.
pub(crate) type Fact = (String, String);

/// The settings, named as the builder's methods are.
pub(crate) fn settings(policy: &Policy) -> Vec<Fact> {
    let rule = policy.retry_after();
    let jitter = match policy.jitter() {
        Jitter::None => "none".into(),
        Jitter::Proportional(share) => format!("{} below and above", percent(share)),
        Jitter::Full => "full".into(),
        Jitter::Equal => "equal".into(),
        Jitter::Decorrelated => "decorrelated".into(),
    };
    let cap = if policy.hard_cap() { ", never above max_delay" } else { "" };
    let mode = match rule.mode {
        Mode::Replace => "replaces the delay",
        Mode::AtLeast => "if longer than the delay",
        Mode::Ignore => "ignored",
    };
    let over_cap = match rule.over_cap {
        OverCap::Clamp => "at most",
        OverCap::GiveUp => "gives up above",
    };
    let hints = match rule.mode {
        Mode::Ignore => mode.into(),
        Mode::Replace | Mode::AtLeast => format!("{mode}, {over_cap} {}", time(rule.cap)),
    };
    let spread = if rule.spread > 0.0 { format!(", spread {}", percent(rule.spread)) } else { String::new() };
    let non_idempotent = match policy.non_idempotent() {
        NonIdempotent::Never => "sent once",
        NonIdempotent::WhenUnsent => "again if the server cannot have seen it",
        NonIdempotent::Always => "again like the others",
    };
    vec![
        fact("max_retries", policy.max_retries()),
        fact("base_delay", time(policy.base_delay())),
        fact("factor", policy.factor()),
        fact("max_delay", time(policy.max_delay())),
        fact("jitter", format!("{jitter}{cap}")),
        fact("retry_after", format!("{hints}{spread}")),
        fact("total_timeout", policy.total_timeout().map_or("none".into(), time)),
        fact("attempt_timeout", policy.attempt_timeout().map_or("none".into(), time)),
        fact("non_idempotent", non_idempotent),
        fact("statuses", format!("{:?}", policy.statuses()).trim_matches(['{', '}']).to_owned()),
    ]
}

/// The worst cases, as the core has them before it runs.
pub(crate) fn bounds(plan: &Plan) -> Vec<Fact> {
    let Plan { policy, send, .. } = plan;
    let mut facts = vec![
        fact("sends, at most", policy.max_sends()),
        fact("all waits, at most", time(policy.max_waits())),
        fact("all waits, with Retry-After", time(policy.max_waits_with_hints())),
        fact("the whole call, at most", policy.max_total().map_or("no limit".into(), time)),
        fact("to be sure of all retries", time(policy.time_needed(*send))),
    ];
    // Decorrelated jitter computes no delay that it would spread.
    if policy.jitter() != Jitter::Decorrelated {
        facts.insert(1, fact("all waits, computed", time(policy.nominal_waits())));
    }
    facts
}

/// What ends a call first.
pub(crate) fn ends(plan: &Plan) -> Vec<Fact> {
    plan.cases.iter().map(|case| (trouble(case.trouble, &plan.policy), outcome(case))).collect()
}

/// How many clients return at once.
pub(crate) fn herd(plan: &Plan) -> Vec<Fact> {
    let Some(share) = crowd(&plan.rows) else { return Vec::new() };
    let rule = plan.policy.retry_after();
    let told = match rule.mode {
        Mode::Ignore => "the same, as it is ignored".into(),
        Mode::Replace | Mode::AtLeast if rule.spread > 0.0 => {
            let width = rule.spread * rule.cap.as_nanos() as f64;
            format!("{}, if told {}", percent((SLOT as f64 / width).min(1.0)), time(rule.cap))
        }
        Mode::Replace | Mode::AtLeast => "100 %, as no spread is set".into(),
    };
    vec![
        fact(
            &format!("back within the same {}", span(SLOT)),
            format!("{} of them, at their first retry", percent(share)),
        ),
        fact("and after a Retry-After", told),
    ]
}

/// The warnings, each under its kind.
pub(crate) fn warnings(plan: &Plan) -> Vec<Fact> {
    plan.warnings.iter().map(|warning| fact(warning.kind(), warning)).collect()
}

/// How numbers with a `~` came about; `None` where there are none.
pub(crate) fn note(plan: &Plan) -> Option<String> {
    let means = plan.rows.iter().filter_map(|row| row.drawn.as_ref().map(|drawn| drawn.error / drawn.mean));
    let error = means.fold(0.0, f64::max);
    let rows = u32::try_from(plan.rows.len()).unwrap_or(u32::MAX);
    let means = (error > 0.0).then(|| (draws::count(rows), 2.0 * error));
    let shares = plan.cases.iter().map(|case| case.calls).filter(|calls| *calls > 0).min();
    let shares = shares.map(|calls| (calls, 1.0 / f64::from(calls).sqrt()));
    let told = [(means, "means"), (shares, "shares")].into_iter().filter_map(|(told, what)| {
        let (calls, error) = told?;
        Some(format!("{what} of {calls} calls, right to {}", percent(error)))
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let from = format!("drawn by the core from seed {} on", draws::SEED);
    (!told.is_empty()).then(|| format!("~ {told} (two standard errors), {from}."))
}

fn trouble(trouble: Trouble, policy: &Policy) -> String {
    let after = |send: Duration| if send.is_zero() { "at once".into() } else { format!("after {}", time(send)) };
    let cap = time(policy.retry_after().cap);
    match (trouble, policy.attempt_timeout()) {
        (Trouble::Fails(send), Some(limit)) if limit < send => format!("sends are cut after {}", time(limit)),
        (Trouble::Fails(send), _) => format!("sends fail {}", after(send)),
        (Trouble::Hangs, Some(limit)) => format!("sends hang, cut after {}", time(limit)),
        (Trouble::Hangs, None) => "sends hang".into(),
        (Trouble::Asks(_), _) => format!("replies ask for {cap}"),
        (Trouble::AsksForMore(_), _) => format!("replies ask for over {cap}"),
    }
}

fn outcome(case: &Case) -> String {
    let told = case.endings.iter().map(|ending| {
        let Ending { cause, share, sends, after } = *ending;
        let about = if case.calls > 0 { "~" } else { "" };
        let share = if case.endings.len() > 1 { format!("{about}{}: ", percent(share)) } else { String::new() };
        let count = if sends.0 == sends.1 { sends.0.to_string() } else { format!("{} to {}", sends.0, sends.1) };
        let sends = if count == "1" { "1 send".into() } else { format!("{count} sends") };
        // Only the limit itself is exact.
        let about = if cause == Cause::TotalTimeout { "" } else { about };
        let after = format!("{about}{}", range(after));
        match cause {
            Cause::Retries => format!("{share}no retry left after {sends}, at {after}"),
            Cause::TotalTimeout => format!("{share}total limit at {after}, in send {count}"),
            Cause::NoRoom => format!("{share}no time for the next wait after {sends}, at {after}"),
            Cause::Cap => format!("{share}too long a Retry-After after {sends}, at {after}"),
            Cause::Nothing if case.trouble == Trouble::Hangs && count == "1" => "nothing ever does".into(),
            Cause::Nothing => format!("{share}nothing within {sends}"),
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

fn fact(name: &str, value: impl ToString) -> Fact {
    (name.into(), value.to_string())
}

/// A length of time, for persons.
fn time(time: Duration) -> String {
    human(time.as_nanos() as f64)
}
