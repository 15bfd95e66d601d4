//! What one send produced, with all that came of it.

use core::pin::pin;
use std::sync::Arc;

use async_std::io::ReadExt;
use bytes::{Bytes, BytesMut};
use retry_core::DRAIN_BYTES;
use surf::http::headers::{CONTENT_ENCODING, CONTENT_LENGTH, DATE};
use surf::http::{Headers, Method};
use surf::{Response, StatusCode};

use crate::fault::{BodyTooLarge, Fault, Malformed, ShortBody, StatusError};
use crate::fetched::Fetched;
use crate::panicked::caught;
use crate::task::Task;

/// How much is read at a time.
const CHUNK: usize = 16 * 1024;

/// A response, as far as it was read. In a box, because a reply is handed on from future to future.
pub(crate) enum Received {
    Unread(Box<Response>),
    Read(Box<Fetched>),
}

impl Received {
    pub(crate) fn status(&self) -> StatusCode {
        self.head().status()
    }

    pub(crate) fn headers(&self) -> &Headers {
        self.head().as_ref()
    }

    pub(crate) fn head(&self) -> &Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.head(),
        }
    }

    pub(crate) fn head_mut(&mut self) -> &mut Response {
        match self {
            Self::Unread(response) => response,
            Self::Read(fetched) => fetched.head_mut(),
        }
    }

    pub(crate) fn body(&self) -> Option<&[u8]> {
        match self {
            Self::Unread(_) => None,
            Self::Read(fetched) => Some(fetched.body()),
        }
    }

    /// What broke its body off, where that was not the outcome.
    pub(crate) fn fault(&self) -> Option<Arc<Fault>> {
        match self {
            Self::Unread(_) => None,
            Self::Read(fetched) => fetched.fault(),
        }
    }

    #[inline]
    pub(crate) fn into_response(self) -> Response {
        match self {
            Self::Unread(response) => *response,
            Self::Read(fetched) => fetched.into_response(),
        }
    }
}

/// What failed, and the status if the response had come so far.
pub(crate) struct Failed {
    pub(crate) fault: Fault,
    pub(crate) status: Option<StatusCode>,
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self { fault, status: None }
    }
}

impl From<StatusCode> for Failed {
    fn from(status: StatusCode) -> Self {
        Self { fault: Fault::Status(StatusError { status }), status: Some(status) }
    }
}

/// Whether a response to `method` with this status has a body (RFC 9110 6.4.1), whatever its headers say.
fn has_body(method: Method, status: StatusCode) -> bool {
    let status = u16::from(status);
    method != Method::Head && status >= 200 && !matches!(status, 204 | 205 | 304)
}

/// Reads the body of `response` to a request with `method`, at most `limit` bytes of it.
///
/// Where that is watched, it is read in a task of its own, as sends are made, and for the same reason.
///
/// A body that breaks off is a failure, unless the status is one that is `retried` anyway: then that is the outcome.
pub(crate) async fn read(
    mut response: Response,
    method: Method,
    limit: usize,
    retried: bool,
    is_watched: bool,
) -> Result<Fetched, Failed> {
    if !has_body(method, response.status()) {
        // A client that goes by the headers would wait for bytes that never come.
        drop(response.take_body());
        return Ok(Fetched::new(response, Bytes::new(), None));
    }
    let length = length(&response);
    let (response, body, fault) = if is_watched {
        Task::spawn(async move {
            let (body, fault) = collect(&mut response, limit).await;
            (response, body, fault)
        })
        .await
    } else {
        let (body, fault) = collect(&mut response, limit).await;
        (response, body, fault)
    };
    let fault = fault.or_else(|| match length {
        Length::Of(expected) if expected > body.len() => {
            Some(Fault::Short(ShortBody { expected: Some(expected), got: body.len() }))
        }
        Length::Lost => Some(Fault::Short(ShortBody { expected: None, got: 0 })),
        Length::Of(_) | Length::Unknown => None,
    });
    match fault {
        Some(fault) if !retried => Err(Failed { fault, status: Some(response.status()) }),
        fault => Ok(Fetched::new(response, body, fault.map(Arc::new))),
    }
}

/// All that comes of a body, at most `limit` bytes, and what ended it before its time.
pub(crate) async fn collect(response: &mut Response, limit: usize) -> (Bytes, Option<Fault>) {
    let mut body = BytesMut::new();
    let mut chunk = vec![0; CHUNK];
    let fault = loop {
        match caught(pin!(response.read(&mut chunk))).await {
            Ok(Ok(0)) => break None,
            Ok(Ok(read)) if read > limit.saturating_sub(body.len()) => {
                break Some(Fault::TooLarge(BodyTooLarge { limit }));
            }
            Ok(Ok(read)) => body.extend_from_slice(&chunk[..read]),
            Ok(Err(error)) => break Some(Fault::Body(error)),
            Err(panicked) => break Some(Fault::Client(panicked.into())),
        }
    };
    (body.freeze(), fault)
}

/// What is known of a body's length before it is read.
enum Length {
    Of(usize),
    Unknown,
    /// surf's HTTP/1 client throws a body away that ends with the connection.
    Lost,
}

fn length(response: &Response) -> Length {
    let declared = response.header(CONTENT_LENGTH).and_then(|values| values.last().as_str().trim().parse().ok());
    match (response.len(), declared) {
        // So does it with chunks whose name it does not know by its spelling.
        (Some(0), None) if is_of_a_server(response) => Length::Lost,
        // What the client itself promises: it knows of what it unpacks.
        (Some(length), _) => Length::Of(length),
        // A client that unpacks on its way gives more or less than was sent.
        (None, Some(_)) if response.header(CONTENT_ENCODING).is_some() => Length::Unknown,
        (None, Some(length)) => Length::Of(length),
        (None, None) => Length::Unknown,
    }
}

/// Whether the response came over the wire. surf's HTTP/1 client gives every response a date; nobody else does.
fn is_of_a_server(response: &Response) -> bool {
    response.header(DATE).is_some()
}

/// What RFC 9112 6.3 calls an unrecoverable error, and surf's HTTP/1 client takes for an answer.
pub(crate) fn check(response: &Response) -> Result<(), Fault> {
    if response.status().is_informational() {
        return Err(Fault::Malformed(Malformed::Interim));
    }
    // Along the headers, which are few: the hash by which one is found takes longer.
    let Some((_, lengths)) = response.iter().find(|(name, _)| **name == CONTENT_LENGTH) else { return Ok(()) };
    if lengths.get(1).is_none() && !lengths.last().as_str().contains(',') {
        return Ok(());
    }
    let mut lengths = lengths.iter().flat_map(|line| line.as_str().split(',')).map(str::trim);
    let first = lengths.next();
    if lengths.all(|length| Some(length) == first) { Ok(()) } else { Err(Fault::Malformed(Malformed::Lengths)) }
}

/// Reads a small body to its end, so that its connection can be used again.
pub(crate) async fn drain(mut response: Response, method: Method) {
    let large = response.len().is_some_and(|length| length > DRAIN_BYTES);
    if large || !has_body(method, response.status()) {
        return;
    }
    Task::spawn(async move {
        let mut left = DRAIN_BYTES;
        let mut scrap = vec![0; CHUNK];
        while let Ok(Ok(read @ 1..)) = caught(pin!(response.read(&mut scrap))).await {
            left = left.saturating_sub(read);
            if left == 0 {
                return;
            }
        }
    })
    .await;
}
