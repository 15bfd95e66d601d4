//! A report as text.

use core::fmt::{self, Display};

use super::report::{Part, Recovery, Report, Variant};
use super::scenario::Scenario;

/// The report as a table with a line for each variant.
pub struct Table<'a>(pub &'a Report);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(report) = self;
        head(&report.scenario, f)?;
        let rule = |width: usize| "-".repeat(width);
        writeln!(
            f,
            "\n{:<26}  {:^35}  {:^26}  {:^23}  {:^27}  {:>8}  {:^15}",
            "", "offered load (sends/s)", "goodput (calls/s)", "sends per call", "", "failed", "busiest 100 ms"
        )?;
        writeln!(
            f,
            "{:<12}  {:<12}  {:>8} {:>8} {:>8} {:>8}  {:>8} {:>8} {:>8}  {:>7} {:>7} {:>7}  {:<27}  {:>8}  {:>7} {:>7}",
            "budget",
            "jitter",
            "before",
            "outage",
            "after",
            "peak",
            "before",
            "outage",
            "after",
            "all",
            "outage",
            "after",
            "time to recover",
            "calls",
            "sends",
            "retries"
        )?;
        writeln!(f, "{}", rule(174))?;
        for variant in &report.variants {
            row(variant, f)?;
        }
        Ok(())
    }
}

fn head(scenario: &Scenario, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Scenario { name, clients, processes, layers, load, duration, capacity, outage, policy, seed, .. } = scenario;
    writeln!(
        f,
        "{name}: {} {load} calls/s for {duration:?} (seed {seed})",
        format_args!(
            "{} in {} {}",
            counted((*clients).into(), "client", "clients"),
            counted((*processes).into(), "process", "processes"),
            if *clients == 1 { "begins" } else { "begin" }
        )
    )?;
    let sends = counted(policy.max_retries().saturating_add(1).into(), "send", "sends");
    write!(f, "{} of up to {sends} a call", counted((*layers).into(), "layer", "layers"))?;
    match policy.attempt_timeout() {
        Some(limit) => writeln!(f, ", each given up after {limit:?}")?,
        None => writeln!(f)?,
    }
    write!(f, "the server serves {capacity} sends/s")?;
    for (what, time) in [("hangs", outage.hang), ("is down", outage.down)] {
        if !time.is_zero() {
            write!(f, ", {what} for {time:?}")?;
        }
    }
    writeln!(f, " (from {:?} to {:?})", outage.at, outage.end())
}

fn row(variant: &Variant, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let parts = [variant.before, variant.outage, variant.after];
    write!(f, "{:<12}  {:<12} ", variant.budget, variant.jitter)?;
    let rates = |of: fn(Part) -> f64| parts.map(|part| or_dash(part.map(of), 0));
    for rate in rates(|part| part.offered) {
        write!(f, " {rate:>8}")?;
    }
    write!(f, " {:>8.0} ", variant.peak)?;
    for rate in rates(|part| part.goodput) {
        write!(f, " {rate:>8}")?;
    }
    write!(f, "  {:>7.2}", variant.amplification)?;
    for part in &parts[1..] {
        write!(f, " {:>7}", or_dash(part.and_then(|part| part.amplification), 2))?;
    }
    write!(f, "  {:<27}  {:>8}  ", recovery(variant.recovery), variant.failed)?;
    let percent = |share: Option<f64>| share.map_or("-".into(), |share| format!("{:.2}%", share * 100.0));
    writeln!(f, "{:>7} {:>7}", percent(variant.busiest_of_sends), percent(variant.busiest_of_retries))
}

/// The time to recover in words.
fn recovery(recovery: Recovery) -> String {
    match recovery {
        Recovery::After(seconds) if is_at_once(seconds) => "at once".into(),
        Recovery::After(seconds) => format!("{seconds:.1} s"),
        Recovery::Not { queue_growth, .. } if queue_growth >= 0.5 => format!("never (queue +{queue_growth:.0}/s)"),
        Recovery::Not { within, .. } => format!("not within {within:.0} s"),
        Recovery::Unanswered => "no call answered".into(),
    }
}

/// Whether so many seconds would be told as none.
pub(super) fn is_at_once(seconds: f64) -> bool {
    seconds < 0.05
}

/// A number and what it counts.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn or_dash(number: Option<f64>, decimals: usize) -> String {
    number.map_or("-".into(), |number| format!("{number:.decimals$}"))
}
