//! The table as text: in a terminal, and in the crate's docs.

use retry_core::Reached;

use crate::backend::Backend;
use crate::row::{Expected, Row, Seen, Sent};

/// The names of the columns.
pub(crate) fn head() -> String {
    format!("{:<60} {:<15} {:<21} {:<11} {:<8} {}", "fault", "kind", "code", "sent", "retried", "seen")
}

/// One row.
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
        let (expected, different) = row.all();
        let [kind, code, sent, retried, seen] = cells(expected);
        let code = if code.is_empty() { code } else { format!("`{code}`") };
        let different: Vec<_> = different.iter().map(|(backend, other)| on(*backend, expected, *other)).collect();
        let different = different.join("; ");
        text += &format!("| {} | {kind} | {code} | {sent} | {retried} | {seen} | {different} |\n", row.fault);
    }
    text
}

/// What is different on a backend.
fn on(backend: Backend, expected: Expected, other: Expected) -> String {
    let name = match backend {
        Backend::H1 => "`h1`",
        Backend::H1Kept => "kept connections",
        Backend::Curl => "`curl`",
    };
    let (usual, here) = (cells(expected), cells(other));
    let parts = [(0, ""), (2, ""), (3, "retried: "), (4, "")];
    let changed = parts.iter().filter(|(n, _)| usual[*n] != here[*n]).map(|(n, name)| format!("{name}{}", here[*n]));
    format!("{name}: {}", changed.collect::<Vec<_>>().join(", "))
}

const HEAD: &str = "\
What each failure is called, whether the request can have been sent, and whether it is sent again.

Each row is a real fault on loopback, met by a GET that may be sent twice, without waits in between. `tests/faults`
runs them on every backend that is built in, and wrote this table. *Seen* is what the server saw of both sends:
requests, or connections where no request came so far. The columns are those of the HTTP/1 client (`h1`, `h1-tls`) with
a connection for each send, as [`client_config`](crate::client_config) has it; the last one says where it is different
with connections that are kept, and with `curl`.

| fault | kind | code | can it have been sent? | retried | seen | different |
|---|---|---|---|---|---|---|
";
