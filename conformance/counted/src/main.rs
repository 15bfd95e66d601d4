//! Work without a client, for `.ci/counted` to count.

mod allocations;
mod cases;
mod headers;
mod machine;

use std::hint::black_box;
use std::process::ExitCode;

use cases::Case;

const CASES: &[Case] = &[
    Case::new("schedule-of-five", machine::schedule_of_five),
    Case::new("call-of-six-outcomes", machine::call_of_six_outcomes),
    Case::new("retry-after-digits", headers::retry_after_digits),
    Case::new("peer-str-parse", headers::str_parse),
    Case::new("date-imf-fixdate", headers::imf_fixdate),
    Case::new("peer-httpdate-imf-fixdate", headers::httpdate_imf_fixdate),
    Case::new("date-rfc850", headers::rfc850),
    Case::new("peer-httpdate-rfc850", headers::httpdate_rfc850),
    Case::new("date-asctime", headers::asctime),
    Case::new("peer-httpdate-asctime", headers::httpdate_asctime),
];

fn main() -> ExitCode {
    cases::main(CASES)
}

/// Does `work` on `input` as often as told, so that the compiler knows neither the input nor that nobody looks.
pub(crate) fn each<I: ?Sized, T>(times: u64, input: &I, mut work: impl FnMut(&I) -> T) {
    for _ in 0..times {
        black_box(work(black_box(input)));
    }
}
