//! All that only a layer in a stack of tower's services needs.

mod classify;
pub(crate) mod fault;
mod layer;
mod response;
mod sender;
mod url;

pub use layer::{RetryFuture, RetryService};
