//! Time that takes none, for tests of code that retries. Feature `testing`.
//!
//! - [`SkipTimer`] goes where a runtime's timer would: waits are over at once, and noted.
//! - [`simulate`] shows what a policy makes of a list of replies, without a client or a runtime.
//!
//! Other than the rest of the crate, this module needs std, and takes memory.

mod simulate;
mod skip_timer;

pub use simulate::{Reply, Simulated, simulate};
pub use skip_timer::SkipTimer;
