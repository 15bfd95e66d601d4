//! What is played: the fleet, its load, the server, the outage, and the variants to be compared.

use core::fmt;
use core::time::Duration;

use retry_core::Policy;

use super::variant::{Fund, Spread};

/// The most sends that a scenario may lead to, so that any run ends soon and fits into memory.
const MOST_SENDS: f64 = 1e7;
const HOUR: Duration = Duration::from_secs(3600);

/// A scenario. [`Scenario::check`] says whether it can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    /// How many clients call the first service: 1 ..= 1,000,000. Each calls again and again in a rhythm of its own, and
    /// does not wait for its earlier calls.
    pub clients: u32,
    /// In how many processes the clients run, and each service too: 1 ..= `clients`. A process has one budget.
    pub processes: u32,
    /// How many layers of callers retry, one above the other, before the server: 1 ..= 4.
    pub layers: u32,
    /// How many calls the clients begin a second, all together: 0.001 ..= 1,000,000.
    pub load: f64,
    /// For how long they begin calls: above zero, at most 1 h. What they began is then carried to its end.
    pub duration: Duration,
    /// How many sends the server can serve a second: 0.001 ..= 1,000,000.
    pub capacity: f64,
    /// What happens to the server.
    pub outage: Outage,
    /// The policy of every layer; its jitter is replaced by each of `jitters`. Its total limit is at most 1 h.
    pub policy: Policy,
    /// The kinds of jitter to be compared.
    pub jitters: Vec<Spread>,
    /// The budgets to be compared.
    pub budgets: Vec<Fund>,
    /// What random choices come from.
    pub seed: u64,
    /// The step of the series: 10 ms ..= 1 min, and at most 10,000 of them in `duration`.
    pub step: Duration,
}

/// An outage: first the server hangs, then it is down, then it is back. Each part at most 1 h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When it begins, from the start.
    pub at: Duration,
    /// For how long the server takes requests and serves none. What waits is served later.
    pub hang: Duration,
    /// For how long it then is down. What waits is cut off as this begins; each request meanwhile is answered with 503.
    pub down: Duration,
}

impl Outage {
    /// When the server is back, from the start.
    pub fn end(&self) -> Duration {
        self.at.saturating_add(self.hang).saturating_add(self.down)
    }
}

/// The scenarios that are ready to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A server that never comes back from an outage of 10 s, because its clients retry once.
    Metastable,
    /// Three layers of callers, each of which sends up to 4 times.
    Layers,
    /// A fleet whose calls are all cut off in one instant.
    Herd,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Metastable, Self::Layers, Self::Herd];

    /// Its name at the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metastable => "metastable",
            Self::Layers => "layers",
            Self::Herd => "herd",
        }
    }

    /// The scenario, with so many clients if that is told. Only a herd's load and capacity grow with them.
    pub fn scenario(self, clients: Option<u32>) -> Scenario {
        let secs = Duration::from_secs;
        let millis = Duration::from_millis;
        match self {
            Self::Metastable => Scenario {
                name: self.name().into(),
                clients: clients.unwrap_or(1000),
                processes: 10,
                layers: 1,
                load: 240.0,
                duration: secs(400),
                capacity: 300.0,
                outage: Outage { at: secs(30), hang: secs(10), down: secs(0) },
                policy: const {
                    Policy::builder().max_retries(1).attempt_timeout(Some(Duration::from_secs(1))).build_const()
                },
                jitters: read(&["none", "10%", "full"]),
                budgets: read(&["none", "20%", "10%"]),
                seed: 1,
                step: secs(1),
            },
            Self::Layers => Scenario {
                name: self.name().into(),
                clients: clients.unwrap_or(1000),
                processes: 10,
                layers: 3,
                load: 100.0,
                duration: secs(100),
                capacity: 1000.0,
                outage: Outage { at: secs(20), hang: secs(0), down: secs(60) },
                policy: const { Policy::builder().base_delay(Duration::from_millis(50)).build_const() },
                jitters: read(&["none", "10%", "full"]),
                budgets: read(&["none", "10%"]),
                seed: 1,
                step: secs(1),
            },
            Self::Herd => {
                let clients = clients.unwrap_or(100_000);
                Scenario {
                    name: self.name().into(),
                    clients,
                    processes: clients.clamp(1, 100),
                    layers: 1,
                    load: f64::from(clients),
                    duration: secs(1),
                    capacity: f64::from(clients) / 4.0,
                    outage: Outage { at: secs(0), hang: secs(1), down: secs(2) },
                    policy: const { Policy::builder().attempt_timeout(Some(Duration::from_secs(2))).build_const() },
                    jitters: read(&["none", "10%", "full", "equal", "decorrelated"]),
                    budgets: read(&["none", "10%"]),
                    seed: 1,
                    step: millis(100),
                }
            }
        }
    }
}

/// Texts of this file, all of which can be read.
fn read<T: core::str::FromStr<Err = String>>(texts: &[&str]) -> Vec<T> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

impl Scenario {
    /// Whether it can be played.
    ///
    /// # Errors
    ///
    /// The first field that is out of its bounds.
    pub fn check(&self) -> Result<(), ScenarioError> {
        let within = |name, value: f64, low: f64, high: f64| {
            // So written that NaN is refused, too.
            if (low..=high).contains(&value) { Ok(()) } else { refuse(name, value, format!("{low} ..= {high}")) }
        };
        let limited = |name, time: Duration, low: Duration, high: Duration| {
            if low <= time && time <= high {
                Ok(())
            } else {
                refuse(name, format!("{time:?}"), format!("{low:?} ..= {high:?}"))
            }
        };
        within("clients", self.clients.into(), 1.0, 1e6)?;
        within("processes", self.processes.into(), 1.0, self.clients.into())?;
        within("layers", self.layers.into(), 1.0, 4.0)?;
        within("load", self.load, 1e-3, 1e6)?;
        within("capacity", self.capacity, 1e-3, 1e6)?;
        limited("duration", self.duration, Duration::from_millis(1), HOUR)?;
        limited("outage-at", self.outage.at, Duration::ZERO, HOUR)?;
        limited("hang", self.outage.hang, Duration::ZERO, HOUR)?;
        limited("down", self.outage.down, Duration::ZERO, HOUR)?;
        limited("step", self.step, Duration::from_millis(10).max(self.duration / 10_000), Duration::from_secs(60))?;
        match self.policy.total_timeout() {
            Some(total) => limited("total-timeout", total, Duration::from_nanos(1), HOUR)?,
            None => refuse("total-timeout", "none", "at most 3600s")?,
        }
        for (name, count) in [("jitter", self.jitters.len()), ("budget", self.budgets.len())] {
            if !(1..=8).contains(&count) {
                refuse(name, format!("a list of {count}"), "a list of 1 ..= 8")?;
            }
        }
        let sends = self.most_sends();
        if sends > MOST_SENDS {
            return refuse(
                "load",
                format!("{} a second for {:?}, with up to {sends:.0} sends", self.load, self.duration),
                format!("what leads to at most {MOST_SENDS} sends (fewer layers, retries or calls)"),
            );
        }
        Ok(())
    }

    /// The policies to be compared, each with its kind of jitter.
    ///
    /// # Errors
    ///
    /// If a kind of jitter is none that a policy can have.
    pub(super) fn policies(&self) -> Result<Vec<(Spread, Policy)>, ScenarioError> {
        let with = |spread: &Spread| match self.policy.edit().jitter(spread.0).build() {
            Ok(policy) => Ok((*spread, policy)),
            Err(error) => refuse("jitter", error.value(), error.bound()),
        };
        self.jitters.iter().map(with).collect()
    }

    /// How many sends it can lead to, in all layers.
    fn most_sends(&self) -> f64 {
        let each = f64::from(self.policy.max_retries()) + 1.0;
        let in_layers: f64 = (1..=self.layers).map(|layer| (0..layer).map(|_| each).product::<f64>()).sum();
        (self.load * self.duration.as_secs_f64()).ceil() * in_layers
    }
}

/// A field of a scenario that is out of its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The field's name, as its flag has it.
    pub name: &'static str,
    /// The value that was refused.
    pub value: String,
    /// What would have been accepted.
    pub accepted: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, accepted: {}", self.name, self.value, self.accepted)
    }
}

impl core::error::Error for ScenarioError {}

fn refuse<T>(name: &'static str, value: impl ToString, accepted: impl Into<String>) -> Result<T, ScenarioError> {
    Err(ScenarioError { name, value: value.to_string(), accepted: accepted.into() })
}
