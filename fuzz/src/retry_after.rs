//! Retry-After: the core's reading of any header bytes against the naive model's, and both of the core's ways to it.
//!
//! Each line of the bytes is a header or the clock, by its first byte: `r` a line of Retry-After, `d` one of Date, `a`
//! an Age, `w` the wall clock as two numbers, the seconds since 1970 and the nanoseconds above.

use conformance::json::Bytes;
use conformance::model::Model;
use conformance::rules::Rules;
use conformance::scenario::Wall;
use conformance::sim::Core;
use conformance::vectors::RetryAfter;
use http::header::{AGE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use retry_core::UnixTime;
use retry_core::retry_after::from_headers;

/// Fails if the core and the model do not ask for the same wait.
pub fn run(data: &[u8]) {
    let case = read(data);
    let hint = Core.hint(&case);
    assert_eq!(hint, Model.hint(&case), "{case:?}");

    let Some(headers) = map(&case) else { return };
    let wall = || case.wall.map(|wall| UnixTime::new(wall.secs, wall.nanos));
    assert_eq!(from_headers(&headers, wall).map(Into::into), hint, "{case:?}");
}

/// The case as bytes.
pub fn write(case: &RetryAfter) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    lines.extend(case.wall.map(|wall| format!("w{} {}", wall.secs, wall.nanos).into_bytes()));
    lines.extend(case.age.then(|| b"a".to_vec()));
    lines.extend(case.dates.iter().map(|line| [b"d", line.0.as_slice()].concat()));
    lines.extend(case.lines.iter().map(|line| [b"r", line.0.as_slice()].concat()));
    lines.join(&b'\n')
}

fn read(data: &[u8]) -> RetryAfter {
    let mut case = RetryAfter { lines: Vec::new(), dates: Vec::new(), age: false, wall: None, hint: None };
    for line in data.split(|byte| *byte == b'\n') {
        match line.split_first() {
            Some((b'r', value)) => case.lines.push(Bytes(value.to_vec())),
            Some((b'd', value)) => case.dates.push(Bytes(value.to_vec())),
            Some((b'a', _)) => case.age = true,
            Some((b'w', value)) => case.wall = clock(value),
            Some(_) | None => {}
        }
    }
    case
}

fn clock(value: &[u8]) -> Option<Wall> {
    let (secs, nanos) = core::str::from_utf8(value).ok()?.split_once(' ')?;
    let nanos = nanos.parse().ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Wall { secs: secs.parse().ok()?, nanos })
}

/// The headers as a client has them; `None` if no client would take them.
fn map(case: &RetryAfter) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, lines) in [(RETRY_AFTER, &case.lines), (DATE, &case.dates)] {
        for line in lines {
            headers.append(name.clone(), HeaderValue::from_bytes(&line.0).ok()?);
        }
    }
    if case.age {
        headers.append(AGE, HeaderValue::from_static("1"));
    }
    Some(headers)
}
