//! What the programs that `.ci/counted` runs have in common.
//!
//! ```text
//! PROGRAM                     the names of the cases, a line each
//! PROGRAM allocations         the same, each with its allocations per run and its baseline, which may be none: "-"
//! PROGRAM CASE TIMES          runs one case TIMES times
//! ```
//!
//! A case is a function that takes the number of runs. Everything is counted by difference, 2n runs less n, so what a
//! function does before its loop costs nothing.

use std::process::ExitCode;

use crate::allocations;

/// Runs by which allocations are told; the figure is rounded, so that a buffer that grows at times is no cost.
const RUNS: u64 = 100;

/// A case: it does one thing as often as it is told.
pub(crate) struct Case {
    name: &'static str,
    work: fn(u64),
    baseline: &'static str,
}

impl Case {
    pub(crate) const fn new(name: &'static str, work: fn(u64)) -> Self {
        over(name, work, "-")
    }
}

/// A case that counts by what it costs more than `baseline`, another case.
pub(crate) const fn over(name: &'static str, work: fn(u64), baseline: &'static str) -> Case {
    Case { name, work, baseline }
}

pub(crate) fn main(cases: &[Case]) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => cases.iter().for_each(|case| println!("{}", case.name)),
        ["allocations"] => {
            for Case { name, work, baseline } in cases {
                let once = allocations::during(|| work(RUNS));
                let twice = allocations::during(|| work(2 * RUNS));
                println!("{name} {} {baseline}", (twice.saturating_sub(once) + RUNS / 2) / RUNS);
            }
        }
        [name, times] => {
            let case = cases.iter().find(|case| case.name == name);
            let (Some(case), Ok(times)) = (case, times.parse()) else {
                eprintln!("no case {name:?}, or no number of times: {times:?}");
                return ExitCode::FAILURE;
            };
            (case.work)(times);
        }
        _ => {
            eprintln!("usage: [allocations | CASE TIMES]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
