//! What the command was asked to do.

use core::str::FromStr;
use core::time::Duration;
use std::ffi::OsString;
use std::path::PathBuf;

use conformance::json::Span;
use conformance::storm::{Preset, Scenario};
use lexopt::Arg;
use retry_core::{Policy, PolicyBuilder};

pub(crate) const HELP: &str = "\
A fleet that retries, against a server with an outage, in virtual time on the core's own machine.

Usage: storm [SCENARIO] [FLAGS]

Scenarios
  metastable        one retry keeps a server down after an outage of 10 s (the default)
  layers            three layers of callers, 4 sends each, above a server that is down for 60 s
  herd              100,000 clients whose calls are all cut off in one instant

What to compare: a row or a picture for each budget with each kind of jitter
  --jitter LIST     of none, 10% (or proportional=0.1), full, equal, decorrelated
  --budget LIST     of none, 10%, 20%+100 (with a reserve), aws-2.0, aws-2.1, aws-2.1:50, throttle:10:0.1

The fleet
  --clients N       how many clients; a herd's load and capacity grow with them
  --processes N     in how many processes, each with a budget of its own
  --layers N        of callers above the server
  --load N          calls that the clients begin a second, all together
  --duration T      for how long they do so
  --seed N          the same seed gives the same output

The server and its outage
  --capacity N      sends that it serves a second
  --outage-at T     when the outage begins
  --hang T          for how long it takes requests and serves none
  --down T          for how long it then refuses all

The policy of every layer
  --policy NAME     api, microservice, download or high-throughput, before the flags below
  --max-retries N   --base-delay T   --factor N   --max-delay T
  --attempt-timeout T, or none       --total-timeout T

Output: a table, and
  --svg FILE        a picture of load and goodput over time
  --json            JSON in place of the table
  --step T          the step of the picture's and the JSON's series
  --help            this

Times have a unit: 500ms, 10s, 2min. A list has commas. The command ends with status 0, with 1 if it could not write, and
with 2 if it was called wrongly.
";

/// What the command was asked to do.
pub(crate) struct Flags {
    pub(crate) scenario: Scenario,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) json: bool,
}

impl Flags {
    /// Reads the arguments; `None` if they ask for help.
    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Option<Self>, String> {
        let mut parser = lexopt::Parser::from_args(arguments);
        let (mut preset, mut svg, mut json, mut settings) = (None, None, false, Vec::new());
        while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
            match argument {
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                Arg::Long("json") => json = true,
                Arg::Long("svg") => svg = Some(value(&mut parser, "svg")?.into()),
                Arg::Long(name) => {
                    let name = name.to_owned();
                    let text = value(&mut parser, &name)?.to_string_lossy().into_owned();
                    settings.push(Setting { name, text });
                }
                Arg::Value(name) if preset.is_none() => preset = Some(named(&name.to_string_lossy())?),
                Arg::Value(_) | Arg::Short(_) => return Err(argument.unexpected().to_string()),
            }
        }
        let scenario = scenario(preset.unwrap_or(Preset::Metastable), &settings)?;
        Ok(Some(Self { scenario, svg, json }))
    }
}

struct Setting {
    name: String,
    text: String,
}

impl Setting {
    /// The value, if it can be read.
    fn read<T>(&self, accepted: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, String> {
        parse(&self.text).ok_or_else(|| self.refuse(accepted))
    }

    fn whole<T: FromStr>(&self) -> Result<T, String> {
        self.read("a whole number from 0, not too large", |text| text.parse().ok())
    }

    fn number(&self) -> Result<f64, String> {
        self.read("a number", |text| text.parse().ok())
    }

    fn time(&self) -> Result<Duration, String> {
        self.read("a time with its unit, such as 10s, 500ms or 2min", |text| text.parse::<Span>().ok().map(Into::into))
    }

    fn time_or_none(&self) -> Result<Option<Duration>, String> {
        if self.text == "none" { Ok(None) } else { self.time().map(Some) }
    }

    fn list<T: FromStr<Err = String>>(&self) -> Result<Vec<T>, String> {
        let part = |text: &str| {
            let part = Self { name: self.name.clone(), text: text.trim().into() };
            part.text.parse().map_err(|accepted: String| part.refuse(&accepted))
        };
        self.text.split(',').map(part).collect()
    }

    fn refuse(&self, accepted: &str) -> String {
        format!("--{} is {:?}, accepted: {accepted}", self.name, self.text)
    }
}

fn named(name: &str) -> Result<Preset, String> {
    let names = Preset::ALL.map(Preset::name).join(", ");
    let preset = Preset::ALL.into_iter().find(|preset| preset.name() == name);
    preset.ok_or_else(|| format!("the scenario is {name:?}, accepted: {names}"))
}

fn value(parser: &mut lexopt::Parser, name: &str) -> Result<OsString, String> {
    if KNOWN.contains(&name) {
        parser.value().map_err(|_| format!("--{name} needs a value"))
    } else {
        Err(format!("--{name} is no flag"))
    }
}

/// The flags with a value.
const KNOWN: [&str; 21] = [
    "svg",
    "jitter",
    "budget",
    "clients",
    "processes",
    "layers",
    "load",
    "duration",
    "seed",
    "capacity",
    "outage-at",
    "hang",
    "down",
    "policy",
    "max-retries",
    "base-delay",
    "factor",
    "max-delay",
    "attempt-timeout",
    "total-timeout",
    "step",
];

fn scenario(preset: Preset, settings: &[Setting]) -> Result<Scenario, String> {
    let clients = settings.iter().rfind(|setting| setting.name == "clients").map(Setting::whole).transpose()?;
    let mut scenario = preset.scenario(clients);
    let mut policy = scenario.policy.edit();
    for setting in settings {
        match setting.name.as_str() {
            "jitter" => scenario.jitters = setting.list()?,
            "budget" => scenario.budgets = setting.list()?,
            "processes" => scenario.processes = setting.whole()?,
            "layers" => scenario.layers = setting.whole()?,
            "load" => scenario.load = setting.number()?,
            "duration" => scenario.duration = setting.time()?,
            "seed" => scenario.seed = setting.whole()?,
            "capacity" => scenario.capacity = setting.number()?,
            "outage-at" => scenario.outage.at = setting.time()?,
            "hang" => scenario.outage.hang = setting.time()?,
            "down" => scenario.outage.down = setting.time()?,
            "step" => scenario.step = setting.time()?,
            _ => policy = edited(policy, setting)?,
        }
    }
    let policy = policy.build().map_err(|error| format!("--{}", error.to_string().replacen('_', "-", 1)))?;
    Ok(Scenario { policy, ..scenario })
}

fn edited(policy: PolicyBuilder, setting: &Setting) -> Result<PolicyBuilder, String> {
    Ok(match setting.name.as_str() {
        "policy" => setting.read("api, microservice, download, high-throughput", preset_policy)?.edit(),
        "max-retries" => policy.max_retries(setting.whole()?),
        "base-delay" => policy.base_delay(setting.time()?),
        "factor" => policy.factor(setting.number()?),
        "max-delay" => policy.max_delay(setting.time()?),
        "attempt-timeout" => policy.attempt_timeout(setting.time_or_none()?),
        "total-timeout" => policy.total_timeout(setting.time_or_none()?),
        // The number of clients was read before.
        _ => policy,
    })
}

fn preset_policy(name: &str) -> Option<Policy> {
    match name {
        "api" => Some(Policy::API),
        "microservice" => Some(Policy::MICROSERVICE),
        "download" => Some(Policy::DOWNLOAD),
        "high-throughput" => Some(Policy::HIGH_THROUGHPUT),
        _ => None,
    }
}
