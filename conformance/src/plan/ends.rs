//! What ends a call that no server answers.

use core::time::Duration;

use retry_core::{End, Mode, OverCap, Policy, Reason};

use crate::calls::{Server, nanos};
use crate::draws;

/// How far a call is followed.
const SENDS: u32 = 100_000;

/// What a call meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// Each send fails after this time.
    Fails(Duration),
    /// No send is answered.
    Hangs,
    /// Each send fails after this time, and each reply asks for a wait of the cap.
    Asks(Duration),
    /// The same, for more than the cap.
    AsksForMore(Duration),
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) trouble: Trouble,
    /// The most frequent one first.
    pub(crate) endings: Vec<Ending>,
    /// How many calls were drawn; 0 where the shortest and the longest waits lead to the same end.
    pub(crate) calls: u32,
    /// The fewest and the most sends.
    pub(crate) sends: (u32, u32),
    /// The number of sends of each call drawn.
    pub(crate) drawn: Vec<u32>,
}

/// One way in which a call ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ending {
    pub(crate) cause: Cause,
    /// The share of the calls that end so.
    pub(crate) share: f64,
    /// The fewest and the most sends.
    pub(crate) sends: (u32, u32),
    /// When it ends at the earliest and at the latest, in nanoseconds.
    pub(crate) after: (u64, u64),
}

/// What ends a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// No send is left.
    Retries,
    /// The total limit cuts a send.
    TotalTimeout,
    /// A wait is not begun that would end at or after the total limit.
    NoRoom,
    /// The server asks for too long a wait.
    Cap,
    /// Nothing, as far as the call was followed.
    Nothing,
}

/// What ends calls of `policy` whose sends take `send`, if they are answered.
pub(crate) fn cases(policy: &Policy, send: Duration) -> Vec<Case> {
    let rule = policy.retry_after();
    let mut troubles = vec![Trouble::Fails(send), Trouble::Hangs];
    let is_answered = policy.attempt_timeout().is_none_or(|limit| send <= limit);
    if rule.mode != Mode::Ignore && policy.max_retries() > 0 && is_answered {
        troubles.push(Trouble::Asks(send));
        if rule.over_cap == OverCap::GiveUp {
            troubles.push(Trouble::AsksForMore(send));
        }
    }
    troubles.into_iter().map(|trouble| Case::new(policy, trouble)).collect()
}

impl Case {
    fn new(policy: &Policy, trouble: Trouble) -> Self {
        let server = trouble.server(policy);
        let end = |mut words| server.call(policy, &mut words, SENDS);
        let is_stuck = trouble == Trouble::Hangs && policy.attempt_timeout().or(policy.total_timeout()).is_none();
        let count = |end: Option<&End>| end.map_or(if is_stuck { 1 } else { SENDS }, |end| end.attempts);
        let cause = |end: Option<&End>| Cause::of(end, policy);
        // Longer waits never lead to more sends, so these two are the extremes.
        let (low, high) = (end(draws::shortest()), end(draws::longest()));
        let sends = (count(high.as_ref()), count(low.as_ref()));
        let ends = if cause(low.as_ref()) == cause(high.as_ref()) && sends.0 == sends.1 {
            vec![low, high]
        } else {
            draws::ends(policy, server, sends.1)
        };
        let mut endings: Vec<Ending> = Vec::new();
        for end in &ends {
            let (cause, sends) = (cause(end.as_ref()), count(end.as_ref()));
            let after = end.as_ref().map_or(0, |end| nanos(end.elapsed));
            match endings.iter_mut().find(|ending| ending.cause == cause) {
                Some(ending) => {
                    ending.share += 1.0;
                    ending.sends = (ending.sends.0.min(sends), ending.sends.1.max(sends));
                    ending.after = (ending.after.0.min(after), ending.after.1.max(after));
                }
                None => endings.push(Ending { cause, share: 1.0, sends: (sends, sends), after: (after, after) }),
            }
        }
        // Counted first: a sum of parts would not be exact.
        endings.iter_mut().for_each(|ending| ending.share /= ends.len() as f64);
        endings.sort_by(|one, other| other.share.total_cmp(&one.share));
        let drawn: Vec<u32> = ends.iter().map(|end| count(end.as_ref())).collect();
        let calls = if drawn.len() > 2 { u32::try_from(drawn.len()).unwrap_or(u32::MAX) } else { 0 };
        Self { trouble, endings, calls, sends, drawn }
    }

    /// The share of the calls that the total limit ends.
    pub(crate) fn cut(&self) -> f64 {
        let cut = self.endings.iter().filter(|ending| matches!(ending.cause, Cause::TotalTimeout | Cause::NoRoom));
        let calls = self.drawn.len() as f64;
        cut.map(|ending| (ending.share * calls).round()).sum::<f64>() / calls
    }

    /// Whether some calls were not followed to their ends.
    pub(crate) fn is_endless(&self) -> bool {
        self.endings.iter().any(|ending| ending.cause == Cause::Nothing)
    }

    /// Which calls make this retry.
    pub(crate) fn made(&self, retry: u32) -> Made {
        let made = self.drawn.iter().filter(|sends| **sends > retry).count();
        match self.sends {
            (fewest, _) if fewest > retry => Made::Always,
            (_, most) if most <= retry => Made::Never,
            _ => Made::Sometimes(made as f64 / self.drawn.len() as f64),
        }
    }
}

/// Which calls make a retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Made {
    /// All of them, whatever is drawn.
    Always,
    /// This share of those drawn.
    Sometimes(f64),
    /// None of them.
    Never,
}

impl Trouble {
    fn server(self, policy: &Policy) -> Server {
        match self {
            Self::Fails(takes) => Server { takes: Some(takes), asks: None },
            Self::Hangs => Server { takes: None, asks: None },
            Self::Asks(takes) => Server { takes: Some(takes), asks: Some(policy.retry_after().cap) },
            Self::AsksForMore(takes) => Server { takes: Some(takes), asks: Some(Duration::MAX) },
        }
    }
}

impl Cause {
    fn of(end: Option<&End>, policy: &Policy) -> Self {
        let Some(end) = end else { return Self::Nothing };
        match end.reason {
            Reason::TotalTimeout if policy.total_timeout().is_some_and(|limit| end.elapsed < limit) => Self::NoRoom,
            Reason::TotalTimeout => Self::TotalTimeout,
            Reason::RetryAfterTooLong => Self::Cap,
            _ => Self::Retries,
        }
    }
}
