//! The rules one by one, as the vectors ask for them.

use crate::json::Span;
use crate::scenario::{Advice, Event, Random, Scenario, Settings};
use crate::trace::Why;
use crate::vectors::{self, Judgement, Rule};

/// An implementation whose parts can be asked. [`Subject`](crate::Subject) asks for whole calls.
pub trait Rules {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// The first field that no policy can have, if there is one.
    fn refused(&self, settings: &Settings) -> Option<String>;

    /// Whether these are the settings of the preset with this name; `None` if there is none.
    fn is_preset(&self, settings: &Settings, name: &str) -> Option<bool>;

    /// The waits of a call that is answered with a retried status for ever, at once and without hints or limits.
    fn waits<'a>(&self, settings: &'a Settings, random: &'a Random) -> Box<dyn Iterator<Item = Span> + 'a>;

    /// What a response's headers ask for.
    fn hint(&self, case: &vectors::RetryAfter) -> Option<Span>;

    /// What vendors' headers ask for, and what they advise.
    fn vendor(&self, case: &vectors::Vendor) -> (Option<Span>, Advice);

    /// The worst cases of a policy; the time needed is for sends of `send`.
    fn worst(&self, settings: &Settings, send: Span) -> Worst;

    /// What a reply is worth, and the stable name of a failure.
    fn verdict(&self, settings: &Settings, event: Event) -> (Judgement, Option<&'static str>);

    /// When the request may go out again, and why it may not at all.
    fn again(&self, scenario: &Scenario) -> (Rule, Option<Why>);

    /// What a budget makes of each of the case's [replies](vectors::Budget::replies). A retry is asked for where the
    /// case says whether one is granted.
    ///
    /// # Errors
    ///
    /// The first setting that no budget can have.
    fn budget(&self, case: &vectors::Budget) -> Result<Vec<Spent>, String>;
}

/// What a budget made of one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// What the retry cost; `None` if none was asked for, or it was refused.
    pub cost: Option<u32>,
    /// What is left, as [`left`](vectors::BudgetStep::left) counts it.
    pub left: u64,
    /// How many retries were refused so far.
    pub refused: u64,
}

/// The worst cases of a policy; see [`Bounds`](vectors::Bounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The most sends.
    pub sends: u32,
    /// The sum of the computed delays.
    pub nominal: Span,
    /// The longest sum of waits without hints.
    pub waits: Span,
    /// The longest sum of waits with hints.
    pub waits_with_hints: Span,
    /// The longest time from start to end; `None` for no limit.
    pub total: Option<Span>,
    /// The time to be sure of all retries.
    pub needed: Span,
}
