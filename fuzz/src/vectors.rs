//! The loader of vectors: any text gives cases or a typed error, and any cases can be run, in bounded time and memory.
//!
//! The first byte is the kind of case, the rest is the text of a file.

use std::path::Path;

use conformance::Subject;
use conformance::check;
use conformance::model::Model;
use conformance::rules::Rules;
use conformance::sim::{ByHand, Core, Drive};
use conformance::vectors::KINDS;

/// Fails if it panics, also in a case: the core and the model may find it wrong, but must come to an end.
pub fn run(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let file = format!("{}-fuzzed.json", KINDS[usize::from(*kind) % KINDS.len()]);
    let implementations: [(&dyn Rules, &dyn Subject); 3] = [(&Core, &ByHand), (&Core, &Drive), (&Model, &Model)];
    let reports = implementations.map(|(rules, subject)| check::text(Path::new(&file), text, rules, subject));
    for report in reports.iter().flatten() {
        // `check` catches a panic, to go on with the next case.
        let panicked: Vec<_> = report.wrong.iter().filter(|wrong| wrong.what == "it panicked").collect();
        assert!(panicked.is_empty(), "{panicked:#?}");
    }
    for report in &reports {
        let error = report.as_ref().err().map(ToString::to_string);
        assert_eq!(error, reports[0].as_ref().err().map(ToString::to_string));
        assert!(error.is_none_or(|error| error.starts_with(&file)), "an error names the file");
    }
}

/// The byte for the kind with this name.
pub fn kind(name: &str) -> Option<u8> {
    KINDS.iter().position(|kind| *kind == name).and_then(|place| u8::try_from(place).ok())
}
