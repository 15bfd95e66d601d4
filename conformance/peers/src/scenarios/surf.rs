//! A GET over surf that is answered 200 at once.

use crate::alloc::Heap;
use crate::count::{WINDOWS, mark};
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::surf::{ALL, Subject};
use crate::table::{Table, percent, signed, whole};

const CALLS: u64 = 200;

/// How many processes count the instructions of each figure: an allocator's heap takes another shape in each.
const PROCESSES: usize = 3;

/// What follows the subject where the server is called by its name.
const NAMED: &str = " by name";

/// `limit` is whether connections are kept here.
pub fn measure(job: &Job) {
    let (name, host) = match job.subject.strip_suffix(NAMED) {
        Some(name) => (name, "localhost"),
        None => (job.subject.as_str(), "127.0.0.1"),
    };
    let subject = Subject::new(name, &format!("http://{host}:{}{}", job.port, path::ASLEEP), job.limit);
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

/// A way to reach the server: what it is called, what follows the subject for it, and whether connections are kept.
const WAYS: [(&str, &str, bool); 3] =
    [("kept connections", "", true), ("new connections", "", false), ("kept connections, by name", NAMED, true)];

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "surf",
        "A GET over surf's HTTP/1 client, to the end of its answer's body, on one thread of async-std, without limits \
         but where a row says so. With kept connections (surf's default), with a new one for each call (what our \
         `client_config` sets, because surf mixes answers up on connections that it keeps), and with kept ones to \
         `localhost` in place of 127.0.0.1: surf's client looks a name up for each send and blocks its thread \
         meanwhile. Without limits our sends are polled where bare surf's are. With one, each has a task of its own, \
         and names are looked up before, on a thread for that: else no limit would hold on surf's client.",
    );
    let mut head = vec![String::new()];
    for (way, ..) in WAYS {
        head.extend([format!("{way}: instructions"), "over bare".into(), "allocations".into()]);
    }
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    // How far the processes of one figure are apart, at most.
    let mut apart = 0.0_f64;
    let mut cost = |name: &str, (_, suffix, keeps): (&str, &str, bool)| -> Result<(f64, f64)> {
        let job = lab.job("surf", &format!("{name}{suffix}"), keeps, CALLS);
        let mut found = [0.0; PROCESSES];
        for place in &mut found {
            *place = lab.instructions(&job)?.median;
        }
        found.sort_by(f64::total_cmp);
        let median = found[PROCESSES / 2];
        apart = apart.max((found[PROCESSES - 1] - found[0]) / median);
        Ok((median, lab.ask(Program::Counting, &job)?.one("allocations")?))
    };
    let mut bare = Vec::new();
    for (name, label) in ALL {
        let mut cells = vec![label.to_owned()];
        for (place, way) in WAYS.into_iter().enumerate() {
            let (instructions, heap) = cost(name, way)?;
            // The first subject is the baseline.
            bare.extend((bare.len() == place).then_some((instructions, heap)));
            let ratio = instructions / bare[place].0;
            cells.extend([whole(instructions), percent(ratio), signed(heap - bare[place].1)]);
            if name == "send" {
                let what = format!("surf, `send`, {}: instructions", way.0);
                section.aims.push(Aim::at_most(what, percent(1.03), percent(ratio), ratio, 1.03));
            }
        }
        table.row(cells);
    }
    section.text += &format!(
        " Each figure is the median of {PROCESSES} processes, which differ by {:.1} % at most: what lies nearer to each \
         other than that is alike.",
        apart * 100.0
    );
    section.tables.push(table);
    Ok(section)
}
