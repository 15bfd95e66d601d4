//! One wait leads to one send.

use retry_core::{Instant, Pause, Policy};

fn twice(pause: Pause<&Policy>) {
    let _ = pause.resume(Instant::EPOCH);
    let _ = pause.resume(Instant::EPOCH);
}

fn main() {}
