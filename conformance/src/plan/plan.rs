//! All that is known of a policy before it runs.

use core::time::Duration;

use retry_core::Policy;

use crate::ends::{Case, Made, cases};
use crate::rows::{Row, rows};
use crate::warnings::{Warning, warnings};

/// A policy, and what its calls will do.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Where the policy came from.
    pub(crate) name: String,
    pub(crate) policy: Policy,
    /// How long a send takes.
    pub(crate) send: Duration,
    /// The first retries.
    pub(crate) rows: Vec<Row>,
    /// What ends a call that never succeeds, for each kind of trouble; at first, that every send fails.
    pub(crate) cases: Vec<Case>,
    pub(crate) warnings: Vec<Warning>,
}

impl Plan {
    /// The plan of `policy`, with up to `most` retries in its table.
    pub(crate) fn new(name: String, policy: Policy, send: Duration, most: u32) -> Self {
        let (rows, cases) = (rows(&policy, send, most), cases(&policy, send));
        let warnings = cases.first().map(|fails| warnings(&policy, send, &rows, fails)).unwrap_or_default();
        Self { name, policy, send, rows, cases, warnings }
    }

    /// Which calls make this retry, if all sends fail.
    pub(crate) fn made(&self, retry: u32) -> Made {
        self.cases.first().map_or(Made::Never, |fails| fails.made(retry))
    }

    /// Whether the mean start of this retry depends on waits whose means were drawn.
    pub(crate) fn is_drawn(&self, row: &Row) -> bool {
        self.rows.iter().any(|before| before.drawn.is_some() && before.number <= row.number)
    }

    /// How many retries are not in the table.
    pub(crate) fn left_out(&self) -> u32 {
        self.policy.max_retries() - u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }
}
