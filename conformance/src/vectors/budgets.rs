//! What a case of a budget consists of.

use core::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::Kind;
use super::limits::{self, Excess};
use crate::json::{Span, real};
use crate::scenario::Step;

/// A budget, and what it grants reply by reply: `budgets.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The budget.
    pub budget: Limit,
    /// The replies, in the order in which they come.
    pub steps: Vec<BudgetStep>,
    /// The setting that no budget can have, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Kind for Budget {
    const NAME: &'static str = "budgets";

    fn bounded(&self) -> Result<(), Excess> {
        limits::budget(self)
    }
}

/// A limit on retries over many calls. It may be one that no budget can be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Limit {
    /// The token bucket of AWS's SDKs: a retry costs 5, after a timeout 10.
    #[serde(rename = "aws_2_0")]
    Aws20(Bucket),
    /// The same with other costs: 14, after a 429 only 5.
    #[serde(rename = "aws_2_1")]
    Aws21(Bucket),
    /// As in Finagle.
    Ratio {
        /// The share of the first sends of the last 10 s that may be retries.
        #[serde(with = "real")]
        share: f64,
        /// The retries on top of them in any 10 s.
        reserve: u32,
    },
    /// The retry throttling of gRPC.
    Throttle {
        /// The tokens it begins with, and never has more of.
        max: u32,
        /// What a success gives back. It has three decimals at most.
        #[serde(with = "real")]
        ratio: f64,
    },
}

/// A bucket of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bucket {
    /// The most tokens in it.
    #[serde(default = "five_hundred")]
    pub capacity: u32,
    /// The tokens that it begins with; left out, it is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<u32>,
}

/// A reply that the budget is told, and what comes of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetStep {
    /// What the clock shows. It may go back.
    #[serde(default)]
    pub at: Span,
    /// The reply, of which the status or the failure counts.
    pub reply: Step,
    /// How it counts.
    pub tally: Tally,
    /// The number of the send in its call, from 1.
    #[serde(default = "one")]
    pub attempt: NonZeroU32,
    /// What the call paid for this send; nothing for its first.
    #[serde(default)]
    pub paid: u32,
    /// How many replies like this come, one after the other. Each must have the result given.
    #[serde(default = "one")]
    pub times: NonZeroU32,
    /// Whether the retry that is asked for then is granted; null if none is.
    #[serde(deserialize_with = "super::required")]
    pub granted: Option<bool>,
    /// What the granted retry costs: what its call has then `paid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u32>,
    /// What is left after the last of these replies: tokens, thousandths of them in a throttle, millionths of retries in
    /// a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
}

impl Budget {
    /// The steps, each as often as it happens.
    pub fn replies(&self) -> impl Iterator<Item = &BudgetStep> {
        self.steps.iter().flat_map(|step| (0..step.times.get()).map(move |_| step))
    }
}

/// How a reply counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tally {
    /// An answer.
    Success,
    /// A reply that is worth another send, whether or not it has one.
    Failure,
    /// Neither.
    Neutral,
}

const fn five_hundred() -> u32 {
    500
}

const fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}
