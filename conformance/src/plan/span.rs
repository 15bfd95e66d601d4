//! Lengths of time as a person writes them.

/// How many nanoseconds a unit has, and its name.
pub(crate) const UNITS: [(f64, &str); 7] =
    [(86_400e9, "d"), (3_600e9, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];

/// From how many nanoseconds on each of the units is used: what has a short form in seconds keeps it.
const FROM: [f64; 7] = [3.0 * 86_400e9, 2.0 * 3_600e9, 1_000e9, 1e9, 1e6, 1e3, 0.0];

/// So many nanoseconds with five digits, which every setting of use has room in: `7.7 s`, `2.6125 s`, `19.222 s`.
pub(crate) fn human(nanos: f64) -> String {
    if nanos <= 0.0 {
        return "0 s".into();
    }
    let rounded = digits(nanos);
    let place = FROM.iter().position(|from| rounded >= *from).unwrap_or(FROM.len() - 1);
    let (unit, name) = UNITS[place];
    format!("{} {name}", digits(nanos / unit))
}

/// The same for whole nanoseconds.
pub(crate) fn span(nanos: u64) -> String {
    human(nanos as f64)
}

/// One length, or two with `to` between them if they differ as they are written.
pub(crate) fn range((low, high): (u64, u64)) -> String {
    let (low, high) = (span(low), span(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// A share of one in per cent.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    // What is neither none nor all is not told as one of them.
    if percent > 0.0 && percent < 0.1 {
        "under 0.1 %".into()
    } else if percent > 99.9 && percent < 100.0 {
        "over 99.9 %".into()
    } else {
        format!("{} %", (percent * 10.0).round() / 10.0)
    }
}

/// Whether a word is a unit, which stays with the number before it.
pub(crate) fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches([',', ';', ':', '.']);
    word == "%" || UNITS.iter().any(|(_, unit)| *unit == word)
}

/// The value nearest to `value` of those with five digits.
fn digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short_and_round() {
        for (nanos, text) in [
            (0.0, "0 s"),
            (0.5, "0.5 ns"),
            (999.0, "999 ns"),
            (1_500.0, "1.5 µs"),
            (900e6, "900 ms"),
            (999_999_999.5, "1 s"),
            (1_099_999_999.0, "1.1 s"),
            (2_612_500_000.0, "2.6125 s"),
            (19_221_679_687.0, "19.222 s"),
            (727.7e9, "727.7 s"),
            (1_800e9, "30 min"),
            (86_400e9, "24 h"),
            (31_536_000e9, "365 d"),
        ] {
            assert_eq!(human(nanos), text);
        }
        assert_eq!(range((900_000_000, 1_099_999_999)), "900 ms to 1.1 s");
        assert_eq!(range((1_000_000_000, 1_000_000_001)), "1 s");
    }

    #[test]
    fn shares_are_never_rounded_to_none_or_all() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.0001, "under 0.1 %"),
            (0.5, "50 %"),
            (0.3333, "33.3 %"),
            (0.9999, "over 99.9 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }
}
