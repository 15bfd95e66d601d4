//! The whole machine: six outcomes to actions, and five resumes.

use std::hint::black_box;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{Action, Attempt, Cause, End, Instant, Outcome, Policy, Reached, Replay, Unlimited};

use crate::alloc::Heap;
use crate::count::{WINDOWS, mark};
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::table::{Table, short, whole};

/// Calls in a window.
const COUNT: u64 = 20_000;

fn call(policy: &Policy, script: &[Outcome; 6], rng: &mut Xoshiro256PlusPlus) -> End {
    let mut action = Attempt::start(policy, Replay::Always, None, Instant::EPOCH);
    let mut script = script.iter();
    loop {
        action = match action {
            Action::Send(attempt) => {
                let outcome = script.next().expect("the last outcome ends the call");
                let now = attempt.sent_at();
                attempt.finish(*outcome, now, &mut Unlimited, rng)
            }
            Action::Wait(pause) => {
                let until = pause.until();
                pause.resume(until)
            }
            Action::Done(end) | Action::GiveUp(end) => return end,
        };
    }
}

pub fn measure(job: &Job) {
    let script = [
        Outcome::status(503),
        Outcome::failure(Cause::Network, Reached::MaybeSent),
        Outcome::status(503),
        Outcome::failure(Cause::DnsTemporary, Reached::Unsent),
        Outcome::status(500),
        Outcome::status(200),
    ];
    let policy = Policy::API.edit().max_retries(5).build().expect("a policy within the bounds");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let before = Heap::now();
    for _ in 0..WINDOWS {
        mark();
        for _ in 0..job.count {
            let end = call(black_box(&policy), black_box(&script), &mut rng);
            assert_eq!(black_box(end).attempts, 6);
        }
    }
    mark();
    tell("allocations", &[(Heap::now().calls - before.calls) as f64]);
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "The machine",
        "One call of six sends under the default policy with its limit and jitter: four statuses and two failures \
         become actions, five waits are resumed. No peer has its decisions apart from its sends.",
    );
    let job = lab.job("machine", "ours", false, COUNT);
    let instructions = lab.instructions(&job)?.median;
    let heap = lab.ask(Program::Counting, &job)?.one("allocations")?;
    let mut table = Table::new(&["", "instructions", "allocations"]);
    table.row(["**ours**".into(), whole(instructions), short(heap)]);
    section.tables.push(table);
    let what = "six outcomes and five resumes: instructions";
    section.aims.push(Aim::at_most(what.into(), "1,300".into(), whole(instructions), instructions, 1300.0));
    let what = "six outcomes and five resumes: allocations";
    section.aims.push(Aim::new(what.into(), "0".into(), short(heap), heap == 0.0));
    Ok(section)
}
