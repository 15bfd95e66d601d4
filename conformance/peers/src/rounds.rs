//! A baseline, the same baseline once more, and what is compared, in turns in one process. What the first two differ by
//! is noise, and is shown beside what is found.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

use crate::lab::{Answer, Result, tell};
use crate::pair::Ratios;

/// The baseline's two places, and that of what is compared.
const PLACES: usize = 3;

/// All of them, so that each place comes first, second and last equally often, and after each other one.
const ORDERS: [[usize; PLACES]; 6] = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]];

/// What was found in many rounds.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// By the clock: in it is what threads wait for each other, and all that others do meanwhile.
    pub time: Compared,
    /// By the processor's time on all threads of the process: in it is what they disturb each other's caches, but neither
    /// what the server does nor what other programs do.
    pub processor: Compared,
}

/// Ratios, round by round.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Of what is compared to the baseline, which is the geometric mean of its two pieces: so neither of them counts more.
    pub ratios: Ratios,
    /// Of the baseline to itself.
    pub control: Ratios,
}

impl Rounds {
    /// Measures `rounds` times in each place, and tells the parent.
    pub async fn measure(rounds: usize, mut work: impl AsyncFnMut(usize)) {
        // Each twice before it counts: connections, caches, branch predictors.
        for place in (0..PLACES).chain(0..PLACES) {
            work(place).await;
        }
        let (mut times, mut processor) = ([const { Vec::new() }; PLACES], [const { Vec::new() }; PLACES]);
        for order in ORDERS.iter().cycle().take(rounds) {
            for &place in order {
                let (begun, used) = (Instant::now(), used());
                work(place).await;
                times[place].push(begun.elapsed().as_secs_f64());
                processor[place].push(self::used() - used);
            }
        }
        for (name, [first, second, compared]) in [("time", times), ("processor", processor)] {
            let baseline = first.iter().zip(&second).map(|(first, second)| (first * second).sqrt());
            let ratios: Vec<_> =
                compared.iter().zip(baseline).map(|(compared, baseline)| compared / baseline).collect();
            let control: Vec<_> = second.iter().zip(&first).map(|(second, first)| second / first).collect();
            tell(name, &ratios);
            tell(&format!("{name}-control"), &control);
        }
    }

    /// What some processes told, together.
    pub fn of(answers: &[Answer]) -> Result<Self> {
        let ratios = |name: &str| -> Result<Ratios> {
            let told: Vec<_> = answers.iter().map(|answer| answer.all(name)).collect::<Result<_>>()?;
            Ok(Ratios::new(told.concat()))
        };
        let compared = |name: &str| -> Result<Compared> {
            Ok(Compared { ratios: ratios(name)?, control: ratios(&format!("{name}-control"))? })
        };
        Ok(Self { time: compared("time")?, processor: compared("processor")? })
    }
}

/// The processor's time that this process has used, in seconds.
fn used() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}
