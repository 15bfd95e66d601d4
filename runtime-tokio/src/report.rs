//! What a call took.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use retry_core::trace::Trace;
use retry_core::{End, Entry, ErrorKind, Reason, Record, WaitSource, Why};

/// What a call took: sends, time, waits, and why it stopped.
#[derive(Clone)]
pub struct Report {
    pub(crate) end: End,
    single_send: Option<Why>,
    record: Option<Box<Record>>,
    proxies: Option<Arc<[String]>>,
    trace: Option<Box<Trace>>,
}

impl Report {
    pub(crate) fn new(end: End, single_send: Option<Why>, record: Option<Box<Record>>) -> Self {
        Self { end, single_send, record, proxies: None, trace: None }
    }

    /// The end of a call inside of one that ends with it, together with the sends that the outer one made before: none of
    /// those was retried inside, or it would have ended there.
    pub(crate) fn end_after(&self, outer: &End) -> End {
        let earlier = outer.attempts.saturating_sub(1);
        let elapsed = if earlier > 0 { outer.elapsed } else { self.end.elapsed };
        End { attempts: self.end.attempts.saturating_add(earlier), elapsed, ..self.end }
    }

    pub(crate) fn with_trace(self, trace: Option<Box<Trace>>) -> Self {
        Self { trace, ..self }
    }

    pub(crate) fn with_proxies(self, proxies: Option<Arc<[String]>>) -> Self {
        Self { proxies, ..self }
    }

    /// The number of sends that were begun.
    pub fn attempts(&self) -> u32 {
        self.end.attempts
    }

    /// The time from the start of the call to its end.
    pub fn elapsed(&self) -> Duration {
        self.end.elapsed
    }

    /// Why the call stopped.
    pub fn reason(&self) -> Reason {
        self.end.reason
    }

    /// The kind of the error that the call is, or would have been where its last response was handed over all the same;
    /// `None` if that is the answer.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.end.kind()
    }

    /// What the server's `Retry-After` asked for in the last reply, before any cap.
    pub fn asked(&self) -> Option<Duration> {
        self.end.asked
    }

    /// Why the request could go out once only, if so.
    pub fn single_send(&self) -> Option<Why> {
        self.single_send
    }

    /// The last attempts, at most 8, oldest first.
    pub fn record(&self) -> impl DoubleEndedIterator<Item = Entry> {
        self.record.iter().flat_map(|record| record.entries())
    }

    /// How many attempts there were before those of [`record`](Self::record).
    pub fn earlier(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.earlier())
    }

    /// The waits between the attempts of [`record`](Self::record), and where their lengths came from.
    pub fn waits(&self) -> impl Iterator<Item = (Duration, WaitSource)> + '_ {
        self.record().filter_map(|entry| entry.wait)
    }

    /// The record of the call, if it was [asked for](crate::Retry::trace): all that its decisions depended on, and what they
    /// were. Printed, it is a text that can be kept, and replayed on another machine.
    ///
    /// A call that ended before its first decision, because its body could not be read or a setting is wrong, has none.
    ///
    /// ```
    /// use retry_core::Policy;
    /// use runtime_tokio::{Retry, RetryExt};
    ///
    /// # async fn example(client: reqwest::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let retry = Retry::new(Policy::API).trace(true);
    /// let result = client.get("http://localhost/").with_retry(&retry).send_with_report().await;
    /// let trace = match &result {
    ///     Ok((_, report)) => report.trace(),
    ///     Err(error) => error.report().trace(),
    /// };
    /// if let Some(trace) = trace {
    ///     // For `cargo run -p conformance --bin replay -- call.trace`.
    ///     std::fs::write("call.trace", trace.to_string())?;
    ///     // Or here: what was decided, from which numbers, and what would be decided otherwise now.
    ///     let replayed = trace.replay();
    ///     assert!(replayed.differences().is_empty());
    ///     for decision in &replayed.decisions {
    ///         println!("{:?} of {:?}", decision.drawn, decision.window);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_deref()
    }

    /// The proxy of the last attempt, in a call through a pool: its URL without userinfo.
    pub fn proxy(&self) -> Option<&str> {
        self.record().next_back().and_then(|entry| self.proxy_of(&entry))
    }

    /// The proxy of one attempt of [`record`](Self::record).
    pub fn proxy_of(&self, entry: &Entry) -> Option<&str> {
        let proxies = self.proxies.as_deref()?;
        proxies.get(usize::from(entry.proxy?)).map(String::as_str)
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("attempts", &self.attempts())
            .field("elapsed", &self.elapsed())
            .field("reason", &self.reason())
            .field("asked", &self.asked())
            .field("single_send", &self.single_send())
            .field("earlier", &self.earlier())
            .field("record", &self.record().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
