//! Retries on a real socket, one table row a send.

use core::fmt;
use core::time::Duration;
use std::process::ExitCode;

use conformance::server::{Fault, Point, Reply, Server};
use reqwest::{Client, Url};
use retry_core::{ErrorKind, Policy, WaitSource, Why};
use runtime_tokio::{Error, Report, RetryExt, client_builder};

const HELP: &str = "\
Shows what retries do, one table row a send.

usage: quickstart                    six calls to a server inside this process
       quickstart [OPTIONS] URL      one GET of URL

options:
  --max-retries N        sends after the first at most        (default 3)
  --total-timeout TIME   limit of the whole call, or `none`   (default 180s)
  --base-delay TIME      wait before the first retry          (default 1s)
  --help                 this text

TIME is a number with `ms` or `s`, such as 500ms or 1.5s.

exit status: 0 if each call went as it should (with URL: if it was answered),
             1 if not, 2 if the command line is wrong";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(wrong) => {
            eprintln!("quickstart: {wrong}");
            return ExitCode::from(2);
        }
    };
    // reqwest is built without a choice of TLS here; a program of one's own makes its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = match client_builder().build() {
        Ok(client) => client,
        Err(error) => {
            eprintln!("quickstart: no client can be built: {error}");
            return ExitCode::FAILURE;
        }
    };
    let well = match arguments {
        Arguments::Help => {
            println!("{HELP}");
            true
        }
        Arguments::Demo => demo(&client).await,
        Arguments::Get(url, policy) => get(&client, url, policy).await,
    };
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

enum Arguments {
    Help,
    Demo,
    Get(Url, Policy),
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut url = None;
        let mut policy = Policy::API.edit();
        let mut options = false;
        while let Some(word) = words.next() {
            // `--option=value` is `--option value`.
            let (word, mut inline) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option.to_owned(), Some(value.to_owned())),
                _ => (word, None),
            };
            let mut value = || inline.take().or_else(|| words.next()).ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--max-retries" => {
                    let text = value()?;
                    let count = text
                        .parse()
                        .map_err(|_| format!("--max-retries: `{text}` is not a count from 0 to 4294967294"))?;
                    policy = policy.max_retries(count);
                    options = true;
                }
                "--total-timeout" => {
                    let text = value()?;
                    let limit = if text == "none" { None } else { Some(time("--total-timeout", &text)?) };
                    policy = policy.total_timeout(limit);
                    options = true;
                }
                "--base-delay" => {
                    policy = policy.base_delay(time("--base-delay", &value()?)?);
                    options = true;
                }
                option if option.starts_with('-') => return Err(format!("no such option: {option}; see --help")),
                address if url.is_some() => return Err(format!("one URL only, and `{address}` is a second one")),
                address => url = Some(parse_url(address)?),
            }
        }
        let policy = policy.build().map_err(|error| error.to_string())?;
        match url {
            Some(url) => Ok(Self::Get(url, policy)),
            None if options => Err(String::from("the options need a URL; see --help")),
            None => Ok(Self::Demo),
        }
    }
}

fn parse_url(text: &str) -> Result<Url, String> {
    match text.parse::<Url>() {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => Err(format!("`{text}` cannot be got: its scheme is `{}`, and must be http or https", url.scheme())),
        Err(error) => Err(format!("`{text}` is no URL such as http://localhost/: {error}")),
    }
}

fn time(option: &str, text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s').unwrap_or("?"), 1.0),
    };
    let seconds = number.parse::<f64>().ok().map(|count| count * unit);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("{option}: `{text}` is not a time such as 500ms or 1.5s"))
}

async fn get(client: &Client, url: Url, policy: Policy) -> bool {
    let result = client.get(url).with_retry(policy).send_with_report().await;
    let (result, report) = told(result);
    table(&report);
    match result {
        Ok(status) => println!("answered: {status}"),
        Err(error) => println!("{}: {error}", error.code()),
    }
    report.reason() == retry_core::Reason::Answer
}

/// A result as its status or error, and the report that either has.
fn told(result: Result<(reqwest::Response, Report), Error>) -> (Result<u16, Error>, Report) {
    match result {
        Ok((response, report)) => (Ok(response.status().as_u16()), report),
        Err(error) => {
            let report = error.report().clone();
            (Err(error), report)
        }
    }
}

/// What a call has to come to.
struct Expected {
    result: Result<u16, ErrorKind>,
    sends: usize,
    waits: &'static [WaitSource],
}

async fn demo(client: &Client) -> bool {
    let policy = match Policy::API.edit().base_delay(Duration::from_millis(200)).build() {
        Ok(policy) => policy,
        Err(error) => {
            println!("{error}");
            return false;
        }
    };
    use WaitSource::{Computed, RetryAfter};
    let busy = || Reply::status(503).body("busy");
    let answer = || Reply::status(200).body("the answer");
    let torn = || Reply::status(200).body("half of this arrives").fault(Fault::Close, Point::HalfBody);
    let lost = || Fault::Close.at(Point::Request);
    let mut well = true;

    title("1. A server that is busy twice: 503, 503, 200");
    let server = Server::start([busy(), busy(), answer()]);
    let result = client.get(server.url("/")).with_retry(policy).send_with_report().await;
    let expected = Expected { result: Ok(200), sends: 3, waits: &[Computed, Computed] };
    well &= expected.check(&server, told(result));

    title("2. A server that says when to come back: 429 with Retry-After: 1, then 200");
    let server = Server::start([Reply::status(429).header("Retry-After", "1"), answer()]);
    let result = client.get(server.url("/")).with_retry(policy).send_with_report().await;
    let expected = Expected { result: Ok(200), sends: 2, waits: &[RetryAfter] };
    well &= expected.check(&server, told(result));

    title("3. A connection that is closed without an answer");
    let server = Server::start([lost(), answer()]);
    let result = client.get(server.url("/")).with_retry(policy).send_with_report().await;
    let expected = Expected { result: Ok(200), sends: 2, waits: &[Computed] };
    well &= expected.check(&server, told(result));

    title("4. A body that is cut half-way: `fetch` reads it inside the attempt, so it is retried");
    let server = Server::start([torn(), answer()]);
    let result = client.get(server.url("/")).with_retry(policy).fetch_with_report().await;
    let result = result.map(|(page, report)| (page.into_response(), report));
    let expected = Expected { result: Ok(200), sends: 2, waits: &[Computed] };
    well &= expected.check(&server, told(result));

    title("5. A POST that is answered 503: it is not repeated, and the reply is handed over as it is");
    let server = Server::start([busy(), answer()]);
    let result = client.post(server.url("/")).body("order").with_retry(policy).send_with_report().await;
    let (result, report) = told(result);
    well &= report.single_send() == Some(Why::Method);
    well &= Expected { result: Ok(503), sends: 1, waits: &[] }.check(&server, (result, report));

    title("6. A total limit of 1 s: a wait that cannot finish in time is not begun");
    let server = Server::start([busy()]);
    let request = client.get(server.url("/")).with_retry(policy).max_retries(9).total_timeout(Duration::from_secs(1));
    let (result, report) = told(request.send_with_report().await);
    // 200 and 400 ms fit, the 800 ms after them do not.
    well &= report.elapsed() < Duration::from_secs(1);
    let expected = Expected { result: Err(ErrorKind::Timeout), sends: 3, waits: &[Computed, Computed] };
    well &= expected.check(&server, (result, report));

    println!("\n{}", if well { "Each call went as it should." } else { "NOT each call went as it should." });
    well
}

fn title(text: &str) {
    println!("\n{text}");
}

impl Expected {
    fn check(&self, server: &Server, (result, report): (Result<u16, Error>, Report)) -> bool {
        table(&report);
        match &result {
            Ok(status) => println!("  Ok: {status}"),
            Err(error) => println!("  Err: {}: {error}", error.code()),
        }
        let well = result.map_err(|error| error.kind()) == self.result
            && server.sends() == self.sends
            && report.attempts() as usize == self.sends
            && report.waits().map(|(_, source)| source).eq(self.waits.iter().copied());
        if !well {
            println!("  THIS IS NOT AS IT SHOULD BE: the server saw {} sends", server.sends());
        }
        well
    }
}

fn table(report: &Report) {
    println!("  {:>7}  {:<22} {:>9}  {:<11}  {:>9}", "attempt", "came back", "wait", "from", "clock");
    for entry in report.record() {
        let back = entry.event.to_string();
        let (wait, from) = match entry.wait {
            Some((wait, source)) => (Millis(wait).to_string(), source.to_string()),
            None => (String::new(), String::new()),
        };
        let clock = Millis(entry.start + entry.took).to_string();
        println!("  {:>7}  {back:<22} {wait:>9}  {from:<11}  {clock:>9}", entry.number);
    }
}

/// A time in whole milliseconds.
struct Millis(Duration);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0.as_millis())
    }
}
