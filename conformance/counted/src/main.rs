//! Runs one case, any number of times, for `.ci/counted` to count.
//!
//! ```text
//! counted                     the names of the cases, a line each
//! counted allocations         the same, each with its allocations per run
//! counted CASE TIMES          runs one case TIMES times
//! ```
//!
//! A case is a function that takes the number of runs, and a line in [`CASES`]. Everything is counted by difference,
//! 2n runs less n, so what a function does before its loop costs nothing.

mod allocations;
mod headers;
mod machine;

use std::hint::black_box;
use std::process::ExitCode;

/// A case: it does one thing as often as it is told.
type Case = fn(u64);

const CASES: &[(&str, Case)] = &[
    ("schedule-of-five", machine::schedule_of_five),
    ("call-of-six-outcomes", machine::call_of_six_outcomes),
    ("retry-after-digits", headers::retry_after_digits),
    ("peer-str-parse", headers::str_parse),
    ("date-imf-fixdate", headers::imf_fixdate),
    ("peer-httpdate-imf-fixdate", headers::httpdate_imf_fixdate),
    ("date-rfc850", headers::rfc850),
    ("peer-httpdate-rfc850", headers::httpdate_rfc850),
    ("date-asctime", headers::asctime),
    ("peer-httpdate-asctime", headers::httpdate_asctime),
];

/// Runs by which allocations are told; the figure is rounded down, so that a buffer that grows at times is no cost.
const RUNS: u64 = 100;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => CASES.iter().for_each(|(name, _)| println!("{name}")),
        ["allocations"] => {
            for (name, case) in CASES {
                let once = allocations::during(|| case(RUNS));
                let twice = allocations::during(|| case(2 * RUNS));
                println!("{name} {}", twice.saturating_sub(once) / RUNS);
            }
        }
        [name, times] => {
            let case = CASES.iter().find(|case| case.0 == name);
            let (Some((_, case)), Ok(times)) = (case, times.parse()) else {
                eprintln!("no case {name:?}, or no number of times: {times:?}");
                return ExitCode::FAILURE;
            };
            case(times);
        }
        _ => {
            eprintln!("usage: counted [allocations | CASE TIMES]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Does `work` on `input` as often as told, so that the compiler knows neither the input nor that nobody looks.
pub(crate) fn each<I: ?Sized, T>(times: u64, input: &I, mut work: impl FnMut(&I) -> T) {
    for _ in 0..times {
        black_box(work(black_box(input)));
    }
}
