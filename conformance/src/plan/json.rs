//! A plan for machines. Times are nanoseconds, shares are parts of one.

use core::time::Duration;

use retry_core::Jitter;
use serde_json::{Value, json};

use crate::calls::nanos;
use crate::draws::SEED;
use crate::ends::{Case, Cause, Made, Trouble};
use crate::plan::Plan;
use crate::rows::Row;
use crate::warnings::{SLOT, Warning, crowd};

/// All that the text has, unrounded.
pub(crate) fn value(plan: &Plan) -> Value {
    let policy = &plan.policy;
    json!({
        "name": plan.name,
        "policy": policy,
        "send_ns": nanos(plan.send),
        "retries": plan.rows.iter().map(|row| retry(plan, row)).collect::<Vec<_>>(),
        "retries_left_out": plan.left_out(),
        "bounds": {
            "sends": policy.max_sends(),
            "waits_computed_ns": (policy.jitter() != Jitter::Decorrelated).then(|| whole(policy.nominal_waits())),
            "waits_ns": whole(policy.max_waits()),
            "waits_with_hints_ns": whole(policy.max_waits_with_hints()),
            "total_ns": policy.max_total().map(whole),
            "needed_ns": whole(policy.time_needed(plan.send)),
        },
        "ends": plan.cases.iter().map(case).collect::<Vec<_>>(),
        "crowd": { "slot_ns": SLOT, "share": crowd(&plan.rows) },
        "warnings": plan.warnings.iter().map(warning).collect::<Vec<_>>(),
        "seed": SEED,
    })
}

fn retry(plan: &Plan, row: &Row) -> Value {
    json!({
        "number": row.number,
        "computed_ns": row.computed,
        "wait_ns": { "shortest": row.window.0, "expected": row.expected, "longest": row.window.1 },
        "start_ns": { "earliest": row.start.0, "expected": row.expected_start, "latest": row.start.1 },
        "standard_error_ns": row.drawn.as_ref().map(|drawn| drawn.error),
        "made": match plan.made(row.number) {
            Made::Always => 1.0,
            Made::Sometimes(share) => share,
            Made::Never => 0.0,
        },
    })
}

fn case(case: &Case) -> Value {
    let trouble = match case.trouble {
        Trouble::Fails(_) => "fails",
        Trouble::Hangs => "hangs",
        Trouble::Asks(_) => "asks_for_the_cap",
        Trouble::AsksForMore(_) => "asks_for_more_than_the_cap",
    };
    let endings = case.endings.iter().map(|ending| {
        let cause = match ending.cause {
            Cause::Retries => "retries",
            Cause::TotalTimeout => "total_timeout",
            Cause::NoRoom => "wait_beyond_total_timeout",
            Cause::Cap => "retry_after_cap",
            Cause::Nothing => "nothing",
        };
        json!({
            "cause": cause,
            "share": ending.share,
            "sends": { "fewest": ending.sends.0, "most": ending.sends.1 },
            "after_ns": { "earliest": ending.after.0, "latest": ending.after.1 },
        })
    });
    json!({ "if": trouble, "endings": endings.collect::<Vec<_>>(), "calls_drawn": case.calls })
}

fn warning(warning: &Warning) -> Value {
    let numbers = match *warning {
        Warning::Limit { limit, first, of, share, needed } => {
            json!({ "limit_ns": limit, "first_retry": first, "retries": of, "share": share, "needed_ns": needed })
        }
        Warning::NoJitter { retries: (first, last), wait } => {
            json!({ "first_retry": first, "last_retry": last, "wait_ns": wait })
        }
        Warning::Crowd { share, width } => json!({ "share": share, "slot_ns": SLOT, "window_ns": width }),
    };
    json!({ "kind": warning.kind(), "text": warning.to_string(), "numbers": numbers })
}

/// Whole nanoseconds; those of the largest bounds, which 64 bits do not hold, as a float.
fn whole(time: Duration) -> Value {
    u64::try_from(time.as_nanos()).map_or_else(|_| (time.as_nanos() as f64).into(), Value::from)
}
