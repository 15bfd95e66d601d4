//! Times of two things, measured in turns in one process, so that what disturbs the one disturbs the other.

use std::future::Future;
use std::time::Instant;

/// How often both are measured, unless a scenario says otherwise. Pieces are short and many: on a machine with other
/// work a long piece is interrupted more often than a short one, and the longer of two would look longer than it is.
pub const PAIRS: usize = 400;

/// How `b` compares with `a`: the ratios of their times, pair by pair.
#[derive(Clone, Debug)]
pub struct Ratios(Vec<f64>);

impl Ratios {
    pub fn new(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        Self(ratios)
    }

    /// Measures `a` and `b` in turns; each second pair begins with `b`.
    pub async fn measure(pairs: usize, mut a: impl AsyncFnMut(), mut b: impl AsyncFnMut()) -> Self {
        // Both once before it counts: connections, caches, branch predictors.
        time(a()).await;
        time(b()).await;
        let mut ratios = Vec::with_capacity(pairs);
        for number in 0..pairs {
            let (first, second);
            if number % 2 == 0 {
                first = time(a()).await;
                second = time(b()).await;
            } else {
                second = time(b()).await;
                first = time(a()).await;
            }
            ratios.push(second / first);
        }
        Self::new(ratios)
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The middle half of the ratios.
    pub fn spread(&self) -> (f64, f64) {
        (self.quantile(0.25), self.quantile(0.75))
    }

    /// Where the median lies with a probability of 95 %, whatever the ratios' distribution: an interval of order
    /// statistics, for ratios that do not depend on each other.
    pub fn interval(&self) -> (f64, f64) {
        let half = (0.98 / (self.0.len() as f64).sqrt()).min(0.5);
        (self.quantile(0.5 - half), self.quantile(0.5 + half))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn all(&self) -> &[f64] {
        &self.0
    }

    fn quantile(&self, share: f64) -> f64 {
        let place = share * (self.0.len() - 1) as f64;
        let (below, above) = (self.0[place.floor() as usize], self.0[place.ceil() as usize]);
        below + (above - below) * place.fract()
    }
}

async fn time(work: impl Future) -> f64 {
    let begun = Instant::now();
    work.await;
    begun.elapsed().as_secs_f64()
}
