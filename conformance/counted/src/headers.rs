//! What the core reads from headers, beside what the standard library and `httpdate` take for it.

use retry_core::{UnixTime, date, retry_after};

use crate::each;

const NOW: UnixTime = UnixTime::new(1_772_366_400, 0);

const DIGITS: &str = "120";
const IMF_FIXDATE: &str = "Sun, 01 Mar 2026 12:00:31 GMT";
const RFC850: &str = "Sunday, 01-Mar-26 12:00:31 GMT";
const ASCTIME: &str = "Sun Mar  1 12:00:31 2026";

pub(crate) fn retry_after_digits(times: u64) {
    each(times, DIGITS, |line| retry_after::hint([line.as_bytes()], Some(NOW)));
}

pub(crate) fn str_parse(times: u64) {
    each(times, DIGITS, str::parse::<u64>);
}

pub(crate) fn imf_fixdate(times: u64) {
    each(times, IMF_FIXDATE, |line| date::parse(line.as_bytes(), Some(NOW)));
}

pub(crate) fn httpdate_imf_fixdate(times: u64) {
    each(times, IMF_FIXDATE, httpdate::parse_http_date);
}

pub(crate) fn rfc850(times: u64) {
    each(times, RFC850, |line| date::parse(line.as_bytes(), Some(NOW)));
}

pub(crate) fn httpdate_rfc850(times: u64) {
    each(times, RFC850, httpdate::parse_http_date);
}

pub(crate) fn asctime(times: u64) {
    each(times, ASCTIME, |line| date::parse(line.as_bytes(), Some(NOW)));
}

pub(crate) fn httpdate_asctime(times: u64) {
    each(times, ASCTIME, httpdate::parse_http_date);
}
