//! Whether a way to send does what the simulator does.

use core::marker::PhantomData;
use std::collections::BTreeMap;
use std::env;
use std::fs;

use conformance::Subject;
use conformance::properties::broken;
use conformance::results::{Results, scenarios};
use conformance::scenario::Scenario;
use conformance::sim::simulate;
use retry_core::trace::Trace as Record;

use crate::way::{Through, Way};

/// Runs every scenario that `W` can be put into, at least `fewest`, and compares traces and records.
pub(crate) fn the_traces_are_the_simulators<W: Way>(fewest: usize) {
    let subject = Through::<W>(PhantomData);
    let mut results = Results { subject: subject.name().into(), ..Results::default() };
    let (mut wrong, mut ran) = (Vec::new(), 0);
    let mut skipped = BTreeMap::<_, Vec<_>>::new();
    for (id, scenario) in scenarios().expect("the vectors can be read") {
        let (trace, record) = match subject.record(&scenario) {
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
            wrong.push(format!("{id}\n{}\n{trace}the simulator\n{right}", subject.name()));
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
    assert!(ran >= fewest, "only {ran} ran: {skipped:#?}");
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
