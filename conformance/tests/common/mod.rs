//! What more than one test file needs.

pub(crate) mod generate;
pub(crate) mod headers;
