//! A GET that is answered 200 at once: what retries cost when nothing fails.

use crate::alloc::Heap;
use crate::chart::Bar;
use crate::count::{WINDOWS, mark};
use crate::lab::{Count, Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::{self, Entry, LIMIT, Settings, Style};
use crate::table::{Table, percent, signed, whole};

use super::block_on;

/// Calls in a window.
const CALLS: u64 = 200;

pub fn measure(job: &Job) {
    let settings = Settings::get(job.port, path::ASLEEP).limit(job.limit.then_some(LIMIT));
    allocations(job, &settings);
}

/// Makes the calls, and tells how often each of them allocates.
pub fn allocations(job: &Job, settings: &Settings) {
    let subject = subjects::make(&job.subject, settings);
    block_on(async {
        // The connection, and what is made once.
        subject.fetch(20).await;
        let before = Heap::now();
        for _ in 0..WINDOWS {
            mark();
            subject.fetch(job.count).await;
        }
        mark();
        tell("allocations", &[(Heap::now().calls - before.calls) as f64 / (WINDOWS * job.count) as f64]);
    });
}

/// A subject's figures of one call.
#[derive(Clone, Copy)]
struct Cost {
    instructions: Count,
    allocations: f64,
}

impl Cost {
    fn over(&self, bare: &Self) -> f64 {
        self.instructions.median / bare.instructions.median
    }
}

fn cost(lab: &Lab, name: &str, limit: bool) -> Result<Cost> {
    let job = lab.job("happy", name, limit, CALLS);
    let instructions = lab.instructions(&job)?;
    Ok(Cost { instructions, allocations: lab.ask(Program::Counting, &job)?.one("allocations")? })
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "A GET that is answered at once",
        "Instructions and allocations of one call, from the request's making to the end of its answer's body, on \
         tokio's runtime of one thread. The server answers 1 ms late, so that every call finds the client asleep and \
         takes the same way. \"limit\" is the default total limit of 180 s: ours is the policy's own, everybody \
         else's is `tokio::time::timeout` around the call, the baseline's too. Subjects of the first table are given a \
         request once and copy it; those of the second build it for each send.",
    );
    let (free, limited) = (cost(lab, "bare", false)?, cost(lab, "bare", true)?);
    let mut tables = [Style::Request, Style::Closure].map(|style| (style, table()));
    for (_, table) in &mut tables {
        table.row(row(subjects::entry("bare").label, [(free, free), (limited, limited)]));
    }
    // How far windows of one subject are apart, at most.
    let mut apart = 0.0_f64;
    // Those that are given a request first, in the chart, too.
    let mut entries: Vec<_> = subjects::retrying().collect();
    entries.sort_by_key(|entry| entry.style == Style::Closure);
    for entry in entries {
        let found = [(free, cost(lab, entry.name, false)?), (limited, cost(lab, entry.name, true)?)];
        for (style, table) in &mut tables {
            if entry.style == *style {
                table.row(row(entry.label, found));
            }
        }
        for (bare, cost) in found {
            apart = apart.max(bare.instructions.spread()).max(cost.instructions.spread());
        }
        let overhead = found.map(|(bare, cost)| cost.over(&bare));
        section.bars.push(Bar { label: entry.label.replace(['*', '`'], ""), is_ours: entry.is_ours(), overhead });
        aims(&mut section, entry, found);
    }
    section.tables.extend(tables.map(|(_, table)| table));
    section.text += &format!(" Over all subjects, the three windows differ by {:.2} % at most.", apart * 100.0);
    let copy = lab.ask(Program::Counting, &lab.job("single", "copy", false, 1))?.one("allocations")?;
    section.text += &format!(" One `try_clone` of this request takes {copy} allocations.");
    for entry in subjects::ALL.iter().filter(|entry| entry.is_ours() && entry.style == Style::Request) {
        let more = cost_of_heap(lab, entry.name)? - free.allocations;
        section.aims.push(Aim::new(
            format!("`{}`, happy GET: allocations", entry.name),
            format!("at most those of one `try_clone`, {copy}"),
            signed(more),
            more <= copy + 0.05,
        ));
    }
    Ok(section)
}

fn cost_of_heap(lab: &Lab, name: &str) -> Result<f64> {
    lab.ask(Program::Counting, &lab.job("happy", name, false, CALLS))?.one("allocations")
}

fn table() -> Table {
    Table::new(&[
        "",
        "instructions",
        "over bare",
        "allocations",
        "with limit: instructions",
        "over bare",
        "allocations",
    ])
}

fn row(label: &str, found: [(Cost, Cost); 2]) -> Vec<String> {
    let cells = found.iter().flat_map(|(bare, cost)| {
        let more = cost.allocations - bare.allocations;
        [whole(cost.instructions.median), percent(cost.over(bare)), signed(more)]
    });
    [label.to_owned()].into_iter().chain(cells).collect()
}

fn aims(section: &mut Section, entry: &Entry, found: [(Cost, Cost); 2]) {
    if !entry.is_ours() {
        return;
    }
    for ((bare, cost), limit) in found.into_iter().zip(["without limit", "with limit"]) {
        let ratio = cost.over(&bare);
        let most = match (entry.style, limit) {
            (Style::Closure, "without limit") => 1.006,
            (Style::Closure, _) => 1.01,
            _ => 1.035,
        };
        let what = format!("`{}`, happy GET, {limit}: instructions", entry.name);
        section.aims.push(Aim::at_most(what, percent(most), percent(ratio), ratio, most));
        if entry.style == Style::Closure {
            let more = cost.allocations - bare.allocations;
            let what = format!("`{}`, happy GET, {limit}: allocations", entry.name);
            section.aims.push(Aim::new(what, "+0".into(), signed(more), more < 0.05));
        }
    }
}
