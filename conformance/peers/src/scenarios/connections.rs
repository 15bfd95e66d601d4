//! A small error body that nobody wants: is its connection used again?

use std::time::Duration;

use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::{Counters, path};
use crate::subjects::{self, Settings};
use crate::table::{Table, short};

use super::block_on;

const CALLS: u64 = 40;
const WAIT: Duration = Duration::from_millis(20);

/// `limit` is whether the body comes late here.
pub fn measure(job: &Job) {
    let path = if job.limit { path::LATE } else { path::TURNS };
    let subject = subjects::make(&job.subject, &Settings::get(job.port, path).waits(WAIT));
    let mut counters = Counters::new(job.counters).expect("the counters");
    block_on(async {
        subject.fetch(1).await;
        let before = counters.seen().expect("the counters");
        subject.fetch(job.count).await;
        let after = counters.seen().expect("the counters");
        assert_eq!(after.asked - before.asked, 2 * job.count, "each call is two sends");
        tell("connections", &[(after.accepted - before.accepted) as f64 / job.count as f64]);
    });
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "A small unread error body",
        "New connections for each failed send, counted by the server: 503 with 32 bytes of body, then 200, 20 ms \
         between the two. The body comes with the head, or 1 ms after it.",
    );
    let mut table = Table::new(&["", "body with the head", "body after the head"]);
    for entry in subjects::retrying() {
        let ask = |late| -> Result<f64> {
            lab.ask(Program::Plain, &lab.job("connections", entry.name, late, CALLS))?.one("connections")
        };
        let (with, after) = (ask(false)?, ask(true)?);
        table.row([entry.label.into(), short(with), short(after)]);
        if entry.is_ours() {
            let what = format!("`{}`, small unread error body: new connections", entry.name);
            section.aims.push(Aim::new(what, "0".into(), short(with.max(after)), with.max(after) == 0.0));
        }
    }
    section.tables.push(table);
    Ok(section)
}
