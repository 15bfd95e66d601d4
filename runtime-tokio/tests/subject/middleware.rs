//! A middleware of reqwest-middleware: the last response is handed over whatever it is, with the report in it.

use std::sync::Arc;

use conformance::Skipped;
use conformance::scenario::Scenario;
use conformance::trace::End;
use reqwest_middleware::ClientBuilder;
use retry_core::ErrorKind;
use retry_core::trace::Trace as Record;
use runtime_tokio::Report;

use crate::agree::the_traces_are_the_simulators;
use crate::stage::Stage;
use crate::way::{KEY, URL, Way, answered, body, client, failed, method, retry, sets_something, settings};

struct Middleware;

#[test]
fn its_traces_are_the_simulators() {
    the_traces_are_the_simulators::<Middleware>(230);
}

impl Way for Middleware {
    const NAME: &'static str = "reqwest-middleware";

    fn cannot(scenario: &Scenario, stage: &Stage) -> Option<Skipped> {
        if stage.reads_bodies() {
            return Some(Skipped("a middleware leaves the body to the caller"));
        }
        scenario.cancel_at.map(|_| Skipped("a middleware is canceled by dropping the call, which then tells nothing"))
    }

    async fn carry_out(scenario: &Scenario, stage: &Arc<Stage>) -> (End, Option<Record>) {
        stage.begin();
        let retry = retry(scenario, stage);
        let client = ClientBuilder::new(client(stage)).with(retry.clone()).build();
        let mut request = client.request(method(scenario), URL);
        if let Some(body) = body(scenario) {
            request = request.body(body);
        }
        if sets_something(&scenario.request) {
            let own = settings(retry.call(), scenario, stage).settings();
            request =
                request.with_extension(if scenario.request.idempotency_key { own.idempotency_key(KEY) } else { own });
        }
        let result = request.send().await;
        let at = stage.clock().passed();
        match result {
            Ok(response) => {
                let report = response.extensions().get::<Report>().expect("a report");
                answered(at, response.status().as_u16(), report.kind().map(ErrorKind::code), report)
            }
            Err(reqwest_middleware::Error::Middleware(error)) => failed(at, error.downcast().expect("our error")),
            Err(error) => panic!("not ours: {error}"),
        }
    }
}
