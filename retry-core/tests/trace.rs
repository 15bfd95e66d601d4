//! Traces: what is recorded replays to the same decisions, survives being written, and what is no trace is refused.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

use core::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::trace::{KEPT, MAX_BYTES, Recorded, Recorder, Trace, TraceError};
use retry_core::{
    Action, Advice, Attempt, Cause, End, Event, Instant, Jitter, Outcome, OverCap, Policy, Reached, Reason, Replay,
    RetryAfter, TokenBucket, Try, Why,
};

/// One scripted reply.
#[derive(Clone, Copy, Debug)]
struct Step {
    outcome: Outcome,
    /// How long the send takes.
    takes: Duration,
    /// How late the wait before the next send ends.
    late: Duration,
}

impl Step {
    const fn new(outcome: Outcome) -> Self {
        Self { outcome, takes: Duration::from_millis(12), late: Duration::ZERO }
    }
}

#[derive(Clone, Debug)]
struct Script {
    policy: Policy,
    replay: Replay,
    start: Instant,
    deadline: Option<Instant>,
    seed: u64,
    /// The last one comes again for ever.
    steps: Vec<Step>,
    budget: u32,
    /// The caller gives up before the reply of this send.
    cancel: Option<u32>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            policy: Policy::API,
            replay: Replay::Always,
            start: Instant::from_nanos(1 << 62),
            deadline: None,
            seed: 7,
            steps: vec![Step::new(Outcome::status(503)), Step::new(Outcome::status(200))],
            budget: 500,
            cancel: None,
        }
    }
}

impl Script {
    /// The machine by hand, and its record.
    fn record(&self) -> Trace {
        let recorder = Recorder::new(self.policy, self.replay, self.deadline, self.seed, self.start);
        let bucket = TokenBucket::aws_2_0().capacity(self.budget);
        let mut budget = Recorded::new(bucket, Some(recorder.clone()));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut now = self.start;
        let mut action = Attempt::start(&self.policy, self.replay, self.deadline, now);
        let mut late = Duration::ZERO;
        let end = loop {
            action = match action {
                Action::Send(attempt) => {
                    recorder.send(Try::from(&attempt));
                    if self.cancel == Some(attempt.number()) {
                        let (attempts, elapsed) = (attempt.number(), attempt.elapsed(now));
                        break End { attempts, elapsed, reason: Reason::Canceled, event: None, asked: None };
                    }
                    let place = (attempt.number() as usize - 1).min(self.steps.len() - 1);
                    let step = self.steps[place];
                    late = step.late;
                    now = now.saturating_add(step.takes);
                    recorder.outcome(&step.outcome, Some(place as u16));
                    let next = attempt.finish(step.outcome, now, &mut budget, &mut rng);
                    if let Action::Wait(pause) = &next {
                        recorder.wait(pause);
                    }
                    next
                }
                Action::Wait(pause) => {
                    now = pause.until().saturating_add(late);
                    pause.resume(now)
                }
                Action::Done(end) | Action::GiveUp(end) => break end,
            };
        };
        recorder.end(end)
    }
}

/// The same decisions, from the trace and from its text.
fn holds(trace: &Trace) {
    let text = trace.to_string();
    assert!(text.len() <= MAX_BYTES, "{} bytes", text.len());
    let read: Trace = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&read, trace, "{text}");
    let replayed = read.replay();
    assert_eq!(replayed.differences(), [], "{text}");
    assert_eq!(&replayed.today, trace, "{text}");
    assert_eq!(replayed.decisions.len(), trace.sends.iter().filter(|sent| sent.reply.is_some()).count());
}

#[test]
fn a_trace_is_a_line_for_each_thing_that_happened() {
    let mut script = Script::default();
    script.policy = Policy::API.edit().max_retries(1).jitter(Jitter::None).build().unwrap();
    script.start = Instant::from_nanos(1_000_000_000);
    script.deadline = Some(script.start.saturating_add(Duration::from_secs(60)));
    let hint = Some(Duration::from_millis(5_500));
    script.steps[0] = Step::new(Outcome::status(503).with_hint(hint).with_advice(Advice::Retry));
    script.steps[1] = Step::new(Outcome::failure(Cause::Network, Reached::Unsent));
    let policy = serde_json::to_string(&script.policy).unwrap();
    assert_eq!(
        script.record().to_string(),
        format!(
            r#"{{"retry_trace":{{"version":1,"policy":{policy},"seed":7,"replay":"always","start":"1s","deadline":"1m"}}}}
{{"send":{{"number":1,"at":"0s","limit":"1m","reply":{{"at":"12ms","event":{{"status":503}},"hint":"5.5s","advice":"retry","proxy":0,"tally":"failure","budget":{{"before":500,"after":495,"answer":{{"granted":5}}}},"wait":{{"lasts":"5.5s","source":"retry_after"}}}}}}}}
{{"send":{{"number":2,"at":"5.512s","limit":"1m","reply":{{"at":"5.524s","event":{{"failure":{{"cause":"network","reached":"unsent"}}}},"proxy":1,"tally":"failure","budget":{{"before":495,"after":495}}}}}}}}
{{"end":{{"attempts":2,"elapsed":"5.524s","reason":"retries_exhausted","event":{{"failure":{{"cause":"network","reached":"unsent"}}}}}}}}
"#
        )
    );
}

#[test]
fn every_way_to_end_replays() {
    let long = Step::new(Outcome::status(429).with_hint(Some(Duration::from_secs(120))));
    let strict = RetryAfter::replace().over_cap(OverCap::GiveUp);
    let cut =
        Step { takes: Duration::from_secs(180), ..Step::new(Outcome::failure(Cause::Timeout, Reached::MaybeSent)) };
    let of = |steps: &[Step]| Script { steps: steps.to_vec(), ..Script::default() };
    let busy = Step::new(Outcome::status(503));
    let stopped = Step::new(Outcome::status(503).with_advice(Advice::Stop));
    let start = Script::default().start;
    let ends = [
        (Script::default(), Reason::Answer),
        (of(&[busy]), Reason::RetriesExhausted),
        (of(&[long]), Reason::TotalTimeout),
        (of(&[cut]), Reason::TotalTimeout),
        // Too late after the wait: the call ends in it.
        (of(&[Step { late: Duration::from_secs(200), ..busy }]), Reason::TotalTimeout),
        (Script { deadline: Some(start), ..Script::default() }, Reason::TotalTimeout),
        (Script { deadline: Some(Instant::EPOCH), ..Script::default() }, Reason::TotalTimeout),
        (of(&[stopped]), Reason::Advised),
        (of(&[Step::new(Outcome::failure(Cause::Tls, Reached::Unsent))]), Reason::NotRetryable),
        (Script { budget: 5, ..of(&[busy]) }, Reason::BudgetSpent),
        (Script { replay: Replay::Once(Why::Method), ..of(&[busy]) }, Reason::NotRepeatable(Why::Method)),
        (Script { cancel: Some(1), ..Script::default() }, Reason::Canceled),
        (Script { cancel: Some(2), ..Script::default() }, Reason::Canceled),
        (
            Script { policy: Policy::API.edit().retry_after(strict).build().unwrap(), ..of(&[long]) },
            Reason::RetryAfterTooLong,
        ),
    ];
    for (script, reason) in ends {
        let trace = script.record();
        assert_eq!(trace.end.map(|end| end.reason), Some(reason), "{script:?}");
        holds(&trace);
    }
}

#[test]
fn a_proxy_that_is_left_to_try_and_an_own_delay_replay() {
    let refused = Outcome::failure(Cause::Proxy, Reached::Unsent);
    let untried = Outcome { untried: Some(Duration::ZERO), ..refused };
    let own = Outcome::status(404).with_advice(Advice::RetryAfter(Duration::MAX));
    let policy = Policy::API.edit().total_timeout(None).build().unwrap();
    let trace = Script { policy, steps: [untried, own, refused].map(Step::new).to_vec(), ..Script::default() }.record();
    holds(&trace);
    assert_eq!(trace.sends[2].at, Duration::from_nanos(u64::MAX - (1 << 62)));
}

#[test]
fn beyond_the_bound_sends_are_counted_and_what_is_kept_replays() {
    let policy = Policy::API.edit().max_retries(4_999).total_timeout(None).build().unwrap();
    let script =
        Script { policy, budget: 1_000_000, steps: vec![Step::new(Outcome::status(503))], ..Script::default() };
    let trace = script.record();
    assert_eq!((trace.sends.len(), trace.dropped), (KEPT, 4_000));
    assert_eq!(trace.end.map(|end| end.attempts), Some(5_000));
    holds(&trace);
    // The longest lines that there are.
    let most = Some(Duration::MAX);
    let wordy = Outcome::failure(Cause::DnsNoSuchName, Reached::MaybeSent).with_hint(most);
    let wordy = Outcome { untried: most, ..wordy.with_advice(Advice::RetryAfter(Duration::MAX)) };
    let limit = Some(Duration::from_secs(1));
    let policy = policy.edit().attempt_timeout(limit).build().unwrap();
    let start = Instant::from_nanos(1);
    holds(&Script { policy, start, budget: u32::MAX, steps: vec![Step::new(wordy)], ..script }.record());
    // Another policy for the same replies is found out by what is kept.
    let other = trace.to_string().replacen("\"factor\":2.0", "\"factor\":2.5", 1).parse::<Trace>().unwrap();
    assert!(!other.replay().differences().is_empty());
}

#[test]
fn a_record_that_was_cut_off_replays_as_far_as_it_goes() {
    let text = Script { steps: vec![Step::new(Outcome::status(503))], ..Script::default() }.record().to_string();
    let lines: Vec<_> = text.lines().collect();
    for count in 1..=lines.len() {
        let trace: Trace = lines[..count].join("\n").parse().unwrap();
        let replayed = trace.replay();
        assert_eq!(replayed.differences(), []);
        assert_eq!(replayed.today.sends, trace.sends);
    }
}

/// Each line is one change of a record, and the first difference that it makes.
#[test]
fn a_decision_that_is_another_one_today_is_named() {
    let steps = vec![Step::new(Outcome::status(503).with_hint(Some(Duration::from_secs(5))))];
    let text = Script { steps, ..Script::default() }.record().to_string();
    let says = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let replayed = changed.parse::<Trace>().unwrap_or_else(|error| panic!("{error}: {changed}")).replay();
        replayed.differences().first().map(ToString::to_string).unwrap_or_default()
    };
    for (from, to, difference) in [
        (r#""lasts":"5s""#, r#""lasts":"4s""#, "send 1 reply.wait.lasts: recorded 4s, today 5s"),
        (r#""hint":"5s""#, r#""hint":"70s""#, "send 1 reply.wait.lasts: recorded 5s, today 1m"),
        (r#""cap":"1m""#, r#""cap":"4s""#, "send 1 reply.wait.lasts: recorded 5s, today 4s"),
        (
            r#""source":"retry_after""#,
            r#""source":"proxy""#,
            "send 1 reply.wait.source: recorded proxy, today retry_after",
        ),
        (
            r#""max_retries":3"#,
            r#""max_retries":2"#,
            r#"send 3 reply.budget.answer: recorded {"granted":5}, today none"#,
        ),
        (
            r#""max_retries":3"#,
            r#""max_retries":4"#,
            r#"send 4 reply.budget.answer: recorded none, today {"granted":0}"#,
        ),
        (
            r#"{"granted":5}"#,
            r#""refused""#,
            r#"send 1 reply.wait: recorded {"lasts":"5s","source":"retry_after"}, today none"#,
        ),
        (r#""tally":"failure""#, r#""tally":"neutral""#, "send 1 reply.tally: recorded neutral, today failure"),
        (r#""limit":"3m""#, r#""limit":"2m""#, "send 1 limit: recorded 2m, today 3m"),
        (r#""at":"5.012s""#, r#""at":"5.011s""#, "send 2 at: recorded 5.011s, today 5.012s"),
        (
            r#""reason":"retries_exhausted""#,
            r#""reason":"answer""#,
            "end reason: recorded answer, today retries_exhausted",
        ),
    ] {
        assert_eq!(says(from, to), difference, "{from} -> {to}");
    }
}

/// Each line is the end of a call that was given up, and what its sends say against it.
#[test]
fn an_end_that_the_sends_contradict_is_named() {
    let steps = vec![Step::new(Outcome::status(503).with_hint(Some(Duration::from_secs(5))))];
    let text = Script { steps, ..Script::default() }.record().to_string();
    let lines: Vec<_> = text.lines().collect();
    let says = |kept: usize, end: &str| {
        let text = format!("{}\n{{\"end\":{{{end},\"reason\":\"canceled\"}}}}", lines[..kept].join("\n"));
        let replayed = text.parse::<Trace>().unwrap_or_else(|error| panic!("{error}: {text}")).replay();
        replayed.differences().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(says(1, r#""attempts":0,"elapsed":"400d""#), none);
    assert_eq!(says(2, r#""attempts":1,"elapsed":"12ms""#), none);
    assert_eq!(says(2, r#""attempts":1,"elapsed":"4s","event":{"status":503},"asked":"5s""#), none);
    for (kept, end, differences) in [
        (1, r#""attempts":1,"elapsed":"0s""#, &["end attempts: recorded 1, today 0"][..]),
        (
            1,
            r#""attempts":0,"elapsed":"0s","event":{"status":200}"#,
            &[r#"end event: recorded {"status":200}, today none"#],
        ),
        (2, r#""attempts":0,"elapsed":"4s""#, &["end attempts: recorded 0, today 1"]),
        (2, r#""attempts":4000000000,"elapsed":"1000d""#, &["end attempts: recorded 4000000000, today 1"]),
        (2, r#""attempts":1,"elapsed":"11ms""#, &["end elapsed: recorded 11ms, today 12ms"]),
        (2, r#""attempts":1,"elapsed":"4s","event":{"status":200}"#, &["end event.status: recorded 200, today 503"]),
        (2, r#""attempts":1,"elapsed":"4s","asked":"6s""#, &["end asked: recorded 6s, today 5s"]),
    ] {
        assert_eq!(says(kept, end), differences, "{end}");
    }
    // The machine had ended the call.
    assert!(!says(5, r#""attempts":0,"elapsed":"400d""#).is_empty());
}

#[test]
fn what_was_dropped_comes_once_after_all_that_is_kept() {
    let policy = Policy::API.edit().max_retries(1_009).total_timeout(None).build().unwrap();
    let steps = vec![Step::new(Outcome::status(503))];
    let text = Script { policy, budget: 1_000_000, steps, ..Script::default() }.record().to_string();
    let line = "{\"dropped\":10}\n";
    let error = |text: &str| text.parse::<Trace>().expect_err("no trace").to_string();
    let changed = |to: &str| error(&text.replacen(line, to, 1));
    assert_eq!(changed(&line.repeat(2)), "line 1003: `dropped` comes once, after 1000 sends");
    assert_eq!(changed("{\"dropped\":0}\n"), "line 1002: dropped: is 0, accepted: 1 ..= 4294966295");
    assert_eq!(changed("{\"dropped\":4294966296}\n"), "line 1002: dropped: is 4294966296, accepted: 1 ..= 4294966295");
    assert_eq!(changed("{\"dropped\":9}\n"), "line 1003: end.attempts: is 1010, accepted: 1009");
    let send = text.lines().nth(1).unwrap();
    let late = "line 1003: a send after those that were dropped, or after 1000";
    assert_eq!(changed(&format!("{line}{send}\n")), late);
    let head = text.lines().next().unwrap();
    assert_eq!(error(&format!("{head}\n{line}")), "line 2: `dropped` comes once, after 1000 sends");
    let mut early: Trace = text.parse().unwrap();
    early.end = early.end.map(|end| End { elapsed: Duration::ZERO, ..end });
    assert_eq!(early.replay().differences().first().map(|difference| difference.field.as_str()), Some("elapsed"));
}

#[test]
fn what_is_no_trace_is_refused_with_line_and_field() {
    let text = Script::default().record().to_string();
    let told = |text: &str| text.parse::<Trace>().expect_err(text).to_string();
    let error = |text: &str| told(text).split(", at column ").next().unwrap_or_default().to_owned();
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        error(&text.replacen(from, to, 1))
    };
    assert_eq!(error(""), "line 1: the head is missing");
    assert_eq!(error("\n\n"), "line 1: the head is missing");
    assert_eq!(error(r#"{"send":{"number":1,"at":"0s"}}"#), "line 1: the first line is `retry_trace`");
    assert_eq!(error(r#"{"retry_trace":{"version":2,"new":[]}}"#), "line 1: version is 2, accepted: 1");
    assert_eq!(
        changed(r#""at":"12ms""#, r#""at":"12""#),
        "line 2: send.reply.at: invalid value: string \"12\", expected text with a unit, such as \"1.5s\", up to \
         2^64 - 1 ns"
    );
    assert_eq!(
        changed(r#""status":503"#, r#""status":70000"#),
        "line 2: send.reply.event.status: invalid value: integer `70000`, expected u16"
    );
    assert_eq!(
        changed(r#""factor":2.0"#, r#""factor":0.5"#),
        "line 1: retry_trace.policy: factor is 0.5, accepted: 1.0, or 1.01 ..= 10.0"
    );
    assert_eq!(changed(r#""number":2"#, r#""number":3"#), "line 3: send.number: is 3, accepted: 2");
    assert!(changed(r#""tally":"failure","#, "").starts_with("line 2: send.reply: missing field `tally`"));
    assert!(changed(r#""proxy":0"#, r#""proxi":0"#).starts_with("line 2: send.reply.proxi: unknown field `proxi`"));
    assert_eq!(error(&format!("{text}{}", text.lines().next().unwrap())), "line 5: nothing comes after the end");
    assert_eq!(told("{"), "line 1: EOF while parsing an object, at column 1");
    let more = "x".repeat(MAX_BYTES + 1);
    assert_eq!(more.parse::<Trace>(), Err(TraceError::TooLong(MAX_BYTES + 1)));
    assert_eq!(told(&more), format!("the text has {} bytes, accepted: at most {MAX_BYTES}", MAX_BYTES + 1));
    let head = text.lines().next().unwrap();
    assert_eq!(error(&format!("{head}\n{text}")), "line 2: a trace has one head, its first line");
}

#[test]
fn blank_lines_may_come_last() {
    let trace = Script::default().record();
    for blank in ["\n", "\n \r\n\n"] {
        assert_eq!(format!("{trace}{blank}").parse().as_ref(), Ok(&trace));
    }
}

/// A name or a text of the trace comes back in the error without its control characters, and not at any length.
#[test]
fn what_an_error_repeats_is_escaped_and_cut() {
    let text = Script::default().record().to_string();
    let told = |from: &str, to: &str| text.replacen(from, to, 1).parse::<Trace>().expect_err(to).to_string();
    assert_eq!(
        told(r#""proxy":0"#, r#""a\u001b[31m\u202eb":0"#).split(", expected").next(),
        Some(r"line 2: send.reply.a\u{1b}[31m\u{202e}b: unknown field `a\u{1b}[31m\u{202e}b`")
    );
    let x = "x".repeat(900_000);
    let start = told(r#""proxy":0"#, &format!(r#""{x}":0"#));
    let expected = format!("line 2: send.reply.{}...: unknown field `{}...", &x[..53], &x[..63]);
    assert!(start.starts_with(&expected) && start.len() < 600, "{} bytes: {start:.300}", start.len());
    let spaced = told(r#""at":"12ms""#, &format!(r#""at":"{}""#, "x ".repeat(100_000)));
    assert!(spaced.len() < 600, "{} bytes", spaced.len());
    let text = told(r#""at":"12ms""#, &format!(r#""at":"{x}""#));
    assert!(text.contains("...") && text.contains("expected text with a unit"), "{text:.300}");
}

fn moments() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        (0..30_000_000_000_u64).prop_map(Duration::from_nanos),
        (0..u64::MAX).prop_map(Duration::from_nanos),
        Just(Duration::MAX),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let causes = vec![Cause::Network, Cause::Timeout, Cause::DnsNoSuchName, Cause::ProxyAuth, Cause::Unknown];
    let failure = (select(causes), select(vec![Reached::Unsent, Reached::MaybeSent]));
    let event = prop_oneof![
        4 => select(vec![503, 429, 200, 404, 0, 999]).prop_map(Event::Status),
        2 => failure.prop_map(|(cause, reached)| Outcome::failure(cause, reached).event),
    ];
    let advice = prop_oneof![
        4 => Just(Advice::Keep),
        1 => Just(Advice::Retry),
        1 => moments().prop_map(Advice::RetryAfter),
        1 => Just(Advice::Stop),
    ];
    let takes = prop_oneof![3 => (0..1_000_000_000_u64).prop_map(Duration::from_nanos), 1 => moments()];
    let untried = option::weighted(0.2, moments());
    (event, option::of(moments()), advice, untried, takes, option::weighted(0.2, moments())).prop_map(
        |(event, hint, advice, untried, takes, late)| Step {
            outcome: Outcome { event, hint, advice, untried },
            takes,
            late: late.unwrap_or_default(),
        },
    )
}

fn policies() -> impl Strategy<Value = Policy> {
    let jitters =
        vec![Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Proportional(0.123_456)];
    let limit = || option::of((1..100_000_000_000_u64).prop_map(Duration::from_nanos));
    let hints = vec![RetryAfter::replace(), RetryAfter::at_least().spread(0.3), RetryAfter::ignore()];
    (0..12_u32, 0..2_000_000_000_u64, 1.01..10.0_f64, select(jitters), select(hints), limit(), limit()).prop_map(
        |(retries, base, factor, jitter, hints, total, attempt)| {
            let policy = Policy::API.edit().max_retries(retries).base_delay(Duration::from_nanos(base)).factor(factor);
            let policy = policy.jitter(jitter).retry_after(hints).total_timeout(total).attempt_timeout(attempt);
            policy.build().unwrap()
        },
    )
}

fn scripts() -> impl Strategy<Value = Script> {
    let replays = vec![Replay::Always, Replay::Always, Replay::IfUnsent, Replay::Once(Why::Body)];
    let start = prop_oneof![Just(0), Just(1 << 62), 0..u64::MAX];
    (
        policies(),
        select(replays),
        start,
        option::of(moments()),
        any::<u64>(),
        vec(steps(), 1..14),
        1..60_u32,
        option::weighted(0.2, 1..4_u32),
    )
        .prop_map(|(policy, replay, start, deadline, seed, steps, budget, cancel)| {
            let start = Instant::from_nanos(start);
            let deadline = deadline.map(|deadline| start.saturating_add(deadline));
            Script { policy, replay, start, deadline, seed, steps, budget, cancel }
        })
}

proptest! {
    #[test]
    fn what_is_recorded_replays_bit_for_bit(script in scripts()) {
        holds(&script.record());
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}|(\\{\"(retry_trace|send|end|dropped)\":\\PC{0,40}\\}\n?){0,4}") {
        _ = text.parse::<Trace>();
    }

    /// What is still a trace with some bytes changed replays to something, and is written as the same.
    #[test]
    fn no_trace_panics(script in scripts(), changes in vec((any::<prop::sample::Index>(), "[0-9a-z\"{}:,\n]"), 0..4)) {
        let mut text: Vec<char> = script.record().to_string().chars().collect();
        for (place, with) in changes {
            let place = place.index(text.len());
            text[place] = with.chars().next().unwrap_or('0');
        }
        if let Ok(trace) = text.into_iter().collect::<String>().parse::<Trace>() {
            let replayed = trace.replay();
            prop_assert!(replayed.decisions.len() <= trace.sends.len());
            prop_assert_eq!(trace.to_string().parse(), Ok(trace));
        }
    }
}
