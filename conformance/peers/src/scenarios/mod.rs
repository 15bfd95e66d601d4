//! Each question, a file a question. `measure` runs in a process of its own; `report` asks for it and makes the rows.

mod backoff;
mod connections;
mod futures;
mod happy;
mod machine;
mod retry_after;
mod schedule;
mod single;
mod surf;
mod threads;
mod zero_delay;

use std::future::Future;

use crate::lab::{Job, Lab, Result};
use crate::report::Section;

pub struct Scenario {
    pub name: &'static str,
    pub measure: fn(&Job),
    pub report: fn(&Lab) -> Result<Section>,
}

/// In the order of the report.
pub const ALL: &[Scenario] = &[
    Scenario { name: "schedule", measure: schedule::measure, report: schedule::report },
    Scenario { name: "machine", measure: machine::measure, report: machine::report },
    Scenario { name: "retry-after", measure: retry_after::measure, report: retry_after::report },
    Scenario { name: "happy", measure: happy::measure, report: happy::report },
    Scenario { name: "single", measure: single::measure, report: single::report },
    Scenario { name: "zero-delay", measure: zero_delay::measure, report: zero_delay::report },
    Scenario { name: "connections", measure: connections::measure, report: connections::report },
    Scenario { name: "backoff", measure: backoff::measure, report: backoff::report },
    Scenario { name: "futures", measure: futures::measure, report: futures::report },
    Scenario { name: "threads", measure: threads::measure, report: threads::report },
    Scenario { name: "surf", measure: surf::measure, report: surf::report },
];

/// Runs `work` on tokio, on this thread alone.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}
