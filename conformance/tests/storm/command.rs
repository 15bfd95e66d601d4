//! The command, as a program in a pipe.

use std::path::PathBuf;
use std::process::{Command, Output};

fn storm(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_storm")).args(arguments).output().expect("the command starts")
}

fn stdout(arguments: &[&str]) -> String {
    let output = storm(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("the output is text")
}

/// A file of its own for one test.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn the_same_seed_prints_and_draws_the_same_bytes() {
    let play = |format: &[&str], svg: &str| {
        let path = file(svg);
        let arguments = ["herd", "--clients", "2000", "--seed", "9", "--svg", path.to_str().unwrap()];
        (stdout(&[&arguments, format].concat()), std::fs::read(path).unwrap())
    };
    for format in [&[][..], &["--json"]] {
        assert!(play(format, "one.svg") == play(format, "two.svg"));
    }
    let (table, svg) = play(&[], "one.svg");
    assert!(table.starts_with("herd: 2000 clients") && svg.starts_with(b"<svg "), "{table}");
}

/// In a pipe `storm` has no bar; `stdout` has seen that nothing else is on stderr either.
#[test]
fn flags_reach_the_scenario() {
    let json = stdout(&[
        "layers",
        "--json",
        "--clients=50",
        "--processes",
        "5",
        "--layers",
        "2",
        "--load",
        "20",
        "--duration",
        "5s",
        "--capacity",
        "99.5",
        "--outage-at",
        "1s",
        "--hang",
        "500ms",
        "--down",
        "1s",
        "--policy",
        "microservice",
        "--max-retries",
        "1",
        "--base-delay",
        "10ms",
        "--factor",
        "1.5",
        "--max-delay",
        "1s",
        "--attempt-timeout",
        "2s",
        "--total-timeout",
        "20s",
        "--seed",
        "3",
        "--step",
        "100ms",
        "--jitter",
        "full,equal",
        "--budget",
        "aws-2.0:5, 10%",
    ]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!({
        "name": "layers", "clients": 50, "processes": 5, "layers": 2, "load": 20.0, "duration": "5s", "capacity": 99.5,
        "outage_at": "1s", "hang": "500ms", "down": "1s", "seed": 3, "step": "100ms",
        "policy": {
            "max_retries": 1, "base_delay": "10ms", "factor": 1.5, "max_delay": "1s", "attempt_timeout": "2s",
            "total_timeout": "20s",
        },
    });
    assert_eq!(report["scenario"], expected);
    let variants = report["variants"].as_array().unwrap();
    let names: Vec<_> =
        variants.iter().map(|variant| (variant["budget"].as_str(), variant["jitter"].as_str())).collect();
    let expected = [("aws-2.0:5", "full"), ("aws-2.0:5", "equal"), ("10%", "full"), ("10%", "equal")];
    assert_eq!(names, expected.map(|(budget, jitter)| (Some(budget), Some(jitter))));
    assert_eq!(variants[0]["calls"], 100);
    assert!(stdout(&["--help"]).contains("Usage: storm"));
}

#[test]
fn a_wrong_call_is_told_what_is_wrong_and_ends_with_two() {
    for (arguments, expected) in [
        (&["gale"][..], r#"the scenario is "gale", accepted: metastable, layers, herd"#),
        (&["herd", "herd"], r#"unexpected argument "herd""#),
        (&["--speed", "9"], "--speed is no flag"),
        (&["--clients"], "--clients needs a value"),
        (&["--json=yes"], "--json"),
        (&["--clients", "many"], r#"--clients is "many", accepted: a whole number from 0, not too large"#),
        (&["--clients", "-1"], r#"--clients is "-1", accepted: a whole number"#),
        (&["--clients", "0"], "--clients is 0, accepted: 1 ..= 1000000"),
        (&["--load", "x"], r#"--load is "x", accepted: a number"#),
        (&["--load", "NaN"], "--load is NaN, accepted: 0.001 ..= 1000000"),
        (&["--hang", "10"], r#"--hang is "10", accepted: a time with its unit, such as 10s"#),
        (&["--jitter", "full,half"], r#"--jitter is "half", accepted: none, full, equal, decorrelated, or a share"#),
        (
            &["--jitter", "full,full,full,full,full,full,full,full,full"],
            "--jitter is a list of 9, accepted: a list of 1 ..= 8",
        ),
        (&["--budget", ""], r#"--budget is "", accepted: none, a share as 10%"#),
        (&["--budget", "120%"], r#"--budget is "120%", accepted: a share of 0.0 ..= 1.0 as ratio.share"#),
        (&["--factor", "0.5"], "--factor is 0.5, accepted: 1.0, or 1.01 ..= 10.0"),
        (&["--attempt-timeout", "0s"], "--attempt-timeout is 0ns, accepted: none, or above 0, at most 1 year"),
        (&["--total-timeout", "none"], "--total-timeout is none, accepted: at most 3600s"),
        (&["--policy", "slow"], r#"--policy is "slow", accepted: api, microservice, download, high-throughput"#),
        (&["-x"], "'-x'"),
    ] {
        let output = storm(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected) && error.lines().count() == 1 && output.stdout.is_empty(), "{error}");
    }
}

#[test]
fn a_fleet_without_an_answer_has_no_time_to_recover() {
    let path = file("unanswered.svg");
    let table = stdout(&[
        "herd",
        "--clients=1000",
        "--budget=10%",
        "--jitter=none",
        "--processes=1",
        "--svg",
        path.to_str().unwrap(),
    ]);
    assert!(table.contains(" no call answered ") && table.contains(" in 1 process begin "), "{table}");
    assert!(std::fs::read_to_string(path).unwrap().contains("no call is answered"));
    let layers = stdout(&["layers", "--jitter=none", "--clients=50", "--load=10", "--down=5s", "--duration=60s"]);
    // No send is lost once the server is back.
    assert!(layers.contains("  at once "), "{layers}");
}

#[test]
fn a_picture_that_cannot_be_written_ends_with_one() {
    let output = storm(&["herd", "--clients", "10", "--svg", "/nowhere/at/all.svg"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("storm: /nowhere/at/all.svg: "));
}

/// The status is the same where nobody can be told what is wrong.
#[cfg(target_os = "linux")]
#[test]
fn an_error_that_cannot_be_written_leaves_the_status() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    let status = Command::new(env!("CARGO_BIN_EXE_storm")).arg("--frobnicate").stderr(full).status();
    assert_eq!(status.expect("it starts").code(), Some(2));
}
