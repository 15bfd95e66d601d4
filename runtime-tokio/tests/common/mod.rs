//! What the tests of this crate share.
#![allow(dead_code, unused_imports, reason = "each test takes what it needs")]

mod clients;
mod guard;
mod skip;

pub(crate) use clients::{builder, client, instant, refused, resolving, trusting};
pub(crate) use guard::{GUARD, on_a_thread};
pub(crate) use skip::{SkipTimer, guarded};
