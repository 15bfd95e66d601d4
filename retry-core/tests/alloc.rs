//! Whole calls without one allocation: the machine by hand and through `drive`, headers, dates and the record.
#![allow(unsafe_code, reason = "a global allocator cannot be written without it")]

mod common;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::hint::black_box;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::alloc::System;

use common::Words;
use retry_core::{
    Action, Advice, Attempt, Budget, Cause, Circuit, Event, Finished, Instant, Io, Jitter, Judged, Outcome, Pause,
    Policy, Pool, Ratio, Reached, Reason, Record, Replay, RetryAfter, Rotation, Tally, Throttle, Timer, TokenBucket,
    Trail, Try, UnixTime, Unlimited, date, drive, retry_after,
};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

std::thread_local! {
    /// Of this thread alone: the test harness allocates in others. A constant needs no allocation itself.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is being torn down has no counter any more, and no test either.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How often `work` allocated.
fn allocations<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = ALLOCATIONS.get();
    let output = black_box(work());
    (output, ALLOCATIONS.get() - before)
}

const WORDS: [u64; 4] = [0, u64::MAX, 1 << 63, 7];

/// What a server and a custom policy may say: each kind of outcome, and the limits of the record left behind.
const SCRIPT: [Outcome; 12] = {
    let mut moved = Outcome::failure(Cause::Proxy, Reached::Unsent);
    moved.untried = Some(Duration::ZERO);
    [
        Outcome::status(503),
        Outcome::status(429).with_hint(Some(Duration::from_secs(2))),
        Outcome::failure(Cause::Network, Reached::MaybeSent),
        Outcome::failure(Cause::Timeout, Reached::MaybeSent),
        Outcome::failure(Cause::DnsTemporary, Reached::Unsent),
        Outcome::status(404).with_advice(Advice::RetryAfter(Duration::from_millis(5))),
        Outcome::status(500).with_advice(Advice::Retry),
        Outcome::status(503).with_hint(Some(Duration::MAX)),
        moved,
        Outcome::failure(Cause::ResponseRead, Reached::MaybeSent),
        Outcome::status(502),
        Outcome::status(200),
    ]
};

fn policies() -> [Policy; 5] {
    let jitters = [Jitter::None, Jitter::Proportional(0.1), Jitter::Full, Jitter::Equal, Jitter::Decorrelated];
    jitters.map(|jitter| {
        Policy::builder()
            .max_retries(20)
            .jitter(jitter)
            .hard_cap(true)
            .retry_after(RetryAfter::at_least().spread(0.2))
            .total_timeout(Some(Duration::from_secs(3600)))
            .attempt_timeout(Some(Duration::from_secs(10)))
            .statuses(&[429, 500, 502, 503])
            .build()
            .expect("a policy within the bounds")
    })
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| 1 + 1).1, 0);
    assert_eq!(allocations(|| Box::new(1)).1, 1);
    assert_eq!(allocations(|| vec![0_u8; 10]).1, 1);
    let grown = || {
        let mut list = black_box(Vec::with_capacity(1));
        list.extend([1, 2, 3]);
        list
    };
    assert_eq!(allocations(grown).1, 2);
    let error = Policy::builder().factor(0.5).build();
    assert!(allocations(|| format!("{error:?}")).1 > 0);
}

#[test]
fn a_call_by_hand_does_not_allocate() {
    let ((sends, noted), allocated) = allocations(|| {
        let (mut sends, mut noted) = (0, 0);
        for policy in policies() {
            let mut record = Record::default();
            let mut rng = Words::new(&WORDS);
            let mut script = SCRIPT.into_iter();
            let mut action = Attempt::start(policy, Replay::Always, None, Instant::EPOCH);
            let end = loop {
                black_box(action.wake_at());
                action = match action {
                    Action::Send(attempt) => {
                        let now = attempt.sent_at().saturating_add(Duration::from_millis(20));
                        let outcome = script.next().expect("the last outcome ends the call");
                        black_box((attempt.verdict(outcome.event), attempt.remaining(now), attempt.is_last()));
                        record.reply(&attempt, outcome.event, now, Some(3));
                        attempt.finish(outcome, now, &mut Unlimited, &mut rng)
                    }
                    Action::Wait(pause) => {
                        record.pause(&pause);
                        let until = pause.until();
                        pause.resume(until)
                    }
                    Action::Done(end) | Action::GiveUp(end) => break end,
                };
            };
            assert_eq!(end.reason, Reason::Answer);
            sends += end.attempts;
            noted += record.entries().count() + record.earlier();
        }
        (sends, noted)
    });
    assert_eq!((sends, noted), (5 * 12, 5 * 12));
    assert_eq!(allocated, 0);
}

#[test]
fn calls_that_fail_do_not_allocate() {
    let (ends, allocated) = allocations(|| {
        let busy = Outcome::status(503).with_hint(Some(Duration::from_secs(50)));
        let cases = [
            (Policy::API, Replay::Always, busy),
            (Policy::NONE, Replay::Always, busy),
            (Policy::API, Replay::IfUnsent, Outcome::failure(Cause::Tls, Reached::MaybeSent)),
            (Policy::DOWNLOAD, Replay::Always, busy.with_advice(Advice::RetryAfter(Duration::from_secs(170)))),
        ];
        cases.map(|(policy, replay, outcome)| {
            let mut action = Attempt::start(&policy, replay, None, Instant::EPOCH);
            loop {
                action = match action {
                    Action::Send(attempt) => {
                        let now = attempt.sent_at();
                        attempt.finish(outcome, now, &mut Unlimited, &mut Words::new(&WORDS))
                    }
                    Action::Wait(pause) => {
                        let until = pause.until();
                        pause.resume(until)
                    }
                    Action::Done(end) | Action::GiveUp(end) => break end.kind().map(|kind| kind.code()),
                };
            }
        })
    });
    assert_eq!(ends, [Some("RETRY_EXHAUSTED"), None, Some("TLS_ERROR"), Some("TIMEOUT")]);
    assert_eq!(allocated, 0);
}

#[test]
fn policies_and_their_bounds_do_not_allocate() {
    let (built, allocated) = allocations(|| {
        policies().map(|policy| {
            black_box((policy.max_waits(), policy.max_waits_with_hints(), policy.max_total(), policy.statuses()));
            let refused = policy.edit().max_delay(Duration::MAX).build();
            refused.map_err(|error| error.field())
        })
    });
    assert_eq!(built, [Err("max_delay"); 5]);
    assert_eq!(allocated, 0);
}

#[test]
fn budgets_do_not_allocate() {
    let (mut bucket, mut ratio) = (TokenBucket::aws_2_1(), Ratio::default());
    let mut throttle = Throttle::new(10, 0.5).unwrap();
    let budgets: [&mut dyn Budget; 3] = [&mut bucket, &mut ratio, &mut throttle];
    for budget in budgets {
        let (granted, allocated) = allocations(|| {
            let mut granted = 0;
            for second in 0..1_000 {
                let now = Instant::EPOCH.saturating_add(Duration::from_secs(second));
                let reply = Judged { event: Event::Status(503), tally: Tally::Failure, attempt: 1, paid: 0 };
                budget.reply(reply, now);
                granted += u32::from(budget.withdraw(reply, now).is_some());
                black_box(budget.level());
            }
            granted
        });
        assert!(granted > 0);
        assert_eq!(allocated, 0);
    }
}

#[test]
fn pools_do_not_allocate() {
    let rotation = Rotation::new().on_status(&[403]).unwrap().threshold(1).unwrap();
    let (picked, allocated) = allocations(|| {
        let (mut circuits, mut turn, mut picked) = ([Circuit::default(); 5], None, 0);
        for second in 0..1_000 {
            let now = Instant::EPOCH.saturating_add(Duration::from_secs(second));
            let mut pool = Pool::new(&rotation, &mut circuits, &mut turn);
            let mut trail = Trail::new([false; 5]);
            while let Some(ticket) = pool.pick(&mut trail, now) {
                picked += ticket.proxy();
                match black_box(second) % 3 {
                    0 => pool.succeeded(ticket, &mut trail, 403),
                    1 => drop(pool.failed(ticket, &mut trail, now)),
                    _ => pool.release(ticket),
                }
                if second % 3 == 2 || !trail.has_untried() {
                    break;
                }
            }
        }
        picked
    });
    assert!(picked > 1_000);
    assert_eq!(allocated, 0);
}

#[test]
fn headers_and_dates_do_not_allocate() {
    let now = UnixTime::new(1_772_366_400, 0);
    let long = [b'9'; 10_000];
    let lines: [(&[u8], u64); 8] = [
        (b"120", 120),
        (b" 1.5, 3, x, 2.000000001 ", 3),
        (b"Sun, 01 Mar 2026 12:00:31 GMT", 31),
        (b"Sunday, 01-Mar-26 12:00:31 GMT", 31),
        (b"Sun Mar  1 12:00:31 2026", 31),
        (b"Sun, 01 Mar 2026 20:00:31 +0800", 31),
        (b"soon", 0),
        (&long, u64::MAX / 1_000_000_000),
    ];
    for (line, expected) in lines {
        let (wait, allocated) = allocations(|| {
            black_box(date::parse(line, Some(now)));
            let reference = retry_after::reference([line, line], false, || Some(now));
            retry_after::hint([line, line], reference).unwrap_or_default().as_secs()
        });
        assert_eq!(wait, expected);
        assert_eq!(allocated, 0, "{}", String::from_utf8_lossy(&line[..line.len().min(40)]));
    }
}

#[test]
fn a_call_through_the_loop_does_not_allocate() {
    let ((sends, waits), allocated) = allocations(|| {
        let (mut sends, mut waits) = (0, 0);
        for policy in policies() {
            let clock = Clock(Cell::new(Instant::EPOCH));
            let mut io = Scripted { next: 0, record: Record::default(), waits: 0 };
            let (mut budget, mut rng) = (Unlimited, Words::new(&WORDS));
            let finished = {
                let call = drive(&policy, Replay::Always, None, &clock, &mut budget, &mut rng, &mut io);
                block_on(pin!(call))
            };
            let Finished::Done(Event::Status(200), end) = finished else { panic!("not the answer") };
            sends += end.attempts;
            waits += io.waits;
            black_box(io.record.earlier());
        }
        (sends, waits)
    });
    assert_eq!((sends, waits), (5 * 12, 5 * 11));
    assert_eq!(allocated, 0);
}

/// A clock that a sleep moves.
struct Clock(Cell<Instant>);

/// Pending once, as every real timer and socket is.
struct Later(bool);

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Timer for Clock {
    fn now(&self) -> Instant {
        self.0.get()
    }

    fn wall(&self) -> Option<UnixTime> {
        None
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.0.set(self.0.get().saturating_add(duration));
        Later(false)
    }

    fn limit(&self, _: Duration) -> impl Future<Output = ()> + Send {
        core::future::pending()
    }
}

struct Scripted {
    next: usize,
    record: Record,
    waits: u32,
}

impl Io for Scripted {
    type Reply = Event;

    async fn send(&mut self, _: Try) -> Event {
        Later(false).await;
        SCRIPT[self.next].event
    }

    fn outcome(&mut self, attempt: &Attempt<&Policy>, reply: &Event) -> Outcome {
        self.record.reply(attempt, *reply, attempt.sent_at(), None);
        self.next += 1;
        SCRIPT[self.next - 1]
    }

    fn timed_out(&mut self, _: Try) -> Event {
        unreachable!("no limit passes here")
    }

    fn retrying(&mut self, _: Try, _: &Outcome, pause: &Pause<&Policy>) {
        self.record.pause(pause);
        self.waits += 1;
    }

    async fn discard(&mut self, _: Event) {
        Later(false).await;
    }
}

fn block_on<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
}
