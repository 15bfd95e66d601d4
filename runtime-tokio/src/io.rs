//! What one send is for reqwest, and what the core is told of its reply.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, Version};
use reqwest::{Client, Request, Response};
use retry_core::{Attempt, DRAIN_BYTES, Event, Io, Outcome, Pause, Policy, Record, Timer, Try, Verdict, retry_after};

use crate::error::{BodyTooLarge, Fault, Gone, StatusError, TimedOut};
use crate::fetched::Fetched;
use crate::target::Target;

/// How much of a response belongs to the attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Read {
    /// Its head.
    Head,
    /// Its body too, up to this many bytes.
    Body(usize),
}

/// A response, as far as it was read.
pub(crate) enum Received {
    Unread(Response),
    Read(Fetched),
}

impl Received {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Unread(response) => response.status(),
            Self::Read(fetched) => fetched.status(),
        }
    }

    fn headers(&self) -> &HeaderMap {
        match self {
            Self::Unread(response) => response.headers(),
            Self::Read(fetched) => fetched.headers(),
        }
    }

    /// With its body: [`Read::Body`] leaves none unread on which a call can end well.
    pub(crate) fn into_fetched(self) -> Fetched {
        match self {
            Self::Unread(response) => Fetched::new(response, Bytes::new(), None),
            Self::Read(fetched) => fetched,
        }
    }

    pub(crate) fn into_response(self) -> Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.into_response(),
        }
    }
}

/// What failed, and the status if the response had come so far.
pub(crate) struct Failed {
    pub(crate) fault: Fault,
    pub(crate) status: Option<StatusCode>,
}

impl From<StatusCode> for Failed {
    fn from(status: StatusCode) -> Self {
        Self { fault: Fault::Status(StatusError { status }), status: Some(status) }
    }
}

/// One request on its way through [`drive`](retry_core::drive).
pub(crate) struct ClientIo<'a, T> {
    client: Client,
    /// Sent as it is the last time; copied before.
    request: Option<Request>,
    /// What the request was, once it has gone out for the last time.
    target: Option<Target>,
    timer: &'a T,
    policy: &'a Policy,
    read: Read,
    /// Whether the record is wanted even if nothing fails.
    report: bool,
    /// Kept apart, and only from the first failure on.
    pub(crate) record: Option<Box<Record>>,
    /// The failure of the reply that was let go last.
    pub(crate) last: Option<Failed>,
}

impl<'a, T: Timer> ClientIo<'a, T> {
    pub(crate) fn new(
        client: Client,
        request: Request,
        timer: &'a T,
        policy: &'a Policy,
        read: Read,
        report: bool,
    ) -> Self {
        Self { client, request: Some(request), target: None, timer, policy, read, report, record: None, last: None }
    }

    pub(crate) fn into_target(self) -> Option<Target> {
        self.target.or_else(|| self.request.as_ref().map(Target::of))
    }

    fn fault(&self, error: reqwest::Error) -> Fault {
        let url = self.target.as_ref().map(Target::url).or_else(|| self.request.as_ref().map(Request::url));
        Fault::client(error, url)
    }

    /// The request for this send: a copy while another may follow, the original at last.
    fn request(&mut self, this: Try) -> Option<Request> {
        if this.is_last {
            self.target = self.request.as_ref().map(Target::of);
            self.request.take()
        } else {
            self.request.as_ref().and_then(Request::try_clone)
        }
    }

    /// Whether the body under `status` is read inside the attempt: not where the reply will only be let go.
    fn reads(&self, status: StatusCode, this: Try) -> bool {
        this.ends_on_response || !self.policy.statuses().contains(status.as_u16())
    }
}

impl<T: Timer> Io for ClientIo<'_, T> {
    type Reply = Result<Received, Failed>;

    async fn send(&mut self, this: Try) -> Self::Reply {
        let Some(request) = self.request(this) else {
            return Err(Failed { fault: Fault::Gone(Gone), status: None });
        };
        let response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => return Err(Failed { fault: self.fault(error), status: None }),
        };
        match self.read {
            Read::Body(limit) if self.reads(response.status(), this) => {
                let retried = self.policy.statuses().contains(response.status().as_u16());
                read_body(response, limit, retried).await.map(Received::Read)
            }
            Read::Head | Read::Body(_) => Ok(Received::Unread(response)),
        }
    }

    fn outcome(&mut self, attempt: &Attempt<&Policy>, reply: &Self::Reply) -> Outcome {
        let event = match reply {
            Ok(received) => Event::Status(received.status().as_u16()),
            Err(failed) => Event::Failure(failed.fault.failure()),
        };
        let again = attempt.verdict(event) == Some(Verdict::Retry);
        let failed = reply.as_ref().is_err_and(|failed| !matches!(failed.fault, Fault::Invalid(_)));
        let answered = reply.is_ok() && (self.report || attempt.number() > 1);
        if again || failed || answered {
            self.record.get_or_insert_default().reply(attempt, event, self.timer.now(), None);
        }
        let hint = match reply {
            Ok(received) if again => retry_after::from_headers(received.headers(), || self.timer.wall()),
            Ok(_) | Err(_) => None,
        };
        Outcome::new(event).with_hint(hint)
    }

    fn timed_out(&mut self, this: Try) -> Self::Reply {
        Err(Failed { fault: Fault::TimedOut(TimedOut { is_total: this.is_total }), status: None })
    }

    fn retrying(&mut self, _: Try, _: &Outcome, pause: &Pause<&Policy>) {
        if let Some(record) = &mut self.record {
            record.pause(pause);
        }
    }

    async fn discard(&mut self, reply: Self::Reply) {
        let (failed, response) = match reply {
            Ok(Received::Unread(response)) => (Failed::from(response.status()), Some(response)),
            Ok(Received::Read(fetched)) => (Failed::from(fetched.status()), None),
            Err(failed) => (failed, None),
        };
        self.last = Some(failed);
        if let Some(response) = response {
            drain(response).await;
        }
    }
}

/// Reads a small body to its end, so that its connection can be used again.
///
/// Over HTTP/2 there is nothing to gain: dropping the response ends its stream alone.
async fn drain(mut response: Response) {
    let large = response.content_length().is_some_and(|length| length > DRAIN_BYTES as u64);
    if large || response.version() > Version::HTTP_11 {
        return;
    }
    let mut left = DRAIN_BYTES;
    while let Ok(Some(chunk)) = response.chunk().await {
        left = match left.checked_sub(chunk.len()) {
            Some(left) => left,
            None => return,
        };
    }
}

/// Reads the body of `response`, at most `limit` bytes of it.
///
/// A body that breaks off is a failure, unless the status is one that is `retried` anyway: then that is the outcome.
async fn read_body(mut response: Response, limit: usize, retried: bool) -> Result<Fetched, Failed> {
    let mut body = BytesMut::new();
    let fault = loop {
        match response.chunk().await {
            Ok(Some(chunk)) if chunk.len() > limit.saturating_sub(body.len()) => {
                break Some(Fault::TooLarge(BodyTooLarge { limit }));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break None,
            Err(error) => break Some(Fault::client(error, None)),
        }
    };
    match fault {
        Some(fault) if !retried => Err(Failed { fault, status: Some(response.status()) }),
        fault => Ok(Fetched::new(response, body.freeze(), fault)),
    }
}
