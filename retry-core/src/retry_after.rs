//! Retry-After.
