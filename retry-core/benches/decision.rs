//! What the core costs. A decision (an outcome in, an action out) is meant to stay below 100 ns.

use core::hint::black_box;
use core::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{
    Action, Attempt, Cause, End, Instant, Jitter, Outcome, Pause, Policy, Reached, Replay, UnixTime, Unlimited,
    retry_after,
};

fn send(policy: &Policy) -> Attempt<&Policy> {
    match Attempt::start(policy, Replay::Always, None, Instant::EPOCH) {
        Action::Send(attempt) => attempt,
        action => unreachable!("a call begins with a send and not with {action:?}"),
    }
}

fn pause<'a>(policy: &'a Policy, rng: &mut Xoshiro256PlusPlus) -> Pause<&'a Policy> {
    match send(policy).finish(Outcome::status(503), Instant::EPOCH, &mut Unlimited, rng) {
        Action::Wait(pause) => pause,
        action => unreachable!("a 503 is retried: {action:?}"),
    }
}

fn decision(c: &mut Criterion) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let now = Instant::from_nanos(20_000_000);
    let hinted = Outcome::status(429).with_hint(Some(Duration::from_secs(2)));
    let decorrelated = Policy::builder().jitter(Jitter::Decorrelated).build().expect("a policy within the bounds");
    let cases = [
        ("a status that is retried", Policy::API, Outcome::status(503)),
        ("a failure that is retried", Policy::API, Outcome::failure(Cause::Network, Reached::Unsent)),
        ("a hint", Policy::API, hinted),
        ("decorrelated jitter", decorrelated, Outcome::status(503)),
        ("an answer", Policy::API, Outcome::status(200)),
    ];
    let mut group = c.benchmark_group("one decision");
    for (name, policy, outcome) in cases {
        // In batches: making the attempt is not part of the decision.
        group.bench_function(name, |b| {
            b.iter_batched(
                || send(black_box(&policy)),
                |attempt| attempt.finish(black_box(outcome), black_box(now), &mut Unlimited, &mut rng),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn resume(c: &mut Criterion) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let late = Instant::from_nanos(2_000_000_000);
    c.bench_function("one resume", |b| {
        b.iter_batched(
            || pause(black_box(&Policy::API), &mut rng),
            |pause| pause.resume(black_box(late)),
            BatchSize::SmallInput,
        );
    });
}

fn call(c: &mut Criterion) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let script = [
        Outcome::status(503),
        Outcome::failure(Cause::Network, Reached::MaybeSent),
        Outcome::status(429).with_hint(Some(Duration::from_secs(2))),
        Outcome::failure(Cause::DnsTemporary, Reached::Unsent),
        Outcome::status(500),
        Outcome::status(200),
    ];
    c.bench_function("a call of six outcomes", |b| {
        b.iter(|| whole_call(black_box(&Policy::DOWNLOAD), black_box(&script), &mut rng));
    });
}

fn whole_call(policy: &Policy, script: &[Outcome], rng: &mut Xoshiro256PlusPlus) -> End {
    let mut action = Attempt::start(policy, Replay::Always, None, Instant::EPOCH);
    let mut script = script.iter();
    loop {
        action = match action {
            Action::Send(attempt) => {
                let outcome = script.next().expect("the last outcome ends the call");
                let now = attempt.sent_at();
                attempt.finish(*outcome, now, &mut Unlimited, rng)
            }
            Action::Wait(pause) => {
                let until = pause.until();
                pause.resume(until)
            }
            Action::Done(end) | Action::GiveUp(end) => return end,
        };
    }
}

fn header(c: &mut Criterion) {
    let now = Some(UnixTime::new(1_772_366_400, 0));
    let lines: [(&str, &[u8]); 5] = [
        ("digits", b"120"),
        ("IMF-fixdate", b"Sun, 01 Mar 2026 12:00:31 GMT"),
        ("RFC 850", b"Sunday, 01-Mar-26 12:00:31 GMT"),
        ("asctime", b"Sun Mar  1 12:00:31 2026"),
        ("a word", b"tomorrow"),
    ];
    let mut group = c.benchmark_group("Retry-After");
    for (name, line) in lines {
        group.bench_function(name, |b| b.iter(|| retry_after::hint([black_box(line)], black_box(now))));
    }
    group.finish();
}

fn start(c: &mut Criterion) {
    c.bench_function("a start", |b| b.iter(|| send(black_box(&Policy::API))));
    c.bench_function("the bounds of a policy with any number of retries", |b| {
        let policy = Policy::API.edit().max_retries(u32::MAX - 1).build().expect("a policy within the bounds");
        b.iter(|| black_box(&policy).max_waits_with_hints());
    });
}

criterion_group!(benches, decision, resume, call, header, start);
criterion_main!(benches);
