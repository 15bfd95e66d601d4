//! What a policy does that few mean it to do.

use core::fmt;
use core::time::Duration;

use retry_core::{Jitter, Policy};

use crate::calls::nanos;
use crate::ends::Case;
use crate::rows::Row;
use crate::span::{percent, range, span};

/// Clients that send within this time are one burst to a server: 100 ms, in nanoseconds.
pub(crate) const SLOT: u64 = 100_000_000;

/// A larger share of the clients than this in one slot is a crowd.
const CROWD: f64 = 0.5;

/// A warning with its numbers. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Warning {
    /// The total limit ends calls whose retries are not used up.
    Limit {
        /// How long the call may last.
        limit: u64,
        /// The first retry that the limit keeps some calls from using, and all of them.
        first: u32,
        of: u32,
        /// The share of calls that end so; zero where none was followed that far.
        share: f64,
        /// The limit that lets every retry happen.
        needed: u64,
    },
    /// Retries without any jitter.
    NoJitter {
        /// The first and the last of them.
        retries: (u32, u32),
        /// The wait before the first of them.
        wait: u64,
    },
    /// Many clients in one instant.
    Crowd {
        /// The share of the clients in the fullest slot.
        share: f64,
        /// How wide the window of the first wait is.
        width: u64,
    },
}

impl Warning {
    /// A word for each kind.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Limit { .. } => "limit",
            Self::NoJitter { .. } => "jitter",
            Self::Crowd { .. } => "crowd",
        }
    }
}

/// The largest share of clients, all of which failed at the same moment, whose next sends fall into one [`SLOT`].
///
/// It is that of the first retry: what is added to a start at random, as each later wait is, never makes it less spread.
/// (A slot may have sends of several retries. Those are not added up here.)
pub(crate) fn crowd(rows: &[Row]) -> Option<f64> {
    rows.first().map(|row| (SLOT as f64 / row.values()).min(1.0))
}

/// The warnings for a policy with these retries, whose calls end like `fails` if all sends fail after `send`.
pub(crate) fn warnings(policy: &Policy, send: Duration, rows: &[Row], fails: &Case) -> Vec<Warning> {
    let retries = policy.max_retries();
    let (cut, needed) = (fails.cut(), policy.time_needed(send));
    // A call that was not followed to its end is known by the bound alone.
    let is_cut = |limit: &Duration| cut > 0.0 || fails.is_endless() && needed > *limit;
    let limit = policy.total_timeout().filter(|limit| retries > 0 && is_cut(limit)).map(|limit| Warning::Limit {
        limit: nanos(limit),
        first: fails.sends.0.min(retries),
        of: retries,
        share: cut,
        needed: nanos(needed),
    });

    let fixed = || rows.iter().filter(|row| row.window.0 == row.window.1);
    let is_plain = matches!(policy.jitter(), Jitter::None | Jitter::Proportional(0.0));
    let jitter = fixed().next().zip(fixed().next_back()).map(|(first, last)| Warning::NoJitter {
        retries: (first.number, if is_plain { retries } else { last.number }),
        wait: first.window.0,
    });

    let first = rows.first().filter(|row| row.values() > 1.0);
    let crowd = crowd(rows).zip(first).filter(|(share, _)| *share > CROWD);
    let crowd = crowd.map(|(share, row)| Warning::Crowd { share, width: row.window.1 - row.window.0 + 1 });
    [limit, jitter, crowd].into_iter().flatten().collect()
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit { limit, first, of, share, needed } => {
                let calls =
                    if *share < 1.0 { format!("~{} of the calls", percent(*share)) } else { "every call".into() };
                let (limit, needed) = (span(*limit), span(*needed));
                write!(
                    f,
                    "the total limit of {limit} ends {calls} before all retries are used, the first before retry "
                )?;
                write!(f, "{first} of {of} is done; to be sure of all of them takes {needed}")
            }
            Self::NoJitter { retries: (first, last), wait } => {
                let which = if first == last {
                    format!("retry {first} has")
                } else {
                    format!("retries {first} to {last} have")
                };
                write!(
                    f,
                    "{which} no jitter: clients that fail together all come back in one and the same nanosecond, {} later",
                    span(*wait)
                )
            }
            Self::Crowd { share, width } => write!(
                f,
                "of the clients that fail together, {} come back within the same {}: the first wait's window is only {} \
                 wide",
                percent(*share),
                span(SLOT),
                range((*width, *width))
            ),
        }
    }
}
