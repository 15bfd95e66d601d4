//! Scenarios, vectors and a scripted loopback server that prove a retry loop right.
//!
//! Whatever carries out a call can be a [`Subject`]: the core's machine driven by hand, its loop in virtual time, a naive
//! [model] of the rules, an adapter over loopback, a loop of one's own. Its traces are compared with
//! another subject's, and with the [laws](properties) that hold for any trace.
//!
//! ```
//! use conformance::{Subject, model::Model, properties, scenario::{Scenario, Step}, sim::Drive};
//!
//! let scenario = Scenario { script: vec![Step::status(503), Step::status(200)], ..Scenario::default() };
//! let trace = Drive.run(&scenario)?;
//! assert_eq!(trace, Model.run(&scenario)?);
//! assert!(properties::broken(&scenario, &trace).is_empty());
//! # Ok::<(), conformance::Skipped>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

use core::fmt;

use scenario::Scenario;
use trace::Trace;

pub mod check;
pub mod json;
pub mod model;
pub mod properties;
pub mod results;
pub mod rules;
pub mod scenario;
pub mod server;
pub mod sim;
pub mod storm;
pub mod svg;
pub mod trace;
pub mod vectors;
pub mod wrong;

/// Something that carries out calls, and is to be proved right.
pub trait Subject {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// Carries out `scenario`, and tells what happened.
    ///
    /// # Errors
    ///
    /// [`Skipped`], if this subject cannot be put into such a scenario.
    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped>;
}

/// Why a subject does not run a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Skipped(pub &'static str);

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for Skipped {}
