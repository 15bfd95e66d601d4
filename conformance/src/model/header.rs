//! Retry-After, read naively: split, look, and the longest counts.

use super::date::date;
use super::{SECOND, nanos};
use crate::json::Span;
use crate::scenario::{Advice, Step};

/// What a response asks for, in nanoseconds; `None` for nothing. `wall` is the wall clock since 1970.
pub(crate) fn hint(step: &Step, wall: Option<i128>) -> Option<i128> {
    let lines: Vec<_> = step.lines("retry-after").collect();
    let dates: Vec<_> = step.lines("date").collect();
    asked(&lines, &dates, step.lines("age").next().is_some(), wall)
}

/// The same for the lines of the headers.
pub(crate) fn asked(lines: &[&[u8]], dates: &[&[u8]], age: bool, wall: Option<i128>) -> Option<i128> {
    let own = match dates {
        [one] if !age => text(one).and_then(|date_line| date(date_line.trim_matches(BLANKS))).and_then(|named| {
            // A date that is to be measured against must name its century.
            if named.year_has_four_digits() { named.seconds(0) } else { None }
        }),
        _ => None,
    };
    let reference = own.map(|secs| secs * SECOND).or(wall);
    lines.iter().filter_map(|line| wait(text(line)?.trim_matches(BLANKS), reference)).max().filter(|wait| *wait > 0)
}

/// What lines of milliseconds ask for.
pub(crate) fn asked_in_millis(lines: &[Vec<u8>]) -> Option<i128> {
    let members = lines.iter().filter_map(|line| text(line)).flat_map(|line| line.split(','));
    let waits = members.filter_map(|member| {
        let member = member.trim_matches(BLANKS);
        let (whole, fraction) = member.split_once('.').unwrap_or((member, "0"));
        // A thousandth of it as seconds: the point moves by three places.
        let padded = format!("000{whole}");
        let (secs, thousandths) = padded.split_at_checked(whole.len())?;
        let is_number = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) {
            return None;
        }
        number(&format!("{secs}.{thousandths}{fraction}"))
    });
    // What the core's nanoseconds hold, as if they were a thousand times as many.
    waits.max().map(|wait| wait.min((longest() + 999) / 1000)).filter(|wait| *wait > 0)
}

/// What lines of `true` and `false` advise.
pub(crate) fn word(status: u16, lines: &[Vec<u8>]) -> Advice {
    let members = lines.iter().filter_map(|line| text(line)).flat_map(|line| line.split(','));
    let words: Vec<_> = members.map(|member| member.trim_matches(BLANKS).to_lowercase()).collect();
    let has = |word: &str| status >= 400 && words.iter().any(|other| other == word);
    match (has("true"), has("false")) {
        (_, true) => Advice::Stop,
        (true, false) => Advice::Retry,
        (false, false) => Advice::Keep,
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

/// A line as text, unless it has a byte that is none.
fn text(line: &[u8]) -> Option<&str> {
    let printable = line.iter().all(|byte| *byte == b'\t' || (b' '..=b'~').contains(byte));
    if printable { core::str::from_utf8(line).ok() } else { None }
}

/// What one line asks for.
fn wait(line: &str, reference: Option<i128>) -> Option<i128> {
    if let (Some(named), Some(reference)) = (date(line), reference)
        && let Some(secs) = named.seconds(reference.div_euclid(SECOND))
    {
        return Some((secs * SECOND - reference).clamp(0, longest()));
    }
    line.split(',').filter_map(|member| number(member.trim_matches(BLANKS))).max()
}

/// A number of seconds, in nanoseconds, rounded up.
fn number(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > 20 {
        return Some(longest());
    }
    let secs: i128 = format!("0{whole}").parse().ok()?;
    let padded = format!("{fraction:0<9}");
    let (nine, rest) = padded.split_at(9);
    let above: i128 = nine.parse().ok()?;
    let up = i128::from(rest.chars().any(|c| c != '0'));
    Some((secs * SECOND + above + up).min(longest()))
}

/// What the core's nanoseconds hold.
fn longest() -> i128 {
    nanos(Span::from_nanos(u64::MAX))
}
