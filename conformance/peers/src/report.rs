//! What is measured becomes a page.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::chart::{self, Bar};
use crate::lab::Lab;
use crate::scenarios;
use crate::table::Table;

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
    let page = page(&sections, &lock)?;
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

fn page(sections: &[Section], _lock: &str) -> Result<String, Box<dyn Error>> {
    let mut page = String::from("# What retries cost, here and with other crates\n\n");
    let mut aims = Table::new(&["what", "aim", "found", ""]);
    for aim in sections.iter().flat_map(|section| &section.aims) {
        let met = if aim.met { "met" } else { "**not met**" };
        aims.row([aim.what.clone(), aim.aim.clone(), aim.figure.clone(), met.to_owned()]);
    }
    writeln!(page, "{aims}")?;
    for section in sections {
        writeln!(page, "## {}\n\n{}\n", section.title, section.text)?;
        for table in &section.tables {
            writeln!(page, "{table}")?;
        }
    }
    Ok(page)
}
