//! What is fuzzed: functions of a byte string that fail by a panic. Each is one module, with a target of the same name.
//!
//! They need no fuzzer: `conformance/tests/corpus.rs` and `runtime-tokio/tests/corpus.rs` include the same files, and run
//! them over the corpus with a stable compiler.

pub mod bytes;
pub mod coded;
pub mod shapes;

pub mod budgets;
pub mod date;
pub mod hostile_server;
pub mod machine;
pub mod policy_text;
pub mod pool_model;
pub mod proxies;
pub mod retry_after;
pub mod trace;
pub mod vectors;
