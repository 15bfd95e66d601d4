//! Calls over real sockets and in real time, recorded, and replayed to the same decisions.
#![cfg(feature = "reqwest")]

#[path = "common/skip.rs"]
mod skip;

use core::time::Duration;

use conformance::server::{Fault, Point, Proxy, Reply, Server, Via};
use retry_core::trace::{Answer, Trace};
use retry_core::{Policy, Reason, TokenBucket, WaitSource};
use runtime_tokio::{Budgets, Retry, RetryExt};
use skip::{client, guarded};

/// Waits of a few milliseconds, each another one.
fn policy() -> Policy {
    let policy = Policy::API.edit().base_delay(Duration::from_millis(2)).max_delay(Duration::from_millis(10));
    policy.build().expect("a policy")
}

/// Read again from its text, the record has the same decisions, to the nanosecond.
fn replays(record: Option<&Trace>) -> Trace {
    let record = record.expect("it was asked for");
    let text = record.to_string();
    assert!(!text.contains("hunter2") && !text.contains("http"), "a secret is shown: {text}");
    let read: Trace = text.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    let replayed = read.replay();
    assert_eq!(replayed.differences(), [], "{text}");
    assert_eq!((&read, &replayed.today), (record, record), "{text}");
    read
}

#[tokio::test]
async fn what_a_real_clock_has_shown_replays_bit_for_bit() {
    let server = Server::start([Reply::status(503), Reply::status(500), Reply::status(200)]);
    let retry = Retry::new(policy()).trace(true).budget(Budgets::shared(TokenBucket::aws_2_0()));
    let url = server.url("/secret?key=hunter2");
    let call = client().get(&url).with_retry(&retry).send_with_report();
    let (_, report) = guarded(call).await.unwrap();
    let record = replays(report.trace());
    assert_eq!((record.sends.len(), record.end.map(|end| end.reason)), (3, Some(Reason::Answer)));
    let asked = record.sends[1].reply.unwrap().budget;
    assert_eq!((asked.before, asked.after, asked.answer), (Some(495), Some(490), Some(Answer::Granted(5))));
    assert_eq!(record.end.map(|end| end.elapsed), Some(report.elapsed()));
}

#[tokio::test]
async fn a_send_that_was_cut_and_a_failed_call_replay() {
    let server = Server::start([Fault::Stall.at(Point::Request)]);
    let retry = Retry::new(policy()).trace(true);
    let call = client().get(server.url("/")).with_retry(&retry).max_retries(1);
    let error = guarded(call.attempt_timeout(Duration::from_millis(20)).send()).await.unwrap_err();
    let record = replays(error.report().trace());
    assert_eq!((record.policy.max_retries(), record.sends.len()), (1, 2));
    for sent in &record.sends {
        assert!(sent.reply.unwrap().at >= sent.limit.unwrap(), "{record}");
    }
}

#[tokio::test]
async fn a_call_that_was_given_up_replays() {
    let server = Server::start([Reply::status(503), Fault::Stall.at(Point::Request)]);
    let given_up = async {
        while server.stalls() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let call = client().get(server.url("/")).with_retry(policy()).trace(true).cancel_on(given_up);
    let record = replays(guarded(call.send()).await.unwrap_err().report().trace());
    assert_eq!((record.sends.len(), record.sends[1].reply), (2, None));
    assert_eq!(record.end.map(|end| (end.reason, end.attempts)), Some((Reason::Canceled, 2)));
}

#[tokio::test]
async fn a_request_that_goes_out_once_replays() {
    let server = Server::start([Reply::status(503)]);
    let retry = Retry::new(policy()).trace(true);
    let (_, report) = guarded(client().post(server.url("/")).with_retry(&retry).send_with_report()).await.unwrap();
    let record = replays(report.trace());
    assert_eq!(record.end.map(|end| end.reason), report.single_send().map(Reason::NotRepeatable));
}

#[tokio::test]
async fn without_being_asked_for_there_is_no_record() {
    let server = Server::start([Reply::status(503), Reply::status(200)]);
    let retry = Retry::new(policy()).trace(true);
    let call = client().get(server.url("/")).with_retry(&retry).trace(false).send_with_report();
    assert!(guarded(call).await.unwrap().1.trace().is_none());
    let call = client().get(server.url("/")).with_retry(policy()).send_with_report();
    assert!(guarded(call).await.unwrap().1.trace().is_none());
}

#[tokio::test]
async fn a_move_to_the_next_proxy_replays() {
    let origin = Server::start([Reply::status(503), Reply::status(200)]);
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&core::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let dead = socket.local_addr().unwrap().as_socket().unwrap();
    let live = Proxy::http([Via::Pass]);
    let _ = client();
    let entries = [format!("http://user:hunter2@{dead}"), live.url()];
    let pool = Retry::new(policy()).trace(true).proxies(entries, |_, builder| builder).build().unwrap();
    let (_, report) = guarded(pool.get(origin.url("/")).send_with_report()).await.unwrap();
    let record = replays(report.trace());
    let replies: Vec<_> = record.sends.iter().filter_map(|sent| sent.reply).collect();
    let sources: Vec<_> = replies.iter().map(|reply| reply.wait.map(|wait| wait.source)).collect();
    assert_eq!(sources, [Some(WaitSource::Proxy), Some(WaitSource::Computed), None]);
    assert_eq!(replies.iter().map(|reply| reply.proxy).collect::<Vec<_>>(), [Some(0), Some(1), Some(1)]);
}
