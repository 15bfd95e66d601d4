//! Calls over reqwest to a server on loopback, for `.ci/counted` to count. Each case is told over its baseline, which is
//! the same call by reqwest alone.

#[path = "../../counted/src/allocations.rs"]
mod allocations;
mod calls;
#[path = "../../counted/src/cases.rs"]
mod cases;
mod server;

use std::process::ExitCode;

use cases::{Case, over};

const CASES: &[Case] = &[
    Case::new("reqwest-get", calls::get),
    Case::new("reqwest-get-timeout", calls::get_timeout),
    over("run", calls::run, "reqwest-get"),
    over("run-limit", calls::run_limit, "reqwest-get-timeout"),
    over("send", calls::send, "reqwest-get"),
    over("send-limit", calls::send_limit, "reqwest-get-timeout"),
    over("single-send", calls::single_send, "reqwest-get"),
    over("single-send-limit", calls::single_send_limit, "reqwest-get-timeout"),
    Case::new("reqwest-get-twice", calls::get_twice),
    over("run-retry", calls::run_retry, "reqwest-get-twice"),
    over("send-retry", calls::send_retry, "reqwest-get-twice"),
];

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(server::WORD) {
        return server::main();
    }
    cases::main(CASES)
}
