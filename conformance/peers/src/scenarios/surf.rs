//! A GET over surf that is answered 200 at once.

use crate::alloc::Heap;
use crate::count::{WINDOWS, mark};
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::surf::{ALL, Subject};
use crate::table::{Table, percent, signed, whole};

const CALLS: u64 = 200;

/// `limit` is whether connections are kept here.
pub fn measure(job: &Job) {
    let url = format!("http://127.0.0.1:{}{}", job.port, path::ASLEEP);
    let subject = Subject::new(&job.subject, &url, job.limit);
    async_std::task::block_on(async {
        for _ in 0..20 {
            subject.call().await;
        }
        let before = Heap::now();
        for _ in 0..WINDOWS {
            mark();
            for _ in 0..job.count {
                subject.call().await;
            }
        }
        mark();
        tell("allocations", &[(Heap::now().calls - before.calls) as f64 / (WINDOWS * job.count) as f64]);
    });
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "surf",
        "A GET over surf's HTTP/1 client, to the end of its answer's body, without limits, on one thread of async-std. \
         With kept connections (surf's default), and with a new one for each call (what our `client_config` sets, \
         because surf mixes answers up on connections that it keeps).",
    );
    let mut table = Table::new(&[
        "",
        "kept: instructions",
        "over bare",
        "allocations",
        "new: instructions",
        "over bare",
        "allocations",
    ]);
    let cost = |name, keeps| -> Result<(f64, f64)> {
        let job = lab.job("surf", name, keeps, CALLS);
        Ok((lab.instructions(&job)?.median, lab.ask(Program::Counting, &job)?.one("allocations")?))
    };
    let bare = [cost("bare", true)?, cost("bare", false)?];
    for (name, label) in ALL {
        let found = if name == "bare" { bare } else { [cost(name, true)?, cost(name, false)?] };
        let cells = found.iter().zip(bare).flat_map(|((instructions, heap), bare)| {
            [whole(*instructions), percent(instructions / bare.0), signed(heap - bare.1)]
        });
        table.row([label.to_owned()].into_iter().chain(cells));
        for ((found, bare), connections) in found.into_iter().zip(bare).zip(["kept connections", "new connections"]) {
            if name == "send" {
                let ratio = found.0 / bare.0;
                let what = format!("surf, `send`, {connections}: instructions");
                section.aims.push(Aim::at_most(what, percent(1.03), percent(ratio), ratio, 1.03));
            }
        }
    }
    section.tables.push(table);
    Ok(section)
}
