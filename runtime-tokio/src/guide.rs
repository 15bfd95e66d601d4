//! A page for each question that a caller has.
//!
//! - [Is it safe to retry?](safe)
//! - [What limits my call?](limits)
//! - [What do I get back?](result)
//! - [How do I test my code, without its waits?](testing)

#[doc = include_str!("guide/safe.md")]
pub mod safe {}

#[doc = include_str!("guide/limits.md")]
pub mod limits {}

#[doc = include_str!("guide/result.md")]
pub mod result {}

#[doc = include_str!("guide/testing.md")]
pub mod testing {}
