//! One send has one outcome.

use rand_core::Rng;
use retry_core::{Attempt, Instant, Outcome, Policy, Unlimited};

fn twice(send: Attempt<&Policy>, rng: &mut impl Rng) {
    let _ = send.finish(Outcome::status(503), Instant::EPOCH, &mut Unlimited, rng);
    let _ = send.finish(Outcome::status(503), Instant::EPOCH, &mut Unlimited, rng);
}

fn main() {}
