//! What the machine decides.

use std::hint::black_box;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use retry_core::{Action, Attempt, Cause, End, Instant, Jitter, Outcome, Policy, Reached, Replay, Unlimited};

use crate::each;

/// Exponential from 1 s, full jitter.
const FIVE_RETRIES: Policy = Policy::builder().max_retries(5).jitter(Jitter::Full).build_const();
/// Each way of going on that a server can cause, and an answer.
const SIX_OUTCOMES: [Outcome; 6] = [
    Outcome::status(503),
    Outcome::failure(Cause::Network, Reached::MaybeSent),
    Outcome::status(429).with_hint(Some(Duration::from_secs(2))),
    Outcome::failure(Cause::DnsTemporary, Reached::Unsent),
    Outcome::status(500),
    Outcome::status(200),
];

pub(crate) fn schedule_of_five(times: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    each(times, &FIVE_RETRIES, |policy| policy.delays(&mut rng).for_each(|wait| _ = black_box(wait)));
}

pub(crate) fn call_of_six_outcomes(times: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    each(times, &(Policy::DOWNLOAD, SIX_OUTCOMES), |(policy, script)| call(policy, script, &mut rng));
}

fn call(policy: &Policy, script: &[Outcome], rng: &mut Xoshiro256PlusPlus) -> End {
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
            Action::Done(end) => return end,
            Action::GiveUp(end) => unreachable!("the last outcome is an answer, not {end:?}"),
        };
    }
}
