//! Five jittered delays, exponential from 1 s, without sending anything.

use std::hint::black_box;
use std::time::{Duration, SystemTime};

use backon::BackoffBuilder;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::Policy;
use retry_policies::policies::ExponentialBackoff;
use retry_policies::{Jitter, RetryDecision, RetryPolicy};
use tokio_retry::strategy::jitter;

use crate::alloc::Heap;
use crate::count::{WINDOWS, mark};
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::pair::{PAIRS, Ratios};
use crate::report::{Aim, Section};
use crate::table::{Table, short, whole};

use super::block_on;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
const DELAYS: usize = 5;

/// Schedules in a window, and in a timed piece.
const COUNT: u64 = 20_000;
const PIECE: u64 = 200;

const PEERS: [(&str, &str); 3] =
    [("backon", "backon"), ("tokio-retry", "tokio-retry"), ("retry-policies", "retry-policies")];

/// Goes through a schedule's delays, none of which is computed in vain, and tells how many there were.
type Schedule = Box<dyn FnMut() -> usize>;

fn ours(jitter: retry_core::Jitter) -> Schedule {
    let policy = Policy::API.edit().max_retries(DELAYS as u32).jitter(jitter).build();
    let policy = policy.expect("a policy within the bounds");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    Box::new(move || black_box(&policy).delays(&mut rng).map(black_box).count())
}

fn backon() -> Schedule {
    let builder = backon::ExponentialBuilder::new()
        .with_min_delay(FIRST)
        .with_max_delay(LONGEST)
        .with_max_times(DELAYS)
        .with_jitter();
    Box::new(move || black_box(builder).build().map(black_box).count())
}

fn tokio_retry() -> Schedule {
    let waits = tokio_retry::strategy::ExponentialBackoff::from_millis(2).factor(500).max_delay(LONGEST);
    Box::new(move || black_box(&waits).clone().map(jitter).take(DELAYS).map(black_box).count())
}

fn retry_policies() -> Schedule {
    let policy = ExponentialBackoff::builder()
        .retry_bounds(FIRST, LONGEST)
        .jitter(Jitter::Full)
        .build_with_max_retries(DELAYS as u32);
    Box::new(move || {
        let started = SystemTime::now();
        let mut count = 0;
        for number in 0.. {
            match black_box(&policy).should_retry(started, number) {
                RetryDecision::Retry { execute_after } => {
                    _ = black_box(execute_after.duration_since(SystemTime::now()).unwrap_or_default());
                    count += 1;
                }
                RetryDecision::DoNotRetry => break,
            }
        }
        count
    })
}

fn schedule(name: &str) -> Schedule {
    match name {
        "ours" => ours(Policy::API.jitter()),
        "ours, full" => ours(retry_core::Jitter::Full),
        "backon" => backon(),
        "tokio-retry" => tokio_retry(),
        "retry-policies" => retry_policies(),
        _ => panic!("no schedule is called {name}"),
    }
}

fn repeat(schedule: &mut Schedule, count: u64) {
    for _ in 0..count {
        assert_eq!(schedule(), DELAYS, "delays in a schedule");
    }
}

/// With a count: that many. Without: ours in turns with the subject's.
pub fn measure(job: &Job) {
    let mut subject = schedule(&job.subject);
    if job.count > 0 {
        let before = Heap::now();
        for _ in 0..WINDOWS {
            mark();
            repeat(&mut subject, job.count);
        }
        mark();
        tell("allocations", &[(Heap::now().calls - before.calls) as f64 / (WINDOWS * job.count) as f64]);
        return;
    }
    let mut own = schedule("ours");
    let ratios =
        block_on(Ratios::measure(PAIRS, async || repeat(&mut subject, PIECE), async || repeat(&mut own, PIECE)));
    tell("ratios", ratios.all());
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "Five jittered delays",
        "Exponential from 1 s, five of them. Each crate draws as it does by default, ours up to 10 % more or less than the delay; and ours once more with full jitter, between nothing and the delay, as tokio-retry and retry-policies do. again keeps its schedule to itself; tower's gives \
         timers and not delays; reqwest's own retry has none.",
    );
    let mut table = Table::new(&["", "instructions", "allocations", "our time over its time", "middle half"]);
    let count = |name| -> Result<(f64, f64)> {
        let job = lab.job("schedule", name, false, COUNT);
        Ok((lab.instructions(&job)?.median, lab.ask(Program::Counting, &job)?.one("allocations")?))
    };
    let (own, heap) = count("ours")?;
    table.row(["**ours**, `Policy::delays`".into(), whole(own), short(heap), "1".into(), String::new()]);
    let (full, heap) = count("ours, full")?;
    table.row(["**ours**, with full jitter".into(), whole(full), short(heap), String::new(), String::new()]);
    let (mut fewest, mut slowest) = (f64::INFINITY, 0.0_f64);
    for (name, label) in PEERS {
        let (instructions, heap) = count(name)?;
        let ratios =
            Ratios::new(lab.ask(Program::Plain, &lab.job("schedule", name, false, 0))?.all("ratios")?.to_vec());
        let (low, high) = ratios.spread();
        table.row([
            label.into(),
            whole(instructions),
            short(heap),
            short(ratios.median()),
            format!("{} to {}", short(low), short(high)),
        ]);
        (fewest, slowest) = (fewest.min(instructions), slowest.max(ratios.median()));
    }
    for (name, why) in [
        ("again", "private"),
        ("tower", "makes timers"),
        ("reqwest's own", "no delay"),
        ("surf-retry", "see retry-policies"),
    ] {
        table.row([name.into(), why.into(), String::new(), String::new(), String::new()]);
    }
    section.tables.push(table);
    section.aims.push(Aim::at_most("schedule: instructions".into(), "500".into(), whole(own), own, 500.0));
    let what = "schedule: instructions, against the peer with the fewest";
    section.aims.push(Aim::new(what.into(), format!("< {}", whole(fewest)), whole(own), own < fewest));
    let what = "schedule: time, over the time of the fastest peer";
    section.aims.push(Aim::new(what.into(), "< 1".into(), short(slowest), slowest < 1.0));
    Ok(section)
}
