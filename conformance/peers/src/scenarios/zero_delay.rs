//! 503, then 200 after no delay: a retry should cost what its two sends cost.

use std::time::Duration;

use crate::lab::{Job, Lab, Program, Result, tell};
use crate::pair::{PAIRS, Ratios};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::{self, Settings};
use crate::table::{Table, percent, short, signed};

use super::{block_on, happy};

/// Calls in a timed piece, and in a window that is counted.
const CALLS: u64 = 2;
const COUNTED: u64 = 200;

/// `limit` is whether it is counted here, and not timed.
pub fn measure(job: &Job) {
    let settings = |path| Settings::get(job.port, path).waits(Duration::ZERO);
    if job.limit {
        return happy::allocations(job, &settings(path::TURNS_ASLEEP));
    }
    let settings = settings(path::TURNS);
    let (bare, subject) = (subjects::make("bare", &settings), subjects::make(&job.subject, &settings));
    // Who sleeps takes long, and differs by so much that a few pairs tell.
    let pairs = if subjects::entry(&job.subject).is_ours() { 5 * PAIRS } else { PAIRS };
    let ratios = block_on(Ratios::measure(
        pairs,
        async || bare.fetch(2 * job.count).await,
        async || subject.fetch(job.count).await,
    ));
    tell("ratios", ratios.all());
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "503, then 200, after no delay",
        "One call with its retry, over two bare requests whose bodies are read: time, instructions and allocations. \
         tokio's timer has a resolution of 1 ms: who sleeps for nothing sleeps for that. tower's policy is the user's \
         own and can leave the sleep out; reqwest's own retry has none. Where instructions are counted, each answer \
         comes 1 ms late, so that every send finds the client asleep.",
    );
    let mut table = Table::new(&["", "time", "middle half", "instructions", "allocations"]);
    let cost = |name: &str, calls: u64| -> Result<(f64, f64)> {
        let job = lab.job("zero-delay", name, true, calls * COUNTED);
        let allocations = lab.ask(Program::Counting, &job)?.one("allocations")?;
        Ok((lab.instructions(&job)?.median * calls as f64, allocations * calls as f64))
    };
    let bare = cost("bare", 2)?;
    for entry in subjects::retrying() {
        let job = lab.job("zero-delay", entry.name, false, CALLS);
        let ratios = Ratios::new(lab.ask(Program::Plain, &job)?.all("ratios")?.to_vec());
        let ((low, high), median) = (ratios.spread(), ratios.median());
        let (instructions, allocations) = cost(entry.name, 1)?;
        table.row([
            entry.label.into(),
            short(median),
            format!("{} to {}", short(low), short(high)),
            percent(instructions / bare.0),
            signed(allocations - bare.1),
        ]);
        if entry.is_ours() {
            let what = format!("`{}`, 503 then 200: time over two bare requests", entry.name);
            section.aims.push(Aim::at_most(what, "1.02".into(), format!("{median:.3}"), median, 1.02));
        }
    }
    section.tables.push(table);
    Ok(section)
}
