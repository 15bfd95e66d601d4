//! Many calls in a long wait after one 503: what is held for each of them?

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use crate::alloc::Heap;
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::{Counters, path};
use crate::subjects::{self, Calls, Settings, Style};
use crate::table::{Table, short, whole};

use super::{block_on, single};

/// Longer than any measurement.
const WAIT: Duration = Duration::from_secs(600);
const HOUR: Duration = Duration::from_secs(3600);

/// How many calls are on their way to the server at once.
const AT_ONCE: u64 = 256;

/// How long the clients keep connections here: what is then left is held by calls.
const IDLE: Duration = Duration::from_millis(100);

/// What a task adds to its future, and what is granted on top, in bytes.
const TASK: f64 = 128.0;
const GRANTED: f64 = 512.0;

pub fn measure(job: &Job) {
    let settings = Settings::get(job.port, path::BUSY).waits(WAIT).limit(job.limit.then_some(HOUR));
    let settings = Settings { idle: IDLE, ..settings };
    let subject = subjects::make(&job.subject, &settings);
    let mut counters = Counters::new(job.counters).expect("the counters");
    block_on(async {
        let task = hold(&subject, AT_ONCE, &mut counters).await;
        let (heap, sockets) = (Heap::now(), sockets());
        hold(&subject, job.count, &mut counters).await;
        let held = Heap::now().held - heap.held;
        tell("heap", &[held as f64 / job.count as f64]);
        tell("sockets", &[self::sockets() as f64 - sockets as f64]);
        tell("future", &[subject.future_size() as f64]);
        tell("task", &[task as f64]);
        tell("request", &[single::copy(&settings).held as f64]);
    });
    // The calls that wait are dropped unseen, by the end of the process.
    std::process::exit(0);
}

/// Brings so many calls into their wait, a few at a time. Gives the size of a task's future.
async fn hold(subject: &Arc<dyn Calls>, count: u64, counters: &mut Counters) -> usize {
    let mut size = 0;
    let mut expected = counters.seen().expect("the counters").asked;
    let mut left = count;
    while left > 0 {
        let batch = left.min(AT_ONCE);
        (0..batch).for_each(|_| size = Arc::clone(subject).spawn());
        left -= batch;
        expected += batch;
        while counters.seen().expect("the counters").asked < expected {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    // The last answers are read, the last bodies let go, and idle connections closed.
    tokio::time::sleep(10 * IDLE).await;
    size
}

fn sockets() -> usize {
    let descriptors = fs::read_dir("/proc/self/fd").expect("the process's descriptors");
    let targets = descriptors.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "Calls in backoff",
        "Bytes of heap for each call that waits after a 503, spawned as a task on tokio: the future is among them. No \
         more than 256 calls are on their way at once. Sockets are those held on top of what the client had before. Who holds a socket for each call cannot have 100,000 of them on one address.",
    );
    let mut table =
        Table::new(&["", "future", "10,000 calls: heap each", "sockets", "100,000 calls: heap each", "sockets"]);
    for entry in subjects::retrying() {
        if entry.name == "reqwest-own" {
            let none = || "no delay".to_owned();
            table.row([entry.label.into(), String::new(), none(), none(), none(), none()]);
            continue;
        }
        let ask = |count| lab.ask(Program::Counting, &lab.job("backoff", entry.name, entry.is_ours(), count));
        let few = ask(10_000)?;
        let (future, heap, sockets) = (few.one("future")?, few.one("heap")?, few.one("sockets")?);
        let mut cells = vec![entry.label.into(), whole(future), whole(heap), whole(sockets)];
        let frees = sockets <= 0.0;
        if frees {
            let many = ask(100_000)?;
            cells.extend([whole(many.one("heap")?), whole(many.one("sockets")?)]);
            if entry.is_ours() {
                let request = if entry.style == Style::Request { few.one("request")? } else { 0.0 };
                let most = few.one("task")? + TASK + request + GRANTED;
                let worst = heap.max(many.one("heap")?);
                let what = format!("`{}`, in backoff: heap each", entry.name);
                section.aims.push(Aim::at_most(what, whole(most), whole(worst), worst, most));
            }
        } else {
            cells.extend(["too many".to_owned(), "too many".to_owned()]);
        }
        if entry.is_ours() {
            let what = format!("`{}`, 10,000 calls in backoff: sockets held", entry.name);
            section.aims.push(Aim::new(what, "0".into(), short(sockets), frees));
        }
        table.row(cells);
    }
    section.tables.push(table);
    section.text += &format!(
        " The aim is the task's future (the call's, and what this program has it in), {TASK} bytes for the \
         task, the kept request's own heap (none where a closure makes it), and {GRANTED}."
    );
    Ok(section)
}
