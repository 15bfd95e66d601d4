//! Time that takes none: the timer that skips waits, and calls in virtual time.

use core::future::{Future, pending, ready};
use core::pin::pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::task::Wake;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use retry_core::testing::{Reply, Simulated, SkipTimer, simulate};
use retry_core::{
    Attempt, Cause, End, ErrorKind, Event, Failure, Finished, Instant, Io, Jitter, Outcome, Policy, Reached, Reason,
    Replay, Timer, Try, UnixTime, Unlimited, WaitSource, Why, drive,
};

const SECOND: Duration = Duration::from_secs(1);

/// 1, 2 and 4 s between sends of at most 5 s.
const PLAIN: Policy =
    Policy::builder().jitter(Jitter::None).attempt_timeout(Some(Duration::from_secs(5))).build_const();

const CUT: Event = Event::Failure(Failure::new(Cause::Timeout, Reached::MaybeSent));

/// A runtime's timer: what it counts takes for ever, or no time.
#[derive(Clone, Copy, Debug, Default)]
struct Real {
    limits_pass: bool,
}

impl Timer for Real {
    fn now(&self) -> Instant {
        unreachable!("a test's clock is its own")
    }

    fn wall(&self) -> Option<UnixTime> {
        unreachable!("a test's clock is its own")
    }

    async fn sleep(&self, _: Duration) {
        unreachable!("no wait is real")
    }

    async fn limit(&self, _: Duration) {
        if !self.limits_pass {
            pending::<()>().await;
        }
    }
}

/// A client whose sends hang at 0.
struct Client<'a> {
    timer: &'a SkipTimer<Real>,
    script: &'a [u16],
    sends: Vec<Instant>,
}

impl Io for Client<'_> {
    type Reply = Event;

    async fn send(&mut self, this: Try) -> Event {
        self.sends.push(this.sent_at);
        match self.script[this.number as usize - 1] {
            0 => self.timer.stall().await,
            status => Event::Status(status),
        }
    }

    fn outcome(&mut self, _: &Attempt<&Policy>, reply: &Event) -> Outcome {
        Outcome::new(*reply)
    }

    fn timed_out(&mut self, _: Try) -> Event {
        CUT
    }

    fn discard(&mut self, _: Event) -> impl Future<Output = ()> {
        ready(())
    }
}

/// Polls once: nothing here is ever woken, so what is not ready now hangs.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits for something"),
    }
}

fn call(timer: &SkipTimer<Real>, script: &[u16]) -> (End, Vec<Instant>) {
    let mut io = Client { timer, script, sends: Vec::new() };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let finished = now(drive(&PLAIN, Replay::Always, None, timer, &mut Unlimited, &mut rng, &mut io));
    let (Finished::Done(_, end) | Finished::GiveUp(_, end)) = finished;
    (end, io.sends)
}

fn after(secs: &[u64]) -> Vec<Instant> {
    secs.iter().map(|secs| Instant::EPOCH.saturating_add(Duration::from_secs(*secs))).collect()
}

#[test]
fn waits_are_skipped_and_noted() {
    let timer = SkipTimer::default();
    let (end, sends) = call(&timer, &[503, 503, 200]);
    assert_eq!((end.attempts, end.reason, end.elapsed), (3, Reason::Answer, 3 * SECOND));
    assert_eq!(sends, after(&[0, 1, 3]));
    assert_eq!((timer.waits(), timer.waited()), (vec![SECOND, 2 * SECOND], 3 * SECOND));
    assert_eq!((timer.limits_set(), timer.limits_passed()), (0, 0));
    assert_eq!(timer.clone().waits().len(), 2, "clones share the clock");
}

#[test]
fn a_send_that_hangs_is_cut_at_its_limit_and_at_once() {
    let timer = SkipTimer::default();
    let (end, sends) = call(&timer, &[0, 200]);
    assert_eq!((end.attempts, end.reason), (2, Reason::Answer));
    assert_eq!(sends, after(&[0, 6]));
    assert_eq!((timer.waits(), timer.limits_set(), timer.limits_passed()), (vec![SECOND], 1, 1));
    // The stall is over with the send.
    assert!(pin!(timer.limit(SECOND)).poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

#[test]
fn limits_are_the_real_timers() {
    let timer = SkipTimer::over(Real { limits_pass: false });
    assert!(pin!(timer.limit(SECOND)).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!((timer.limits_set(), timer.limits_passed(), timer.now()), (1, 0, Instant::EPOCH));
    let timer = SkipTimer::over(Real { limits_pass: true });
    now(timer.limit(SECOND));
    assert_eq!((timer.limits_set(), timer.limits_passed(), timer.now()), (1, 1, after(&[1])[0]));
}

#[test]
fn the_clock_moves_by_hand_and_the_wall_clock_with_it() {
    let timer = SkipTimer::<Real>::default();
    assert_eq!(timer.wall(), Some(UnixTime::new(1_772_366_400, 0)));
    timer.advance(Duration::from_millis(2500));
    assert_eq!(timer.now(), Instant::from_nanos(2_500_000_000));
    assert_eq!(timer.wall(), Some(UnixTime::new(1_772_366_402, 500_000_000)));
    timer.advance(Duration::MAX);
    now(timer.sleep(Duration::MAX));
    assert_eq!(timer.now(), Instant::from_nanos(u64::MAX), "it stops at the last moment");
    assert_eq!(timer.waited(), Duration::MAX);
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_send_that_hangs_in_another_task_wakes_whoever_waits_for_its_limit() {
    let timer = SkipTimer::<Real>::default();
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut limit = pin!(timer.limit(SECOND));
    assert!(limit.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let mut other = pin!(timer.stall::<()>());
    assert!(other.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert!(limit.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
}

fn ended(call: &Simulated) -> Option<(Reason, u32, Duration)> {
    call.end.map(|end| (end.reason, end.attempts, end.elapsed))
}

#[test]
fn a_simulated_call_is_cut_at_its_limits() {
    let late = Reply::from(200).after(Duration::from_nanos(5_000_000_001));
    let in_time = Reply::from(200).after(5 * SECOND);
    let call = simulate(&PLAIN, Replay::Always, 0, [late, in_time]);
    assert_eq!(ended(&call), Some((Reason::Answer, 2, 11 * SECOND)));
    assert_eq!((call.sends[0].event, call.sends[0].took), (CUT, 5 * SECOND));
    assert_eq!((call.sends[1].start, call.sends[1].took, call.sends[1].wait), (6 * SECOND, 5 * SECOND, None));

    let policy = PLAIN.edit().attempt_timeout(None).total_timeout(Some(4 * SECOND)).build().unwrap();
    let call = simulate(&policy, Replay::Always, 0, [Reply::from(503), in_time]);
    assert_eq!(ended(&call), Some((Reason::TotalTimeout, 2, 4 * SECOND)));
    let call = simulate(&policy, Replay::Always, 0, core::iter::repeat(503));
    assert_eq!(ended(&call), Some((Reason::TotalTimeout, 3, 3 * SECOND)), "a wait that does not fit is not begun");
}

#[test]
fn a_simulated_call_follows_hints_and_sends_a_single_send_once() {
    let busy = Outcome::status(429).with_hint(Some(30 * SECOND));
    let call = simulate(&PLAIN, Replay::Always, 0, [busy, Outcome::status(200)]);
    assert_eq!(call.sends[0].wait, Some((30 * SECOND, WaitSource::RetryAfter)));
    let call = simulate(&PLAIN, Replay::Once(Why::Method), 0, [503, 200]);
    assert_eq!(ended(&call), Some((Reason::NotRepeatable(Why::Method), 1, Duration::ZERO)));
    assert_eq!(call.end.and_then(|end| end.kind()), None, "a response that is not repeated is the answer");
    let refused = Outcome::failure(Cause::Network, Reached::Unsent);
    let call = simulate(&PLAIN, Replay::IfUnsent, 0, [refused; 9]);
    assert_eq!(call.end.and_then(|end| end.kind()), Some(ErrorKind::RetryExhausted));
    assert_eq!(call.sends.len(), 4);
}

#[test]
fn a_simulation_ends_with_its_replies() {
    let call = simulate(&PLAIN, Replay::Always, 0, [503]);
    assert_eq!((call.sends.len(), call.end), (1, None));
    assert!(call.to_string().ends_with("1s (policy)\nno reply is left for the next send\n"));
    let none: [u16; 0] = [];
    assert_eq!(simulate(&PLAIN, Replay::Always, 0, none).sends, []);
}

#[test]
fn a_simulation_repeats_with_its_seed() {
    let waits = |seed| simulate(&Policy::API, Replay::Always, seed, [503; 4]).waits().collect::<Vec<_>>();
    assert_eq!(waits(7).len(), 3);
    assert_eq!(waits(7), waits(7));
    assert_ne!(waits(7), waits(8));
}
