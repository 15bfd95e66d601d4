//! A fleet that retries, against a server with an outage, in virtual time.
//!
//! Every call of the fleet is carried out by the core's own machine, under its own policies and budgets; nothing here
//! knows when to retry. The clients begin calls in rhythms of their own and do not wait for earlier ones. Below them are
//! services, each of which makes one call for each request that it gets, under the same policy; at the bottom is one
//! server that serves one request after the other, in the order in which they came. **It cannot know who still waits**: a
//! request that its client has given up is served like any other. The network takes no time.
//!
//! ```
//! use conformance::storm::{Preset, Scenario};
//!
//! let scenario = Scenario { jitters: vec!["full".parse()?], budgets: vec!["20%".parse()?], ..Preset::Metastable.scenario(None) };
//! let report = conformance::storm::play(&scenario, &|_| {})?;
//! assert!(report.variants[0].recovery.after().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What follows from it for who chooses a policy is in [`retry_core::guide::storms`].
//!
//! # What is told
//!
//! - **offered load**: the sends a second that the server is asked to serve, first ones and retries.
//! - **goodput**: the clients' calls a second that end with an answer, counted when they do.
//! - **amplification**: the sends at the server for each call that a client began in the same time.
//! - **time to recover**: from the moment at which the server is back to the end of the last send that brought no answer
//!   (refused, cut off, or given up at its limit). A fleet has *not* recovered if sends were lost in the last tenth of the
//!   time between the end of the outage and that of the load. Where no load follows the outage, it is the time to the end
//!   of the last call, answered or not.
//! - **busiest 100 ms**: the largest share of sends, or of retries alone, in any 100 whole milliseconds in a row.
//!
//! # Why a budget of 20 % saves a fleet at 240 calls a second and not at 280
//!
//! A server of 300 sends a second has stood still for 10 s, and each client gives a send up after 1 s and retries once.
//! Then 10 s of work wait, all of it for nobody; every new send lines up behind it and is given up before its turn. So
//! every call makes two sends: 240 calls a second are 480 sends, more than the server can serve, and the queue grows
//! although the outage is over. The fleet's own retries keep it down: a metastable failure.
//!
//! A budget bounds the *ratio* of retries, not the load. With a share b of the first sends, the load is at most
//! `calls × (1 + b)`, and the queue shrinks only if that is below the capacity:
//!
//! | calls a second | without | 20 % | 10 % | bound of the share |
//! |---|---|---|---|---|
//! | 240 | 480 | **288** | **264** | 300 / 240 - 1 = 25 % |
//! | 280 | 560 | 336 | 308 | 300 / 280 - 1 = 7.1 % |
//!
//! (Bold: below 300, recovers.) The queue shrinks by what is left: 12 sends a second with 20 %, which takes 210 s, and 36
//! with 10 %, which takes 67 s: half the budget recovers three times as fast. Without retries it is 35 s. At 280 calls a second 20 % ask for 336 sends of a server that
//! has 300, for ever; even 10 % is too much there. **A share helps only if it is smaller than the headroom of the
//! server**: choose it as `capacity / load at peak - 1` or less, or shed load. A reserve counts on top: the default of
//! [`Ratio`](retry_core::Ratio), 100 retries in 10 s for each process, adds 10 sends a second *a process*, and a fleet of
//! ten processes at 240 calls a second stays down with it.
//!
//! Jitter changes none of this: it moves retries by a second, and the overload lasts for minutes. Nor does a share that is
//! small enough save the calls of that time: all of them fail until the queue is short again.
//!
//! # Layers multiply
//!
//! Three layers of 4 sends each ask 4 × 4 × 4 = 64 sends of a server that is down for each call. With a share of 10 % in
//! each layer it is 1.1³ = 1.33 in the mean.
//!
//! In the mean only: in the first second of an outage a [`Ratio`](retry_core::Ratio) also grants what the 10 s before it
//! have saved up, and in every layer. That second has about four times the load. It then stands in the window for 10 s as
//! debt, in which next to nothing is granted, and as it leaves, the next burst is there: every 10 s, as long as the
//! outage lasts. A server needs headroom for that second, or must turn sends away.
//!
//! # A herd
//!
//! Here each client has one call open when all of them are cut off in one instant. Only jitter spreads what follows; a
//! budget only makes it smaller. 100,000 clients with 4 sends each, after an outage of 3 s:
//!
//! | jitter | busiest 100 ms, of all sends | of the retries | calls that fail |
//! |---|---|---|---|
//! | none | 29 % | 40 % | none |
//! | 10 % | 15 % | 21 % | none |
//! | equal | 6.1 % | 8.8 % | none |
//! | full | 4.1 % | 5.5 % | 15 % |
//! | decorrelated | 4.1 % | 4.3 % | none |
//!
//! Without jitter all retries of a round are in one instant. With 10 % half of the first round is in the busiest 100 ms,
//! because 10 % around 1 s are a window of 200 ms. Full jitter spreads well, but waits half as long on average, so that
//! some of its calls have used up their retries before the server is back.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::sync::Mutex;
use std::thread;

use fleet::Fleet;
use retry_core::Policy;

pub use report::{Part, Recovery, Report, Variant};
pub use scenario::{Outage, Preset, Scenario, ScenarioError};
pub use variant::{Fund, Spread};

mod alarms;
mod arrivals;
pub mod chart;
mod fleet;
mod record;
mod report;
mod scenario;
mod server;
pub mod table;
mod variant;

/// How many variants run side by side; each needs its own memory.
const WORKERS: usize = 2;

/// Plays every variant of `scenario`: each budget with each kind of jitter.
///
/// The same scenario gives the same report. `progress` is told which share of the work is done, from 0 to 1.
///
/// # Errors
///
/// The first field of the scenario that is out of its bounds.
pub fn play(scenario: &Scenario, progress: &(dyn Fn(f64) + Sync)) -> Result<Report, ScenarioError> {
    scenario.check()?;
    let policies = scenario.policies()?;
    let variants: Vec<(&Fund, &(Spread, Policy))> =
        scenario.budgets.iter().flat_map(|fund| policies.iter().map(move |policy| (fund, policy))).collect();
    let shares = Mutex::new(vec![0.0; variants.len()]);
    let tell = |place: usize, share: f64| {
        let Ok(mut shares) = shares.lock() else { return };
        shares[place] = share;
        progress(shares.iter().sum::<f64>() / shares.len() as f64);
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let place = next.fetch_add(1, Relaxed);
            let Some((fund, (spread, policy))) = variants.get(place) else { return played };
            let record = Fleet::new(scenario, policy, fund).play(|share| tell(place, share));
            tell(place, 1.0);
            played.push((place, Variant::new(scenario, *spread, fund, &record)));
        }
    };
    let mut played = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| match worker.join() {
            Ok(played) => played,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    played.sort_by_key(|(place, _)| *place);
    Ok(Report::new(scenario, played.into_iter().map(|(_, variant)| variant).collect()))
}

/// Whole nanoseconds; no scenario has more than fit.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
