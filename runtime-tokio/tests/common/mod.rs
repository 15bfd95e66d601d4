//! What the tests of this crate share.
#![allow(dead_code, unused_imports, reason = "each test takes what it needs")]

#[cfg(feature = "reqwest")]
mod clients;
mod guard;
mod refused;
mod skip;

#[cfg(feature = "reqwest")]
pub(crate) use clients::{builder, client, resolving, trusting};
pub(crate) use guard::{GUARD, on_a_thread};
pub(crate) use refused::refused;
pub(crate) use skip::{SkipTimer, StallTimer, Turns, guarded, instant, millis};
