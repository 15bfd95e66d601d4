//! The core by hand, over a blocking client: ureq. No future, no runtime, one loop.
//!
//! ```sh
//! cargo run -p conformance --example blocking
//! ```

use core::hash::BuildHasher;
use core::time::Duration;
use std::hash::RandomState;
use std::io::ErrorKind;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use conformance::server::{Fault, Point, Reply, Server};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{
    Action, Attempt, Cause, End, Instant, NonIdempotent, Outcome, Policy, Reached, Replay, RetryAfter, UnixTime,
    Unlimited, retry_after,
};
use ureq::{Agent, Body, Error, Timeout, http::Response};

/// Short waits, so that there is something to see at once. `Policy::API` is for servers that are not yours.
pub(crate) const POLICY: Policy = Policy::builder()
    .base_delay(Duration::from_millis(10))
    .retry_after(RetryAfter::replace().cap(Duration::from_millis(30)))
    .build_const();

/// What one send brings.
pub(crate) type Got = Result<Response<Body>, Error>;

/// The loop. The reply that comes with the [`End`] is the answer if [`End::kind`] is `None`.
pub(crate) fn get(agent: &Agent, url: &str, policy: &Policy) -> (Option<Got>, End) {
    let started = std::time::Instant::now();
    let now = || Instant::EPOCH.saturating_add(started.elapsed());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(RandomState::new().hash_one(url));
    let replay = Replay::new("GET", true, NonIdempotent::Never);
    let mut last = None;
    let mut action = Attempt::start(policy, replay, None, now());
    loop {
        action = match action {
            Action::Send(attempt) => {
                // A limit of ureq's own, the body included, is the time that is left for this send.
                let got = agent.get(url).config().timeout_global(attempt.left(now())).build().call();
                let outcome = outcome(&got);
                println!("send {}: {}", attempt.number(), outcome.event);
                last = Some(got);
                attempt.finish(outcome, now(), &mut Unlimited, &mut rng)
            }
            Action::Wait(pause) => {
                println!("  wait {:?} ({})", pause.duration(), pause.source());
                last = None; // A reply that is kept would keep its connection.
                thread::sleep(pause.left(now()));
                pause.resume(now())
            }
            Action::Done(end) | Action::GiveUp(end) => return (last, end),
        };
    }
}

/// ureq's words in the core's. Whatever leaves a doubt may have reached the server.
fn outcome(got: &Got) -> Outcome {
    let (cause, reached) = match got {
        Ok(response) => {
            let hint = retry_after::from_headers(response.headers(), wall);
            return Outcome::status(response.status().as_u16()).with_hint(hint);
        }
        Err(Error::Io(error)) if error.kind() == ErrorKind::ConnectionRefused => (Cause::Network, Reached::Unsent),
        Err(Error::Io(_)) => (Cause::Network, Reached::MaybeSent),
        Err(Error::HostNotFound) => (Cause::DnsTemporary, Reached::Unsent),
        Err(Error::Timeout(Timeout::Resolve | Timeout::Connect)) => (Cause::Timeout, Reached::Unsent),
        Err(Error::Timeout(_)) => (Cause::Timeout, Reached::MaybeSent),
        Err(Error::Protocol(_)) => (Cause::Transport, Reached::MaybeSent),
        Err(Error::BadUri(_) | Error::Http(_)) => (Cause::Validation, Reached::Unsent),
        Err(_) => (Cause::Unknown, Reached::MaybeSent),
    };
    Outcome::failure(cause, reached)
}

/// The wall clock, which a `Retry-After` date is measured from if the response has no `Date`.
fn wall() -> Option<UnixTime> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(UnixTime::new(since.as_secs().try_into().ok()?, since.subsec_nanos()))
}

/// ureq follows redirects inside of a send; a status is no error here, but a reply that the policy judges.
pub(crate) fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).build().into()
}

pub(crate) fn main() {
    let lost = Fault::Reset.at(Point::Request);
    let busy = Reply::status(503).header("Retry-After", "1");
    let server = Server::start([lost, busy, Reply::status(200).body("a page")]);
    let (last, end) = get(&agent(), &server.url("/"), &POLICY);
    let page = last.map(|got| got.and_then(|mut response| response.body_mut().read_to_string()));
    println!("{} after {} sends: {page:?}", end.reason, end.attempts);
}
