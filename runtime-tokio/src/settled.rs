//! The mark of a result that a retry layer has worked on, so that one around it passes it on instead of multiplying.

use http::Extensions;
use retry_core::{End, Reason};

use crate::reply::{Failed, Received};

/// The mark, among a response's extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled;

impl Settled {
    /// Whether a call that ended so has worked on its result.
    pub(crate) fn by(end: &End) -> bool {
        end.attempts > 1 || end.reason != Reason::Answer
    }

    pub(crate) fn mark(extensions: &mut Extensions) {
        extensions.insert(Self);
    }

    /// Whether a layer inside this one has made up its mind on `reply`.
    pub(crate) fn is(reply: &Result<impl Received, Failed>) -> bool {
        match reply {
            Ok(received) => received.extensions().get::<Self>().is_some(),
            Err(failed) => failed.fault.is_settled(),
        }
    }
}
