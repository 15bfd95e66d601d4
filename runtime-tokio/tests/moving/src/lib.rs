//! What the guide's page on moving over from reqwest-retry says, against that crate itself.

/// The page, whose code runs both.
#[doc = include_str!("../../../src/guide/moving.md")]
pub mod page {}
