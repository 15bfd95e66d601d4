//! The core by hand in a `main` without std and without an allocator, as on a small board.
//!
//! The board is played by this machine: its console is C's `putchar`, its modem a script, its clock a counter.
//!
//! ```sh
//! cargo run --release --manifest-path conformance/examples/no_std/Cargo.toml
//! ```
#![no_std]
#![no_main]

use core::fmt::{self, Write};
use core::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{Action, Attempt, Cause, End, Instant, Outcome, Policy, Reached, Replay, Unlimited};

const POLICY: Policy = Policy::builder().attempt_timeout(Some(Duration::from_secs(5))).build_const();

/// One call: everything that it needs lies on the stack.
fn call(board: &mut Board, mut console: impl Write) -> Result<End, fmt::Error> {
    let mut action = Attempt::start(&POLICY, Replay::Always, None, board.now);
    loop {
        action = match action {
            Action::Send(attempt) => {
                let outcome = board.exchange(attempt.deadline());
                writeln!(console, "send {}: {}", attempt.number(), outcome.event)?;
                attempt.finish(outcome, board.now, &mut Unlimited, &mut board.noise)
            }
            Action::Wait(pause) => {
                writeln!(console, "  wait {:?} ({})", pause.duration(), pause.source())?;
                board.idle_until(pause.until());
                pause.resume(board.now)
            }
            Action::Done(end) | Action::GiveUp(end) => return Ok(end),
        };
    }
}

/// What a board has: a clock, a source of noise, and a modem. The script stands for the world at its other end.
struct Board {
    now: Instant,
    noise: Xoshiro256PlusPlus,
    script: core::slice::Iter<'static, Option<Outcome>>,
}

/// No signal, a reply that never comes, a server that is busy for 2 s, an answer.
const SCRIPT: &[Option<Outcome>] = &[
    Some(Outcome::failure(Cause::Network, Reached::Unsent)),
    None,
    Some(Outcome::status(503).with_hint(Some(Duration::from_secs(2)))),
    Some(Outcome::status(200)),
];

impl Board {
    /// Sends, and listens until there is a reply or the deadline passes.
    fn exchange(&mut self, deadline: Option<Instant>) -> Outcome {
        match self.script.next() {
            Some(Some(outcome)) => {
                self.idle_until(self.now.saturating_add(Duration::from_millis(120)));
                *outcome
            }
            Some(None) | None => {
                self.idle_until(deadline.unwrap_or(self.now));
                Outcome::failure(Cause::Timeout, Reached::MaybeSent)
            }
        }
    }

    /// Sleeps: a real board would wait for its timer's interrupt.
    fn idle_until(&mut self, moment: Instant) {
        self.now = self.now.max(moment);
    }
}

#[link(name = "c")]
unsafe extern "C" {
    safe fn putchar(byte: i32) -> i32;
    safe fn abort() -> !;
}

struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().try_for_each(|byte| if putchar(byte.into()) < 0 { Err(fmt::Error) } else { Ok(()) })
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let noise = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut board = Board { now: Instant::EPOCH, noise, script: SCRIPT.iter() };
    match call(&mut board, Console) {
        Ok(end) if end.kind().is_none() => 0,
        Ok(_) | Err(_) => 1,
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    abort()
}
