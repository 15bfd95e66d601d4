//! Every failure by its name: real faults on loopback, one row each, and what comes of them.
//!
//! `cargo test --test faults -- --nocapture` prints the table. `UPDATE=1` writes it to the crate's docs.
#![cfg(feature = "reqwest")]

#[path = "../common/mod.rs"]
mod common;

mod bodies;
mod cases;
mod handshakes;
mod limits;
#[cfg(all(feature = "hyper", feature = "rustls"))]
mod luck;
mod names;
mod network;
mod protocol;
mod proxies;
mod requests;
mod row;
mod run;
mod scene;
mod table;

use std::collections::BTreeMap;
use std::fs;

use conformance::results::Results;

use row::Row;
use run::run;
use scene::Place;
use serde_json::Value;

fn rows() -> Vec<Row> {
    [
        network::rows(),
        limits::rows(),
        names::rows(),
        bodies::rows(),
        protocol::rows(),
        handshakes::rows(),
        proxies::rows(),
        requests::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Runs every row, hands what came of it to `print` as a line, and says where that is not what it has to be.
fn wrong(place: &Place, print: impl Fn(&str)) -> (Vec<String>, BTreeMap<String, Value>) {
    print(&table::head());
    let (mut wrong, mut table) = (Vec::new(), BTreeMap::new());
    for row in rows() {
        let expected = row.expected();
        let Some(came) = run(&row, place) else {
            print(&format!("{:<60} THE CLIENT HANGS", row.fault));
            wrong.push(format!("{}: the client hangs", row.fault));
            continue;
        };
        print(&table::line(row.fault, came.of));
        table.insert(format!("faults/{}", row.fault), table::json(came.of));
        if came.of != expected {
            wrong.push(format!("{}: {:?}\n    is not {expected:?}\n    {}", row.fault, came.of, came.text));
        }
        if let Some(leak) = came.leak {
            wrong.push(format!("{}: a secret is shown: {leak}", row.fault));
        }
    }
    (wrong, table)
}

#[test]
fn each_fault_has_its_name() {
    let (wrong, table) = wrong(&Place { path: "/", host: None, userinfo: "" }, |line| println!("{line}"));
    if let Some(file) = std::env::var_os("CONFORMANCE_RESULTS") {
        let results = Results { subject: "reqwest".into(), traces: table, ..Results::default() };
        fs::write(file, serde_json::to_string_pretty(&results).expect("results are JSON"))
            .expect("they can be written");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// CASES F9, and with it SPEC 10: the words in the URL change nothing, and its secrets are shown nowhere.
#[test]
fn f9_words_in_the_url_change_nothing() {
    let place = Place {
        path: "/parse/timeout/eof/503/certificate/dns%20error?tunnel%20error:%20closed=connection%20reset&token=hunter2",
        host: Some("certificate.parse.timeout.eof.503.test"),
        userinfo: "timeout:hunter2@",
    };
    // The table is printed once, by the test above.
    let (wrong, _) = wrong(&place, |_| {});
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
