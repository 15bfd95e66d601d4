//! The failure of a call: nothing of it is lost, and no secret is printed.

use core::error::Error as StdError;
use core::fmt;
use core::time::Duration;

use http::{Method, StatusCode};
#[cfg(feature = "reqwest")]
use reqwest::Response;
use retry_core::{End, ErrorKind, Event, Reason};

use crate::fault::Fault;
use crate::reply::Failed;
use crate::report::Report;
use crate::target::Target;

/// Why a call has no answer.
///
/// [`source`](StdError::source) is the last send's failure: reqwest's own error with its predicates, [`TimedOut`](crate::TimedOut) where
/// a limit of the policy cut the send, [`StatusError`](crate::StatusError) after a status; in a layer of tower, the error of
/// the service inside. Neither `Display` nor `Debug` show userinfo or
/// query of a URL. (To that end one of reqwest's errors is not handed over: that of a redirect to a URL with a query
/// which `https_only` forbids.)
///
/// ```
/// # async fn example(client: reqwest::Client) {
/// use retry_core::{ErrorKind, Policy};
/// use runtime_tokio::RetryExt;
///
/// match client.get("http://localhost/").with_retry(Policy::API).send().await {
///     Ok(response) => println!("{}", response.status()),
///     Err(error) if error.kind() == ErrorKind::RetryExhausted => {
///         println!("{} after {} attempts", error.code(), error.attempts());
///         if let Some(last) = error.into_response() {
///             println!("the last one said: {}", last.text().await.unwrap_or_default());
///         }
///     }
///     Err(error) => println!("{error}"),
/// }
/// # }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    target: Option<Target>,
    report: Report,
    failed: Option<Failed>,
    #[cfg(feature = "reqwest")]
    response: Option<Response>,
}

impl Error {
    pub(crate) fn new(report: Report, target: Option<Target>, failed: Option<Failed>) -> Self {
        // An answer that the caller's closure made an error of is no failure to the machine.
        let kind = report.end.kind().unwrap_or(ErrorKind::Http);
        Self(Box::new(Inner {
            kind,
            target,
            report,
            failed,
            #[cfg(feature = "reqwest")]
            response: None,
        }))
    }

    /// The same, with the response on which the call ended.
    #[cfg(feature = "reqwest")]
    pub(crate) fn with_response(mut self, response: Response) -> Self {
        self.0.response = Some(response);
        self
    }

    /// The same, with the sends that a call around it made before.
    pub(crate) fn after(mut self, outer: &End) -> Self {
        self.0.report.end = self.0.report.end_after(outer);
        self
    }

    /// A request that cannot be sent by anybody: no send was begun.
    pub(crate) fn invalid(fault: Fault, target: Option<Target>) -> Self {
        let event = Some(Event::Failure(fault.failure()));
        let end = End { attempts: 0, elapsed: Duration::ZERO, reason: Reason::NotRetryable, event, asked: None };
        Self::new(Report::new(end, None, None), target, Some(fault.into()))
    }

    /// The method and the URL of the request, if it could be built.
    pub(crate) fn request(&self) -> Option<(&Method, &str)> {
        self.0.target.as_ref().map(Target::parts)
    }

    /// The kind of the failed call.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable name of the kind, such as `RETRY_EXHAUSTED`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// The number of sends that were begun.
    pub fn attempts(&self) -> u32 {
        self.0.report.attempts()
    }

    /// The time from the start of the call to its end.
    pub fn elapsed(&self) -> Duration {
        self.0.report.elapsed()
    }

    /// Why the call stopped.
    pub fn reason(&self) -> Reason {
        self.0.report.reason()
    }

    /// What the call took, attempt by attempt.
    pub fn report(&self) -> &Report {
        &self.0.report
    }

    /// What came back from the last send, as the core judged it; `None` if the call ended before a send or in a wait.
    pub fn event(&self) -> Option<Event> {
        self.0.report.end.event
    }

    /// The status of the last send, if it gave one.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.failed.as_ref().and_then(|failed| failed.status)
    }

    /// The response on which the call ended, if it ended on one; a call that ended in a wait has let it go.
    ///
    /// Its body is unread, or, where `fetch` read it inside the attempt, what came of it.
    #[cfg(feature = "reqwest")]
    pub fn into_response(self) -> Option<Response> {
        self.0.response
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { target, report, failed, .. } = &*self.0;
        if let Some(target) = target {
            write!(f, "{target}: ")?;
        }
        match (report.reason(), failed) {
            // The limit had not passed yet: the next wait would have gone beyond it.
            (Reason::TotalTimeout, Some(failed)) if self.event().is_some() && !failed.fault.is_total_limit() => {
                f.write_str("another attempt would exceed the time limit, stopped")?;
            }
            (reason, _) => reason.fmt(f)?,
        }
        match report.attempts() {
            0 => f.write_str(" before the first attempt")?,
            1 => write!(f, " after 1 attempt in {:.1} s", report.elapsed().as_secs_f64())?,
            n => write!(f, " after {n} attempts in {:.1} s", report.elapsed().as_secs_f64())?,
        }
        if let Some(failed) = failed {
            write!(f, ": {}", failed.fault)?;
        }
        if let Some(asked) = report.asked() {
            write!(f, " (the server asked for a wait of {asked:?})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, target, report, failed, .. } = &*self.0;
        let mut shown = f.debug_struct("Error");
        shown
            .field("kind", kind)
            .field("request", &target.as_ref().map(ToString::to_string))
            .field("status", &self.status())
            .field("source", &failed.as_ref().map(|failed| &failed.fault));
        #[cfg(feature = "reqwest")]
        shown.field("response", &self.0.response.is_some());
        shown.field("report", report).finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.failed.as_ref().map(|failed| failed.fault.as_error())
    }
}
