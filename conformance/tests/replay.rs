//! Recorded calls, replayed: every scenario of the vectors, and the command.

use std::io::Write as _;
use std::process::{Command, Stdio};

use conformance::json::Span;
use conformance::results::scenarios;
use conformance::scenario::{Advice, Cause, Reached, Scenario, Settings, Step};
use conformance::sim::{record, simulate};
use retry_core::trace::Trace;

#[test]
fn every_scenario_replays_to_the_recorded_decisions() {
    let mut count = 0;
    for (id, scenario) in scenarios().expect("the vectors can be read") {
        let (trace, record) = record(&scenario);
        assert_eq!(trace, simulate(&scenario.clone().seeded()), "{id}: a record changes nothing");
        assert_eq!((record.sends.len(), record.dropped), (trace.sends.len(), 0), "{id}");
        let text = record.to_string();
        assert_eq!(text.parse().as_ref(), Ok(&record), "{id}");
        let replayed = record.replay();
        assert_eq!((replayed.differences(), &replayed.today), (&[][..], &record), "{id}: {text}");
        count += 1;
    }
    assert!(count > 250, "only {count} scenarios");
}

/// A call that went through most of the rules, as it was recorded once: its decisions are those of every later version.
#[test]
fn what_was_recorded_before_is_decided_so_today() {
    let kept = include_str!("replay/kept.trace");
    let policy = Settings { max_retries: 8, max_delay: Span::from_secs(3), total_timeout: None, ..Settings::default() };
    let proxy = Step::failure(Cause::Proxy, Reached::Unsent);
    let script = vec![
        Step::status(503).takes(Span::from_millis(12)),
        Step::status(429).header("retry-after", "70"),
        Step::failure(Cause::Timeout, Reached::MaybeSent),
        Step { advice: Advice::RetryAfter(Span::from_millis(1_500)), ..Step::status(404) },
        Step { untried: Some(Span::ZERO), ..proxy.clone() },
        proxy,
        Step::status(503),
    ];
    assert_eq!(record(&Scenario { policy, script, ..Scenario::default() }).1.to_string(), kept);
    let (out, error, status) = replay(kept);
    assert_eq!((error.as_str(), status), ("", 0), "{out}");
}

/// What the command says of a trace on its standard input, what it says is wrong, and its status.
fn replay(text: &str) -> (String, String, i32) {
    command(&["-"], text)
}

fn command(arguments: &[&str], text: &str) -> (String, String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_replay"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end without reading.
    _ = child.stdin.take().expect("a pipe").write_all(text.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (text(output.stdout), text(output.stderr), output.status.code().expect("it ends by itself"))
}

/// A call with a hint, a custom policy's word, and an answer.
fn example() -> Trace {
    let busy = Step::status(503).header("retry-after", "70").takes("12ms".parse().expect("a time"));
    let missing = Step { advice: Advice::Retry, ..Step::status(404) };
    let script = vec![busy, missing, Step::status(200)];
    record(&Scenario { script, ..Scenario::default() }).1
}

#[test]
fn each_decision_is_told_with_its_numbers() {
    let (out, error, status) = replay(&example().to_string());
    assert_eq!((error.as_str(), status), ("", 0), "{out}");
    assert_eq!(out, include_str!("replay/example.txt"));
}

#[test]
fn a_decision_that_differs_is_told_where_it_is_made() {
    let text = example().to_string();
    let changed = text.replacen(r#""cap":"1m""#, r#""cap":"50s""#, 1);
    assert_ne!(changed, text);
    let (out, error, status) = replay(&changed);
    assert_eq!((error.as_str(), status), ("", 1), "{out}");
    let lines: Vec<_> = out.lines().collect();
    let place = lines.iter().position(|line| line.contains("DIFFERS")).expect(&out);
    assert_eq!(lines[place], "  DIFFERS send 1 reply.wait.lasts: recorded 1m, today 50s");
    assert_eq!(lines[place - 1], "  so      wait 50s (the server's), until 50.012s");
    assert_eq!(lines.last(), Some(&"One value differs from the record."));
}

#[test]
fn a_call_that_would_go_on_or_end_earlier_is_told() {
    let script = vec![Step::status(503)];
    let text = record(&Scenario { script, ..Scenario::default() }).1.to_string();
    let (out, _, status) = replay(&text.replacen(r#""max_retries":3"#, r#""max_retries":9"#, 1));
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("\nend: none, the call would go on\n"), "{out}");
    let (out, _, status) = replay(&text.replacen(r#""max_retries":3"#, r#""max_retries":1"#, 1));
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("503 is a status that the policy retries; the one retry is used"), "{out}");
    assert!(out.contains("DIFFERS send 4: recorded {"), "{out}");
}

#[test]
fn what_is_no_trace_is_told_by_line_and_field() {
    for (arguments, text, says) in [
        (&["-"][..], "{}", "replay: -: line 1: expected value, at column 2\n"),
        (&["-"], "", "replay: -: line 1: the head is missing\n"),
        (&[], "", "replay: there is no TRACE; --help says more\n"),
        (&["-", "-"], "", "replay: unexpected argument \"-\"; --help says more\n"),
        (&["--jsn"], "", "replay: invalid option '--jsn'; --help says more\n"),
    ] {
        assert_eq!(command(arguments, text), (String::new(), says.into(), 2));
    }
    let (_, error, status) = command(&["/no/such/file"], "");
    assert!(error.starts_with("replay: /no/such/file: ") && status == 2, "{error}");
    let (_, error, status) = replay(&"x".repeat(2_000_000));
    assert_eq!((error.as_str(), status), ("replay: -: the text has 1048577 bytes, accepted: at most 1048576\n", 2));
    let (help, _, status) = command(&["--help"], "");
    assert!(help.contains("Usage: replay TRACE") && status == 0, "{help}");
}

/// The status is the same where nobody can be told what is wrong.
#[cfg(target_os = "linux")]
#[test]
fn an_error_that_cannot_be_written_leaves_the_status() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    let status = Command::new(env!("CARGO_BIN_EXE_replay")).arg("--frobnicate").stderr(full).status();
    assert_eq!(status.expect("it starts").code(), Some(2));
}
