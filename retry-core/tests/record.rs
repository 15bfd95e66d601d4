//! The record keeps the last eight attempts, and says how many came before.

mod common;

use core::time::Duration;

use common::Words;
use retry_core::{
    Action, Attempt, Cause, Event, Failure, Instant, Jitter, Outcome, Policy, Reached, Record, Replay, Unlimited,
    WaitSource,
};

/// The record of a call with `sends` sends, each of which takes 5 ms; a status tells its number.
fn record(sends: u32) -> Record {
    let policy = Policy::API.edit().max_retries(sends - 1).jitter(Jitter::None).factor(1.0).total_timeout(None);
    let policy = policy.base_delay(Duration::from_secs(1)).build().expect("a valid policy");
    let mut record = Record::default();
    let mut action = Attempt::start(&policy, Replay::Always, None, Instant::EPOCH);
    loop {
        action = match action {
            Action::Send(attempt) => {
                let now = attempt.sent_at().saturating_add(Duration::from_millis(5));
                let outcome = Outcome::status(if attempt.number() % 2 == 0 { 500 } else { 503 });
                record.reply(&attempt, outcome.event, now, Some(attempt.number() as u16));
                attempt.finish(outcome, now, &mut Unlimited, &mut Words::new(&[0]))
            }
            Action::Wait(pause) => {
                record.pause(&pause);
                let until = pause.until();
                pause.resume(until)
            }
            Action::Done(_) | Action::GiveUp(_) => return record,
        };
    }
}

#[test]
fn the_last_eight_are_kept_in_order() {
    for sends in [1, 2, 7, 8, 9, 12, 16, 17, 1000] {
        let record = record(sends);
        let numbers: Vec<u32> = record.entries().map(|entry| entry.number).collect();
        let first = sends.saturating_sub(8) + 1;
        assert_eq!(numbers, (first..=sends).collect::<Vec<_>>());
        assert_eq!(record.earlier(), first as usize - 1);
        for entry in record.entries() {
            let start = Duration::from_millis(1005) * (entry.number - 1);
            assert_eq!((entry.start, entry.took), (start, Duration::from_millis(5)));
            assert_eq!(entry.event, Event::Status(if entry.number % 2 == 0 { 500 } else { 503 }));
            assert_eq!(entry.proxy, Some(entry.number as u16));
            let waited = (entry.number < sends).then_some((Duration::from_secs(1), WaitSource::Computed));
            assert_eq!(entry.wait, waited, "send {} of {sends}", entry.number);
        }
    }
}

/// Times are kept to the nanosecond, up to 584 years, and every place of a proxy is one.
#[test]
fn what_is_kept_comes_back_whole() {
    const LONGEST: Duration = Duration::from_nanos(u64::MAX);
    const WAIT: Duration = Duration::new(1800, 0);
    let policy = Policy::API.edit().jitter(Jitter::None).total_timeout(None).max_delay(WAIT).base_delay(WAIT);
    let policy = policy.build().expect("a valid policy");
    let refused = Event::Failure(Failure::new(Cause::Network, Reached::Unsent));
    let some = Duration::new(1 << 32, 999_999_999);
    let times = [Duration::ZERO, Duration::from_nanos(1), some, LONGEST, Duration::MAX];
    for (took, proxy) in times.into_iter().flat_map(|took| [None, Some(0), Some(u16::MAX)].map(|proxy| (took, proxy))) {
        let mut record = Record::default();
        let Action::Send(attempt) = Attempt::start(&policy, Replay::Always, None, Instant::EPOCH) else { panic!() };
        let now = Instant::EPOCH.saturating_add(took);
        record.reply(&attempt, refused, now, proxy);
        let mut expected = (1, refused, Duration::ZERO, took.min(LONGEST), None, proxy);
        let kept = |record: &Record| {
            let entry = record.entries().next().expect("an entry");
            (entry.number, entry.event, entry.start, entry.took, entry.wait, entry.proxy)
        };
        assert_eq!(kept(&record), expected);
        let outcome = Outcome { event: refused, ..Outcome::status(503) };
        let Action::Wait(pause) = attempt.finish(outcome, now, &mut Unlimited, &mut Words::new(&[0])) else { panic!() };
        record.pause(&pause);
        expected.4 = Some((WAIT, WaitSource::Computed));
        assert_eq!(kept(&record), expected);
    }
}

#[test]
fn an_empty_record_has_nothing() {
    let mut record = Record::default();
    assert_eq!((record.entries().count(), record.earlier()), (0, 0));
    // Nor does it get a wait without the reply before it.
    let Action::Send(attempt) = Attempt::start(&Policy::API, Replay::Always, None, Instant::EPOCH) else { panic!() };
    let busy = attempt.finish(Outcome::status(503), Instant::EPOCH, &mut Unlimited, &mut Words::new(&[0]));
    let Action::Wait(pause) = busy else { panic!("{busy:?}") };
    record.pause(&pause);
    assert_eq!(record, Record::default());
}

#[test]
fn debug_prints_the_attempts_that_are_kept() {
    assert_eq!(format!("{:?}", Record::default()), "Record { earlier: 0, entries: [] }");
    let text = format!("{:?}", record(9));
    assert!(text.starts_with("Record { earlier: 1, entries: [Entry { number: 2, event: Status(500), "), "{text}");
    assert_eq!(text.matches("Entry {").count(), 8, "{text}");
}
