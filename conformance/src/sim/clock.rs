//! Virtual time: a counter, the two clocks that are read off it, and a loop that moves it on.

use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use retry_core::{Instant, Timer, UnixTime};

use crate::json::Span;
use crate::scenario::{Change, ClockStep, Scenario, Wall};

/// What the monotonic clock shows at the start: not zero, so that it can go back.
const START: Instant = Instant::from_nanos(1_000_000_000_000_000);

/// Never, as a moment.
const NEVER: u64 = u64::MAX;

/// Virtual time.
///
/// The time that really passes is a counter, and timers go by it. What a program reads from its clocks follows from it
/// and from what the scenario does to them.
///
/// ```
/// use core::time::Duration;
/// use conformance::{scenario::Scenario, sim::Clock};
/// use retry_core::Timer;
///
/// let clock = Clock::new(&Scenario::default());
/// clock.run(clock.sleep(Duration::from_secs(3600)));
/// assert_eq!(clock.passed().to_string(), "3600s");
/// ```
#[derive(Debug)]
pub struct Clock {
    passed: AtomicU64,
    /// The earliest moment that a pending timer has asked for since time moved last.
    next: AtomicU64,
    wall: Option<Wall>,
    steps: Vec<ClockStep>,
}

impl Clock {
    /// The clocks of `scenario`, at its start.
    pub fn new(scenario: &Scenario) -> Self {
        let mut steps = scenario.clock.clone();
        steps.sort_by_key(|step| step.at);
        Self { passed: AtomicU64::new(0), next: AtomicU64::new(NEVER), wall: scenario.wall, steps }
    }

    /// The time that really passed since the start.
    pub fn passed(&self) -> Span {
        Span::from_nanos(self.passed.load(Relaxed))
    }

    /// Completes at `moment`, counted from the start; never if there is none.
    pub fn until(&self, moment: Option<Span>) -> Sleep<'_> {
        Sleep { clock: self, due: moment.map_or(NEVER, Span::as_nanos) }
    }

    /// Polls `future` to its end; whenever it is pending, time moves on to the next timer.
    ///
    /// # Panics
    ///
    /// If it is pending without a timer.
    pub fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            self.next.store(NEVER, Relaxed);
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            let next = self.next.load(Relaxed);
            assert!(next != NEVER, "the future waits for nothing that will ever happen");
            self.passed.store(self.noticed(next), Relaxed);
        }
    }

    /// Moves time on by `left`, unless the moment `cancel` comes first or is the same: then to that, and `false`.
    ///
    /// It is for what does not wait for a future of this clock: a loop of one's own, or a real client's timer.
    pub fn advance(&self, left: Span, cancel: Option<Span>) -> bool {
        let moment = self.after(left);
        let cancel = cancel.map(|cancel| self.noticed(cancel.as_nanos()));
        let canceled = cancel.filter(|cancel| *cancel <= moment);
        self.passed.store(canceled.unwrap_or(moment), Relaxed);
        canceled.is_none()
    }

    /// Whether a timer of `one` from now is noticed before one of `other`.
    pub fn is_before(&self, one: Span, other: Span) -> bool {
        self.after(one) < self.after(other)
    }

    /// When a timer of `left` from now is noticed.
    fn after(&self, left: Span) -> u64 {
        self.noticed(self.passed().as_nanos().saturating_add(left.as_nanos()))
    }

    /// When a program that runs now notices `moment`: now if it is over, and on waking if the machine is suspended then.
    fn noticed(&self, moment: u64) -> u64 {
        let now = self.passed().as_nanos();
        if moment <= now {
            return now;
        }
        self.steps.iter().fold(moment, |moment, step| match step.change {
            Change::Suspend(time) if step.at.as_nanos() <= moment => {
                moment.max(step.at.as_nanos().saturating_add(time.as_nanos()))
            }
            Change::Suspend(_) | Change::Stand(_) | Change::Back(_) | Change::WallAhead(_) | Change::WallBack(_) => {
                moment
            }
        })
    }

    /// The changes that have begun, and for how long each has been going on.
    fn changes(&self) -> impl Iterator<Item = (Change, u64)> {
        let passed = self.passed().as_nanos();
        let begun = self.steps.iter().filter(move |step| step.at.as_nanos() <= passed);
        begun.map(move |step| (step.change, passed - step.at.as_nanos()))
    }
}

impl Timer for Clock {
    fn now(&self) -> Instant {
        let lost = self.changes().map(|(change, since)| match change {
            Change::Stand(time) => time.as_nanos().min(since),
            Change::Back(time) => time.as_nanos(),
            Change::Suspend(_) | Change::WallAhead(_) | Change::WallBack(_) => 0,
        });
        let shown = START.saturating_add(self.passed().into());
        Instant::from_nanos(lost.fold(shown.as_nanos(), u64::saturating_sub))
    }

    fn wall(&self) -> Option<UnixTime> {
        let Wall { secs, nanos } = self.wall?;
        let jumps = self.changes().map(|(change, _)| match change {
            Change::WallAhead(time) => i128::from(time.as_nanos()),
            Change::WallBack(time) => -i128::from(time.as_nanos()),
            Change::Stand(_) | Change::Back(_) | Change::Suspend(_) => 0,
        });
        let second = 1_000_000_000;
        let start = i128::from(secs) * second + i128::from(nanos);
        let now = start + i128::from(self.passed().as_nanos()) + jumps.sum::<i128>();
        let secs = i64::try_from(now.div_euclid(second)).ok()?;
        Some(UnixTime::new(secs, u32::try_from(now.rem_euclid(second)).ok()?))
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        let left = Span::from(duration).as_nanos();
        Sleep { clock: self, due: self.passed().as_nanos().saturating_add(left) }
    }
}

/// Completes when its moment has come.
#[derive(Debug)]
#[must_use = "a future does nothing until it is polled"]
pub struct Sleep<'a> {
    clock: &'a Clock,
    due: u64,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.clock.passed.load(Relaxed) >= self.due {
            return Poll::Ready(());
        }
        self.clock.next.fetch_min(self.due, Relaxed);
        Poll::Pending
    }
}
