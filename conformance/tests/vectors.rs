//! Every case of `vectors`, against the core.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::catch_unwind;

use conformance::json::Span;
use conformance::scenario::{Event, Random, Settings};
use conformance::sim::{Words, convert, simulate};
use conformance::trace::Trace;
use conformance::vectors::{
    self, Backoff, Bounds, Expected, Jitter, Judgement, Kind, Replay, RetryAfter, Rule, Run, Verdict,
};
use retry_core::{Action, Attempt, Instant, Outcome, Policy, Unlimited, retry_after};

/// Each kind and the number of cases that it has at least. More are welcome, fewer are a loss.
const KINDS: [(&str, usize); 8] = [
    (Backoff::NAME, 16),
    (Bounds::NAME, 24),
    (Jitter::NAME, 37),
    (vectors::Settings::NAME, 69),
    (Replay::NAME, 47),
    (RetryAfter::NAME, 153),
    (Run::NAME, 264),
    (Verdict::NAME, 87),
];

#[test]
fn backoff() {
    check::<Backoff>(|case| {
        let policy = policy(&case.policy)?;
        let last = case.delays.last().ok_or("no delays")?.0;
        let mut rest = case.delays.iter().copied().peekable();
        let mut before = Duration::ZERO;
        for (number, delay) in (1..=last).zip(waits(policy, &Random::default())) {
            if delay < before || delay > policy.max_delay() {
                return Err(format!("retry {number}: {delay:?} after {before:?}"));
            }
            if let Some((_, right)) = rest.next_if(|(retry, _)| *retry == number) {
                equal(&format!("retry {number}"), Span::from(delay), right)?;
            }
            before = delay;
        }
        equal("delays that were not reached", rest.count(), 0)
    });
}

#[test]
fn jitter() {
    check::<Jitter>(|case| {
        let waits = waits(policy(&case.policy)?, &case.random).map(Span::from);
        equal("waits", waits.take(case.waits.len()).collect::<Vec<_>>(), case.waits.clone())
    });
}

#[test]
fn retry_after() {
    check::<RetryAfter>(|case| {
        let wall = case.wall.map(|wall| retry_core::UnixTime::new(wall.secs, wall.nanos));
        let dates = case.dates.iter().map(|line| line.0.as_slice());
        let reference = retry_after::reference(dates, case.age, || wall);
        let hint = retry_after::hint(case.lines.iter().map(|line| line.0.as_slice()), reference);
        equal("hint", hint.map(Span::from), case.hint)
    });
}

#[test]
fn bounds() {
    check::<Bounds>(|case| {
        let policy = policy(&case.policy)?;
        equal("sends", policy.max_sends(), case.sends)?;
        if let Some(nominal) = case.nominal {
            equal("nominal", policy.nominal_waits().into(), nominal)?;
        }
        equal("waits", policy.max_waits().into(), case.waits)?;
        equal("waits with hints", policy.max_waits_with_hints().into(), case.waits_with_hints)?;
        equal("total", policy.max_total().map(Span::from), case.total)?;
        equal("time needed", policy.time_needed(case.needed.send.into()).into(), case.needed.time)
    });
}

#[test]
fn settings() {
    check::<vectors::Settings>(|case| {
        let built = convert::builder(&case.policy).build();
        let refused = built.err().map(|error| error.field().to_owned());
        equal("refused field", refused, case.refused.clone())?;
        let Some(preset) = &case.preset else { return Ok(()) };
        let right = match preset.as_str() {
            "API" => Policy::API,
            "MICROSERVICE" => Policy::MICROSERVICE,
            "DOWNLOAD" => Policy::DOWNLOAD,
            "HIGH_THROUGHPUT" => Policy::HIGH_THROUGHPUT,
            "NONE" => Policy::NONE,
            other => return Err(format!("no preset {other}")),
        };
        equal("preset", built, Ok(right))
    });
}

#[test]
fn verdicts() {
    check::<Verdict>(|case| {
        let event = convert::event(case.reply.event);
        let verdict = match retry_core::Verdict::of(event, &policy(&case.policy)?) {
            retry_core::Verdict::Answer => Judgement::Answer,
            retry_core::Verdict::Retry => Judgement::Retry,
            retry_core::Verdict::Fail => Judgement::Fail,
        };
        let code = match event {
            retry_core::Event::Failure(failure) => Some(failure.kind().code().to_owned()),
            retry_core::Event::Status(_) => None,
        };
        equal("verdict", verdict, case.verdict)?;
        equal("code", code, case.code.clone())
    });
}

#[test]
fn replay() {
    check::<Replay>(|case| {
        let replay = convert::replay(&case.scenario);
        let why = replay.single_send(case.scenario.settings().max_retries);
        let again = match (why, replay) {
            (Some(_), _) | (None, retry_core::Replay::Once(_)) => Rule::Never,
            (None, retry_core::Replay::IfUnsent) => Rule::IfUnsent,
            (None, retry_core::Replay::Always) => Rule::Always,
        };
        equal("again", again, case.again)?;
        equal("why", why.map(convert::why), case.why)
    });
}

#[test]
fn scenarios() {
    check::<Run>(|case| {
        let trace = simulate(&case.scenario);
        compare(&trace, &case.expected).map_err(|wrong| format!("{wrong}\n{trace}"))
    });
}

/// The loader finds what an editor's search finds, and no file is of a kind that no test runs.
#[test]
fn no_case_is_lost() {
    let mut written = KINDS.map(|(kind, _)| (kind, 0));
    for path in vectors::files().unwrap() {
        let kind = vectors::kind(&path);
        let place = written.iter_mut().find(|place| place.0 == kind);
        let text = std::fs::read_to_string(&path).unwrap();
        place.unwrap_or_else(|| panic!("no test runs {}", path.display())).1 += text.matches("\"id\":").count();
    }
    let loaded = [
        vectors::load::<Backoff>().unwrap().len(),
        vectors::load::<Bounds>().unwrap().len(),
        vectors::load::<Jitter>().unwrap().len(),
        vectors::load::<vectors::Settings>().unwrap().len(),
        vectors::load::<Replay>().unwrap().len(),
        vectors::load::<RetryAfter>().unwrap().len(),
        vectors::load::<Run>().unwrap().len(),
        vectors::load::<Verdict>().unwrap().len(),
    ];
    assert_eq!(written.map(|(_, count)| count), loaded);
    for ((kind, least), count) in KINDS.into_iter().zip(loaded) {
        assert!(count >= least, "{count} cases of {kind}, but there were {least}");
    }
}

/// Runs every case of a kind, says how many there were, and fails with the names of all that are wrong.
fn check<K: Kind>(run: impl Fn(&K) -> Result<(), String>) {
    let cases = vectors::load::<K>().unwrap_or_else(|error| panic!("{error}"));
    for chunk in cases.chunk_by(|one, other| one.file == other.file) {
        println!("{}: {} cases", chunk[0].file, chunk.len());
    }
    let wrong = cases.iter().filter_map(|case| {
        // The case that panics must be named, too.
        let ran = catch_unwind(AssertUnwindSafe(|| run(&case.body)));
        let wrong = ran.unwrap_or_else(|_| Err("it panicked".into())).err()?;
        Some(format!("{} in {}: {wrong}\n  ({})", case.id, case.file, case.note))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{} of {} cases are wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(!cases.is_empty(), "no cases of {}", K::NAME);
}

fn equal<T: PartialEq + core::fmt::Debug>(what: &str, got: T, right: T) -> Result<(), String> {
    if got == right { Ok(()) } else { Err(format!("{what}: got {got:?}, expected {right:?}")) }
}

fn policy(settings: &Settings) -> Result<Policy, String> {
    convert::builder(settings).build().map_err(|error| error.to_string())
}

/// The waits of a call that fails for ever, without hints and on time.
fn waits(policy: Policy, random: &Random) -> impl Iterator<Item = Duration> {
    let mut words = Words::new(random);
    let mut action = Attempt::start(policy, retry_core::Replay::Always, None, Instant::EPOCH);
    core::iter::from_fn(move || {
        let Action::Send(attempt) = action else { return None };
        let outcome = Outcome::status(503);
        let Action::Wait(pause) = attempt.finish(outcome, attempt.sent_at(), &mut Unlimited, &mut words) else {
            return None;
        };
        action = pause.resume(pause.until());
        Some(pause.duration())
    })
}

fn compare(trace: &Trace, right: &Expected) -> Result<(), String> {
    let end = trace.end;
    equal("sends", trace.sends.iter().map(|send| send.at).collect::<Vec<_>>(), right.sends.clone())?;
    let waits = trace.waits.iter().map(|wait| (wait.lasts, wait.source));
    equal("waits", waits.collect::<Vec<_>>(), right.waits.clone())?;
    equal("back", end.at, right.back)?;
    equal("elapsed", end.elapsed, right.back)?;
    equal("attempts", end.attempts, right.attempts)?;
    equal("reason", end.reason, right.reason)?;
    equal("code", end.code, right.code.as_deref())?;
    let status = match end.event {
        Some(Event::Status(status)) => Some(status),
        Some(Event::Failure(..)) | None => None,
    };
    equal("status", status, right.status)?;
    equal("asked", end.asked, right.asked)?;
    let Some(replies) = &right.replies else { return Ok(()) };
    let got: Vec<_> = trace.sends.iter().map(|send| send.event).collect();
    equal("replies", got, replies.iter().map(|reply| Some(reply.event)).collect())
}
