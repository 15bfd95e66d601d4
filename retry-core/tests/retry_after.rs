//! Retry-After: numbers, dates, lists and lines, and the moment that dates are measured against.

use core::cell::Cell;
use core::time::Duration;

use proptest::prelude::*;
use retry_core::retry_after::{hint, reference};
use retry_core::{UnixTime, date};

/// Sun, 01 Mar 2026 12:00:00 GMT.
const T0: UnixTime = UnixTime::new(1_772_366_400, 0);
const MAX: Duration = Duration::from_nanos(u64::MAX);

fn one(line: impl AsRef<[u8]>) -> Option<Duration> {
    hint([line.as_ref()], Some(T0))
}

fn nanos(nanos: u64) -> Option<Duration> {
    Some(Duration::from_nanos(nanos))
}

fn secs(secs: u64) -> Option<Duration> {
    Some(Duration::from_secs(secs))
}

#[test]
fn numbers() {
    for (line, right) in [
        ("120", secs(120)),
        ("1", secs(1)),
        ("0005", secs(5)),
        (" 5 ", secs(5)),
        ("5\t", secs(5)),
        ("\t \t5 \t ", secs(5)),
        ("60", secs(60)),
        ("61", secs(61)),
        ("3000", secs(3000)),
        ("1772366430", secs(1_772_366_430)),
        // Fractions (A1), rounded up.
        ("0.503", nanos(503_000_000)),
        ("2.0", secs(2)),
        ("2.128", nanos(2_128_000_000)),
        ("299.997", nanos(299_997_000_000)),
        ("1.5", nanos(1_500_000_000)),
        ("1.50", nanos(1_500_000_000)),
        ("00.5", nanos(500_000_000)),
        ("0.000000001", nanos(1)),
        ("0.0000000010", nanos(1)),
        ("0.0000000011", nanos(2)),
        ("0.0000000001", nanos(1)),
        ("0.00000000000000000000000000000000000001", nanos(1)),
        ("0.123456789", nanos(123_456_789)),
        ("0.1234567891", nanos(123_456_790)),
        ("0.12345678900000000000000000000000000000", nanos(123_456_789)),
        ("0.999999999", nanos(999_999_999)),
        ("0.9999999999", secs(1)),
        ("7.99999999999999999999999999999999999999", secs(8)),
        // Plain digits have a way of their own up to nine of them.
        ("999999999", secs(999_999_999)),
        ("1000000000", secs(1_000_000_000)),
        ("12345678x", None),
        ("/", None),
        (":", None),
        // Large ones (A6) saturate at u64 nanoseconds.
        ("9223372036", secs(9_223_372_036)),
        ("9223372037", secs(9_223_372_037)),
        ("9999999999", secs(9_999_999_999)),
        ("18446744073", secs(18_446_744_073)),
        ("18446744073.709551614", nanos(u64::MAX - 1)),
        ("18446744073.709551615", Some(MAX)),
        ("18446744073.7095516141", Some(MAX)),
        ("18446744073.7095516151", Some(MAX)),
        ("18446744073.709551616", Some(MAX)),
        ("18446744074", Some(MAX)),
        ("18446744073709551615", Some(MAX)),
        ("18446744073709551616", Some(MAX)),
        ("18446744073709551620", Some(MAX)),
        ("184467440737095516200", Some(MAX)),
        ("99999999999999999999999999999999999999999999", Some(MAX)),
        ("00000000000000000000000000000000000000000007", secs(7)),
        // Zero is no hint (A5).
        ("0", None),
        ("000", None),
        ("0.0", None),
        ("0.00000000000000000", None),
    ] {
        assert_eq!(one(line), right, "{line}");
    }
    assert_eq!(one("9".repeat(1 << 16)), Some(MAX));
    assert_eq!(one(format!("0.{}1", "0".repeat(1 << 16))), nanos(1));
}

#[test]
fn no_numbers() {
    for line in [
        "",
        " ",
        "\t",
        ",",
        " , ,\t,", // empty
        ".5",
        "5.",
        ".",
        "1.2.3",
        "1..2",
        "1. 5",
        "1 .5",
        "5. ", // A1
        "-1",
        "-5",
        "-0",
        "+5",
        "+ 5",
        "- 5",
        "\u{2212}5", // A2
        "0x10",
        "1_000",
        "1e3",
        "1E3",
        "1'000",
        "0b1",
        "0o7",
        "5f",
        "inf",
        "NaN",
        "infinity", // A3
        "\u{b2}",
        "\u{664}",
        "\u{ff15}",
        "\u{1d7d3}", // superscript two and other digits
        "30s",
        "1m0s",
        "60 seconds",
        "PT30S",
        "5;",
        "\"5\"",
        "5 6",
        "5\t6",
        "seconds=5", // A4
        "soon",
        "Sun",
        "GMT",
        "none",
    ] {
        assert_eq!(one(line), None, "{line:?}");
    }
    assert_eq!(one([0xB2]), None);
    assert_eq!(one([b'5', 0xB2]), None);
}

#[test]
fn dates() {
    for line in [
        "Sun, 01 Mar 2026 12:00:30 GMT",
        " \tSun, 01 Mar 2026 12:00:30 GMT\t ",
        "Sunday, 01-Mar-26 12:00:30 GMT",
        "Sun Mar  1 12:00:30 2026",
        " Sun Mar  1 12:00:30 2026 ",
        "Mon, 01 Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar 2026 12:00:30 UTC",
        "Sun, 01 Mar 2026 12:00:30 +0000",
        "Sun, 01 Mar 2026 12:00:30 -0000",
        "Sun, 01 Mar 2026 12:00:30 gmt",
        "Sun, 01 Mar 2026 20:00:30 +0800",
        "Sun, 01 Mar 2026 07:00:30 -0500",
        "Mon, 02 Mar 2026 01:45:30 +1345",
    ] {
        assert_eq!(one(line), secs(30), "{line}");
        assert_eq!(hint([line.as_bytes()], None), None, "without a reference: {line}");
    }
    for line in [
        "Sun, 01 Mar 2026 12:00:30 +9999",
        "Sun, 01 Mar 2026 12:00:30 +08",
        "Sun, 01 Mar 2026 12:00:30 XYZ",
        "Sun, 01 Mar 2026 12:00:30 EST",
        "Sun, 01 Mar 2026 12:00:30",
        // Past (B6).
        "Sun, 01 Mar 2026 11:59:59 GMT",
        "Sun, 01 Mar 2026 12:00:00 GMT",
        "Sun, 01 Mar 2015 12:00:30 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Wed, 31 Dec 1969 23:59:59 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
        "Sunday, 01-Mar-77 12:00:30 GMT",
        // Impossible, or something else (B7).
        "Thu, 32 Oct 2026 12:00:30 GMT",
        "Sun, 31 Feb 2026 12:00:30 GMT",
        "Sun, 01 Mar 2026 24:00:00 GMT",
        "Sep 2027",
        "Jan 1 2030",
        "soon",
        "Sun, 01 Mar 10000 12:00:30 GMT",
        "Sun, 01 Mar 99999 12:00:30 GMT",
        "2026-03-01T12:00:30Z",
        // A line is one date.
        "Sun, 01 Mar 2026 12:00:30 GMT,",
        "Sun, 01 Mar 2026 12:00:30 GMT, Sun, 01 Mar 2026 12:00:30 GMT",
        "\"Sun, 01 Mar 2026 12:00:30 GMT\"",
    ] {
        assert_eq!(one(line), None, "{line}");
    }
    // B8.
    let before = Some(UnixTime::new(1_483_228_790, 0));
    assert_eq!(hint([&b"Sat, 31 Dec 2016 23:59:60 GMT"[..]], before), secs(10));
    assert_eq!(hint([&b"Sat, 31 Dec 2016 23:59:61 GMT"[..]], before), None);
}

#[test]
fn to_the_nanosecond() {
    let line = &b"Sun, 01 Mar 2026 12:00:30 GMT"[..];
    let from = |offset, nanos| hint([line], Some(UnixTime::new(T0.secs() + offset, nanos)));
    assert_eq!(from(0, 1), nanos(29_999_999_999));
    assert_eq!(from(0, 999_999_999), nanos(29_000_000_001));
    assert_eq!(from(29, 999_999_999), nanos(1));
    assert_eq!(from(30, 0), None);
    assert_eq!(from(30, 1), None);
    // A difference that u64 nanoseconds do not hold.
    assert_eq!(one("Fri, 31 Dec 9999 23:59:59 GMT"), Some(MAX));
    assert_eq!(hint([line], Some(UnixTime::new(i64::MIN, 0))), Some(MAX));
    assert_eq!(hint([line], Some(UnixTime::new(i64::MAX, u32::MAX))), None);
}

#[test]
fn lists_and_lines() {
    for (line, right) in [
        ("5, 10, 7", secs(10)),
        ("5,10", secs(10)),
        (" 5 ,\t10\t, 7 ", secs(10)),
        (",5", secs(5)),
        ("5,", secs(5)),
        (",,5,,", secs(5)),
        ("soon, 5", secs(5)),
        ("5, soon", secs(5)),
        ("5, -10", secs(5)),
        ("5, 10s, 1e3", secs(5)),
        ("5, 10 11", secs(5)),
        ("5, 6.", secs(5)),
        ("5, .6", secs(5)),
        ("0.5, 0.25", nanos(500_000_000)),
        ("0.0000000001, 0", nanos(1)),
        ("0, 0", None),
        ("5, 99999999999999999999999", Some(MAX)),
        // No date, so a list; its one number counts.
        ("Sun, 01 Mar 2026 12:00:30 GMT, 5", secs(5)),
        ("Sun, 5", secs(5)),
        ("5, Sun, 01 Mar 2026 12:00:30 GMT", secs(5)),
    ] {
        assert_eq!(one(line), right, "{line}");
    }

    let lines = |lines: &[&str]| hint(lines.iter().map(|line| line.as_bytes()), Some(T0));
    assert_eq!(lines(&[]), None);
    assert_eq!(lines(&["5", "10", "7"]), secs(10));
    assert_eq!(lines(&["soon", "5", ""]), secs(5));
    assert_eq!(lines(&["0", "5"]), secs(5));
    assert_eq!(lines(&["10", "Sun, 01 Mar 2026 12:00:30 GMT"]), secs(30));
    assert_eq!(lines(&["Sun, 01 Mar 2026 12:00:30 GMT", "31"]), secs(31));
    assert_eq!(lines(&["Sun, 01 Mar 2026 11:00:30 GMT", "1"]), secs(1));
    assert_eq!(lines(&["Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01 Mar 2026 12:00:31 GMT"]), secs(31));
}

#[test]
fn a_byte_that_is_not_text_spoils_its_line_alone() {
    for byte in (0..=u8::MAX).filter(|byte| *byte != b'\t' && !(0x20..=0x7E).contains(byte)) {
        for line in [&[b'5', b',', byte][..], &[byte, b',', b'5'], &[b'5', byte], &[b'5', b',', b'a', byte, b',', b'6']]
        {
            assert_eq!(one(line), None, "{byte:#x}");
            assert_eq!(hint([line, b"3"], Some(T0)), secs(3), "{byte:#x}");
        }
        let mut date = b"Sun, 01 Mar 2026 12:00:30 GMT".to_vec();
        date.push(byte);
        assert_eq!(one(&date), None, "{byte:#x}");
    }
    for byte in (0x20..=0x7E).filter(|byte: &u8| !byte.is_ascii_digit() && !b" ,.".contains(byte)) {
        assert_eq!(one([b'5', byte]), None, "{byte:#x}");
        assert_eq!(one([byte, b'5']), None, "{byte:#x}");
        assert_eq!(one([b'3', b',', b'5', byte]), secs(3), "{byte:#x}");
    }
}

#[test]
fn what_dates_are_measured_against() {
    let wall = UnixTime::new(7, 8);
    let asked = Cell::new(false);
    let from = |dates: &[&str], has_age| {
        asked.set(false);
        let ask = || {
            asked.set(true);
            Some(wall)
        };
        reference(dates.iter().map(|date| date.as_bytes()), has_age, ask)
    };
    for date in [
        "Sun, 01 Mar 2026 12:00:00 GMT",
        " Sun, 01 Mar 2026 12:00:00 GMT\t",
        "Sun Mar  1 12:00:00 2026",
        "Sun, 01 Mar 2026 20:00:00 +0800",
    ] {
        assert_eq!(from(&[date], false), Some(T0), "{date}");
        assert!(!asked.get(), "{date}");
        assert_eq!(from(&[date], true), Some(wall), "Age: {date}");
        assert_eq!(from(&[date, date], false), Some(wall), "twice: {date}");
        assert_eq!(from(&[date, "soon"], false), Some(wall), "twice: {date}");
        assert_eq!(from(&["", date], false), Some(wall), "twice: {date}");
        assert!(asked.get());
    }
    for date in ["", "soon", "1772366400", "Sunday, 01-Mar-26 12:00:00 GMT", "Sun, 31 Feb 2026 12:00:00 GMT", "\u{b2}"]
    {
        assert_eq!(from(&[date], false), Some(wall), "{date}");
        assert!(asked.get(), "{date}");
    }
    assert_eq!(from(&[], false), Some(wall));
    assert_eq!(from(&[], true), Some(wall));
    assert_eq!(reference([], false, || None), None);
    assert_eq!(reference([&b"Sun, 01 Mar 2026 12:00:00 GMT"[..]], false, || None), Some(T0));
}

#[test]
fn a_megabyte_is_one_pass() {
    let size = 1 << 20;
    for (line, right) in [
        ("1".repeat(size), Some(MAX)),
        (" ".repeat(size), None),
        (",".repeat(size), None),
        ("1,".repeat(size / 2), secs(1)),
        ("a".repeat(size), None),
        (format!("Sun, 01 Mar 2026 12:00:30 GMT{}", " ".repeat(size)), secs(30)),
        (format!("{}Sun, 01 Mar 2026 12:00:30 GMT", " ".repeat(size)), secs(30)),
        (format!("Sun, 01 Mar 2026 12:00:30 GMT{}", "0".repeat(size)), None),
    ] {
        assert_eq!(one(&line), right);
        assert_eq!(hint([line.as_bytes(), &[0xFF]], Some(T0)), right);
    }
}

/// The number list once more, by splitting and by text.
fn naive(line: &[u8]) -> Option<u128> {
    if line.iter().any(|byte| !matches!(byte, b'\t' | 0x20..=0x7E)) {
        return None;
    }
    let line = core::str::from_utf8(line).ok()?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |member: &str| {
        let member = member.trim_matches([' ', '\t']);
        let (whole, fraction) = member.split_once('.').unwrap_or((member, "0"));
        if !digits(whole) || !digits(fraction) {
            return None;
        }
        let whole: u128 = whole.parse().unwrap_or(u128::from(u64::MAX));
        let padded = format!("{fraction:0<9}");
        let (kept, cut) = padded.split_at(9);
        let up = u128::from(cut.contains(|digit| digit != '0'));
        Some((whole.min(u64::MAX.into()) * 1_000_000_000 + kept.parse::<u128>().ok()? + up).min(u64::MAX.into()))
    };
    line.split(',').filter_map(number).max()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(lines: Vec<Vec<u8>>, secs: i64, nanos: u32) {
        let at = UnixTime::new(secs, nanos);
        let _ = hint(lines.iter().map(Vec::as_slice), Some(at));
        let _ = reference(lines.iter().map(Vec::as_slice), false, || Some(at));
    }

    #[test]
    fn lists_as_by_splitting(line in "[0-9]{0,22}(\\.[0-9]{0,14})?|[ \t,.0-9a+-]{0,20}|([ \t]?[0-9]{1,3}(\\.[0-9]{1,12})?[ \t]?,?){0,4}") {
        let right = naive(line.as_bytes()).filter(|wait| *wait > 0);
        prop_assert_eq!(one(&line).map(|wait| wait.as_nanos()), right, "{:?}", line);
    }

    #[test]
    fn any_bytes_as_by_splitting(line in prop::collection::vec(prop_oneof![b'0'..=b'9', Just(b','), Just(b'.'), Just(b' '), any::<u8>()], 0..12)) {
        let right = naive(&line).filter(|wait| *wait > 0);
        prop_assert_eq!(hint([line.as_slice()], None).map(|wait| wait.as_nanos()), right);
    }

    #[test]
    fn a_wait_ends_at_the_named_moment(ahead in -100_i64..10_000_000, nanos in 0_u32..1_000_000_000) {
        let line = httpdate::fmt_http_date(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_366_400));
        let now = UnixTime::new(T0.secs() - ahead, nanos);
        let left = i128::from(ahead) * 1_000_000_000 - i128::from(nanos);
        let right = u64::try_from(left).ok().filter(|left| *left > 0).map(Duration::from_nanos);
        prop_assert_eq!(hint([line.as_bytes()], Some(now)), right);
        prop_assert_eq!(date::parse(line.as_bytes(), Some(now)), Some(T0));
    }
}

#[cfg(feature = "http")]
mod headers {
    use http::header::{AGE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
    use retry_core::retry_after::from_headers;

    use super::*;

    fn map(lines: &[(HeaderName, &str)]) -> HeaderMap {
        lines.iter().filter_map(|(name, value)| Some((name.clone(), HeaderValue::from_str(value).ok()?))).collect()
    }

    #[test]
    fn the_wall_clock_is_asked_only_for_a_date_without_date() {
        let later = "Sun, 01 Mar 2026 12:00:30 GMT";
        let date = "Sun, 01 Mar 2026 12:00:10 GMT";
        for (lines, right, asks) in [
            (&[][..], None, false),
            (&[(DATE, date)], None, false),
            (&[(RETRY_AFTER, "120")], secs(120), false),
            (&[(RETRY_AFTER, " 1.5 ")], nanos(1_500_000_000), false),
            (&[(RETRY_AFTER, "120"), (DATE, "soon"), (AGE, "1")], secs(120), false),
            (&[(RETRY_AFTER, "")], None, false),
            (&[(RETRY_AFTER, later)], secs(30), true),
            (&[(RETRY_AFTER, later), (DATE, date)], secs(20), false),
            (&[(RETRY_AFTER, later), (DATE, date), (AGE, "0")], secs(30), true),
            (&[(RETRY_AFTER, later), (DATE, date), (DATE, date)], secs(30), true),
            (&[(RETRY_AFTER, later), (DATE, "soon")], secs(30), true),
            (&[(RETRY_AFTER, "5"), (RETRY_AFTER, later), (RETRY_AFTER, "25"), (DATE, date)], secs(25), false),
            (&[(RETRY_AFTER, "Sunday, 01-Mar-26 12:00:30 GMT"), (DATE, date)], secs(20), false),
        ] {
            let asked = Cell::new(false);
            let wall = || {
                asked.set(true);
                Some(T0)
            };
            assert_eq!(from_headers(&map(lines), wall), right, "{lines:?}");
            assert_eq!(asked.get(), asks, "{lines:?}");
        }
        assert_eq!(from_headers(&map(&[(RETRY_AFTER, later)]), || None), None);
    }

    #[test]
    fn a_line_that_is_not_text_is_passed_over() {
        let mut headers = map(&[(RETRY_AFTER, "5")]);
        headers.append(RETRY_AFTER, HeaderValue::from_bytes(b"60\xB2").unwrap());
        assert_eq!(from_headers(&headers, || None), secs(5));
    }
}

/// B1: these tests once more, each time in a process that believes to be elsewhere.
#[test]
fn the_local_zone_never_matters() {
    if std::env::var_os("ZONES").is_some() {
        return;
    }
    for zone in ["UTC", "Asia/Shanghai", "America/Los_Angeles"] {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let output = again.env("TZ", zone).env("ZONES", "1").output().unwrap();
        assert!(output.status.success(), "{zone}: {}", String::from_utf8_lossy(&output.stdout));
    }
}
