//! Scenarios, vectors and a scripted loopback server that prove a retry loop right.
#![forbid(unsafe_code)]

pub mod server;
