//! Every part of the core's API that a call passes through, in a program without std and without a heap.
//!
//! What goes in comes from `host.c`, which the compiler cannot see into, so that nothing is folded away. The texts of
//! errors are left out: printing numbers is `core::fmt`, whose own checks would hide what is looked for here.
#![no_std]
#![allow(unsafe_code, reason = "the boundary to C")]

use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use rand_core::TryRng;
use retry_core::{
    Action, Advice, Attempt, Budget, Cause, Circuit, End, Event, Failure, Finished, Instant, Io, Jitter, NonIdempotent,
    Outcome, OverCap, Pause, Policy, Pool, Ratio, Reached, Record, Replay, RetryAfter, Rotation, StatusSet, Throttle,
    Timer, TokenBucket, Trail, Try, UnixTime, Unlimited, date, drive, retry_after, vendor,
};

unsafe extern "C" {
    /// Any number.
    safe fn host_word() -> u64;
    /// Any bytes; how many is written to `len`.
    fn host_bytes(len: *mut usize) -> *const u8;
    /// Takes a result.
    safe fn host_take(result: u64);
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// A policy from run-time numbers, and what it says of itself.
#[unsafe(no_mangle)]
extern "C" fn probe_policy() {
    let Some(policy) = policy() else { return };
    let policy = policy.edit().remove_status(word() as u16).build().unwrap_or(Policy::API);
    take(policy.max_sends());
    let bounds = [policy.nominal_waits(), policy.max_waits(), policy.max_waits_with_hints()];
    for bound in bounds.into_iter().chain(policy.max_total()).chain([policy.time_needed(duration())]) {
        host_take(bound.as_secs());
    }
    policy.delays(Host).take(3).for_each(|wait| host_take(wait.as_secs()));
    let statuses = policy.statuses();
    statuses.iter().for_each(take);
    take(statuses.contains(word() as u16));
    take(StatusSet::EMPTY.with(word() as u16).is_some());
    host_take(policy.factor().to_bits());
    take(policy.total_timeout() == policy.attempt_timeout());
}

/// A policy from any text.
#[cfg(feature = "serde")]
#[unsafe(no_mangle)]
extern "C" fn probe_config() {
    use serde_core::Deserialize;
    use serde_core::de::value::{Error, MapDeserializer};

    let text = || str::from_utf8(bytes()).unwrap_or_default();
    let settings = [(text(), text()), (text(), text())];
    let read = Policy::deserialize(MapDeserializer::<_, Error>::new(settings.into_iter()));
    take(read.map_or(0, |policy| policy.max_sends()));
}

/// Dates and Retry-After from any bytes.
#[unsafe(no_mangle)]
extern "C" fn probe_header() {
    if let Some(moment) = date::parse(bytes(), reference()) {
        host_take(moment.secs() as u64);
    }
    let reference = retry_after::reference([bytes(), bytes()], flag(), reference);
    if let Some(wait) = retry_after::hint([bytes(), bytes()], reference) {
        host_take(wait.as_secs());
    }
    if let Some(wait) = vendor::hint([bytes(), bytes()]) {
        host_take(wait.as_secs());
    }
    take(vendor::advice(word() as u16, [bytes(), bytes()]) == Advice::Stop);
}

/// Calls step by step, one under each budget.
#[unsafe(no_mangle)]
extern "C" fn probe_by_hand() {
    by_hand(&mut Host);
    by_hand(&mut TokenBucket::aws_2_1().capacity(word() as u32).filled(word() as u32));
    if let Ok(mut ratio) = Ratio::new(number(), word() as u32) {
        by_hand(&mut ratio);
    }
    if let Ok(mut throttle) = Throttle::new(word() as u32, number()) {
        by_hand(&mut throttle);
    }
}

/// Sends through a pool of proxies.
#[unsafe(no_mangle)]
extern "C" fn probe_pool() {
    let statuses = [word() as u16, word() as u16];
    let rotation = Rotation::new().on_status(&statuses).and_then(|rotation| rotation.threshold(word() as u32));
    let Ok(rotation) = rotation.and_then(|rotation| rotation.rest(duration())) else { return };
    let rotation = if flag() { rotation.per_request() } else { rotation.untried_wait(duration()) };
    take(rotation.policy(Policy::API, word() as usize).max_sends());
    let mut circuits = [Circuit::default(); 5];
    let proxies = (word() % 6) as usize;
    let (Some(circuits), mut turn) = (circuits.get_mut(..proxies), None) else { return };
    let mut pool = Pool::new(&rotation, circuits, &mut turn);
    // As many places as a caller likes, even too few.
    let mut tried = [false; 4];
    let mut trail = Trail::new(&mut tried[..]);
    for _ in 0..word() % 9 {
        let Some(ticket) = pool.pick(&mut trail, now()) else { return };
        take(ticket.proxy() as u64 + u64::from(ticket.is_probe()));
        match word() % 3 {
            0 => pool.succeeded(ticket, &mut trail, word() as u16),
            1 => take(pool.failed(ticket, &mut trail, now()).is_some()),
            _ => pool.release(ticket),
        }
        take(trail.has_untried());
    }
}

fn by_hand(budget: &mut impl Budget) {
    let Some(policy) = policy() else { return };
    let mut record = Record::default();
    let mut action = Attempt::start(&policy, replay(), flag().then(now), now());
    let end = loop {
        take(action.wake_at().is_some());
        action = match action {
            Action::Send(attempt) => {
                let outcome = outcome();
                take(attempt.is_last());
                take(attempt.verdict(outcome.event).is_some());
                take(attempt.remaining(now()).is_some());
                take(attempt.left(now()).is_some());
                record.reply(&attempt, outcome.event, now(), Some(word() as u16));
                attempt.finish(outcome, now(), budget, &mut Host)
            }
            Action::Wait(pause) => {
                record.pause(&pause);
                host_take(pause.left(now()).as_secs());
                pause.resume(now())
            }
            Action::Done(end) | Action::GiveUp(end) => break end,
        };
    };
    let level = budget.level();
    host_take(level.left.unwrap_or_default());
    host_take(level.refused);
    take_end(end);
    take(record.earlier() as u32);
    for entry in record.entries() {
        take(entry.number);
        host_take(entry.start.as_secs());
        host_take(entry.took.as_secs());
    }
}

/// A call through the loop, polled by hand.
#[unsafe(no_mangle)]
extern "C" fn probe_drive() {
    let Some(policy) = policy() else { return };
    let (mut budget, mut rng, mut io) = (Unlimited, Host, Host);
    let call = pin!(drive(&policy, replay(), flag().then(now), &Host, &mut budget, &mut rng, &mut io));
    match block_on(call) {
        Finished::Done(reply, end) => {
            host_take(reply);
            take_end(end);
        }
        Finished::GiveUp(reply, end) => {
            take(reply.is_some());
            take_end(end);
        }
    }
}

/// What must be found if it is there.
#[cfg(feature = "canary-index")]
#[unsafe(no_mangle)]
extern "C" fn probe_canary() {
    take(bytes()[word() as usize]);
}

/// The one panic of the core: what `build_const` does outside of a `const`.
#[cfg(feature = "canary-const")]
#[unsafe(no_mangle)]
extern "C" fn probe_canary() {
    take(Policy::builder().max_retries(word() as u32).build_const().max_retries());
}

/// Clock, generator, budget and client in one.
struct Host;

impl Timer for Host {
    fn now(&self) -> Instant {
        now()
    }

    fn wall(&self) -> Option<UnixTime> {
        reference()
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        host_take(duration.as_secs());
        Later
    }
}

impl Io for Host {
    type Reply = u64;

    fn send(&mut self, attempt: Try) -> impl Future<Output = u64> {
        take(attempt.number);
        Reply
    }

    fn outcome(&mut self, _: &Attempt<&Policy>, _: &u64) -> Outcome {
        outcome()
    }

    fn timed_out(&mut self, _: Try) -> u64 {
        word()
    }

    fn retrying(&mut self, _: Try, _: &Outcome, pause: &Pause<&Policy>) {
        host_take(pause.duration().as_secs());
    }

    fn discard(&mut self, _: u64) -> impl Future<Output = ()> {
        Later
    }
}

impl Budget for Host {
    fn reply(&mut self, reply: retry_core::Judged, _: Instant) {
        take(reply.attempt);
    }

    fn withdraw(&mut self, _: retry_core::Judged, _: Instant) -> Option<u32> {
        flag().then(|| word() as u32)
    }
}

impl TryRng for Host {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(word() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(word())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(word() as u8);
        Ok(())
    }
}

/// Ready when the host says so.
struct Later;

impl Future for Later {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if flag() { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A reply when the host says so.
struct Reply;

impl Future for Reply {
    type Output = u64;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u64> {
        if flag() { Poll::Ready(word()) } else { Poll::Pending }
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

fn policy() -> Option<Policy> {
    let retry_after = match word() % 3 {
        0 => RetryAfter::replace(),
        1 => RetryAfter::at_least(),
        _ => RetryAfter::ignore(),
    };
    let over_cap = if flag() { OverCap::GiveUp } else { OverCap::Clamp };
    let jitter = match word() % 5 {
        0 => Jitter::None,
        1 => Jitter::Proportional(number()),
        2 => Jitter::Full,
        3 => Jitter::Equal,
        _ => Jitter::Decorrelated,
    };
    let built = Policy::builder()
        .max_retries(word() as u32)
        .base_delay(duration())
        .factor(number())
        .max_delay(duration())
        .jitter(jitter)
        .hard_cap(flag())
        .retry_after(retry_after.cap(duration()).spread(number()).over_cap(over_cap))
        .total_timeout(flag().then(duration))
        .attempt_timeout(flag().then(duration))
        .statuses(&[word() as u16, word() as u16])
        .add_status(word() as u16)
        .non_idempotent(if flag() { NonIdempotent::Always } else { NonIdempotent::WhenUnsent })
        .build();
    match built {
        Ok(policy) => Some(policy),
        Err(error) => {
            take(error.field().len() as u32);
            take(error.bound().len() as u32);
            None
        }
    }
}

fn replay() -> Replay {
    let method = str::from_utf8(bytes()).unwrap_or_default();
    Replay::new(method, flag(), NonIdempotent::resolve(NonIdempotent::WhenUnsent, None, flag()))
}

fn outcome() -> Outcome {
    let reached = if flag() { Reached::Unsent } else { Reached::MaybeSent };
    let cause = match word() % 4 {
        0 => Cause::Network,
        1 => Cause::Timeout,
        2 => Cause::Certificate,
        _ => Cause::ProxyAuth,
    };
    let advice = match word() % 4 {
        0 => Advice::Keep,
        1 => Advice::Retry,
        2 => Advice::RetryAfter(duration()),
        _ => Advice::Stop,
    };
    let event = if flag() { Event::Status(word() as u16) } else { Event::Failure(Failure::new(cause, reached)) };
    let hint = retry_after::hint([bytes()], reference());
    let mut outcome = Outcome::new(event).with_hint(hint).with_advice(advice);
    outcome.untried = flag().then(duration);
    outcome
}

fn take_end(end: End) {
    take(end.attempts);
    host_take(end.elapsed.as_secs());
    take(end.kind().map_or(0, |kind| kind.code().len() as u32));
    take(end.event.is_some());
    take(end.asked.is_some());
}

fn take(result: impl Into<u64>) {
    host_take(result.into());
}

fn word() -> u64 {
    host_word()
}

fn flag() -> bool {
    word() & 1 == 1
}

fn number() -> f64 {
    f64::from_bits(word())
}

fn now() -> Instant {
    Instant::from_nanos(word())
}

fn duration() -> Duration {
    // Seconds and nanoseconds of their own: more than u64 nanoseconds must do no harm either.
    Duration::from_secs(word()).saturating_add(Duration::from_nanos(word()))
}

fn reference() -> Option<UnixTime> {
    flag().then(|| UnixTime::new(word() as i64, word() as u32))
}

fn bytes() -> &'static [u8] {
    let mut len = 0;
    // SAFETY: the host writes `len`, and gives that many bytes that live and stay the same for ever.
    unsafe {
        let start = host_bytes(&raw mut len);
        core::slice::from_raw_parts(start, len)
    }
}
