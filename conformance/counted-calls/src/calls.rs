//! A GET that is answered at once, to the end of its body: with and without retries, with and without a total limit.

use std::time::Duration;

use reqwest::{Client, Method, Response};
use runtime_tokio::{Policy, Retry, RetryExt, Try};

use crate::server::Server;

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

/// Makes so many calls, one after the other, over one connection.
fn each(times: u64, call: impl AsyncFn(&Client, &str) -> Response) {
    let server = Server::start().expect("a server");
    let url = server.url();
    let client = runtime_tokio::client_builder().no_proxy().build().expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for _ in 0..WARM + times {
            let body = call(&client, &url).await.bytes().await.expect("a body");
            assert_eq!(&body[..], b"ok");
        }
    });
}
