//! The core's own loop, `drive`, on an executor that it knows nothing of: smol, with hyper as the client.
//!
//! hyper runs on any executor, by traits of its own for reading and writing; smol-hyper is the bridge from smol's sockets
//! to those. async-h1, which was made for this family of executors, is no longer maintained, nor is surf on top of it.
//!
//! ```sh
//! cargo run -p conformance --example smol
//! ```

use core::time::Duration;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use conformance::server::{Fault, Point, Reply, Server};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{Request, Response};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::{
    Attempt, Cause, Finished, Instant, Io, NonIdempotent, Outcome, Pause, Policy, Reached, Replay, Timer, Try,
    UnixTime, Unlimited, drive, retry_after,
};
use smol::net::TcpStream;
use smol_hyper::rt::FuturesIo;

/// Short waits, so that there is something to see at once. `Policy::API` is for servers that are not yours.
pub(crate) const POLICY: Policy = Policy::builder().base_delay(Duration::from_millis(10)).build_const();

/// smol's clock and timer. It is shared by all calls, so that their moments can be compared.
pub(crate) struct SmolTimer(pub(crate) std::time::Instant);

impl Timer for SmolTimer {
    fn now(&self) -> Instant {
        Instant::EPOCH.saturating_add(self.0.elapsed())
    }

    fn wall(&self) -> Option<UnixTime> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Some(UnixTime::new(since.as_secs().try_into().ok()?, since.subsec_nanos()))
    }

    async fn sleep(&self, duration: Duration) {
        smol::Timer::after(duration).await;
    }
}

/// What one send brings.
pub(crate) type Got = Result<Response<Incoming>, NoResponse>;

#[derive(Debug)]
pub(crate) enum NoResponse {
    NotConnected(io::Error),
    Broken(hyper::Error),
    TimedOut,
}

/// A GET, over a connection of its own for each send.
struct Get<'a> {
    host: &'a str,
    path: &'a str,
    timer: &'a SmolTimer,
}

impl Get<'_> {
    async fn exchange(&self) -> Got {
        let socket = TcpStream::connect(self.host).await.map_err(NoResponse::NotConnected)?;
        let (mut sender, connection) = http1::handshake(FuturesIo::new(socket)).await.map_err(NoResponse::Broken)?;
        // It ends when the response's body has been read or dropped. What breaks it, the response tells.
        smol::spawn(async { drop(connection.await) }).detach();
        let request = Request::get(self.path).header("host", self.host).body(String::new());
        sender.send_request(request.expect("a valid path")).await.map_err(NoResponse::Broken)
    }
}

impl Io for Get<'_> {
    type Reply = Got;

    async fn send(&mut self, this: Try) -> Got {
        let got = self.exchange().await;
        println!("send {}: {:?}", this.number, got.as_ref().map(Response::status));
        got
    }

    fn outcome(&mut self, _: &Attempt<&Policy>, got: &Got) -> Outcome {
        let (cause, reached) = match got {
            Ok(response) => {
                let hint = retry_after::from_headers(response.headers(), || self.timer.wall());
                return Outcome::status(response.status().as_u16()).with_hint(hint);
            }
            Err(NoResponse::NotConnected(error)) if error.kind() == io::ErrorKind::TimedOut => {
                (Cause::Timeout, Reached::Unsent)
            }
            Err(NoResponse::NotConnected(_)) => (Cause::Network, Reached::Unsent),
            Err(NoResponse::Broken(error)) if error.is_parse() => (Cause::Transport, Reached::MaybeSent),
            Err(NoResponse::Broken(_)) => (Cause::Network, Reached::MaybeSent),
            Err(NoResponse::TimedOut) => (Cause::Timeout, Reached::MaybeSent),
        };
        Outcome::failure(cause, reached)
    }

    fn timed_out(&mut self, _: Try) -> Got {
        Err(NoResponse::TimedOut)
    }

    fn retrying(&mut self, _: Try, _: &Outcome, pause: &Pause<&Policy>) {
        println!("  wait {:?} ({})", pause.duration(), pause.source());
    }

    async fn discard(&mut self, got: Got) {
        // With connections that are kept, the rest of a short body would be read here.
        drop(got);
    }
}

pub(crate) async fn get(host: &str, path: &str, policy: &Policy, timer: &SmolTimer) -> Finished<Got> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7); // the operating system's word in a real program
    let replay = Replay::new("GET", true, NonIdempotent::Never);
    drive(policy, replay, None, timer, &mut Unlimited, &mut rng, &mut Get { host, path, timer }).await
}

pub(crate) fn main() {
    let lost = Fault::Reset.at(Point::Request);
    let server = Server::start([lost, Reply::status(503), Reply::status(200).body("a page")]);
    let timer = SmolTimer(std::time::Instant::now());
    match smol::block_on(get(&server.addr().to_string(), "/", &POLICY, &timer)) {
        Finished::Done(got, end) => println!("{} after {} sends: {got:?}", end.reason, end.attempts),
        finished => println!("it failed: {finished:?}"),
    }
}
