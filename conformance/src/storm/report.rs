//! What came of a scenario, as numbers.

use serde::Serialize;
use serde_json::{Value, json};

use super::nanos;
use super::record::{self, Busiest, Counts, Record};
use super::scenario::Scenario;
use super::variant::{Fund, Spread};
use crate::json::Span;

/// What came of every variant of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What was played.
    pub scenario: Scenario,
    /// What came of it: for each budget, each kind of jitter.
    pub variants: Vec<Variant>,
}

/// What came of one variant. Numbers a second are means over their time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variant {
    /// The kind of jitter.
    pub jitter: String,
    /// The budget.
    pub budget: String,
    /// The calls that clients began.
    pub calls: u64,
    /// Those that failed in the end.
    pub failed: u64,
    /// The sends that the server was asked to serve.
    pub sends: u64,
    /// Those of them that were made for a retry, in whichever layer.
    pub retries: u64,
    /// Those that were served when nobody waited for the reply any more.
    pub stale: u64,
    /// Sends for each call.
    pub amplification: f64,
    /// The offered load of the busiest step of the series, in sends a second.
    pub peak: f64,
    /// Before the outage; `None` if it began at the start.
    pub before: Option<Part>,
    /// While the server hung or was down; `None` if there was no outage.
    pub outage: Option<Part>,
    /// From the end of the outage to that of the load; if that ended first, to the end of the last call.
    pub after: Option<Part>,
    /// Whether, and when, the fleet recovered.
    pub recovery: Recovery,
    /// The share of the busiest 100 ms in all sends.
    pub busiest_of_sends: Option<f64>,
    /// The share of the busiest 100 ms in all retries; `None` if there were none.
    pub busiest_of_retries: Option<f64>,
    /// When the last call ended, in seconds from the start.
    pub end: f64,
    /// The offered load in each step of time, in sends a second.
    pub offered: Vec<f64>,
    /// The goodput in each step of time, in calls a second.
    pub goodput: Vec<f64>,
}

/// One part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// How long it was, in seconds.
    pub seconds: f64,
    /// Sends a second.
    pub offered: f64,
    /// Answered calls a second.
    pub goodput: f64,
    /// Sends for each call that was begun; `None` if none was.
    pub amplification: Option<f64>,
}

/// Whether a fleet came out of an outage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// So many seconds after the server was back, the last send was lost; or, if the load ended before that, the last
    /// call ended.
    After(f64),
    /// Sends were still being lost when the load ended.
    Not {
        /// For how many seconds the load went on after the outage.
        within: f64,
        /// By how many sends a second the server's queue grew in that time; below zero if it shrank.
        queue_growth: f64,
    },
    /// No call was begun after the outage, and none was answered: nothing tells when the fleet could have recovered.
    Unanswered,
}

impl Recovery {
    /// The seconds that it took, if it recovered.
    pub const fn after(self) -> Option<f64> {
        match self {
            Self::After(seconds) => Some(seconds),
            Self::Not { .. } | Self::Unanswered => None,
        }
    }
}

impl Report {
    pub(super) fn new(scenario: &Scenario, variants: Vec<Variant>) -> Self {
        Self { scenario: scenario.clone(), variants }
    }

    /// The variant with this kind of jitter and this budget, as they are spelled.
    pub fn variant(&self, jitter: &str, budget: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.jitter == jitter && variant.budget == budget)
    }

    /// The report for machines. Times are seconds, or texts with a unit.
    pub fn to_json(&self) -> Value {
        let scenario = &self.scenario;
        let policy = &scenario.policy;
        let span = |time: core::time::Duration| Span::from(time);
        json!({
            "scenario": {
                "name": scenario.name,
                "clients": scenario.clients,
                "processes": scenario.processes,
                "layers": scenario.layers,
                "load": scenario.load,
                "duration": span(scenario.duration),
                "capacity": scenario.capacity,
                "outage_at": span(scenario.outage.at),
                "hang": span(scenario.outage.hang),
                "down": span(scenario.outage.down),
                "seed": scenario.seed,
                "step": span(scenario.step),
                "policy": {
                    "max_retries": policy.max_retries(),
                    "base_delay": span(policy.base_delay()),
                    "factor": policy.factor(),
                    "max_delay": span(policy.max_delay()),
                    "attempt_timeout": policy.attempt_timeout().map(span),
                    "total_timeout": policy.total_timeout().map(span),
                },
            },
            "variants": self.variants,
        })
    }
}

impl Variant {
    pub(super) fn new(scenario: &Scenario, jitter: Spread, budget: &Fund, record: &Record) -> Self {
        let step = scenario.step.as_secs_f64();
        let series =
            |count: fn(&Counts) -> u64| record.bins.iter().map(|bin| rounded(count(bin) as f64 / step)).collect();
        let offered: Vec<f64> = series(|bin| bin.sends);
        let sends = record.all.total();
        Self {
            jitter: jitter.to_string(),
            budget: budget.to_string(),
            calls: record.calls(),
            failed: record.failed,
            sends,
            retries: record.retries.total(),
            stale: record.stale,
            amplification: rounded(sends as f64 / record.calls().max(1) as f64),
            peak: offered.iter().copied().fold(0.0, f64::max),
            before: part(record, record::Part::Before),
            outage: part(record, record::Part::Outage),
            after: part(record, record::Part::After),
            recovery: recovery(scenario, record),
            busiest_of_sends: share(&record.all),
            busiest_of_retries: share(&record.retries),
            end: seconds(record.end),
            offered,
            goodput: series(|bin| bin.answered),
        }
    }
}

fn part(record: &Record, part: record::Part) -> Option<Part> {
    let (counts, length) = record.part(part);
    let seconds = seconds(length);
    let rate = |count: u64| rounded(count as f64 / seconds);
    (length > 0).then(|| Part {
        seconds,
        offered: rate(counts.sends),
        goodput: rate(counts.answered),
        amplification: (counts.begun > 0).then(|| rounded(counts.sends as f64 / counts.begun as f64)),
    })
}

fn recovery(scenario: &Scenario, record: &Record) -> Recovery {
    let (back, load_ends) = (nanos(scenario.outage.end()), nanos(scenario.duration));
    let last = record.last_lost.unwrap_or(0);
    let within = load_ends.saturating_sub(back);
    if within == 0 {
        if record.failed == record.calls() {
            return Recovery::Unanswered;
        }
        return Recovery::After(seconds(record.end.saturating_sub(back)));
    }
    if last < load_ends - within / 10 {
        return Recovery::After(seconds(last.saturating_sub(back)));
    }
    let [first, then] = record.queued.map(|queued| queued.unwrap_or(0) as f64);
    Recovery::Not { within: seconds(within), queue_growth: rounded((then - first) / seconds(within)) }
}

fn share(busiest: &Busiest) -> Option<f64> {
    busiest.share().map(rounded)
}

fn seconds(nanos: u64) -> f64 {
    rounded(nanos as f64 / 1e9)
}

/// To six decimals: nobody needs more of them, and they fill files.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
