//! What a collector gets: OpenTelemetry's kinds, statuses and types of values.

use std::process::Command;

/// The spans in the order in which they end. Ids are numbered as they are met.
const PRINTED: &str = r#"
Name         : GET
SpanId       : 1
ParentSpanId : 2
Kind         : Client
Status       : Error { description: "" }
http.request.method: String(Owned("GET"))
server.address: String(Owned("127.0.0.1"))
server.port: I64(8080)
url.full: String(Owned("http://127.0.0.1:8080/orders/7?REDACTED"))
http.response.status_code: I64(503)
network.protocol.version: String(Owned("1.1"))
error.type: String(Owned("503"))

Name         : GET
SpanId       : 3
ParentSpanId : 2
Kind         : Client
Status       : Unset
http.request.method: String(Owned("GET"))
http.request.resend_count: I64(1)
server.address: String(Owned("127.0.0.1"))
server.port: I64(8080)
url.full: String(Owned("http://127.0.0.1:8080/orders/7?REDACTED"))
http.response.status_code: I64(200)
network.protocol.version: String(Owned("1.1"))

Name         : GET call
SpanId       : 2
ParentSpanId : None (root span)
Kind         : Internal
Status       : Unset
http.request.method: String(Owned("GET"))
server.address: String(Owned("127.0.0.1"))
server.port: I64(8080)
url.full: String(Owned("http://127.0.0.1:8080/orders/7?REDACTED"))
retry.attempts: I64(2)
retry.reason: String(Owned("answered"))
http.response.status_code: I64(200)
Name      : waiting to send again
http.request.resend_count: I64(1)
http.response.status_code: I64(503)
error.type: String(Owned("503"))
retry.wait_seconds: F64(0.02)
retry.wait_source: String(Owned("policy"))
"#;

/// What the example prints, with the methods that the environment says are known.
fn run(known: Option<&str>) -> String {
    let mut example = Command::new(env!("CARGO_BIN_EXE_opentelemetry-example"));
    example.env_remove(KNOWN_METHODS).envs(known.map(|known| (KNOWN_METHODS, known)));
    let output = example.output().expect("the example can be started");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("it prints text")
}

const KNOWN_METHODS: &str = "OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS";

#[test]
fn spans_are_what_opentelemetry_asks_for() {
    let (mut ids, mut port) = (Vec::new(), None);
    let mut spans = String::new();
    for line in run(None).lines().map(str::trim) {
        let line = line.strip_prefix("->  ").unwrap_or(line);
        if let Some(id) = line.strip_prefix("SpanId       : ").or(line.strip_prefix("ParentSpanId : ")) {
            if id.starts_with("None") {
                spans += &format!("{line}\n");
                continue;
            }
            let number = ids.iter().position(|known| known == id).unwrap_or(ids.len());
            if number == ids.len() {
                ids.push(id.to_owned());
            }
            spans += &format!("{}{}\n", line.trim_end_matches(id), number + 1);
        } else if let Some(rest) = line.strip_prefix("server.port: I64(") {
            port = rest.strip_suffix(')').map(ToOwned::to_owned);
            spans += "server.port: I64(8080)\n";
        } else if line.starts_with("Span #") {
            spans.push('\n');
        } else if ["Name  ", "Kind", "Status", "http.", "server.", "url.", "network.", "error.", "retry."]
            .iter()
            .any(|shown| line.starts_with(shown) && !line.ends_with("\"example\""))
        {
            spans += &format!("{line}\n");
        }
    }
    let port = port.expect("a span has a port");
    assert_eq!(spans.replace(&format!(":{port}/"), ":8080/"), PRINTED);
}

#[test]
fn the_environment_says_which_methods_are_known() {
    let printed = run(Some("POST,PUT"));
    for line in [
        "Name         : HTTP\n",
        "Name         : HTTP call\n",
        "_OTHER",
        "http.request.method_original: String(Owned(\"GET\"))",
    ] {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
}
