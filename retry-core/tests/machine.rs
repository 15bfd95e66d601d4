//! What an action tells of itself: what can follow it, and its moments.

mod common;

use core::time::Duration;

use common::Words;
use retry_core::{
    Action, Attempt, Cause, Event, Failure, Instant, Jitter, Outcome, Pause, Policy, Reached, Replay, Unlimited,
    Verdict, Why,
};

const BUSY: Outcome = Outcome::status(503);

fn at(secs: u64) -> Instant {
    Instant::from_nanos(secs * 1_000_000_000)
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Waits of 1, 2 and 4 s; a send may take 5 s, the call 12 s.
const LIMITED: Policy = Policy::API
    .edit()
    .jitter(Jitter::None)
    .attempt_timeout(Some(Duration::from_secs(5)))
    .total_timeout(Some(Duration::from_secs(12)))
    .build_const();

fn send(action: Action<&Policy>) -> Attempt<&Policy> {
    let Action::Send(attempt) = action else { panic!("{action:?}") };
    attempt
}

/// The wait after a failure that came at `now` and reached nobody.
fn wait(attempt: Attempt<&Policy>, now: Instant) -> Pause<&Policy> {
    let failed = Outcome::failure(Cause::Network, Reached::Unsent);
    let Action::Wait(pause) = attempt.finish(failed, now, &mut Unlimited, &mut Words::new(&[0])) else {
        panic!("a failure that is sent again")
    };
    pause
}

/// The send with this number of a call that began at second 100, each of its sends unsent after no time.
fn nth(policy: &Policy, replay: Replay, number: u32) -> Attempt<&Policy> {
    let mut attempt = send(Attempt::start(policy, replay, None, at(100)));
    while attempt.number() < number {
        let pause = wait(attempt, at(100));
        let until = pause.until();
        attempt = send(pause.resume(until));
    }
    attempt
}

#[test]
fn a_send_knows_what_can_follow_it() {
    let rows = [
        // Replay, retries, the number of the send: is it the last, does any response end the call.
        (Replay::Always, 2, 1, false, false),
        (Replay::Always, 2, 2, false, false),
        (Replay::Always, 2, 3, true, true),
        (Replay::Always, 0, 1, true, true),
        (Replay::IfUnsent, 1, 1, false, true),
        (Replay::IfUnsent, 1, 2, true, true),
        (Replay::IfUnsent, 0, 1, true, true),
        (Replay::Once(Why::Body), 2, 1, true, true),
        (Replay::Once(Why::Method), 2, 1, true, true),
    ];
    for (replay, retries, number, is_last, ends_on_response) in rows {
        let policy = Policy::API.edit().max_retries(retries).build().unwrap();
        let attempt = nth(&policy, replay, number);
        assert_eq!(attempt.is_last(), is_last, "{replay:?}, {retries} retries, send {number}");
        assert_eq!(attempt.ends_on_response(), ends_on_response, "{replay:?}, {retries} retries, send {number}");
    }
}

#[test]
fn a_custom_policy_is_asked_only_where_it_could_change_something() {
    let answered = Event::Status(404);
    let unsent = Event::Failure(Failure::new(Cause::Network, Reached::Unsent));
    let denied = Event::Failure(Failure::new(Cause::Certificate, Reached::Unsent));
    let rows = [
        (Replay::Always, 1, BUSY.event, Some(Verdict::Retry)),
        (Replay::Always, 1, answered, Some(Verdict::Answer)),
        (Replay::Always, 1, denied, Some(Verdict::Fail)),
        (Replay::Always, 2, BUSY.event, None),
        (Replay::IfUnsent, 1, unsent, Some(Verdict::Retry)),
        (Replay::IfUnsent, 1, BUSY.event, None),
        (Replay::Once(Why::Method), 1, BUSY.event, None),
    ];
    let policy = Policy::API.edit().max_retries(1).build().unwrap();
    for (replay, number, event, verdict) in rows {
        assert_eq!(nth(&policy, replay, number).verdict(event), verdict, "{replay:?}, send {number}, {event:?}");
    }
}

#[test]
fn a_send_and_its_call_have_their_own_limits() {
    let first = nth(&LIMITED, Replay::Always, 1);
    assert_eq!((first.sent_at(), first.deadline(), first.total_deadline()), (at(100), Some(at(105)), Some(at(112))));
    // Now, what this send has left, what the call has left, how old it is. A clock that fell behind makes nothing longer.
    let rows = [(90, 5, 12, 0), (100, 5, 12, 0), (103, 2, 9, 3), (105, 0, 7, 5), (110, 0, 2, 10), (200, 0, 0, 100)];
    for (now, left, remaining, elapsed) in rows {
        assert_eq!(first.left(at(now)), Some(secs(left)), "{now}");
        assert_eq!(first.remaining(at(now)), Some(secs(remaining)), "{now}");
        assert_eq!(first.elapsed(at(now)), secs(elapsed), "{now}");
    }

    // The second begins late enough for the call's limit to come first.
    let second = send(wait(first, at(104)).resume(at(109)));
    assert_eq!((second.number(), second.sent_at()), (2, at(109)));
    assert_eq!((second.deadline(), second.total_deadline()), (Some(at(112)), Some(at(112))));
    assert_eq!((second.left(at(100)), second.left(at(110))), (Some(secs(3)), Some(secs(2))));
    assert_eq!((second.remaining(at(100)), second.elapsed(at(100))), (Some(secs(3)), secs(9)));

    // The caller's deadline counts where it is earlier.
    for (deadline, total) in [(103, 103), (111, 111), (112, 112), (113, 112)] {
        let attempt = send(Attempt::start(&LIMITED, Replay::Always, Some(at(deadline)), at(100)));
        assert_eq!(attempt.total_deadline(), Some(at(total)));
        assert_eq!(attempt.deadline(), Some(at(total.min(105))));
    }
}

#[test]
fn without_limits_nothing_is_cut() {
    let policy = Policy::API.edit().total_timeout(None).build().unwrap();
    let action = Attempt::start(&policy, Replay::Always, None, at(100));
    assert_eq!(action.wake_at(), None);
    let attempt = send(action);
    assert_eq!((attempt.deadline(), attempt.total_deadline()), (None, None));
    assert_eq!((attempt.left(at(500)), attempt.remaining(at(500))), (None, None));
    assert_eq!(attempt.elapsed(at(500)), secs(400));
}

#[test]
fn every_action_says_when_to_wake() {
    let action = Attempt::start(&LIMITED, Replay::Always, None, at(100));
    assert_eq!(action.wake_at(), Some(at(105)));
    let pause = wait(send(action), at(101));
    assert_eq!((pause.duration(), pause.until()), (secs(1), at(102)));
    assert_eq!(Action::Wait(pause).wake_at(), Some(at(102)));

    let finish =
        |outcome| nth(&LIMITED, Replay::Always, 4).finish(outcome, at(107), &mut Unlimited, &mut Words::new(&[0]));
    let (done, failed) = (finish(Outcome::status(200)), finish(BUSY));
    assert!(matches!((&done, &failed), (Action::Done(_), Action::GiveUp(_))), "{done:?}, {failed:?}");
    assert_eq!((done.wake_at(), failed.wake_at()), (None, None));
}

#[test]
fn a_wait_that_is_resumed_early_goes_on() {
    let mut pause = wait(nth(&LIMITED, Replay::Always, 2), at(103));
    for now in [0, 103, 104] {
        let Action::Wait(same) = pause.resume(at(now)) else { panic!("it ended at {now}") };
        assert_eq!((same.duration(), same.until()), (secs(2), at(105)));
        pause = same;
    }
    // How much is left; no more than all of it.
    let left = [(0, 2), (103, 2), (104, 1), (105, 0), (300, 0)];
    for (now, left) in left {
        assert_eq!(pause.left(at(now)), secs(left), "{now}");
    }
    assert_eq!(send(pause.resume(at(105))).sent_at(), at(105));
}

#[test]
fn a_call_that_has_no_time_sends_nothing() {
    let start = |deadline| Attempt::start(&Policy::API, Replay::Always, Some(deadline), at(100));
    for deadline in [Instant::EPOCH, at(99), at(100)] {
        let Action::GiveUp(end) = start(deadline) else { panic!("it was sent") };
        assert_eq!((end.attempts, end.elapsed, end.event), (0, Duration::ZERO, None));
    }
    assert_eq!(send(start(at(101))).deadline(), Some(at(101)));
}
