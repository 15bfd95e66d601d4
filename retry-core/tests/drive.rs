//! The loop: what a client is told of each send, and what it costs to cut one.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

mod common;

use core::future::{pending, poll_fn, ready};
use core::pin::pin;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Mutex;

use common::Words;
use retry_core::{
    Attempt, Cause, DRAIN_BYTES, DRAIN_TIME, Event, Finished, Instant, Io, Jitter, Outcome, Policy, Reached, Replay,
    Timer, Try, UnixTime, Unlimited, drive, within,
};

/// A clock that a wait moves on, and that counts what it was asked.
#[derive(Default)]
struct Clock {
    nanos: AtomicU64,
    reads: AtomicU64,
    limits: AtomicU64,
}

impl Timer for Clock {
    fn now(&self) -> Instant {
        self.reads.fetch_add(1, Relaxed);
        Instant::from_nanos(self.nanos.load(Relaxed))
    }

    fn wall(&self) -> Option<UnixTime> {
        None
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.nanos.fetch_add(duration.as_nanos() as u64, Relaxed);
        ready(())
    }

    fn limit(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.limits.fetch_add(1, Relaxed);
        self.sleep(duration)
    }
}

/// The output of a future that is never in need of a second poll.
fn now<F: Future>(future: F) -> F::Output {
    let Poll::Ready(output) = pin!(future).poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("it waits for what nobody does")
    };
    output
}

fn at(secs: u64) -> Instant {
    Instant::from_nanos(secs * 1_000_000_000)
}

/// A client whose sends never end, and that keeps what it is told.
struct Stalls<'a> {
    clock: &'a Clock,
    told: Vec<Try>,
}

impl Io for Stalls<'_> {
    type Reply = Try;

    async fn send(&mut self, attempt: Try) -> Try {
        assert_eq!(self.clock.now(), attempt.sent_at, "it begins when its wait is over");
        self.told.push(attempt);
        pending().await
    }

    fn outcome(&mut self, _: &Attempt<&Policy>, _: &Try) -> Outcome {
        Outcome::failure(Cause::Timeout, Reached::Unsent)
    }

    fn timed_out(&mut self, attempt: Try) -> Try {
        attempt
    }

    async fn discard(&mut self, cut: Try) {
        assert_eq!(self.told.last(), Some(&cut));
    }
}

#[test]
fn a_client_is_told_what_each_send_is() {
    let policy = Policy::API.edit().max_retries(2).jitter(Jitter::None);
    let policy = policy.attempt_timeout(Some(Duration::from_secs(5))).total_timeout(Some(Duration::from_secs(15)));
    let policy = policy.build().unwrap();
    let clock = Clock::default();
    let mut io = Stalls { clock: &clock, told: Vec::new() };
    let (mut budget, mut words) = (Unlimited, Words::new(&[0]));
    let finished = now(drive(&policy, Replay::IfUnsent, None, &clock, &mut budget, &mut words, &mut io));
    let Finished::GiveUp(Some(last), end) = finished else { panic!("a call without a reply") };

    // Sends of 5 s with waits of 1 and 2 s between them; the third is cut by the call's limit.
    let told = io.told.iter().map(|this| (this.number, this.sent_at, this.deadline, this.is_total, this.is_last));
    let expected = [
        (1, at(0), Some(at(5)), false, false),
        (2, at(6), Some(at(11)), false, false),
        (3, at(13), Some(at(15)), true, true),
    ];
    assert!(told.clone().eq(expected), "{:?}", told.collect::<Vec<_>>());
    assert!(io.told.iter().all(|this| this.ends_on_response), "{:?}", io.told);
    assert_eq!((last.number, end.attempts, end.elapsed), (3, 3, Duration::from_secs(15)));
    assert!(matches!(end.event, Some(Event::Failure(failure)) if failure.cause == Cause::Timeout), "{end:?}");
}

#[test]
fn a_send_without_limits_has_none_of_the_calls() {
    let policy = Policy::NONE.edit().total_timeout(None).build().unwrap();
    let told = |policy: &Policy, deadline| {
        let clock = Clock::default();
        let mut io = Stalls { clock: &clock, told: Vec::new() };
        let (mut budget, mut words) = (Unlimited, Words::new(&[0]));
        {
            let call = pin!(drive(policy, Replay::Always, deadline, &clock, &mut budget, &mut words, &mut io));
            let _ = call.poll(&mut Context::from_waker(Waker::noop()));
        }
        (io.told[0].deadline, io.told[0].is_total)
    };
    assert_eq!(told(&policy, None), (None, false));
    assert_eq!(told(&policy, Some(at(7))), (Some(at(7)), true));
}

/// A client whose only send takes 3 s and is answered.
struct Answers<'a> {
    clock: &'a Clock,
    is_timed: bool,
}

impl Io for Answers<'_> {
    type Reply = u16;

    async fn send(&mut self, _: Try) -> u16 {
        self.clock.sleep(Duration::from_secs(3)).await;
        200
    }

    fn is_timed(&self, reply: &u16) -> bool {
        self.is_timed || *reply != 200
    }

    fn outcome(&mut self, _: &Attempt<&Policy>, reply: &u16) -> Outcome {
        Outcome::status(*reply)
    }

    fn timed_out(&mut self, _: Try) -> u16 {
        unreachable!("a send that is answered")
    }

    async fn discard(&mut self, _: u16) {}
}

#[test]
fn no_clock_is_read_for_an_answer_that_is_not_timed() {
    for (is_timed, reads, elapsed) in [(true, 2, 3), (false, 1, 0)] {
        let clock = Clock::default();
        let mut io = Answers { clock: &clock, is_timed };
        let (mut budget, mut words) = (Unlimited, Words::new(&[0]));
        let call = drive(&Policy::API, Replay::Always, None, &clock, &mut budget, &mut words, &mut io);
        let Finished::Done(200, end) = now(call) else { panic!("a call without its answer") };
        assert_eq!((clock.reads.load(Relaxed), end.elapsed), (reads, Duration::from_secs(elapsed)), "{is_timed}");
    }
}

#[test]
fn what_is_ready_costs_no_timer_and_no_clock() {
    let clock = Clock::default();
    assert_eq!(now(within(&clock, at(0), Some(at(5)), pin!(ready("answer")))), Some("answer"));
    assert_eq!((clock.reads.load(Relaxed), clock.limits.load(Relaxed)), (0, 0));
    // Even where the limit has passed.
    assert_eq!(now(within(&clock, at(9), Some(at(5)), pin!(ready("answer")))), Some("answer"));
}

#[test]
fn what_is_not_ready_is_cut_at_its_limit() {
    // The clock, since when, the limit: how many limits are made, and what the clock shows then.
    let rows = [(0, 0, 5, 1, 5), (3, 0, 5, 1, 5), (0, 3, 5, 1, 2), (5, 0, 5, 0, 5), (9, 0, 5, 0, 9), (0, 5, 5, 0, 0)];
    for (shown, since, limit, limits, then) in rows {
        let clock = Clock::default();
        clock.nanos.store(at(shown).as_nanos(), Relaxed);
        assert_eq!(now(within(&clock, at(since), Some(at(limit)), pin!(pending::<()>()))), None);
        assert_eq!((clock.limits.load(Relaxed), clock.now()), (limits, at(then)), "{shown}, {since}, {limit}");
    }
}

#[test]
fn a_limit_until_a_moment_is_one_of_the_time_that_is_left() {
    // The clock, since when, the moment: what the clock shows at the end of the limit, or none if the moment has passed.
    let rows = [
        (0, 0, 5, Some(5)),
        (3, 0, 5, Some(5)),
        (0, 3, 5, Some(2)),
        (5, 0, 5, None),
        (9, 0, 5, None),
        (0, 5, 5, None),
        (0, 9, 5, None),
    ];
    for (shown, since, moment, then) in rows {
        let clock = Clock::default();
        clock.nanos.store(at(shown).as_nanos(), Relaxed);
        let ended = clock.limit_until(at(since), at(moment)).map(|limit| {
            now(limit);
            clock.now()
        });
        assert_eq!(ended, then.map(at), "{shown}, {since}, {moment}");
    }
}

/// A timer that waits for moments, and is told each one.
#[derive(Default)]
struct Moments {
    clock: Clock,
    told: Mutex<Vec<(Instant, Instant)>>,
}

impl Timer for Moments {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        None
    }

    fn sleep(&self, _: Duration) -> impl Future<Output = ()> + Send {
        pending()
    }

    fn limit_until(&self, since: Instant, deadline: Instant) -> Option<impl Future<Output = ()> + Send> {
        self.told.lock().unwrap().push((since, deadline));
        (deadline > since).then(|| self.sleep(Duration::ZERO))
    }
}

#[test]
fn a_timer_that_waits_for_moments_is_asked_once_and_reads_no_clock() {
    let timer = Moments::default();
    let work = pin!(pending::<()>());
    let mut call = pin!(within(&timer, at(3), Some(at(5)), work));
    for _ in 0..3 {
        assert_eq!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending);
    }
    assert_eq!(now(within(&timer, at(5), Some(at(5)), pin!(pending::<()>()))), None);
    assert_eq!(*timer.told.lock().unwrap(), [(at(3), at(5)), (at(5), at(5))]);
    assert_eq!(timer.clock.reads.load(Relaxed), 0);
}

#[test]
fn work_is_polled_once_a_round() {
    let clock = Clock::default();
    let mut polls = 0;
    let work = pin!(poll_fn(|_| {
        polls += 1;
        if polls == 3 { Poll::Ready("late") } else { Poll::Pending }
    }));
    let mut call = pin!(within(&clock, at(0), None, work));
    let rounds = [(); 3].map(|()| call.as_mut().poll(&mut Context::from_waker(Waker::noop())));
    assert_eq!(rounds, [Poll::Pending, Poll::Pending, Poll::Ready(Some("late"))]);
}

#[test]
fn a_drain_has_the_documented_bounds() {
    assert_eq!((DRAIN_BYTES, DRAIN_TIME), (65_536, Duration::from_millis(100)));
}
