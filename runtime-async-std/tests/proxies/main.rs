//! Pools of real proxies on loopback.
#![cfg(feature = "curl")]

#[path = "../common/skip.rs"]
mod skip;

mod circuits;
mod connect;
mod pools;
mod rotation;
mod secrets;
