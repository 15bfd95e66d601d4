//! A `Retry` as a layer of tower: around hyper-util's client over real sockets, and around services of the test's own.
#![cfg(feature = "tower")]
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "../common/mod.rs"]
mod common;

mod calls;
mod connections;
mod contract;
mod faults;
mod layers;
mod liars;
mod settings;
mod stack;
mod strict;
mod web;
