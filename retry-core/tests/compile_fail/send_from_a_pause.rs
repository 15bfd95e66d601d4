//! A wait has no outcome, a send cannot be resumed, and an end leads nowhere.

use rand_core::Rng;
use retry_core::{Attempt, End, Instant, Outcome, Pause, Policy, Unlimited};

fn from_a_pause(pause: Pause<&Policy>, rng: &mut impl Rng) {
    let _ = pause.finish(Outcome::status(503), Instant::EPOCH, &mut Unlimited, rng);
}

fn from_a_send(send: Attempt<&Policy>) {
    let _ = send.resume(Instant::EPOCH);
}

fn from_an_end(end: End) {
    let _ = end.resume(Instant::EPOCH);
}

fn main() {}
