//! Scenarios, vectors and a scripted loopback server that prove a retry loop right.
#![forbid(unsafe_code)]

pub mod json;
pub mod scenario;
pub mod server;
pub mod sim;
pub mod trace;
pub mod vectors;
