//! The adapter as a subject of the conformance suite: real sends over loopback, in virtual time.
//!
//! Every scenario of the vectors that a client can be put into has the trace that the simulator has, wait for wait, with
//! the same seed. `CONFORMANCE_RESULTS` names a file to write the results to, for `cargo run -p conformance -- diff`.
// Without hyper's types a connection that ends without an answer is no fault of the network.
#![cfg(feature = "hyper")]

mod common;
#[path = "subject/host.rs"]
mod host;
#[path = "subject/script.rs"]
mod script;
#[path = "subject/stage.rs"]
mod stage;
#[path = "subject/timer.rs"]
mod timer;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::sync::Arc;

use conformance::properties::broken;
use conformance::results::{Results, scenarios};
use conformance::scenario::{Advice, Event, Scenario};
use conformance::sim::{convert, simulate};
use conformance::trace::{End, Trace, Wait};
use conformance::{Skipped, Subject};
use http::Method;
use reqwest::{Body, RequestBuilder};
use retry_core::Timer;
use retry_core::trace::Trace as Record;
use runtime_tokio::{Call, Error, Report, Retry, RetryExt, Retrying, Seen};

use host::Host;
use script::{MAX_BODY, cannot};
use stage::Stage;
use timer::StageTimer;

/// The adapter for reqwest, on a runtime and with servers of its own for each scenario.
struct Reqwest;

impl Subject for Reqwest {
    fn name(&self) -> &'static str {
        "reqwest"
    }

    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped> {
        self.record(scenario).map(|(trace, _)| trace)
    }
}

impl Reqwest {
    /// What happened, and the record that the report has of it.
    fn record(&self, scenario: &Scenario) -> Result<(Trace, Option<Record>), Skipped> {
        if let Some(why) = cannot(scenario) {
            return Err(why);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let stage = Arc::new(Stage::new(scenario));
        let guard = core::time::Duration::from_secs(20);
        let call = async { tokio::time::timeout(guard, carry_out(scenario, &stage)).await };
        let (end, record) = runtime.block_on(call).unwrap_or_else(|_| panic!("the client hangs: {scenario:?}"));
        drop(runtime);
        let (sends, waits, arrived) = stage.seen(end.event);
        assert_eq!(arrived, end.attempts, "what the servers saw, and what the report says of {scenario:?}");
        Ok((Trace { sends, waits, end }, record))
    }
}

#[test]
fn the_traces_are_the_simulators() {
    let mut results = Results { subject: Reqwest.name().into(), ..Results::default() };
    let (mut wrong, mut ran) = (Vec::new(), 0);
    let mut skipped = BTreeMap::<_, Vec<_>>::new();
    for (id, scenario) in scenarios().expect("the vectors can be read") {
        let (trace, record) = match Reqwest.record(&scenario) {
            Ok(both) => both,
            Err(why) => {
                results.skipped.insert(id.clone(), why.to_string());
                skipped.entry(why).or_default().push(id);
                continue;
            }
        };
        ran += 1;
        let right = simulate(&scenario);
        if trace != right {
            wrong.push(format!("{id}\nreqwest\n{trace}the simulator\n{right}"));
        }
        match record {
            Some(record) => wrong.extend(differing(&id, &scenario, &record)),
            None => assert_eq!(trace.end.attempts, 0, "{id}: without a record, nobody was asked"),
        }
        wrong.extend(broken(&scenario, &trace).iter().map(|broken| format!("{id}: {broken}")));
        results.traces.insert(id, serde_json::to_value(trace).expect("a trace can be written"));
    }
    println!("{ran} scenarios ran");
    for (why, ids) in &skipped {
        println!("{:>3} skipped: {why}", ids.len());
    }
    if let Some(file) = env::var_os("CONFORMANCE_RESULTS") {
        fs::write(file, serde_json::to_vec_pretty(&results).expect("results can be written")).expect("the file");
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran >= 240, "only {ran} ran: {skipped:#?}");
}

/// Where the record is not the simulator's, byte for byte, or does not replay to its own decisions.
fn differing(id: &str, scenario: &Scenario, record: &Record) -> Vec<String> {
    let (_, right) = conformance::sim::record(scenario);
    let (text, right) = (record.to_string(), right.to_string());
    let read: Record = text.parse().unwrap_or_else(|error| panic!("{id}: {error}\n{text}"));
    let mut wrong: Vec<_> =
        read.replay().differences().iter().map(|difference| format!("{id}: {difference}")).collect();
    if text != right {
        wrong.push(format!("{id}\nrecorded\n{text}by the simulator\n{right}"));
    }
    wrong
}

/// The call, until it is back, and its end as the caller is told.
async fn carry_out(scenario: &Scenario, stage: &Arc<Stage>) -> (End, Option<Record>) {
    stage.begin();
    let host = Host::new(Arc::clone(stage));
    let client = common::builder().pool_max_idle_per_host(0).dns_resolver(host);
    let client = if stage.is_http2() { client.http2_prior_knowledge() } else { client };
    let method = Method::from_bytes(scenario.request.method.as_bytes()).expect("a method");
    // Without a port: the resolver gives one for each send.
    let request = client.build().expect("a client").request(method, "http://subject.test/");
    let request = if scenario.request.replayable { request } else { request.body(stream()) };

    let call = settings(request.with_retry(retry(scenario, stage)), scenario, stage);
    let call = call.cancel_on(stage.canceled());
    // Where the body is part of what is scripted, it is read inside the attempt.
    let result = if stage.reads_bodies() {
        let call = call.max_body(MAX_BODY).fetch_with_report().await;
        call.map(|(page, report)| (page.status().as_u16(), report))
    } else {
        call.send_with_report().await.map(|(response, report)| (response.status().as_u16(), report))
    };
    let at = stage.clock().passed();
    match result {
        Ok((status, report)) => (end(at, &report, None, Some(Event::Status(status))), report.trace().cloned()),
        Err(error) => {
            let record = error.report().trace().cloned();
            (failed(at, error), record)
        }
    }
}

/// The client's settings.
fn retry(scenario: &Scenario, stage: &Arc<Stage>) -> Retry<StageTimer> {
    let policy = convert::builder(&scenario.policy).build().expect("a policy");
    let mut retry = Retry::with_timer(policy, StageTimer::new(Arc::clone(stage))).seed(stage.seed()).trace(true);
    if scenario.script.iter().any(|step| step.advice != Advice::Keep) {
        let script = scenario.clone();
        retry = retry.advise(move |seen: &Seen<'_>| convert::advice(script.step(seen.attempt()).advice));
    }
    let stage = Arc::clone(stage);
    retry.on_retry(move |retry: &Retrying<'_>| {
        let at = stage.clock().passed();
        let wait = Wait { at, lasts: retry.wait.into(), source: convert::source(retry.source) };
        stage.wait(retry.attempt, convert::told(retry.event), wait);
    })
}

/// What the request sets for itself.
fn settings(
    mut call: Call<RequestBuilder, StageTimer>,
    scenario: &Scenario,
    stage: &Arc<Stage>,
) -> Call<RequestBuilder, StageTimer> {
    let request = &scenario.request;
    if let Some(count) = request.max_retries {
        call = call.max_retries(count);
    }
    if let Some(limit) = request.total_timeout {
        call = call.total_timeout(core::time::Duration::from(limit));
    }
    if let Some(limit) = request.attempt_timeout {
        call = call.attempt_timeout(core::time::Duration::from(limit));
    }
    if request.retry_after.is_some() {
        call = call.retry_after(convert::builder(&scenario.settings()).build().expect("a policy").retry_after());
    }
    if let Some(when) = request.non_idempotent {
        call = call.non_idempotent(convert::non_idempotent(when));
    }
    if let Some(deadline) = request.deadline {
        call = call.deadline_at(stage.clock().now().saturating_add(deadline.into()));
    }
    if request.idempotency_key { call.idempotency_key("the-same-each-time") } else { call }
}

fn failed(at: conformance::json::Span, error: Error) -> End {
    let event = error.event().map(convert::told);
    let end = end(at, error.report(), Some(error.code()), event);
    let ended_on = match event {
        Some(Event::Status(status)) => Some(status),
        Some(Event::Failure(..)) | None => None,
    };
    let in_hand = error.into_response().map(|response| response.status().as_u16());
    assert_eq!(in_hand, ended_on, "the response in hand is the one on which the call ended");
    end
}

fn end(at: conformance::json::Span, report: &Report, code: Option<&'static str>, event: Option<Event>) -> End {
    End {
        at,
        attempts: report.attempts(),
        elapsed: report.elapsed().into(),
        reason: convert::reason(report.reason()),
        code,
        event,
        asked: report.asked().map(Into::into),
    }
}

/// A body that can be sent once.
fn stream() -> Body {
    Body::wrap_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("once")]))
}
