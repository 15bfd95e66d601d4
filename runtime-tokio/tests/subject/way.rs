//! A way to send a request under a `Retry`, and what is the same in all of them.

use core::marker::PhantomData;
use core::time::Duration;
use std::sync::Arc;

use conformance::json::Span;
use conformance::scenario::{Advice, Event, Request, Scenario};
use conformance::sim::convert;
use conformance::trace::{End, Trace, Wait};
use conformance::{Skipped, Subject};
use http::Method;
use reqwest::{Body, Client};
use retry_core::Timer;
use retry_core::trace::Trace as Record;
use runtime_tokio::{Call, Error, Report, Retry, Retrying, Seen};

use crate::common;
use crate::host::Host;
use crate::script::cannot;
use crate::stage::Stage;
use crate::timer::StageTimer;

/// Where all requests go. Without a port: the resolver gives one for each send.
pub(crate) const URL: &str = "http://subject.test/";

/// The key of a request that has one.
pub(crate) const KEY: &str = "the-same-each-time";

/// A way to send.
pub(crate) trait Way {
    /// Its name, for messages.
    const NAME: &'static str;

    /// Why it cannot be put into a scenario that a client can be put into, if so.
    fn cannot(_: &Scenario, _: &Stage) -> Option<Skipped> {
        None
    }

    /// The call, until it is back, and its end as the caller is told.
    fn carry_out(scenario: &Scenario, stage: &Arc<Stage>) -> impl Future<Output = (End, Option<Record>)>;
}

/// A way as a subject, on a runtime and with servers of its own for each scenario.
pub(crate) struct Through<W>(pub(crate) PhantomData<W>);

impl<W: Way> Subject for Through<W> {
    fn name(&self) -> &'static str {
        W::NAME
    }

    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped> {
        self.record(scenario).map(|(trace, _)| trace)
    }
}

impl<W: Way> Through<W> {
    /// What happened, and the record that the report has of it.
    pub(crate) fn record(&self, scenario: &Scenario) -> Result<(Trace, Option<Record>), Skipped> {
        if let Some(why) = cannot(scenario) {
            return Err(why);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let stage = Arc::new(Stage::new(scenario));
        if let Some(why) = W::cannot(scenario, &stage) {
            return Err(why);
        }
        let guard = Duration::from_secs(20);
        let call = async { tokio::time::timeout(guard, W::carry_out(scenario, &stage)).await };
        let (end, record) = runtime.block_on(call).unwrap_or_else(|_| panic!("the client hangs: {scenario:?}"));
        drop(runtime);
        let (sends, waits, arrived) = stage.seen(end.event);
        assert_eq!(arrived, end.attempts, "what the servers saw, and what the report says of {scenario:?}");
        Ok((Trace { sends, waits, end }, record))
    }
}

pub(crate) fn client(stage: &Arc<Stage>) -> Client {
    let host = Host::new(Arc::clone(stage));
    let client = common::builder().pool_max_idle_per_host(0).dns_resolver(host);
    let client = if stage.is_http2() { client.http2_prior_knowledge() } else { client };
    client.build().expect("a client")
}

pub(crate) fn method(scenario: &Scenario) -> Method {
    Method::from_bytes(scenario.request.method.as_bytes()).expect("a method")
}

/// A body that can be sent once, if the request is to have one.
pub(crate) fn body(scenario: &Scenario) -> Option<Body> {
    let stream = || Body::wrap_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("once")]));
    (!scenario.request.replayable).then(stream)
}

/// The client's settings.
pub(crate) fn retry(scenario: &Scenario, stage: &Arc<Stage>) -> Retry<StageTimer> {
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

/// Whether the request has settings of its own: the others go by those of the client.
pub(crate) fn sets_something(request: &Request) -> bool {
    let Request { method, replayable, .. } = request.clone();
    *request != Request { method, replayable, ..Request::default() }
}

/// What the request sets for itself, but for its key.
pub(crate) fn settings<R>(mut call: Call<R, StageTimer>, scenario: &Scenario, stage: &Stage) -> Call<R, StageTimer> {
    let request = &scenario.request;
    if let Some(count) = request.max_retries {
        call = call.max_retries(count);
    }
    if let Some(limit) = request.total_timeout {
        call = call.total_timeout(Duration::from(limit));
    }
    if let Some(limit) = request.attempt_timeout {
        call = call.attempt_timeout(Duration::from(limit));
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
    call
}

/// The end of a call that gave a response, with the code of the error that it could have been.
pub(crate) fn answered(at: Span, status: u16, code: Option<&'static str>, report: &Report) -> (End, Option<Record>) {
    (end(at, report, code, Some(Event::Status(status))), report.trace().cloned())
}

/// The end of a call that gave an error.
pub(crate) fn failed(at: Span, error: Error) -> (End, Option<Record>) {
    let event = error.event().map(convert::told);
    let end = end(at, error.report(), Some(error.code()), event);
    let record = error.report().trace().cloned();
    let ended_on = match event {
        Some(Event::Status(status)) => Some(status),
        Some(Event::Failure(..)) | None => None,
    };
    let in_hand = error.into_response().map(|response| response.status().as_u16());
    assert_eq!(in_hand, ended_on, "the response in hand is the one on which the call ended");
    (end, record)
}

fn end(at: Span, report: &Report, code: Option<&'static str>, event: Option<Event>) -> End {
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
