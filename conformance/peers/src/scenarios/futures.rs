//! How large the futures of calls are.

use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::{self, LIMIT, Settings, Style};
use crate::table::{Table, whole};

pub fn measure(job: &Job) {
    let settings = Settings::get(job.port, path::OK).limit(job.limit.then_some(LIMIT));
    tell("future", &[subjects::make(&job.subject, &settings).future_size() as f64]);
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "Futures",
        "Bytes, by `size_of_val`, before the first poll. Under a limit our future is the same, everybody else's is \
         inside tokio's `Timeout`. reqwest-retry's future is a box's that grows on the heap.",
    );
    let size =
        |name, limit| -> Result<f64> { lab.ask(Program::Plain, &lab.job("futures", name, limit, 1))?.one("future") };
    let bare = size("bare", false)?;
    let mut table = Table::new(&["", "future", "over bare's", "under a limit"]);
    for entry in subjects::ALL.iter().filter(|entry| entry.style != Style::Budget) {
        let (free, limited) = (size(entry.name, false)?, size(entry.name, true)?);
        table.row([entry.label.into(), whole(free), whole(free - bare), whole(limited)]);
        if entry.is_ours() {
            let (most, text) = match entry.style {
                Style::Closure => (640.0 + bare, format!("640 + {}, the user's", whole(bare))),
                Style::Bare | Style::Request | Style::Budget => (1024.0, "1,024".to_owned()),
            };
            let what = format!("future of `{}`", entry.name);
            section.aims.push(Aim::at_most(what, text, whole(free), free, most));
        }
    }
    section.tables.push(table);
    Ok(section)
}
