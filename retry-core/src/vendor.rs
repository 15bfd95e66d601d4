//! What some vendors' servers say beside Retry-After, for callers that ask for it. Bytes in, data out, without a clock.
//!
//! No standard names these headers, so nothing here is read unless the caller says so. Whatever they ask for, the
//! policy's limits hold: a wait is capped as a hint of Retry-After is, and advice is what a custom policy's word is.
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Advice, Outcome, vendor};
//!
//! // A response's headers: `retry-after-ms: 1500` and `x-should-retry: true`.
//! let headers: [(&str, &[u8]); 2] = [("retry-after-ms", b"1500"), ("x-should-retry", b"true")];
//! let lines = |name: &'static str| headers.iter().filter(move |header| header.0 == name).map(|header| header.1);
//! let hint = vendor::hint(vendor::WAIT.into_iter().flat_map(lines));
//! let advice = vendor::advice(409, lines(vendor::SHOULD_RETRY));
//! let outcome = Outcome::status(409).with_hint(hint).with_advice(advice);
//! assert_eq!((outcome.hint, outcome.advice), (Some(Duration::from_millis(1500)), Advice::Retry));
//! ```

use core::time::Duration;

use crate::outcome::Advice;
use crate::retry_after;
use crate::time::nanos;

/// The headers that name a wait in milliseconds. Azure's services send both, OpenAI's the first.
pub const WAIT: [&str; 2] = ["retry-after-ms", "x-ms-retry-after-ms"];

/// The header that says whether another send makes sense: `true` or `false`. OpenAI's and Anthropic's services send it.
pub const SHOULD_RETRY: &str = "x-should-retry";

/// The wait that `lines` ask for, which are those of all headers of [`WAIT`]: the longest of the valid ones.
///
/// A line is a comma list of numbers of milliseconds, read as [`retry_after::hint`] reads numbers of seconds: digits, and
/// maybe a point with digits on both sides (`1500.5`), rounded up to the next nanosecond. `None`: nothing valid, or zero,
/// so that Retry-After has its say. A date is not valid here. Waits saturate at 213 days, far above any cap of a policy.
///
/// It is taken in place of Retry-After, which is coarser, though that may be longer.
///
/// ```
/// use core::time::Duration;
/// use retry_core::vendor;
///
/// let wait = |line: &str| vendor::hint([line.as_bytes()]);
/// assert_eq!(wait("20"), Some(Duration::from_millis(20)));
/// assert_eq!(wait("1500.5"), Some(Duration::from_micros(1_500_500)));
/// assert_eq!(wait("0"), None);
/// assert_eq!(wait("20ms"), None);
/// ```
pub fn hint<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Option<Duration> {
    // Read as seconds it is a thousand times too long. Rounding up twice is rounding up once.
    retry_after::hint(lines, None).map(|wait| Duration::from_nanos(nanos(wait).div_ceil(1000)))
}

/// What the lines of [`SHOULD_RETRY`] advise on a response with `status`: [`Advice::Retry`] for `true`, [`Advice::Stop`]
/// for `false`, in any case of letters.
///
/// Below 400 it is [`Advice::Keep`]: the services' own clients look at the header of an error only, and a server that
/// puts it on everything must not have its successes sent again.
///
/// A line is a comma list; members that are neither word are passed over, and so is a line with a byte that is neither
/// printable ASCII nor a tab. Where both words occur, `false` counts: it asks less of the server. Without either it is
/// [`Advice::Keep`].
///
/// ```
/// use retry_core::{Advice, vendor};
///
/// assert_eq!(vendor::advice(503, [&b"true"[..]]), Advice::Retry);
/// assert_eq!(vendor::advice(503, [&b"true"[..], b"false"]), Advice::Stop);
/// assert_eq!(vendor::advice(503, [&b"perhaps"[..]]), Advice::Keep);
/// ```
pub fn advice<'a>(status: u16, lines: impl IntoIterator<Item = &'a [u8]>) -> Advice {
    let is_text = |line: &&[u8]| line.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let mut advice = Advice::Keep;
    if status < 400 {
        return advice;
    }
    for word in lines.into_iter().filter(is_text).flat_map(|line| line.split(|byte| *byte == b',')) {
        let word = word.trim_ascii();
        if word.eq_ignore_ascii_case(b"false") {
            return Advice::Stop;
        }
        if word.eq_ignore_ascii_case(b"true") {
            advice = Advice::Retry;
        }
    }
    advice
}
