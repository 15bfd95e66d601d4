//! A GET to the end of its body, with and without retries: answered at once, with and without a total limit; and answered
//! 503 first, which is sent again without a wait.

use std::time::Duration;

use reqwest::{Client, Method, Response, Url};
use runtime_tokio::{Jitter, Policy, Retry, RetryExt, Try};

use crate::server::{self, Server};

/// Calls before those that count: the connection, and what is made once.
const WARM: u64 = 20;

/// The policy's total limit, for those who have no policy.
const LIMIT: Duration = Duration::from_secs(180);

pub(crate) fn get(times: u64) {
    each(times, async |client, url| client.get(url).send().await.expect("an answer"));
}

pub(crate) fn get_timeout(times: u64) {
    each(times, async |client, url| {
        let call = tokio::time::timeout(LIMIT, client.get(url).send());
        call.await.expect("an answer in time").expect("an answer")
    });
}

pub(crate) fn run(times: u64) {
    run_under(policy(None), times);
}

pub(crate) fn run_limit(times: u64) {
    run_under(policy(Some(LIMIT)), times);
}

pub(crate) fn send(times: u64) {
    send_under(policy(None), times);
}

pub(crate) fn send_limit(times: u64) {
    send_under(policy(Some(LIMIT)), times);
}

pub(crate) fn single_send(times: u64) {
    send_under(once(policy(None)), times);
}

pub(crate) fn single_send_limit(times: u64) {
    send_under(once(policy(Some(LIMIT))), times);
}

/// Two requests, of which the first is answered 503: both bodies are read.
pub(crate) fn get_twice(times: u64) {
    calls(times, server::TURNS, async |client, url| {
        let busy = client.get(url.clone()).send().await.expect("an answer");
        assert_eq!(busy.status().as_u16(), 503);
        busy.bytes().await.expect("a body");
        client.get(url.clone()).send().await.expect("an answer")
    });
}

pub(crate) fn run_retry(times: u64) {
    let retry = Retry::new(at_once());
    calls(times, server::TURNS, async |client, url| {
        retry.run(Method::GET, url, |_: Try| client.get(url.clone()).send()).await.expect("an answer")
    });
}

pub(crate) fn send_retry(times: u64) {
    let policy = at_once();
    calls(times, server::TURNS, async |client, url| {
        client.get(url.clone()).with_retry(&policy).send().await.expect("an answer")
    });
}

/// Retries without a wait.
fn at_once() -> Policy {
    let policy = policy(None).edit().base_delay(Duration::ZERO).jitter(Jitter::None);
    policy.build().expect("a policy within the bounds")
}

fn run_under(policy: Policy, times: u64) {
    let retry = Retry::new(policy);
    each(times, async |client, url| {
        retry.run(Method::GET, url, |_: Try| client.get(url).send()).await.expect("an answer")
    });
}

fn send_under(policy: Policy, times: u64) {
    each(times, async |client, url| client.get(url).with_retry(&policy).send().await.expect("an answer"));
}

fn policy(limit: Option<Duration>) -> Policy {
    Policy::API.edit().total_timeout(limit).build().expect("a policy within the bounds")
}

fn once(policy: Policy) -> Policy {
    policy.edit().max_retries(0).build().expect("a policy within the bounds")
}

/// Calls that are made with a text for a URL.
fn each(times: u64, call: impl AsyncFn(&Client, &str) -> Response) {
    calls(times, "", async |client, url| call(client, url.as_str()).await);
}

/// Makes so many calls, one after the other, over one connection.
fn calls(times: u64, path: &str, call: impl AsyncFn(&Client, &Url) -> Response) {
    let server = Server::start().expect("a server");
    // Parsed here for those who send twice: a request that is copied does not parse it again.
    let url = server.url(path).parse().expect("a URL");
    let client = runtime_tokio::client_builder().no_proxy().build().expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for _ in 0..WARM + times {
            let body = call(&client, &url).await.bytes().await.expect("a body");
            assert_eq!(&body[..], b"ok");
        }
    });
}
