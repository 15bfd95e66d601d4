//! What vendors' servers say beside Retry-After: tables.

use core::time::Duration;

use proptest::prelude::*;
use retry_core::{Advice, retry_after, vendor};

fn bytes<'a>(lines: &[&'a str]) -> Vec<&'a [u8]> {
    lines.iter().map(|line| line.as_bytes()).collect()
}

#[test]
fn waits_are_milliseconds() {
    for (lines, nanos) in [
        (&["1"][..], 1_000_000),
        (&["1500"], 1_500_000_000),
        (&["1500.5"], 1_500_500_000),
        (&["0.001"], 1_000),
        (&["0.000001"], 1),
        (&["0.0000001"], 1),
        (&["0.0000000001"], 1),
        (&["1.0000001"], 1_000_001),
        (&["1.00000000001"], 1_000_001),
        (&["1.0000000000"], 1_000_000),
        (&[" \t20\t "], 20_000_000),
        (&["007"], 7_000_000),
        (&["20, 30"], 30_000_000),
        (&["20, soon, 10"], 20_000_000),
        (&["20", "30", "25"], 30_000_000),
        (&["soon", "30", "", "0"], 30_000_000),
        (&["\u{fc}, 50", "3"], 3_000_000),
        (&["86400000"], 86_400_000_000_000),
        (&["18446744073709551615"], u64::MAX.div_ceil(1000)),
        (&["99999999999999999999999999999999999999999"], u64::MAX.div_ceil(1000)),
    ] {
        assert_eq!(vendor::hint(bytes(lines)), Some(Duration::from_nanos(nanos)), "{lines:?}");
    }
}

#[test]
fn what_names_no_wait_is_none() {
    let nothing: [&[&str]; 22] = [
        &[],
        &[""],
        &[" "],
        &["0"],
        &["0.0"],
        &["-1"],
        &["+1"],
        &[".5"],
        &["5."],
        &["1.2.3"],
        &["1e3"],
        &["0x10"],
        &["20ms"],
        &["20 30"],
        &["soon"],
        &["inf"],
        &["NaN"],
        &["\"20\""],
        &["\u{661}"],
        &["20\0"],
        &["Sun, 01 Mar 2026 12:00:30 GMT"],
        &["true", "false"],
    ];
    for lines in nothing {
        assert_eq!(vendor::hint(bytes(lines)), None, "{lines:?}");
    }
}

#[test]
fn words_are_advice() {
    use Advice::{Keep, Retry, Stop};
    for (lines, advice) in [
        (&["true"][..], Retry),
        (&["false"], Stop),
        (&["True"], Retry),
        (&["FALSE"], Stop),
        (&[" \ttrue\t "], Retry),
        (&["true", "true"], Retry),
        (&["true", "false"], Stop),
        (&["false", "true"], Stop),
        (&["true, false"], Stop),
        (&["perhaps, true"], Retry),
        (&["perhaps", "true"], Retry),
        (&["tr\u{fc}, false", "true"], Retry),
        (&["false\u{a0}"], Keep),
        (&[], Keep),
        (&[""], Keep),
        (&["1"], Keep),
        (&["yes"], Keep),
        (&["truefalse"], Keep),
        (&["true false"], Keep),
        (&["\"true\""], Keep),
        (&["false\0"], Keep),
    ] {
        for status in [400, 404, 429, 503, 599] {
            assert_eq!(vendor::advice(status, bytes(lines)), advice, "{lines:?}");
        }
        for status in [100, 200, 204, 301, 399] {
            assert_eq!(vendor::advice(status, bytes(lines)), Keep, "{lines:?}");
        }
    }
}

proptest! {
    /// A number is read as seconds are, and is a thousand times shorter.
    #[test]
    fn a_millisecond_is_a_thousandth(whole in 0..4_000_000_000_u64, fraction in "(\\.[0-9]{1,14})?") {
        let line = format!("{whole}{fraction}");
        let secs = retry_after::hint([line.as_bytes()], None).unwrap_or_default();
        let millis = vendor::hint([line.as_bytes()]).unwrap_or_default();
        prop_assert!(millis * 1000 >= secs && millis * 1000 < secs + Duration::from_nanos(1000), "{line}");
    }

    #[test]
    fn any_bytes_have_an_answer(lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..4)) {
        vendor::hint(lines.iter().map(|line| &line[..]));
        vendor::advice(503, lines.iter().map(|line| &line[..]));
    }
}
