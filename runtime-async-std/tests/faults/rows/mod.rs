//! The faults, by what they are about.

pub(crate) mod bodies;
pub(crate) mod handshakes;
pub(crate) mod limits;
pub(crate) mod names;
pub(crate) mod network;
pub(crate) mod protocol;
pub(crate) mod requests;
