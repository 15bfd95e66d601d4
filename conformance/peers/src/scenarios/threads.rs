//! Two worker threads and 64 calls at once: does anything that calls share slow them down?

use std::sync::Arc;

use crate::lab::{Answer, Job, Lab, Program, Result};
use crate::pair::Ratios;
use crate::report::{Aim, Section};
use crate::rounds::Rounds;
use crate::server::path;
use crate::subjects::{self, Calls, Entry, LIMIT, Settings, Style};
use crate::table::{Table, percent};

const TASKS: u64 = 64;
/// Calls of each task in a timed piece.
const CALLS: u64 = 4;
/// Rounds in a process.
const ROUNDS: u64 = 300;
/// Processes, because how one of them lies in memory is no matter of chance within it. Medians of whole runs still differ
/// by up to two percent.
const OURS: usize = 5;
const OTHERS: usize = 1;

pub fn measure(job: &Job) {
    let settings = Settings::get(job.port, path::OK).limit(job.limit.then_some(LIMIT));
    // The baseline twice, each with a client of its own.
    let subjects = ["bare", "bare", &job.subject].map(|name| subjects::make(name, &settings));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let work = async |place: usize| all(&subjects[place]).await;
    runtime.expect("a runtime").block_on(Rounds::measure(job.count as usize, work));
}

async fn all(subject: &Arc<dyn Calls>) {
    let task = |subject: Arc<dyn Calls>| async move { subject.fetch(CALLS).await };
    let tasks: Vec<_> = (0..TASKS).map(|_| tokio::spawn(task(Arc::clone(subject)))).collect();
    for task in tasks {
        task.await.expect("a task that ends");
    }
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "Two worker threads, 64 calls at once",
        "64 tasks with four calls each, over the same by bare reqwest. Here the client has both cores and shares one with \
         the server: there is no third. In each of 1,500 rounds, in five processes, one piece of it and two of bare \
         reqwest, from two clients, are measured in turns, in all orders; others have 300 rounds in one process. The \
         first row is bare reqwest over itself: what it differs from nothing by is noise. Beside each median, where it lies with a probability of 95 % if no round disturbs \
         another. The processor's time is that of all of the client's threads: what threads disturb each other's caches \
         is in it, and the server and other programs are not. The baseline of a limit is under `tokio::time::timeout`.",
    );
    let entries = subjects::ALL.iter().filter(|entry| entry.style != Style::Bare);
    let mut aims = Vec::new();
    for (limit, word) in [(false, ""), (true, ", with limit")] {
        let title = |words: &str| format!("{words}{word}");
        let mut table =
            Table::new(&["", &title("time over bare"), "95 %", &title("processor's time over bare"), "95 %"]);
        let mut rows = Vec::new();
        let (mut time, mut processor) = (Vec::new(), Vec::new());
        for Entry { name, label, style } in entries.clone() {
            let is_ours = subjects::entry(name).is_ours();
            let job = lab.job("threads", name, limit, ROUNDS);
            let ask = |_| lab.ask(Program::Threads, &job);
            let answers: Vec<Answer> = (0..if is_ours { OURS } else { OTHERS }).map(ask).collect::<Result<_>>()?;
            let rounds = Rounds::of(&answers)?;
            time.extend_from_slice(rounds.time.control.all());
            processor.extend_from_slice(rounds.processor.control.all());
            rows.push(row(label, &rounds.time.ratios, &rounds.processor.ratios));
            if is_ours {
                let most = if *style == Style::Budget { 1.05 } else { 1.02 };
                let what = format!("`{name}`, 2 worker threads, 64 calls{word}: time over bare's");
                let median = rounds.time.ratios.median();
                aims.push(Aim::at_most(what, percent(most), percent(median), median, most));
            }
        }
        table.row(row("bare reqwest", &Ratios::new(time), &Ratios::new(processor)));
        rows.into_iter().for_each(|row| table.row(row));
        section.tables.push(table);
    }
    section.aims = aims;
    Ok(section)
}

fn row(label: &str, time: &Ratios, processor: &Ratios) -> [String; 5] {
    let [time, processor] = [time, processor].map(|ratios| {
        let (low, high) = ratios.interval();
        [percent(ratios.median()), format!("{} to {}", percent(low), percent(high))]
    });
    let ([time, times], [processor, processors]) = (time, processor);
    [label.to_owned(), time, times, processor, processors]
}
