//! HTTP-dates, read naively: words, a table of month lengths, and counting.

/// A date as it is written, with its day and time in range.
pub(crate) struct Day {
    /// The year, or its last two digits.
    year: Result<i128, i128>,
    /// From 0.
    month: usize,
    day: i128,
    /// Seconds of the day, less those that the zone is ahead.
    time: i128,
}

impl Day {
    pub(crate) fn year_has_four_digits(&self) -> bool {
        self.year.is_ok()
    }

    /// Seconds since 1970, if there is such a day. A year of two digits is the latest that is at most 50 years after
    /// `reference`, given in the same seconds.
    pub(crate) fn seconds(&self, reference: i128) -> Option<i128> {
        match self.year {
            Ok(year) => self.in_year(year),
            Err(digits) => {
                let (year, month, day, time) = civil(reference);
                // 50 years later no year is a leap year whose 29 February it could be.
                let day = if (month, day) == (1, 29) { 28 } else { day };
                let latest = (days(year + 50, month) + day - 1) * DAY + time;
                let years = (year - 500..=year + 50).rev().filter(|year| year.rem_euclid(100) == digits);
                years.filter_map(|year| self.in_year(year)).find(|moment| *moment <= latest)
            }
        }
    }

    fn in_year(&self, year: i128) -> Option<i128> {
        if self.day < 1 || self.day > length(year, self.month) {
            return None;
        }
        Some((days(year, self.month) + self.day - 1) * DAY + self.time)
    }
}

/// The date that a line is, if it has one of the accepted forms.
pub(crate) fn date(line: &str) -> Option<Day> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        // Sun, 01 Mar 2026 12:00:30 GMT
        [name, day, month, year, clock, zone] if name.ends_with(',') => {
            weekday(name.trim_end_matches(','), name.len() - 1)?;
            let time = time(clock)? - offset(zone)?;
            Some(Day { year: Ok(digits(year, 4)?), month: month_of(month)?, day: digits(day, 2)?, time })
        }
        // Sunday, 01-Mar-26 12:00:30 GMT
        [name, date, clock, zone] if name.ends_with(',') => {
            weekday(name.trim_end_matches(','), name.len() - 1)?;
            let parts: Vec<&str> = date.split('-').collect();
            let [day, month, year] = parts[..] else { return None };
            if !is_utc(zone) {
                return None;
            }
            let year = Err(digits(year, 2)?);
            Some(Day { year, month: month_of(month)?, day: digits(day, 2)?, time: time(clock)? })
        }
        // Sun Mar 11 12:00:30 2026
        [name, month, day, clock, year] => {
            weekday(name, name.len())?;
            Some(Day { year: Ok(digits(year, 4)?), month: month_of(month)?, day: digits(day, 2)?, time: time(clock)? })
        }
        // Sun Mar  1 12:00:30 2026
        [name, month, "", day, clock, year] => {
            weekday(name, name.len())?;
            Some(Day { year: Ok(digits(year, 4)?), month: month_of(month)?, day: digits(day, 1)?, time: time(clock)? })
        }
        _ => None,
    }
}

const DAY: i128 = 86_400;

/// 400 years, after which the calendar repeats itself.
const CYCLE: i128 = 146_097;

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has.
fn length(year: i128, month: usize) -> i128 {
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    lengths[month]
}

/// Days from 1970-01-01 to the first of a month, counted month by month within one cycle.
fn days(year: i128, month: usize) -> i128 {
    let cycles = (year - 1970).div_euclid(400);
    let mut days = cycles * CYCLE;
    for before in 1970..year - cycles * 400 {
        days += if is_leap(before) { 366 } else { 365 };
    }
    for before in 0..month {
        days += length(year, before);
    }
    days
}

/// Year, month from 0, day from 1 and second of the day.
fn civil(secs: i128) -> (i128, usize, i128, i128) {
    let day = secs.div_euclid(DAY);
    let mut left = day.rem_euclid(CYCLE);
    let (mut year, mut month) = (1970 + 400 * day.div_euclid(CYCLE), 0);
    while left >= length(year, month) {
        left -= length(year, month);
        (year, month) = if month == 11 { (year + 1, 0) } else { (year, month + 1) };
    }
    (year, month, left + 1, secs.rem_euclid(DAY))
}

/// Whether a word is the name of a day, in the first `len` letters of itself.
fn weekday(name: &str, len: usize) -> Option<()> {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let name = name.to_ascii_lowercase();
    (name.len() == len && names.iter().any(|long| name == *long || name == long[..3])).then_some(())
}

fn month_of(name: &str) -> Option<usize> {
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    names.iter().position(|month| *month == name.to_ascii_lowercase())
}

/// A number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<i128> {
    let is_number = text.len() == count && text.chars().all(|c| c.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// `hh:mm:ss` in seconds; second 60 is the next second.
fn time(clock: &str) -> Option<i128> {
    let parts: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else { return None };
    let (hours, minutes, seconds) = (digits(hours, 2)?, digits(minutes, 2)?, digits(seconds, 2)?);
    (hours <= 23 && minutes <= 59 && seconds <= 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

/// How many seconds a zone is ahead.
fn offset(zone: &str) -> Option<i128> {
    if is_utc(zone) {
        return Some(0);
    }
    let sign = match zone.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let number = digits(&zone[1..], 4)?;
    let (hours, minutes) = (number / 100, number % 100);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
}

fn is_utc(zone: &str) -> bool {
    ["gmt", "utc"].contains(&zone.to_ascii_lowercase().as_str())
}
