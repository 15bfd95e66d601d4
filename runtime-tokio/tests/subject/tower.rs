//! A layer of tower over hyper-util's client: the last response is handed over whatever it is, with the report in it.

use std::sync::Arc;

use bytes::Bytes;
use conformance::Skipped;
use conformance::scenario::Scenario;
use conformance::trace::End;
use http::Request;
use http_body_util::Empty;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use retry_core::ErrorKind;
use retry_core::trace::Trace as Record;
use runtime_tokio::Report;
use tower::{Layer, ServiceExt, service_fn};

use crate::agree::the_traces_are_the_simulators;
use crate::host::resolve;
use crate::stage::Stage;
use crate::way::{KEY, URL, Way, answered, failed, method, retry, sets_something, settings};

struct Tower;

#[test]
fn its_traces_are_the_simulators() {
    the_traces_are_the_simulators::<Tower>(230);
}

impl Way for Tower {
    const NAME: &'static str = "tower over hyper-util";

    fn cannot(scenario: &Scenario, stage: &Stage) -> Option<Skipped> {
        if stage.reads_bodies() {
            return Some(Skipped("a layer leaves the body to the caller"));
        }
        if !scenario.request.replayable {
            return Some(Skipped("a layer takes no body that cannot be copied"));
        }
        scenario.cancel_at.map(|_| Skipped("a layer's call is canceled by dropping it, which then tells nothing"))
    }

    async fn carry_out(scenario: &Scenario, stage: &Arc<Stage>) -> (End, Option<Record>) {
        stage.begin();
        let names = Arc::clone(stage);
        let connector = HttpConnector::new_with_resolver(service_fn(move |_: Name| resolve(Arc::clone(&names))));
        let mut client = Client::builder(TokioExecutor::new());
        client.retry_canceled_requests(false).pool_max_idle_per_host(0).http2_only(stage.is_http2());
        let retry = retry(scenario, stage);
        let service = retry.layer(client.build(connector));
        let mut request =
            Request::builder().method(method(scenario)).uri(URL).body(Empty::<Bytes>::new()).expect("valid");
        if sets_something(&scenario.request) {
            let own = settings(retry.call(), scenario, stage).settings();
            let own = if scenario.request.idempotency_key { own.idempotency_key(KEY) } else { own };
            own.attach(request.extensions_mut());
        }
        let result = service.oneshot(request).await;
        let at = stage.clock().passed();
        match result {
            Ok(response) => {
                let report = response.extensions().get::<Report>().expect("a report");
                answered(at, response.status().as_u16(), report.kind().map(ErrorKind::code), report)
            }
            Err(error) => failed(at, error),
        }
    }
}
