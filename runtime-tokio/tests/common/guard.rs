//! Guards of many seconds of real time: a client that hangs is told from one that is slow, and from one that is right.

use core::time::Duration;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::{panic, thread};

/// How long a test waits for what should take milliseconds.
pub(crate) const GUARD: Duration = Duration::from_secs(20);

/// What `work` gives on a thread of its own, or `None` if it hangs.
pub(crate) fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, wait) = mpsc::channel();
    let thread = thread::spawn(move || {
        // Nobody listens any more where the guard has fired.
        let _ = done.send(work());
    });
    match wait.recv_timeout(GUARD) {
        Ok(output) => Some(output),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Ok(()) => None,
            Err(report) => panic::resume_unwind(report),
        },
    }
}
