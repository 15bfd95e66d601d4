//! The mark of a result that a retry layer has worked on, so that one around it passes it on instead of multiplying.

use core::cell::Cell;

use surf::Response;

use crate::fault::Fault;
use crate::reply::{Failed, Received};

/// The mark, among a response's extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled;

impl Settled {
    pub(crate) fn mark(response: &mut Response) {
        response.insert_ext(Self);
    }

    /// Whether a layer inside this one has made up its mind on `reply`.
    pub(crate) fn is(reply: &Result<Received, Failed>) -> bool {
        match reply {
            Ok(received) => received.head().ext::<Self>().is_some(),
            Err(failed) => matches!(failed.fault, Fault::Nested(_)),
        }
    }
}

thread_local! {
    /// Whether what is polled on this thread is the way to a request's own layer.
    static ON_THE_WAY: Cell<bool> = const { Cell::new(false) };
}

/// Whether a request's own layer comes further in: its settings win, and the client's layer gives way.
///
/// surf shows a client's middleware nothing of those of the request, and a builder nothing of its request. But all of
/// a call is polled from the outside in, on one thread.
pub(crate) fn gives_way() -> bool {
    ON_THE_WAY.get()
}

/// Does `work`, which is a poll, with the word on whether a request's own layer comes further in.
pub(crate) fn on_the_way<O>(is: bool, work: impl FnOnce() -> O) -> O {
    let _restored = Restore(ON_THE_WAY.replace(is));
    work()
}

/// Sets the word back, also where a poll panics.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        ON_THE_WAY.set(self.0);
    }
}
