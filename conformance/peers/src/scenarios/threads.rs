//! Two worker threads and 64 calls at once: does anything that calls share slow them down?

use std::sync::Arc;

use crate::lab::{Job, Lab, Program, Result, tell};
use crate::pair::Ratios;
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::{self, Calls, Entry, LIMIT, Settings, Style};
use crate::table::{Table, percent};

const TASKS: u64 = 64;
/// Calls of each task in a timed piece.
const CALLS: u64 = 4;
const PAIRS: usize = 240;

pub fn measure(job: &Job) {
    let settings = Settings::get(job.port, path::OK).limit(job.limit.then_some(LIMIT));
    let (bare, subject) = (subjects::make("bare", &settings), subjects::make(&job.subject, &settings));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let ratios = runtime.expect("a runtime").block_on(Ratios::measure(
        PAIRS,
        async || all(&bare, job.count).await,
        async || all(&subject, job.count).await,
    ));
    tell("ratios", ratios.all());
}

async fn all(subject: &Arc<dyn Calls>, count: u64) {
    let task = |subject: Arc<dyn Calls>| async move { subject.fetch(count).await };
    let tasks: Vec<_> = (0..TASKS).map(|_| tokio::spawn(task(Arc::clone(subject)))).collect();
    for task in tasks {
        task.await.expect("a task that ends");
    }
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "Two worker threads, 64 calls at once",
        "The time of 64 tasks with four calls each, over the time of the same by bare reqwest, 240 pairs. Here the client has both \
         cores and shares one with the server: there is no third. The baseline of a limit is under \
         `tokio::time::timeout`.",
    );
    let mut table = Table::new(&["", "time over bare", "middle half", "with limit", "middle half"]);
    let ask = |name: &str, limit| -> Result<Ratios> {
        let answer = lab.ask(Program::Threads, &lab.job("threads", name, limit, CALLS))?;
        Ok(Ratios::new(answer.all("ratios")?.to_vec()))
    };
    for entry in subjects::ALL.iter().filter(|entry| entry.style != Style::Bare) {
        let Entry { name, label, .. } = entry;
        let most = if entry.style == Style::Budget { 1.05 } else { 1.02 };
        let mut cells = vec![label.to_string()];
        for (limit, word) in [(false, ""), (true, ", with limit")] {
            let ratios = ask(name, limit)?;
            let ((low, high), median) = (ratios.spread(), ratios.median());
            cells.extend([percent(median), format!("{} to {}", percent(low), percent(high))]);
            if entry.is_ours() {
                let what = format!("`{name}`, 2 worker threads, 64 calls{word}: time over bare's");
                section.aims.push(Aim::at_most(what, percent(most), percent(median), median, most));
            }
        }
        table.row(cells);
    }
    section.tables.push(table);
    Ok(section)
}
