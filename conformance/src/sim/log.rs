//! The trace while it is being made.

use retry_core::{Pause, Policy};

use super::clock::Clock;
use super::convert;
use crate::json::Span;
use crate::scenario::Event;
use crate::trace::{self, End, Send, Trace, Wait};

/// No scenario needs more sends: a call with more does not end.
const MOST_SENDS: u32 = 10_000;

/// The sends and waits so far. It refuses what contradicts itself, so that no such trace exists.
#[derive(Debug, Default)]
pub(super) struct Log {
    sends: Vec<Send>,
    waits: Vec<Wait>,
}

impl Log {
    /// The number of sends so far.
    pub(super) fn sends(&self) -> u32 {
        u32::try_from(self.sends.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn send(&mut self, number: u32, at: Span) {
        assert_eq!(self.waits.len(), self.sends.len(), "a wait stands between two sends");
        self.sends.push(Send { at, took: Span::ZERO, event: None });
        assert_eq!(number, self.sends(), "sends are numbered from 1");
        assert!(number <= MOST_SENDS, "the call does not end");
    }

    pub(super) fn reply(&mut self, at: Span, event: Event) {
        let send = self.open().expect("a reply belongs to a send");
        send.took = Span::from_nanos(at.as_nanos() - send.at.as_nanos());
        send.event = Some(event);
    }

    pub(super) fn wait(&mut self, at: Span, pause: &Pause<&Policy>) {
        let source = convert::source(pause.source());
        self.waits.push(Wait { at, lasts: pause.duration().into(), source });
    }

    /// The trace of a call that ended by itself, with this reply handed over, as the answer or not.
    pub(super) fn end(self, clock: &Clock, end: &retry_core::End, event: Option<Event>, answer: bool) -> Trace {
        assert_eq!(end.kind().is_none(), answer, "only an answer has no kind: {end:?}");
        assert_eq!(end.event, event.map(convert::event), "the end tells of the reply that is handed over");
        let end = End {
            at: clock.passed(),
            attempts: end.attempts,
            elapsed: end.elapsed.into(),
            reason: convert::reason(end.reason),
            code: end.kind().map(|kind| kind.code()),
            event,
            asked: end.asked.map(Span::from),
        };
        self.trace(end)
    }

    /// The trace of a call that the caller gave up now.
    pub(super) fn cancel(mut self, clock: &Clock) -> Trace {
        let (at, attempts) = (clock.passed(), self.sends());
        if let Some(send) = self.open() {
            send.took = Span::from_nanos(at.as_nanos() - send.at.as_nanos());
        }
        let (reason, code) = (trace::Reason::Canceled, Some(retry_core::ErrorKind::Canceled.code()));
        self.trace(End { at, attempts, elapsed: at, reason, code, event: None, asked: None })
    }

    /// The send that has no reply yet.
    fn open(&mut self) -> Option<&mut Send> {
        self.sends.last_mut().filter(|send| send.event.is_none())
    }

    fn trace(self, end: End) -> Trace {
        Trace { sends: self.sends, waits: self.waits, end }
    }
}
