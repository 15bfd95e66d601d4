//! One axis: its range, the places of its ticks, and what is written there.

/// The range of an axis, in the unit of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Axis {
    /// An axis from `low` to `high`, each within 1e15 of zero; where they are no range, one of length 1 from `low`.
    pub fn new(low: f64, high: f64) -> Self {
        // Beyond this, adding 1 would be lost.
        let bounded = |value: f64| if value.is_nan() { 0.0 } else { value.clamp(-1e15, 1e15) };
        let (low, high) = (bounded(low), bounded(high));
        Self { low, high: if high > low { high } else { low + 1.0 }, is_log: false }
    }

    /// An axis from zero to the first tick at or above `high`.
    ///
    /// ```
    /// use conformance::svg::Axis;
    ///
    /// assert_eq!(Axis::up_to(487.0, 5).high(), 500.0);
    /// ```
    pub fn up_to(high: f64, ticks: u32) -> Self {
        let axis = Self::new(0.0, high);
        let step = axis.step(ticks);
        Self { high: (axis.high / step).ceil() * step, ..axis }
    }

    /// A logarithmic axis between powers of ten, from the last at or below `low` to the first at or above `high`; both
    /// are taken to be within 1e-9 ..= 1e15.
    ///
    /// ```
    /// use conformance::svg::Axis;
    ///
    /// let axis = Axis::log(30.0, 2_000.0);
    /// assert_eq!(axis.ticks(5), [10.0, 100.0, 1_000.0, 10_000.0]);
    /// assert_eq!(axis.share(0.0), 0.0); // what a logarithm does not have lies at the low end
    /// ```
    pub fn log(low: f64, high: f64) -> Self {
        let bounded = |value: f64| if value.is_nan() { 1.0 } else { value.clamp(1e-9, 1e15) };
        let power = |exponent: f64| 10_f64.powi(exponent as i32);
        let low = bounded(low).log10().floor();
        let high = bounded(high).log10().ceil().max(low + 1.0);
        Self { low: power(low), high: power(high), is_log: true }
    }

    /// What stands at the left or lower end.
    pub const fn low(self) -> f64 {
        self.low
    }

    /// What stands at the right or upper end.
    pub const fn high(self) -> f64 {
        self.high
    }

    /// Whether it is logarithmic.
    pub const fn is_log(self) -> bool {
        self.is_log
    }

    /// Where `value` lies: 0 at the low end, 1 at the high one, and beyond them for what is outside.
    pub fn share(self, value: f64) -> f64 {
        if self.is_log {
            return (value.max(self.low) / self.low).log10() / (self.high / self.low).log10();
        }
        (value - self.low) / (self.high - self.low)
    }

    /// Round numbers in the range, at most `most` steps apart; on a logarithmic axis powers of ten.
    ///
    /// ```
    /// use conformance::svg::Axis;
    ///
    /// assert_eq!(Axis::new(0.0, 60.0).ticks(4), [0.0, 20.0, 40.0, 60.0]);
    /// ```
    pub fn ticks(self, most: u32) -> Vec<f64> {
        if self.is_log {
            let powers = (self.high / self.low).log10().round() as u32;
            let apart = powers.div_ceil(most.max(1));
            return (0..=powers / apart).map(|place| self.low * 10_f64.powi((place * apart) as i32)).collect();
        }
        let step = self.step(most);
        let first = (self.low / step).ceil();
        // The hair makes up for what dividing lost, so that a tick at the very end is not left out.
        let count = (self.high / step - first + 1e-9).floor().clamp(0.0, f64::from(most.max(1)));
        (0..=count as u32).map(|place| (first + f64::from(place)) * step).collect()
    }

    /// The distance of the ticks: 1, 2 or 5 times a power of ten.
    fn step(self, most: u32) -> f64 {
        let least = (self.high - self.low) / f64::from(most.max(1));
        let mut power = 1.0;
        while power > least && power > 1e-300 {
            power /= 10.0;
        }
        while power * 10.0 <= least {
            power *= 10.0;
        }
        let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
        factor.unwrap_or(10.0) * power
    }
}

/// A number as a tick has it: short, with k, M or G for thousands and more.
pub(super) fn label(value: f64) -> String {
    let (divisor, unit) = match value.abs() {
        size if size >= 1e9 => (1e9, "G"),
        size if size >= 1e6 => (1e6, "M"),
        size if size >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Twelve decimals drop what dividing left over, and nothing that a tick of ours has.
    let number = format!("{:.12}", value / divisor + 0.0);
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_few_and_reach_the_ends() {
        for (low, high, most, expected) in [
            (0.0, 1.0, 5, vec!["0", "0.2", "0.4", "0.6", "0.8", "1"]),
            (0.0, 487.0, 5, vec!["0", "100", "200", "300", "400"]),
            (0.0, 0.007, 4, vec!["0", "0.002", "0.004", "0.006"]),
            (-3.0, 3.0, 3, vec!["-2", "0", "2"]),
            (0.0, 2e6, 2, vec!["0", "1M", "2M"]),
            (0.0, 25_000.0, 5, vec!["0", "5000", "10k", "15k", "20k", "25k"]),
        ] {
            let labels: Vec<String> = Axis::new(low, high).ticks(most).into_iter().map(label).collect();
            assert_eq!(labels, expected, "{low} ..= {high}");
        }
    }

    #[test]
    fn any_range_gives_a_bounded_number_of_ticks() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e-310, 1e300, -1e300, f64::MAX, 3.7];
        for low in odd {
            for high in odd {
                for most in [0, 1, 7] {
                    let axis = Axis::new(low, high);
                    assert!(axis.ticks(most).len() <= most.max(1) as usize + 1, "{axis:?} {most}");
                    let axis = Axis::log(low, high);
                    assert!(axis.ticks(most).len() <= most.max(1) as usize + 1, "{axis:?} {most}");
                }
            }
        }
    }

    #[test]
    fn an_axis_up_to_a_value_ends_at_a_tick() {
        for (high, expected) in [(487.0, 500.0), (500.0, 500.0), (0.0, 1.0), (6400.0, 8000.0)] {
            assert_eq!(Axis::up_to(high, 5).high, expected);
        }
    }
}
