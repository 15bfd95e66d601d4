//! The suite's calls and budgets as bytes.

use core::num::NonZeroU32;

use conformance::json::Span;
use conformance::scenario::{
    Advice, Cause, Change, ClockStep, Event, Jitter, Mode, NonIdempotent, OverCap, Random, Reached, Request,
    RetryAfter, Scenario, Settings, Step, Wall,
};
use conformance::vectors::{Bucket, Budget, BudgetStep, Limit, Tally};

use crate::bytes::{Bytes, Coded};
use crate::shapes::{choice, record};

record!(Scenario { policy, request, script, random, wall, clock, cancel_at });
record!(RetryAfter { mode, cap, over_cap, spread });
record!(ClockStep { at, change });
record!(Bucket { capacity, filled });

choice!(Jitter { 0 => None, 1 => Proportional(share), 2 => Full, 3 => Equal, 4 => Decorrelated } of 5);
choice!(Mode { 0 => Replace, 1 => AtLeast, 2 => Ignore } of 3);
choice!(OverCap { 0 => Clamp, 1 => GiveUp } of 2);
choice!(NonIdempotent { 0 => Never, 1 => WhenUnsent, 2 => Always } of 3);
choice!(Random { 0 => Words(words), 1 => Seed(seed) } of 2);
choice!(Event { 0 => Status(status), 1 => Failure(cause, reached) } of 2);
choice!(Reached { 0 => Unsent, 1 => MaybeSent } of 2);
choice!(Advice { 0 => Keep, 1 => Retry, 2 => RetryAfter(wait), 3 => Stop } of 4);
choice!(Tally { 0 => Success, 1 => Failure, 2 => Neutral } of 3);
choice!(Change {
    0 => Stand(time), 1 => Back(time), 2 => Suspend(time), 3 => WallAhead(time), 4 => WallBack(time)
} of 5);

/// The factor is in thousandths where it has no more digits: those are the ones of interest.
impl Coded for Settings {
    fn read(from: &mut Bytes<'_>) -> Self {
        Self {
            max_retries: from.read(),
            base_delay: from.read(),
            factor: thousandths::read(from),
            max_delay: from.read(),
            jitter: from.read(),
            hard_cap: from.read(),
            retry_after: from.read(),
            total_timeout: from.read(),
            attempt_timeout: from.read(),
            statuses: from.read(),
            non_idempotent: from.read(),
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.max_retries.write(to);
        self.base_delay.write(to);
        thousandths::write(self.factor, to);
        self.max_delay.write(to);
        self.jitter.write(to);
        self.hard_cap.write(to);
        self.retry_after.write(to);
        self.total_timeout.write(to);
        self.attempt_timeout.write(to);
        self.statuses.write(to);
        self.non_idempotent.write(to);
    }
}

const METHODS: [&str; 10] = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH", "get", "CONNECT"];

impl Coded for Request {
    fn read(from: &mut Bytes<'_>) -> Self {
        Self {
            method: METHODS[from.below(METHODS.len())].into(),
            replayable: !from.read::<bool>(),
            idempotency_key: from.read(),
            max_retries: from.read(),
            total_timeout: from.read(),
            attempt_timeout: from.read(),
            retry_after: from.read(),
            non_idempotent: from.read(),
            deadline: from.read(),
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        place(&METHODS, &self.method.as_str()).write(to);
        (!self.replayable).write(to);
        self.idempotency_key.write(to);
        self.max_retries.write(to);
        self.total_timeout.write(to);
        self.attempt_timeout.write(to);
        self.retry_after.write(to);
        self.non_idempotent.write(to);
        self.deadline.write(to);
    }
}

const HEADERS: [&str; 3] = ["retry-after", "date", "age"];

impl Coded for Step {
    fn read(from: &mut Bytes<'_>) -> Self {
        let event = from.read();
        let headers: Vec<(u8, _)> = match event {
            Event::Status(_) => (0..from.below(8)).map(|_| (from.read(), from.read())).collect(),
            Event::Failure(..) => Vec::new(),
        };
        let named = |(name, value)| (HEADERS[usize::from(name) % HEADERS.len()].into(), value);
        let headers = headers.into_iter().map(named).collect();
        let (takes, drain, advice, untried) = (from.read(), from.read(), from.read(), from.read());
        Self { event, headers, takes, drain, advice, untried }
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.event.write(to);
        if let Event::Status(_) = self.event {
            let known: Vec<_> =
                HEADERS.iter().flat_map(|name| self.lines(name).map(move |line| (name, line))).collect();
            let first = &known[..known.len().min(7)];
            to.push(u8::try_from(first.len()).unwrap_or_default());
            for (name, line) in first {
                place(&HEADERS, *name).write(to);
                conformance::json::Bytes(line.to_vec()).write(to);
            }
        }
        self.takes.write(to);
        self.drain.write(to);
        self.advice.write(to);
        self.untried.write(to);
    }
}

impl Coded for Cause {
    fn read(from: &mut Bytes<'_>) -> Self {
        Self::ALL[from.below(Self::ALL.len())]
    }

    fn write(&self, to: &mut Vec<u8>) {
        place(&Self::ALL, self).write(to);
    }
}

impl Coded for Wall {
    fn read(from: &mut Bytes<'_>) -> Self {
        // The years that dates can name, and some before and after.
        Self { secs: from.read::<i64>() >> 24, nanos: from.read::<u32>() % 1_000_000_000 }
    }

    fn write(&self, to: &mut Vec<u8>) {
        (self.secs << 24).write(to);
        self.nanos.write(to);
    }
}

impl Coded for Limit {
    fn read(from: &mut Bytes<'_>) -> Self {
        match from.below(4) {
            0 => Self::Aws20(from.read()),
            1 => Self::Aws21(from.read()),
            2 => Self::Ratio { share: from.read(), reserve: from.read() },
            _ => Self::Throttle { max: from.read::<u16>().into(), ratio: thousandths::read(from) },
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        match *self {
            Self::Aws20(bucket) => (0_u8, bucket).write(to),
            Self::Aws21(bucket) => (1_u8, bucket).write(to),
            Self::Ratio { share, reserve } => {
                (2_u8, share).write(to);
                reserve.write(to);
            }
            Self::Throttle { max, ratio } => {
                (3_u8, u16::try_from(max).unwrap_or(u16::MAX)).write(to);
                thousandths::write(ratio, to);
            }
        }
    }
}

/// Its steps go on to the end of the bytes.
impl Coded for Budget {
    fn read(from: &mut Bytes<'_>) -> Self {
        let budget = from.read();
        let mut steps = Vec::new();
        while !from.is_empty() {
            steps.push(from.read());
        }
        Self { budget, steps, refused: None }
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.budget.write(to);
        self.steps.iter().for_each(|step| step.write(to));
    }
}

/// The results that a case expects are not part of it, but whether it asks for a retry is.
impl Coded for BudgetStep {
    fn read(from: &mut Bytes<'_>) -> Self {
        let (at, event, tally, attempt, paid, times): (Span, Event, _, u8, u8, u8) =
            (from.read(), from.read(), from.read(), from.read(), from.read(), from.read());
        let reply = Step { event, ..Step::status(200) };
        let count = |number: u8| NonZeroU32::MIN.saturating_add(number.into());
        let granted = from.read::<bool>().then_some(true);
        Self {
            at,
            reply,
            tally,
            attempt: count(attempt),
            paid: paid.into(),
            times: count(times % 32),
            granted,
            cost: None,
            left: None,
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        let number = |count: u32| u8::try_from(count).unwrap_or(u8::MAX);
        self.at.write(to);
        self.reply.event.write(to);
        self.tally.write(to);
        number(self.attempt.get() - 1).write(to);
        number(self.paid).write(to);
        number(self.times.get() - 1).write(to);
        self.granted.is_some().write(to);
    }
}

impl<A: Coded, B: Coded> Coded for (A, B) {
    fn read(from: &mut Bytes<'_>) -> Self {
        (from.read(), from.read())
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }
}

/// Numbers with three decimals, and others.
mod thousandths {
    use super::{Bytes, Coded};

    pub(super) fn read(from: &mut Bytes<'_>) -> f64 {
        if from.read() { from.read() } else { f64::from(from.read::<u16>()) / 1000.0 }
    }

    pub(super) fn write(number: f64, to: &mut Vec<u8>) {
        let count = (0..=u16::MAX).find(|count| f64::from(*count) / 1000.0 == number);
        count.is_none().write(to);
        match count {
            Some(count) => count.write(to),
            None => number.write(to),
        }
    }
}

/// The place of `value` in `list`; the first if it has none.
fn place<T: PartialEq>(list: &[T], value: &T) -> u8 {
    let place = list.iter().position(|other| other == value).unwrap_or(0);
    u8::try_from(place).unwrap_or(0)
}
