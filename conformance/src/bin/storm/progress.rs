//! How far the work is, on a terminal alone.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::io::{self, IsTerminal as _, Write as _};

const WIDTH: usize = 40;

/// A bar in one line of stderr; nothing at all if that is no terminal.
pub(crate) struct Progress {
    is_shown: bool,
    percent: AtomicU32,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { is_shown: io::stderr().is_terminal(), percent: AtomicU32::new(0) }
    }

    pub(crate) fn tell(&self, share: f64) {
        let percent = (share.clamp(0.0, 1.0) * 100.0) as u32;
        if self.is_shown && self.percent.fetch_max(percent, Relaxed) < percent {
            let done = WIDTH * percent as usize / 100;
            // A terminal that is gone is no reason to stop.
            _ = write!(io::stderr(), "\r[{}{}] {percent:>3}%", "#".repeat(done), ".".repeat(WIDTH - done));
        }
    }

    pub(crate) fn clear(&self) {
        if self.is_shown {
            _ = write!(io::stderr(), "\r{}\r", " ".repeat(WIDTH + 8));
        }
    }
}
