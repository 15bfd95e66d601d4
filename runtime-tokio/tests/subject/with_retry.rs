//! One word more on reqwest's own request builder.

use std::sync::Arc;

use conformance::scenario::Scenario;
use conformance::trace::End;
use retry_core::trace::Trace as Record;
use runtime_tokio::RetryExt;

use crate::agree::the_traces_are_the_simulators;
use crate::script::MAX_BODY;
use crate::stage::Stage;
use crate::way::{KEY, URL, Way, answered, body, client, failed, method, retry, settings};

struct WithRetry;

#[test]
fn its_traces_are_the_simulators() {
    the_traces_are_the_simulators::<WithRetry>(240);
}

impl Way for WithRetry {
    const NAME: &'static str = "reqwest";

    async fn carry_out(scenario: &Scenario, stage: &Arc<Stage>) -> (End, Option<Record>) {
        stage.begin();
        let request = client(stage).request(method(scenario), URL);
        let request = match body(scenario) {
            Some(body) => request.body(body),
            None => request,
        };
        let call = settings(request.with_retry(retry(scenario, stage)), scenario, stage);
        let call = if scenario.request.idempotency_key { call.idempotency_key(KEY) } else { call };
        let call = call.cancel_on(stage.canceled());
        // Where the body is part of what is scripted, it is read inside the attempt.
        let result = if stage.reads_bodies() {
            let call = call.max_body(MAX_BODY).fetch_with_report().await;
            call.map(|(page, report)| (page.status(), report))
        } else {
            call.send_with_report().await.map(|(response, report)| (response.status(), report))
        };
        let at = stage.clock().passed();
        match result {
            Ok((status, report)) => answered(at, status.as_u16(), None, &report),
            Err(error) => failed(at, error),
        }
    }
}
