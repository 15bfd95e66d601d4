//! HTTP-dates: every form, every way to get one wrong, and two calendars to agree with.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::SystemTime;

use proptest::prelude::*;
use retry_core::{UnixTime, date};

/// Sun, 01 Mar 2026 12:00:30 GMT.
const NAMED: i64 = 1_772_366_430;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY: i64 = 86_400;
const CYCLE: i64 = 146_097 * DAY;

fn at(secs: i64) -> UnixTime {
    UnixTime::new(secs, 0)
}

fn secs(value: impl AsRef<[u8]>) -> Option<i64> {
    date::parse(value.as_ref(), Some(at(NAMED - 30))).map(UnixTime::secs)
}

fn length(year: i64, month: usize) -> i64 {
    match month {
        1 if year % 400 == 0 => 29,
        1 if year % 100 == 0 => 28,
        1 if year % 4 == 0 => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// Calls `visit(year, month, day, days since 1970)` for every day of the years.
fn walk(years: core::ops::Range<i64>, mut visit: impl FnMut(i64, usize, i64, i64)) {
    let before_1970: i64 = (0..1970).flat_map(|year| (0..12).map(move |month| length(year, month))).sum();
    let mut since = -before_1970;
    for year in 0..years.end {
        for month in 0..12 {
            for day in 1..=length(year, month) {
                if years.contains(&year) {
                    visit(year, month, day, since);
                }
                since += 1;
            }
        }
    }
}

#[test]
fn forms() {
    for value in [
        "Sun, 01 Mar 2026 12:00:30 GMT",
        "Sunday, 01-Mar-26 12:00:30 GMT",
        "Sun Mar  1 12:00:30 2026",
        "Sun Mar 01 12:00:30 2026",
        // Long and short weekdays in each form, right or wrong (B3).
        "Sunday, 01 Mar 2026 12:00:30 GMT",
        "Sun, 01-Mar-26 12:00:30 GMT",
        "Sunday Mar  1 12:00:30 2026",
        "Mon, 01 Mar 2026 12:00:30 GMT",
        "Tuesday, 01-Mar-26 12:00:30 GMT",
        "Wed Mar  1 12:00:30 2026",
        // Any case.
        "sUN, 01 mAR 2026 12:00:30 gmt",
        "SUNDAY, 01-MAR-26 12:00:30 uTc",
        "sun mar  1 12:00:30 2026",
        // Zones (B4).
        "Sun, 01 Mar 2026 12:00:30 UTC",
        "Sun, 01 Mar 2026 12:00:30 +0000",
        "Sun, 01 Mar 2026 12:00:30 -0000",
        "Sun, 01 Mar 2026 20:00:30 +0800",
        "Sun, 01 Mar 2026 07:00:30 -0500",
        "Mon, 02 Mar 2026 01:45:30 +1345",
        "Mon, 02 Mar 2026 11:59:30 +2359",
        "Sat, 28 Feb 2026 12:01:30 -2359",
    ] {
        assert_eq!(secs(value), Some(NAMED), "{value}");
    }
    let longs = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    for name in longs.iter().flat_map(|long| [long, &long[..3]]) {
        assert_eq!(secs(format!("{name}, 01 Mar 2026 12:00:30 GMT")), Some(NAMED), "{name}");
        assert_eq!(secs(format!("{name}, 01-Mar-26 12:00:30 UTC")), Some(NAMED), "{name}");
        assert_eq!(secs(format!("{name} Mar  1 12:00:30 2026")), Some(NAMED), "{name}");
    }
}

#[test]
fn edges() {
    for (value, right) in [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Sat, 01 Jan 0000 00:00:00 +2359", -62_167_219_200 - 86_340),
        ("Tue, 29 Feb 0000 00:00:00 GMT", -62_167_219_200 + 59 * DAY),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Fri, 31 Dec 9999 23:59:60 -2359", 253_402_300_800 + 86_340),
        ("Fri Dec 31 23:59:59 9999", 253_402_300_799),
        // Leap seconds (B8), at whatever minute.
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Saturday, 31-Dec-16 23:59:60 GMT", 1_483_228_800),
        ("Sat Dec 31 23:59:60 2016", 1_483_228_800),
        ("Sun, 01 Mar 2026 12:00:60 GMT", NAMED + 30),
        // Leap days.
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
    ] {
        assert_eq!(secs(value), Some(right), "{value}");
    }
}

#[test]
fn malformed() {
    for value in [
        "",
        " ",
        "Sun",
        "Sun,",
        "Sun, ",
        "soon",
        "120",
        "S",
        ",",
        "2026-03-01T12:00:30Z",
        "Sep 2027",
        "Jan 1 2030",
        // Zones (B5).
        "Sun, 01 Mar 2026 12:00:30 +9999",
        "Sun, 01 Mar 2026 12:00:30 +2400",
        "Sun, 01 Mar 2026 12:00:30 +0060",
        "Sun, 01 Mar 2026 12:00:30 -0860",
        "Sun, 01 Mar 2026 12:00:30 +08",
        "Sun, 01 Mar 2026 12:00:30 +08:00",
        "Sun, 01 Mar 2026 12:00:30 0800",
        "Sun, 01 Mar 2026 12:00:30 ++800",
        "Sun, 01 Mar 2026 12:00:30 GMT+0800",
        "Sun, 01 Mar 2026 12:00:30 XYZ",
        "Sun, 01 Mar 2026 12:00:30 EST",
        "Sun, 01 Mar 2026 12:00:30 Z",
        "Sun, 01 Mar 2026 12:00:30 UT",
        "Sun, 01 Mar 2026 12:00:30 GMTT",
        "Sun, 01 Mar 2026 12:00:30 ",
        "Sun, 01 Mar 2026 12:00:30",
        "Sunday, 01-Mar-26 12:00:30 +0000",
        "Sunday, 01-Mar-26 12:00:30 EST",
        "Sunday, 01-Mar-26 12:00:30",
        "Sun Mar  1 12:00:30 2026 GMT",
        "Sun Mar  1 12:00:30 GMT 2026",
        // Days and times that do not exist (B7, B8).
        "Thu, 32 Oct 2026 12:00:30 GMT",
        "Sun, 31 Feb 2026 12:00:30 GMT",
        "Sun, 29 Feb 2026 12:00:30 GMT",
        "Sun, 29 Feb 2100 12:00:30 GMT",
        "Sun, 31 Apr 2026 12:00:30 GMT",
        "Sun, 00 Mar 2026 12:00:30 GMT",
        "Sunday, 31-Feb-26 12:00:30 GMT",
        "Sunday, 29-Feb-26 12:00:30 GMT",
        "Sunday, 00-Mar-26 12:00:30 GMT",
        "Sun Feb 31 12:00:30 2026",
        "Sun Mar  0 12:00:30 2026",
        "Sun Mar 00 12:00:30 2026",
        "Sun, 01 Mar 2026 24:00:00 GMT",
        "Sun, 01 Mar 2026 12:60:00 GMT",
        "Sat, 31 Dec 2016 23:59:61 GMT",
        "Sunday, 01-Mar-26 24:00:00 GMT",
        "Sun Mar  1 24:00:00 2026",
        // Years of another length than the form's.
        "Sun, 01 Mar 26 12:00:30 GMT",
        "Sun, 01 Mar 026 12:00:30 GMT",
        "Sun, 01 Mar 10000 12:00:30 GMT",
        "Sun, 01 Mar 99999 12:00:30 GMT",
        "Sunday, 01-Mar-2026 12:00:30 GMT",
        "Sun Mar  1 12:00:30 26",
        "Sun Mar  1 12:00:30 10000",
        // Other mixtures.
        "Sun 01 Mar 2026 12:00:30 GMT",
        "Sun, Mar  1 12:00:30 2026",
        "Sun, Mar 01 2026 12:00:30 GMT",
        "Sun, 01-Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar-26 12:00:30 GMT",
        "Sun Mar 1 12:00:30 2026",
        "Sun, 1 Mar 2026 12:00:30 GMT",
        "Sun,  1 Mar 2026 12:00:30 GMT",
        "Sunday, 1-Mar-26 12:00:30 GMT",
        "01 Mar 2026 12:00:30 GMT",
        "Sun, 01 March 2026 12:00:30 GMT",
        "Sun, 01 Mrz 2026 12:00:30 GMT",
        "Son, 01 Mar 2026 12:00:30 GMT",
        "Su, 01 Mar 2026 12:00:30 GMT",
        "Sund, 01 Mar 2026 12:00:30 GMT",
        "Sundays, 01 Mar 2026 12:00:30 GMT",
        "Thur, 01 Mar 2026 12:00:30 GMT",
        ", 01 Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar 2026 12:00 GMT",
        "Sun, 01 Mar 2026 12:00:30.5 GMT",
        "Sun, 01 Mar 2026 2:00:30 GMT",
        "Sun, 01 Mar 2026 12.00.30 GMT",
        "Sun, 01 Mar 2026 -1:00:30 GMT",
        "Sun, 01 Mar 2026 12:00:30 GMT, 30",
        "Sun, +1 Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar +026 12:00:30 GMT",
        // Spaces.
        " Sun, 01 Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar 2026 12:00:30 GMT ",
        "Sun,01 Mar 2026 12:00:30 GMT",
        "Sun,  01 Mar 2026 12:00:30 GMT",
        "Sun , 01 Mar 2026 12:00:30 GMT",
        "Sun, 01  Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar  2026 12:00:30 GMT",
        "Sun, 01 Mar 2026  12:00:30 GMT",
        "Sun, 01 Mar 2026 12:00:30  GMT",
        "Sun, 01 Mar 2026\t12:00:30 GMT",
        "Sun, 01 Mar 2026 12:00:30GMT",
        "Sun  Mar  1 12:00:30 2026",
        "Sun Mar   1 12:00:30 2026",
        "Sun Mar 1  12:00:30 2026",
        "Sun Mar  1 12:00:30  2026",
        // No ASCII digits.
        "Sun, 0\u{b9} Mar 2026 12:00:30 GMT",
        "Sun, 01 Mar \u{ff12}026 12:00:30 GMT",
    ] {
        assert_eq!(secs(value), None, "{value:?}");
    }
    // Each byte of a good date matters, except for a letter's case.
    for good in ["Sun, 01 Mar 2026 12:00:30 +0800", "Sunday, 01-Mar-26 12:00:30 GMT", "Sun Mar  1 12:00:30 2026"] {
        for index in 0..good.len() {
            for wrong in [0, b'\n', b';', b'/', b'~', 0x80, 0xB2, 0xFF] {
                let mut value = good.as_bytes().to_vec();
                value[index] = wrong;
                assert_eq!(secs(&value), None, "{:?}", value.escape_ascii().to_string());
            }
            assert_eq!(secs(&good[..index]), None);
            assert_eq!(secs(format!("{} {}", &good[..index], &good[index..])), None);
        }
        assert_eq!(secs(format!("{good}0")), None);
        assert_eq!(secs(good.repeat(2)), None);
    }
}

#[test]
fn four_digit_years_need_no_reference() {
    let alone = |value: &str| date::parse(value.as_bytes(), None);
    assert_eq!(alone("Sun, 01 Mar 2026 12:00:30 GMT"), Some(at(NAMED)));
    assert_eq!(alone("Sun Mar  1 12:00:30 2026"), Some(at(NAMED)));
    assert_eq!(alone("Sunday, 01-Mar-26 12:00:30 GMT"), None);
}

#[test]
fn every_day_of_ten_thousand_years() {
    let put = |to: &mut [u8], mut number: i64| {
        for byte in to.iter_mut().rev() {
            *byte = b'0' + (number % 10) as u8;
            number /= 10;
        }
    };
    let mut fixdate = *b"Mon, dd mmm yyyy 23:59:59 GMT";
    let mut asctime = *b"Tue mmm dd 00:00:00 yyyy";
    let mut days = 0;
    walk(0..10_000, |year, month, day, since| {
        days += 1;
        put(&mut fixdate[5..7], day);
        fixdate[8..11].copy_from_slice(MONTHS[month].as_bytes());
        put(&mut fixdate[12..16], year);
        assert_eq!(date::parse(&fixdate, None), Some(at(since * DAY + DAY - 1)), "{year} {month} {day}");
        if day == length(year, month) {
            put(&mut asctime[8..10], day);
            asctime[4..7].copy_from_slice(MONTHS[month].as_bytes());
            put(&mut asctime[20..24], year);
            assert_eq!(date::parse(&asctime, None), Some(at(since * DAY)), "{year} {month} {day}");
            for impossible in [0, day + 1, 99] {
                put(&mut fixdate[5..7], impossible);
                assert_eq!(date::parse(&fixdate, None), None, "{year} {month} {impossible}");
            }
        }
    });
    assert_eq!(days, 3_652_425);
}

/// The days of the years that the naive search visits.
struct Calendar {
    days: HashMap<(i64, usize, i64), i64>,
    dates: HashMap<i64, (i64, usize, i64)>,
}

static CALENDAR: LazyLock<Calendar> = LazyLock::new(|| {
    let mut calendar = Calendar { days: HashMap::new(), dates: HashMap::new() };
    walk(1000..3000, |year, month, day, since| {
        calendar.days.insert((year, month, day), since);
        calendar.dates.insert(since, (year, month, day));
    });
    calendar
});

/// The two-digit year's moment by trying every year, from far too late to far too early.
fn naive(two: i64, month: usize, day: i64, time: i64, reference: UnixTime) -> Option<i64> {
    let Calendar { days, dates } = &*CALENDAR;
    let (year, its_month, its_day) = dates[&reference.secs().div_euclid(DAY)];
    let last = length(year + 50, its_month).min(its_day);
    let limit = days[&(year + 50, its_month, last)] * DAY + reference.secs().rem_euclid(DAY);
    let fits = |year| days.get(&(year, month, day)).map(|days| days * DAY + time).filter(|moment| *moment <= limit);
    (year - 600..year + 60).rev().filter(|year| year % 100 == two).find_map(fits)
}

fn two_digit(two: i64, month: usize, day: i64, time: i64) -> String {
    let (hours, minutes, seconds) = match time {
        DAY => (23, 59, 60),
        _ => (time / 3600, time / 60 % 60, time % 60),
    };
    format!("Fri, {day:02}-{}-{two:02} {hours:02}:{minutes:02}:{seconds:02} GMT", MONTHS[month])
}

fn check_window(two: i64, month: usize, day: i64, time: i64, reference: UnixTime) {
    let value = two_digit(two, month, day, time);
    let right = naive(two, month, day, time, reference).map(at);
    assert_eq!(date::parse(value.as_bytes(), Some(reference)), right, "{value} {reference:?}");
    // The calendar repeats, so the same is true many cycles away.
    for cycles in [-20_000_000, 1] {
        let far = UnixTime::new(reference.secs() + cycles * CYCLE, reference.subsec_nanos());
        let right = right.map(|right| at(right.secs() + cycles * CYCLE));
        assert_eq!(date::parse(value.as_bytes(), Some(far)), right, "{value} {far:?}");
    }
}

#[test]
fn two_digit_years() {
    let reference = |value: &str| date::parse(value.as_bytes(), None).unwrap();
    for (now, value, right) in [
        ("Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01-Mar-76 12:00:30 GMT", "Sun, 01 Mar 2076 12:00:30 GMT"),
        ("Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01-Mar-76 12:00:31 GMT", "Sun, 01 Mar 1976 12:00:31 GMT"),
        ("Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 29-Feb-76 12:00:30 GMT", "Sun, 29 Feb 2076 12:00:30 GMT"),
        ("Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 31-Dec-75 23:59:60 GMT", "Sun, 01 Jan 2076 00:00:00 GMT"),
        ("Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 31-Dec-99 23:59:60 GMT", "Sun, 01 Jan 2000 00:00:00 GMT"),
        ("Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01-Jan-00 00:00:00 GMT", "Sun, 01 Jan 2000 00:00:00 GMT"),
        // 50 years after 29 February is 28 February.
        ("Thu, 29 Feb 2024 12:00:00 GMT", "Thu, 28-Feb-74 12:00:00 GMT", "Thu, 28 Feb 2074 12:00:00 GMT"),
        ("Thu, 29 Feb 2024 12:00:00 GMT", "Thu, 28-Feb-74 12:00:01 GMT", "Thu, 28 Feb 1974 12:00:01 GMT"),
        ("Fri, 01 Mar 2024 00:00:00 GMT", "Thu, 01-Mar-74 00:00:00 GMT", "Thu, 01 Mar 2074 00:00:00 GMT"),
        ("Fri, 01 Mar 2024 00:00:00 GMT", "Thu, 01-Mar-74 00:00:01 GMT", "Thu, 01 Mar 1974 00:00:01 GMT"),
        // The moment counts, not the year: late in the limit's year is a century ago, in any decade.
        ("Thu, 31 Dec 2099 23:59:59 GMT", "Thu, 31-Dec-49 23:59:59 GMT", "Thu, 31 Dec 2149 23:59:59 GMT"),
        ("Thu, 31 Dec 2099 23:59:58 GMT", "Thu, 31-Dec-49 23:59:59 GMT", "Thu, 31 Dec 2049 23:59:59 GMT"),
        ("Thu, 31 Dec 2099 23:59:59 GMT", "Thu, 31-Dec-49 23:59:60 GMT", "Sat, 01 Jan 2050 00:00:00 GMT"),
        // 2100 has no 29 February, 2000 has.
        ("Thu, 01 Jan 2060 00:00:00 GMT", "Thu, 29-Feb-00 00:00:00 GMT", "Tue, 29 Feb 2000 00:00:00 GMT"),
        ("Thu, 01 Jan 2360 00:00:00 GMT", "Thu, 29-Feb-00 00:00:00 GMT", "Tue, 29 Feb 2400 00:00:00 GMT"),
        ("Thu, 01 Jan 2350 00:00:00 GMT", "Thu, 29-Feb-00 00:00:00 GMT", "Tue, 29 Feb 2000 00:00:00 GMT"),
        ("Thu, 01 Jan 2340 00:00:00 GMT", "Thu, 29-Feb-00 00:00:00 GMT", "Tue, 29 Feb 2000 00:00:00 GMT"),
    ] {
        let found = date::parse(value.as_bytes(), Some(reference(now)));
        assert_eq!(found, Some(reference(right)), "{value}, now {now}");
    }
    // A nanosecond before the limit's second is before it; a nanosecond after it is not after the next.
    let now = reference("Sun, 01 Mar 2026 12:00:30 GMT").secs();
    let named = |now, nanos| date::parse(b"Sun, 01-Mar-76 12:00:30 GMT", Some(UnixTime::new(now, nanos)));
    assert_eq!(named(now - 1, 999_999_999), Some(reference("Sun, 01 Mar 1976 12:00:30 GMT")));
    assert_eq!(named(now, 0), Some(reference("Sun, 01 Mar 2076 12:00:30 GMT")));
    assert_eq!(named(now, 999_999_999), named(now, 0));
}

#[test]
fn two_digit_years_at_every_edge() {
    // Around each limit of many references, leap days and century years among them.
    for year in (1900..2420).filter(|year| year % 4 == 0 || year % 50 < 3 || year % 50 > 47) {
        for (month, day) in [(0, 1), (1, 27), (1, 28), (1, 29), (2, 1), (2, 2), (11, 31)] {
            let Some(days) = CALENDAR.days.get(&(year, month, day)) else { continue };
            for time in [0, 43_200] {
                let reference = UnixTime::new(days * DAY + time, 1);
                for (month, day) in [(0, 1), (1, 28), (1, 29), (2, 1), (11, 31)] {
                    for two in [0, (year + 49) % 100, (year + 50) % 100, (year + 51) % 100] {
                        for time in [0, 43_199, 43_200, 43_201, DAY - 1, DAY] {
                            check_window(two, month, day, time, reference);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn no_reference_is_too_far() {
    for secs in [i64::MIN, i64::MIN + 1, -CYCLE, -1, 0, CYCLE, i64::MAX - 1, i64::MAX] {
        for two in 0..100 {
            for (month, day) in [(0, 1), (1, 29), (11, 31)] {
                let value = two_digit(two, month, day, DAY);
                let _ = date::parse(value.as_bytes(), Some(UnixTime::new(secs, 999_999_999)));
            }
        }
    }
}

/// A date, or nearly one.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let word = |words: &'static [&'static str]| prop::sample::select(words);
    let weekday = word(&["Sun", "Monday", "tue", "WEDNESDAY", "Thu", "Fri", "Sat", "Foo", ""]);
    let month = word(&["Jan", "feb", "MAR", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Foo"]);
    let zone = word(&["GMT", "utc", "+0000", "-1130", "+2400", "EST", ""]);
    let time = (0..26, 0..62, 0..63).prop_map(|(h, m, s)| format!("{h:02}:{m:02}:{s:02}"));
    (weekday, 0..34, month, 0..12_000, time, zone, 0..4).prop_map(|(weekday, day, month, year, time, zone, form)| {
        match form {
            0 => format!("{weekday}, {day:02} {month} {year:04} {time} {zone}"),
            1 => format!("{weekday}, {day:02}-{month}-{:02} {time} {zone}", year % 100),
            2 => format!("{weekday} {month} {day:2} {time} {year:04}"),
            _ => format!("{weekday} {month} {day:02} {time} {year:04}"),
        }
        .into_bytes()
    })
}

/// What `httpdate` reads. It puts two-digit years before 70 into this century and the others into the last one.
fn oracle(value: &[u8]) -> Option<i64> {
    let found = httpdate::parse_http_date(core::str::from_utf8(value).ok()?).ok()?;
    found.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs().try_into().ok()
}

/// 50 years before the end of 2069: against this moment, our window is that of `httpdate`.
const PIVOT: i64 = 1_577_836_799;

fn agree(value: &[u8]) {
    let ours = date::parse(value, Some(at(PIVOT)));
    if let (Some(ours), Some(theirs)) = (ours, oracle(value)) {
        assert_eq!(ours, at(theirs), "{}", value.escape_ascii());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(value: Vec<u8>, secs: i64, nanos: u32) {
        let _ = date::parse(&value, Some(UnixTime::new(secs, nanos)));
        agree(&value);
    }

    #[test]
    fn no_damage_makes_it_panic(mut value in nearly(), index: prop::sample::Index, byte: u8, secs: i64, nanos: u32) {
        agree(&value);
        let index = index.index(value.len());
        value[index] = byte;
        let _ = date::parse(&value, Some(UnixTime::new(secs, nanos)));
        agree(&value);
        value.truncate(index);
        let _ = date::parse(&value, Some(UnixTime::new(secs, nanos)));
    }

    #[test]
    fn it_reads_what_httpdate_writes(secs in 0_u64..253_402_300_800) {
        let value = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(secs));
        prop_assert_eq!(date::parse(value.as_bytes(), None).map(UnixTime::secs), i64::try_from(secs).ok());
    }

    #[test]
    fn two_digit_years_as_by_trying_all(
        year in 1610_i64..2900, day in 0_i64..366, clock in 0..DAY, nanos in 0_u32..1_000_000_000, leap: bool,
        two in 0_i64..100, month in 0_usize..12, its_day in 1_i64..32, time in 0..=DAY, near: bool,
    ) {
        let first = CALENDAR.days[&(year, 0, 1)];
        let today = match CALENDAR.days.get(&(year, 1, 29)) {
            Some(leap_day) if leap => *leap_day,
            _ => first + day,
        };
        let two = if near { (year + 50) % 100 } else { two };
        check_window(two, month, its_day, time, UnixTime::new(today * DAY + clock, nanos));
    }
}
