//! Every failure by its name: real faults on loopback, one row each, and what comes of them on each backend.
//!
//! `cargo test --test faults -- --nocapture` prints the table. `UPDATE=1` writes it to the crate's docs.
#![cfg(any(feature = "h1", feature = "h1-tls", feature = "curl"))]

#[path = "../common/skip.rs"]
mod skip;

mod backend;
mod row;
mod rows;
mod run;
mod scene;
mod table;

use std::collections::BTreeMap;
use std::fs;

use conformance::results::Results;

use backend::Backend;
use row::Row;
use run::{Limits, run};
use scene::Place;
use serde_json::Value;

fn rows() -> Vec<Row> {
    [
        rows::network::rows(),
        rows::limits::rows(),
        rows::names::rows(),
        rows::bodies::rows(),
        rows::protocol::rows(),
        rows::handshakes::rows(),
        rows::requests::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Runs every row on every backend that is here, prints what came of it, and says where that is not what it has to be.
fn wrong(place: &Place, limits: Limits) -> (Vec<String>, BTreeMap<String, Value>) {
    let (mut wrong, mut table) = (Vec::new(), BTreeMap::new());
    for backend in Backend::here() {
        println!("\n{backend:?}, limits: {limits:?}\n{}", table::head());
        for row in rows().iter().filter(|row| row.runs_on(backend)) {
            let expected = row.expected(backend);
            let came = run(row, place, backend, limits);
            if let Some(came) = &came {
                // Of a row that several backends run, the first one's counts.
                table.entry(format!("faults/{}", row.fault)).or_insert_with(|| table::json(came.of));
            }
            match came {
                Some(came) if came.of == expected => println!("{}", table::line(row.fault, came.of)),
                Some(came) => {
                    println!("{}  <- WRONG", table::line(row.fault, came.of));
                    wrong.push(format!(
                        "{backend:?}, {}: {:?}\n    is not {expected:?}\n    {}",
                        row.fault, came.of, came.text
                    ));
                }
                None => {
                    println!("{:<60} HANGS", row.fault);
                    wrong.push(format!("{backend:?}, {}: the client hangs", row.fault));
                }
            }
        }
    }
    (wrong, table)
}

#[test]
fn each_fault_has_its_name() {
    let (wrong, table) = wrong(&Place { path: "/" }, Limits::All);
    if let Some(file) = std::env::var_os("CONFORMANCE_RESULTS") {
        let results = Results { subject: "surf".into(), traces: table, ..Results::default() };
        fs::write(file, serde_json::to_string_pretty(&results).expect("results are JSON"))
            .expect("they can be written");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where nothing but the client ends a send, it is polled where the call is, and fails in the same way.
#[test]
fn each_fault_has_the_same_name_without_limits() {
    let (wrong, _) = wrong(&Place { path: "/" }, Limits::Without);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// CASES F9.
#[test]
fn f9_words_in_the_url_change_nothing() {
    let path =
        "/parse/timeout/eof/503/certificate/dns%20error?connection%20closed=connection%20reset%20(os%20error%20111)";
    let (wrong, _) = wrong(&Place { path }, Limits::All);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_in_the_docs_is_this_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/faults.md");
    let text = table::markdown(&rows());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, &text).expect("the docs can be written");
    }
    let docs = fs::read_to_string(file).unwrap_or_default();
    assert!(docs == text, "src/faults.md is not the table of this test: run it with UPDATE=1");
}
