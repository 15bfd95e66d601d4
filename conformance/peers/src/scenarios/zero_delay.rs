//! 503, then 200 after no delay: a retry should cost what its two sends cost.

use std::time::Duration;

use crate::lab::{Job, Lab, Program, Result, tell};
use crate::pair::{PAIRS, Ratios};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::{self, LIMIT, Settings};
use crate::table::{Table, short};

use super::block_on;

/// Calls in a timed piece.
const CALLS: u64 = 2;

pub fn measure(job: &Job) {
    let settings = Settings::get(job.port, path::TURNS).waits(Duration::ZERO).limit(job.limit.then_some(LIMIT));
    let (bare, subject) = (subjects::make("bare", &settings), subjects::make(&job.subject, &settings));
    let ratios = block_on(Ratios::measure(
        PAIRS,
        async || bare.fetch(2 * job.count).await,
        async || subject.fetch(job.count).await,
    ));
    tell("ratios", ratios.all());
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "503, then 200, after no delay",
        "The time of one call with its retry, over the time of two bare requests whose bodies are read. tokio's timer \
         has a resolution of 1 ms: who sleeps for nothing sleeps for that. tower's policy is the user's own and can \
         leave the sleep out; reqwest's own retry has none.",
    );
    let mut table = Table::new(&["", "time over two bare requests", "middle half"]);
    for entry in subjects::retrying() {
        let job = lab.job("zero-delay", entry.name, false, CALLS);
        let ratios = Ratios::new(lab.ask(Program::Plain, &job)?.all("ratios")?.to_vec());
        let ((low, high), median) = (ratios.spread(), ratios.median());
        table.row([entry.label.into(), short(median), format!("{} to {}", short(low), short(high))]);
        if entry.is_ours() {
            let what = format!("`{}`, 503 then 200: time over two bare requests", entry.name);
            section.aims.push(Aim::at_most(what, "1.02".into(), format!("{median:.3}"), median, 1.02));
        }
    }
    section.tables.push(table);
    Ok(section)
}
