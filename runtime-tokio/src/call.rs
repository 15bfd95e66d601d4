//! One call: its own settings, and the words that carry it out.

use core::time::Duration;

use reqwest::{RequestBuilder, Response};
use retry_core::{
    Finished, NonIdempotent, Policy, PolicyBuilder, PolicyError, Replay, RetryAfter, Timer, Unlimited, drive,
};

use crate::error::{Error, Fault};
use crate::fetched::Fetched;
use crate::io::{ClientIo, Failed, Read, Received};
use crate::report::Report;
use crate::retry::Retry;
use crate::rng::CallRng;
use crate::target::Target;
use crate::timer::TokioTimer;

/// The largest body that [`fetch`](Call::fetch) reads unless told otherwise: 10 MiB.
pub const MAX_BODY: usize = 10 * 1024 * 1024;

/// A request together with its retries. The settings made here hold for this call only, for all of its sends.
#[derive(Debug)]
#[must_use = "a call does nothing until it is sent"]
pub struct Call<R, T = TokioTimer> {
    request: R,
    retry: Retry<T>,
    policy: Result<Policy, PolicyError>,
    consent: Option<NonIdempotent>,
    max_body: usize,
}

impl<R, T: Timer> Call<R, T> {
    pub(crate) fn new(request: R, retry: Retry<T>) -> Self {
        Self { request, policy: Ok(retry.policy), retry, consent: None, max_body: MAX_BODY }
    }

    fn edit(mut self, change: impl FnOnce(PolicyBuilder) -> PolicyBuilder) -> Self {
        self.policy = self.policy.and_then(|policy| change(policy.edit()).build());
        self
    }

    /// A whole policy in place of the one before.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Ok(policy);
        self
    }

    /// How often this request is sent again at most: 0 ..= u32::MAX - 1. 0 is one send.
    pub fn max_retries(self, count: u32) -> Self {
        self.edit(|policy| policy.max_retries(count))
    }

    /// The limit of this call, every send and every wait together: none, or above zero and at most 1 year.
    ///
    /// It replaces the policy's, whether it is longer or shorter.
    pub fn total_timeout(self, limit: impl Into<Option<Duration>>) -> Self {
        self.edit(|policy| policy.total_timeout(limit.into()))
    }

    /// The limit of each send: none, or above zero and at most 1 year.
    pub fn attempt_timeout(self, limit: impl Into<Option<Duration>>) -> Self {
        self.edit(|policy| policy.attempt_timeout(limit.into()))
    }

    /// How `Retry-After` is treated.
    pub fn retry_after(self, retry_after: RetryAfter) -> Self {
        self.edit(|policy| policy.retry_after(retry_after))
    }

    /// Whether this request may be sent again though its method is not idempotent. It wins over the policy's word in
    /// both directions.
    pub fn non_idempotent(mut self, when: NonIdempotent) -> Self {
        self.consent = Some(when);
        self
    }

    /// The largest body that [`fetch`](Call::fetch) reads, in bytes. Default [`MAX_BODY`].
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }
}

impl<T: Timer> Call<RequestBuilder, T> {
    /// Sends the request until it is answered, and hands the response over when its head is there.
    ///
    /// The limits hold until then; the body, read by the caller, is not cut by us.
    ///
    /// # Errors
    ///
    /// [`Error`] says why the call stopped, and keeps the last failure or response. Note that with the default policy a
    /// GET that is answered 503 to the end is an error, while a POST that is answered 503 is `Ok`: it may not be
    /// repeated, so its reply is handed over as it is.
    pub async fn send(self) -> Result<Response, Error> {
        let (response, _) = self.go(Read::Head, false).await?;
        Ok(response.into_response())
    }

    /// Like [`send`](Self::send), with a [`Report`] of what the call took. An [`Error`] has one, too.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_with_report(self) -> Result<(Response, Report), Error> {
        let (response, report) = self.go(Read::Head, true).await?;
        Ok((response.into_response(), report))
    }

    /// Sends the request until it is answered and the whole body is there, so that a body that breaks off is retried.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and with [`ErrorKind::ResponseRead`](retry_core::ErrorKind::ResponseRead) for a body
    /// above [`max_body`](Self::max_body), which is not retried.
    pub async fn fetch(self) -> Result<Fetched, Error> {
        let read = Read::Body(self.max_body);
        Ok(self.go(read, false).await?.0.into_fetched())
    }

    /// Like [`fetch`](Self::fetch), with a [`Report`] of what the call took.
    ///
    /// # Errors
    ///
    /// As [`fetch`](Self::fetch).
    pub async fn fetch_with_report(self) -> Result<(Fetched, Report), Error> {
        let read = Read::Body(self.max_body);
        let (received, report) = self.go(read, true).await?;
        Ok((received.into_fetched(), report))
    }

    async fn go(self, read: Read, report: bool) -> Result<(Received, Report), Error> {
        let (client, request) = self.request.build_split();
        let request = request.map_err(|error| Error::invalid(Fault::unbuilt(error), None))?;
        let policy = match self.policy {
            Ok(policy) => policy,
            Err(error) => return Err(Error::invalid(Fault::Policy(error), Some(Target::of(&request)))),
        };
        let consent = NonIdempotent::resolve(policy.non_idempotent(), self.consent, false);
        let replayable = request.body().is_none_or(|body| body.as_bytes().is_some());
        let replay = Replay::new(request.method().as_str(), replayable, consent);

        let timer = &self.retry.timer;
        let mut rng = CallRng::new(self.retry.begin());
        let mut io = ClientIo::new(client, request, timer, &policy, read, report);
        let finished = drive(&policy, replay, None, timer, &mut Unlimited, &mut rng, &mut io).await;
        let (reply, mut end) = match finished {
            Finished::Done(reply, end) => (Some(reply), end),
            Finished::GiveUp(reply, end) => (reply, end),
        };
        if let Some(Err(Failed { fault: Fault::Invalid(_), .. })) = &reply {
            // The client began nothing.
            end.attempts = end.attempts.saturating_sub(1);
        }
        let report = Report::new(end, replay.single_send(policy.max_retries()), io.record.take());
        let (failed, received) = match reply {
            Some(Ok(received)) if end.kind().is_none() => return Ok((received, report)),
            Some(Ok(received)) => (Some(Failed::from(received.status())), Some(received)),
            Some(Err(failed)) => (Some(failed), None),
            None => (io.last.take(), None),
        };
        Err(Error::new(report, io.into_target(), failed, received))
    }
}
