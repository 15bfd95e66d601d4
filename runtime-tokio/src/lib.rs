//! reqwest on tokio, with retries that keep their limits.
#![forbid(unsafe_code)]
