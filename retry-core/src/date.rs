//! HTTP-dates.
