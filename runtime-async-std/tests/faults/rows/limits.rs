//! Limits that pass: the client's and ours. The caller's word is one, too.

use core::time::Duration;

use conformance::server::{Fault, Point, Tls};
use retry_core::ErrorKind::{Canceled, Timeout};
use retry_core::PolicyBuilder;
use retry_core::Reached::MaybeSent;

use crate::row::{Expected, Row, Sent, again, once};
use crate::scene::{Place, Scene, Time, body, handshake, http1, silent};

pub(crate) fn rows() -> Vec<Row> {
    let timed = |name, scene: fn(&Place) -> Scene, expected: Expected| Row::new(name, scene, expected);
    vec![
        timed("the client's timeout before the response", |place| own(silent(place)), SLOW.nothing_seen()),
        timed("the client's timeout in the response's head", |place| own(torn(place)), SLOW.nothing_seen()),
        timed("the attempt's limit before the response", |place| silent(place).policy(attempt), SLOW),
        timed("the attempt's limit in the response's head", |place| torn(place).policy(attempt), SLOW),
        timed("the attempt's limit in the body", |place| half(place).policy(attempt), SLOW),
        timed(
            "the attempt's limit in the TLS handshake",
            |place| handshake(Tls::Fault(Fault::Stall))(place).time(Time::AtStalls).policy(attempt),
            SLOW.connections(2),
        )
        .over_tls(),
        timed(
            "the total limit before the response",
            |place| silent(place).policy(|policy| policy.total_timeout(Some(STEP))),
            once(Timeout, MaybeSent),
        ),
        timed(
            "the total limit in the body",
            |place| half(place).policy(|policy| policy.total_timeout(Some(STEP))),
            once(Timeout, MaybeSent),
        ),
        timed(
            "both limits at once",
            |place| silent(place).policy(|policy| attempt(policy).total_timeout(Some(STEP))),
            once(Timeout, MaybeSent),
        ),
        timed(
            "the caller cancels",
            |place| silent(place).time(Time::Canceled),
            once(Canceled, MaybeSent).sent(Sent::Untold),
        ),
    ]
}

const SLOW: Expected = again(Timeout, MaybeSent);

/// Longer than anything here takes.
const STEP: Duration = Duration::from_secs(10);

fn own(scene: Scene) -> Scene {
    scene.time(Time::Real).timeout(Duration::from_millis(50))
}

fn attempt(policy: PolicyBuilder) -> PolicyBuilder {
    policy.attempt_timeout(Some(STEP)).total_timeout(None)
}

fn torn(place: &Place) -> Scene {
    http1(Fault::Stall.at(Point::HalfHead))(place).time(Time::AtStalls)
}

fn half(place: &Place) -> Scene {
    body(Fault::Stall.at(Point::HalfBody))(place).time(Time::AtStalls)
}
