//! Traces as text: any text is a trace or an error with its place, and a trace replays in bounded time, is written as what
//! reads back the same, and replays to nothing but itself once it is what today's machine decides.

use retry_core::trace::{KEPT, Trace};

/// Fails if a trace is written as another one, or today's own is not today's.
pub fn run(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let trace: Trace = match text.parse() {
        Ok(trace) => trace,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(trace.to_string().parse().as_ref(), Ok(&trace), "{text}");
    let replayed = trace.replay();
    assert!(replayed.decisions.len() <= trace.sends.len() && trace.sends.len() <= KEPT);
    let again = replayed.today.replay();
    assert_eq!(again.differences(), [], "{text}");
}
