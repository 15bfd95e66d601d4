//! What the guide shows is what calls make.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use conformance::server::{Reply, Server};
use retry_core::{Policy, TokenBucket};
use runtime_tokio::{Budgets, Retry, RetryExt, TokioTimer};
use tracing::Level;
use tracing::subscriber::with_default;

use crate::skip::{SkipTimer, client};
use crate::tree::Tree;
use crate::{example, watched};

const GUIDE: &str = include_str!("../../src/guide/tracing.md");

/// `text` as it would be with a server on port 8080.
fn on_port_8080(text: &str, server: &Server) -> String {
    let port = server.addr().port();
    text.replace(&format!("server.port={port} "), "server.port=8080 ").replace(&format!(":{port}/"), ":8080/")
}

/// `text` in lines of at most 100 characters, where a field allows that.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut width = 0;
        for field in line.split_inclusive(' ') {
            if width + field.len() > 100 {
                lines.truncate(lines.trim_end().len());
                lines += &format!("\n{:1$}", "", indent + 4);
                width = indent + 4;
            }
            lines += field;
            width += field.len();
        }
        lines.push('\n');
    }
    lines
}

/// What is written to it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[track_caller]
fn assert_shown(text: &str) {
    assert!(GUIDE.contains(text), "the guide shows another text than\n{text}");
}

#[tokio::test]
async fn the_spans_of_a_call() {
    let busy = Reply::status(429).header("Retry-After", "2");
    let server = Server::start([busy, Reply::status(200).body("a page")]);
    let retry =
        Retry::with_timer(Policy::API, SkipTimer::over(TokioTimer)).budget(Budgets::shared(TokenBucket::aws_2_1()));
    let seen = Tree::begin(Level::INFO);
    watched(client().get(server.url("/orders/7?token=secret")).with_retry(&retry).send()).await.unwrap();
    assert_shown(&format!("```text\n{}```\n", wrapped(&on_port_8080(&seen.text(|_| true), &server))));
}

#[test]
fn a_line_of_a_log() {
    let server = example::server();
    let log = Log::default();
    let to = log.clone();
    with_default(example::subscriber(move || to.clone()), || example::call(&server.url("/orders/7"))).unwrap();
    let log = on_port_8080(&String::from_utf8(log.0.lock().unwrap().clone()).unwrap(), &server);
    let lines: Vec<_> = log.lines().map(str::trim_start).collect();
    let [busy, waiting, answered, ended] = lines[..] else { panic!("not four lines:\n{log}") };
    assert_shown(&format!("```text\n{waiting}\n```\n"));
    for (line, status) in [(busy, 503), (answered, 200), (ended, 200)] {
        assert!(line.contains(&format!("http.response.status_code={status}")), "{line}");
        assert!(line.ends_with("runtime_tokio: close"), "{line}");
    }
}

#[test]
fn the_example_runs() {
    example::main().unwrap();
}
