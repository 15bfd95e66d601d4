//! The script's data: what the server does with one request.

use core::time::Duration;

/// What the server does with one request: a whole response, a wrong one, or none.
///
/// ```
/// use conformance::server::{Fault, Point, Reply};
///
/// let busy = Reply::status(503).header("Retry-After", "2").body("later");
/// let lost = Fault::Reset.at(Point::Request);
/// let torn = Reply::status(200).body("a page").fault(Fault::Close, Point::HalfBody);
/// # drop([busy, lost, torn]);
/// ```
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) reason: String,
    pub(super) headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) framing: Framing,
    pub(super) after: After,
    pub(super) drip: Option<Duration>,
    pub(super) fault: Option<(Fault, Point)>,
    #[cfg(feature = "h2")]
    pub(super) stream_fault: Option<super::StreamFault>,
}

/// How the body is laid out after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// With its `Content-Length`.
    Length,
    /// With this `Content-Length`, true or not. A false one ends the connection after the body.
    Declared(u64),
    /// In chunks of at most 1,024 bytes.
    Chunked,
    /// In chunks, but the last one never comes: the connection ends instead.
    OpenChunks,
    /// Without a length: the end of the connection is the end of the body.
    UntilClose,
    /// Without a length, and the body is repeated until the client closes.
    Endless,
    /// The body is one chunk, repeated until the client closes.
    EndlessChunks,
    /// The body does not begin: header lines follow until the client closes.
    EndlessHead,
    /// There is no head: the body is all that is sent, and the connection ends after it.
    Raw,
}

/// How a connection breaks. A [`Point`] says when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The server closes the connection (FIN); over TLS without a `close_notify`.
    Close,
    /// The server resets the connection (RST).
    Reset,
    /// The server says no more, until the client closes or [`Server::hang_up`](super::Server::hang_up) is called.
    Stall,
}

impl Fault {
    /// The reply that breaks at `point`; up to there it is a 200 with a short body.
    pub fn at(self, point: Point) -> Reply {
        Reply::status(200).body("half of this arrives").fault(self, point)
    }
}

/// When a fault strikes. Never before a byte was read: what a client sees then is a matter of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// After the request's first byte. The record of the request stays empty.
    FirstByte,
    /// After the request's head.
    RequestHead,
    /// After the whole request.
    Request,
    /// After the first half of the response's head.
    HalfHead,
    /// After the response's head and the first half of its body; in HTTP/1 its chunk sizes count as bytes of it.
    HalfBody,
}

/// What becomes of the connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    KeepAlive,
    Close,
    CloseSilently,
}

impl Reply {
    /// The text that [`gzip`](Self::gzip) sends compressed.
    pub const GZIP_TEXT: &str = "A body that was compressed on its way.";

    /// A response with this status, without headers and body, that keeps the connection alive.
    ///
    /// As in HTTP, 1xx, 204, 304 and the answer to HEAD are sent without a body.
    ///
    /// # Panics
    ///
    /// If `status` is not in 100..=999.
    pub fn status(status: u16) -> Self {
        assert!((100..=999).contains(&status), "a status has three digits");
        Self {
            status,
            reason: String::from("Scripted"),
            headers: Vec::new(),
            body: Vec::new(),
            framing: Framing::Length,
            after: After::KeepAlive,
            drip: None,
            fault: None,
            #[cfg(feature = "h2")]
            stream_fault: None,
        }
    }

    /// These bytes instead of a response, then the end of the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::status(200).body(bytes).framing(Framing::Raw)
    }

    /// Something that is not HTTP.
    pub fn garbage() -> Self {
        Self::raw("\u{1}\u{2}\u{3} this is no response\r\n\r\n")
    }

    /// A response whose head goes on until the client closes.
    pub fn endless_head() -> Self {
        Self::status(200).framing(Framing::EndlessHead)
    }

    /// A body without length that goes on until the client closes.
    pub fn endless_body() -> Self {
        Self::status(200).body([b'.'; 1024]).framing(Framing::Endless)
    }

    /// A chunked body that goes on until the client closes.
    pub fn endless_chunks() -> Self {
        Self::status(200).body([b'.'; 1024]).framing(Framing::EndlessChunks)
    }

    /// [`GZIP_TEXT`](Self::GZIP_TEXT), compressed.
    pub fn gzip() -> Self {
        Self::status(200).header("Content-Encoding", "gzip").body(GZIP)
    }

    /// The first half of [`gzip`](Self::gzip), with a `Content-Length` that fits the half.
    pub fn cut_gzip() -> Self {
        Self::status(200).header("Content-Encoding", "gzip").body(&GZIP[..GZIP.len() / 2])
    }

    /// This reply with another reason phrase.
    #[must_use]
    pub fn reason(mut self, reason: &str) -> Self {
        self.reason = reason.into();
        self
    }

    /// This reply with one more header line. Both bytes go out as they are, valid or not.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// This reply with this body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// This reply with another framing.
    #[must_use]
    pub fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// This reply with `Connection: close`, and then the end of the connection.
    #[must_use]
    pub fn close(mut self) -> Self {
        self.after = After::Close;
        self
    }

    /// This reply on a connection that seems to stay open, and is closed at once.
    #[must_use]
    pub fn close_silently(mut self) -> Self {
        self.after = After::CloseSilently;
        self
    }

    /// This reply with a body that comes byte by byte, each after this pause of at most 20 ms.
    #[must_use]
    pub fn drip(mut self, pause: Duration) -> Self {
        self.drip = Some(pause.min(Duration::from_millis(20)));
        self
    }

    /// This reply, broken at `point`.
    #[must_use]
    pub fn fault(mut self, fault: Fault, point: Point) -> Self {
        self.fault = Some((fault, point));
        self
    }

    /// This reply, failing as a stream of HTTP/2.
    #[cfg(feature = "h2")]
    #[must_use]
    pub fn stream_fault(mut self, fault: super::StreamFault) -> Self {
        self.stream_fault = Some(fault);
        self
    }

    /// The fault that strikes at `point`, if one does.
    pub(super) fn fault_at(&self, point: Point) -> Option<Fault> {
        self.fault.and_then(|(fault, at)| (at == point).then_some(fault))
    }
}

/// [`Reply::GZIP_TEXT`] as `gzip -9` writes it, without a time.
const GZIP: &[u8; 57] =
    b"\x1f\x8b\x08\0\0\0\0\0\x02\x03sTH\xcaO\xa9T(\xc9H,Q(O,VH\xce\xcf-(J-.NMQ\xc8\xcfS\xc8,)\x06\x8aV\
    \xea\x01\0\xdf\x0c\x8cJ&\0\0\0";
