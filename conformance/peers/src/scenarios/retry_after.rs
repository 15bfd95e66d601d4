//! Retry-After: digits against the standard library's number, a date against httpdate.

use std::hint::black_box;

use retry_core::{UnixTime, retry_after};

use crate::count::{WINDOWS, mark};
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::pair::{PAIRS, Ratios};
use crate::report::{Aim, Section};
use crate::table::{Table, short, whole};

use super::block_on;

/// Headers in a window, and in a timed piece.
const COUNT: u64 = 50_000;
const PIECE: u64 = 2_000;

const DIGITS: &str = "120";
const DATE: &str = "Sun, 01 Mar 2026 12:00:31 GMT";

fn ours(line: &str) {
    let now = Some(UnixTime::new(1_772_366_400, 0));
    let wait = retry_after::hint([black_box(line).as_bytes()], black_box(now));
    assert!(black_box(wait).is_some());
}

fn read(name: &str) {
    match name {
        "digits" => ours(DIGITS),
        "date" => ours(DATE),
        "str::parse" => assert!(black_box(black_box(DIGITS).parse::<u64>()).is_ok()),
        "httpdate" => assert!(black_box(httpdate::parse_http_date(black_box(DATE))).is_ok()),
        _ => panic!("nobody is called {name}"),
    }
}

/// With a count: that many of the subject's. Without: ours over the subject's, in turns.
pub fn measure(job: &Job) {
    let own = if job.subject == "str::parse" { "digits" } else { "date" };
    let repeat = |name: &str, count| (0..count).for_each(|_| read(name));
    if job.count > 0 {
        for _ in 0..WINDOWS {
            mark();
            repeat(&job.subject, job.count);
        }
        return mark();
    }
    let ratios = Ratios::measure(PAIRS, async || repeat(&job.subject, PIECE), async || repeat(own, PIECE));
    tell("ratios", block_on(ratios).all());
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "Retry-After",
        "Ours takes a header's bytes, trims them, tells a number from a date, takes the longest of a list and knows \
         fractions and three forms of dates; `str::parse` takes three digits that are known to be a number.",
    );
    let mut table =
        Table::new(&["", "ours: instructions", "theirs: instructions", "our time over theirs", "middle half"]);
    for (own, peer, label, most) in [
        ("digits", "str::parse", "`120`, against `str::parse::<u64>`", 1.2),
        ("date", "httpdate", "IMF-fixdate, against httpdate", 1.0),
    ] {
        let count = |name| Result::Ok(lab.instructions(&lab.job("retry-after", name, false, COUNT))?.median);
        let ratios = lab.ask(Program::Plain, &lab.job("retry-after", peer, false, 0))?;
        let ratios = Ratios::new(ratios.all("ratios")?.to_vec());
        let ((low, high), median) = (ratios.spread(), ratios.median());
        let (ours, theirs) = (count(own)?, count(peer)?);
        let middle = format!("{} to {}", short(low), short(high));
        table.row([label.into(), whole(ours), whole(theirs), short(median), middle]);
        let what = format!("Retry-After, {own}: time over {peer}'s");
        section.aims.push(Aim::at_most(what, short(most), short(median), median, most));
    }
    for peer in ["reqwest's own", "reqwest-retry", "tower", "again", "tokio-retry"] {
        table.row([peer.into(), String::new(), "no Retry-After".into(), String::new(), String::new()]);
    }
    table.row(["backon".into(), String::new(), "the user's own, by `adjust`".into(), String::new(), String::new()]);
    table.row(["surf-retry".into(), String::new(), "the two above".into(), String::new(), String::new()]);
    section.tables.push(table);
    Ok(section)
}
