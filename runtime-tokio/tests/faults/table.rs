//! The table as text.

use retry_core::Reached;

use crate::row::{Expected, Feature, Row, Seen, Sent};

/// The head of the lines that the test prints.
pub(crate) fn head() -> String {
    format!("{:<60} {:<15} {:<21} {:<11} {:<8} seen", "fault", "kind", "code", "sent", "retried")
}

/// One line of them.
pub(crate) fn line(fault: &str, came: Expected) -> String {
    let [kind, code, sent, retried, seen] = cells(came);
    format!("{fault:<60} {kind:<15} {code:<21} {sent:<11} {retried:<8} {seen}")
}

fn cells(came: Expected) -> [String; 5] {
    let kind = came.kind.map_or(String::from("(answer)"), |kind| format!("{kind:?}"));
    let code = came.kind.map_or("", |kind| kind.code());
    let sent = match came.sent {
        Sent::Reached(Reached::Unsent) => "unsent",
        Sent::Reached(Reached::MaybeSent) => "maybe sent",
        Sent::Answered => "answered",
        Sent::Untold => "not told",
    };
    let retried = if came.attempts > 1 { "yes" } else { "no" };
    let seen = match came.seen {
        Seen::Requests(1) => String::from("1 request"),
        Seen::Requests(count) => format!("{count} requests"),
        Seen::Connections(1) => String::from("1 connection"),
        Seen::Connections(count) => format!("{count} connections"),
        Seen::Nothing => String::from("-"),
    };
    [kind, code.into(), sent.into(), retried.into(), seen]
}

/// The same for `cargo run -p conformance -- diff`, which sets two tables beside each other.
pub(crate) fn json(came: Expected) -> serde_json::Value {
    let [kind, code, sent, retried, seen] = cells(came);
    serde_json::json!({"kind": kind, "code": code, "sent": sent, "retried": retried, "seen": seen})
}

/// The table of the crate's docs.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(HEAD);
    for row in rows {
        let (typed, coarse) = row.both();
        let [kind, code, sent, retried, seen] = cells(typed);
        let code = if code.is_empty() { code } else { format!("`{code}`") };
        let coarse = coarse.map_or(String::new(), |(feature, coarse)| without(feature, typed, coarse));
        text += &format!("| {} | {kind} | {code} | {sent} | {retried} | {seen} | {coarse} |\n", row.fault);
    }
    text
}

/// What is different without the feature.
fn without(feature: Feature, typed: Expected, coarse: Expected) -> String {
    let (full, less) = (cells(typed), cells(coarse));
    let parts = [(0, ""), (2, ""), (3, "retried: ")];
    let changed = parts.iter().filter(|(n, _)| full[*n] != less[*n]).map(|(n, name)| format!("{name}{}", less[*n]));
    format!("`{}`: {}", feature.name(), changed.collect::<Vec<_>>().join(", "))
}

const HEAD: &str = "\
What each failure is called, whether the request can have been sent, and whether it is sent again.

Each row is a real fault on loopback, met by a GET that may be sent twice, without waits in between. `tests/faults`
runs them, and wrote this table. *Seen* is what the server saw of both sends: requests, or connections where no request
came so far. Where a column names a feature, something is different with that feature off.

What luck decides has no row. A connection that ends before the server has read a byte is `Network`, and may or may not
be known to be unsent. A client without a certificate in TLS 1.3 hears of it after the handshake: mostly `Certificate`,
sometimes `Network`, always maybe sent.

| fault | kind | code | can it have been sent? | retried | seen | without the feature |
|---|---|---|---|---|---|---|
";
