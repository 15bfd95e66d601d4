//! What is measured becomes a page.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Instant, SystemTime};

use crate::chart::{self, Bar};
use crate::lab::Lab;
use crate::table::Table;
use crate::{notes, scenarios, versions};

/// One question's part of the page.
pub struct Section {
    pub title: &'static str,
    pub text: String,
    pub tables: Vec<Table>,
    pub aims: Vec<Aim>,
    pub bars: Vec<Bar>,
}

impl Section {
    pub fn new(title: &'static str, text: &str) -> Self {
        Self { title, text: text.to_owned(), tables: Vec::new(), aims: Vec::new(), bars: Vec::new() }
    }
}

/// What is aimed at, and what was found.
pub struct Aim {
    what: String,
    aim: String,
    figure: String,
    met: bool,
}

impl Aim {
    pub fn new(what: String, aim: String, figure: String, met: bool) -> Self {
        Self { what, aim, figure, met }
    }

    /// An aim of at most so much, as it is shown and as it is.
    pub fn at_most(what: String, aim: String, figure: String, found: f64, most: f64) -> Self {
        Self { what, aim: format!("<= {aim}"), figure, met: found <= most }
    }
}

/// Measures what is named on the command line and prints it; without a name, everything, and writes the page.
pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names: Vec<_> = std::env::args().skip(1).collect();
    if let Some(unknown) = names.iter().find(|&name| scenarios::ALL.iter().all(|scenario| scenario.name != name)) {
        let known: Vec<_> = scenarios::ALL.iter().map(|scenario| scenario.name).collect();
        return Err(format!("no scenario is called {unknown}; there are {}", known.join(", ")).into());
    }
    let lab = Lab::open()?;
    let mut sections = Vec::new();
    for scenario in scenarios::ALL {
        if names.is_empty() || names.iter().any(|name| name == scenario.name) {
            let begun = Instant::now();
            sections.push((scenario.report)(&lab).map_err(|error| format!("{}: {error}", scenario.name))?);
            eprintln!("{}: {} s", scenario.name, begun.elapsed().as_secs());
        }
    }
    let lock = fs::read_to_string(folder.join("Cargo.lock"))?;
    let page = if names.is_empty() { page(&sections, &lock)? } else { body(&sections)? };
    if names.is_empty() {
        let bars: Vec<_> = sections.iter().flat_map(|section| &section.bars).cloned().collect();
        fs::write(folder.join("overhead.svg"), chart::svg(&bars)?)?;
        fs::write(folder.join("REPORT.md"), &page)?;
        println!("REPORT.md and overhead.svg are written");
    } else {
        println!("{page}");
    }
    Ok(())
}

const INTRODUCTION: &str = "\
# What retries cost, here and with other crates

Written by `conformance/peers/run`, from the figures of one run: \"met\" is computed, not typed; what a table has in words
is from the crates' code and documents. Instructions and allocations are the same on each run of the same compiler on the
same kind of processor, to a small part of a percent, and to one percent over surf. Times are given as ratios only, with
the middle half of them. A middle half that is wide was measured on a busy machine.

![Instructions of one happy GET over bare reqwest](overhead.svg)
";

const METHOD: &str = "\
## How it is measured

- Each figure comes from a process of its own, pinned to one core (`taskset -c 1`), that talks to the server in another
  process on another core (`taskset -c 0`) over loopback, by HTTP/1.1 without TLS. All of it is built by one
  `cargo build --release`, with the system's allocator.
- Instructions: `valgrind --tool=callgrind --dump-before=peers::count::mark*`. They are those between two marks, on all
  threads of the process: warming up, start and end count for nothing. The median of three windows of 200 calls. The
  allocator's are among them, and differ by up to 400 a call between programs that ask it as often for as much, because
  it finds its heap in another order.
- Allocations and bytes: the same program with an allocator that counts, on all threads.
- Times: what is compared runs in turns in one process, in short pieces; the median of the pairs' ratios is given, and
  their middle half, from the first to the third quartile.
- Connections are counted by the server, sockets held in the list of the process's own descriptors.

`conformance/peers/run happy surf` measures those scenarios alone and prints them.

## How it is fair

Everybody gets three retries, waits of 1, 2 and 4 s with jitter unless a section says otherwise, and reqwest's client with
its defaults; ours gets the client that its documents tell its users to make. Peers are used as their documents do it,
with what is cheapest for them: their logging is off, reqwest's own retry has no budget, tower's policy makes no timer
where there is nothing to wait for. again, backon and tokio-retry see errors alone, so an answer that is to be sent again
is made one by `error_for_status`. They copy nothing by themselves: where they are measured with a request that was made
once, their closure copies it, and where they build it for each send they stand beside our `run`. retry-policies has no
loop: it is measured by its schedule, and as a part of reqwest-retry.
";

/// The whole report.
fn page(sections: &[Section], lock: &str) -> Result<String, Box<dyn Error>> {
    let (date, cores) = (httpdate::fmt_http_date(SystemTime::now()), std::thread::available_parallelism()?);
    let (body, tools, crates) = (body(sections)?, versions::tools(), versions::crates(lock));
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {date}, on a machine with {cores} cores.\n\n{body}{METHOD}\n## Versions\n\n{tools}.\n\n{crates}"
    ))
}

/// The aims and what was found.
fn body(sections: &[Section]) -> Result<String, Box<dyn Error>> {
    let mut page = String::new();
    let mut aims = Table::new(&["what", "aim", "found", ""]);
    // Each note once, with the aims that it is about.
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for aim in sections.iter().flat_map(|section| &section.aims) {
        let met = if aim.met { "met" } else { "**not met**" };
        aims.row([aim.what.clone(), aim.aim.clone(), aim.figure.clone(), met.to_owned()]);
        if !aim.met {
            let note = notes::of(&aim.what);
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, aims)) => aims.push(&aim.what),
                None => notes.push((note, vec![&aim.what])),
            }
        }
    }
    let all = sections.iter().flat_map(|section| &section.aims);
    let met = all.clone().filter(|aim| aim.met).count();
    writeln!(page, "## Aims\n\n{met} of {} are met.\n\n{aims}", all.count())?;
    if !notes.is_empty() {
        writeln!(page, "Of those not met:\n")?;
        for (note, aims) in notes {
            writeln!(page, "**{}**\n\n{note}", aims.join("; "))?;
        }
    }
    for section in sections {
        writeln!(page, "## {}\n\n{}\n", section.title, section.text)?;
        for table in &section.tables {
            writeln!(page, "{table}")?;
        }
    }
    Ok(page)
}
