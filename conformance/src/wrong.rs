//! Subjects that are wrong on purpose, to show that the suite can fail: each breaks the law that it names, and no other.
//!
//! Most are the core's machine with one mistake made around it: in what it is told, or in what is told of it.
//!
//! ```
//! use conformance::{properties, wrong::WRONG};
//!
//! for wrong in WRONG {
//!     let broken = properties::broken_by(wrong, &(wrong.shown_by)());
//!     assert!(broken.iter().any(|broken| broken.law == wrong.law), "{}", wrong.mistake);
//! }
//! ```

use core::fmt;

use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::{Skipped, Subject};

mod counting;
mod end;
mod time;
mod waits;

/// A wrong subject.
#[derive(Clone, Copy)]
pub struct Wrong {
    /// What it does wrong.
    pub mistake: &'static str,
    /// The law that it breaks.
    pub law: &'static str,
    /// A scenario in which it does.
    pub shown_by: fn() -> Scenario,
    run: fn(&Scenario) -> Trace,
}

impl Subject for Wrong {
    fn name(&self) -> &'static str {
        self.mistake
    }

    fn run(&self, scenario: &Scenario) -> Result<Trace, Skipped> {
        Ok((self.run)(scenario))
    }
}

impl fmt::Debug for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mistake)
    }
}

/// All of them: at least one for each law, in the order of the laws.
pub const WRONG: &[Wrong] = &[
    counting::ONE_SEND_TOO_MANY,
    counting::POST_REPEATED,
    counting::POST_REPEATED_AFTER_A_RESET,
    counting::ANY_ERROR_STATUS_RETRIED,
    counting::STOP_NOT_HEARD,
    counting::WAIT_AFTER_THE_LAST_SEND,
    counting::NO_WAIT_BETWEEN_SENDS,
    counting::RETRIES_TOLD_AS_ATTEMPTS,
    time::WAIT_BEFORE_THE_FIRST_SEND,
    time::DRAINED_BEFORE_THE_WAIT,
    time::WOKEN_EARLY,
    time::WOKEN_LATE,
    time::LIMIT_NOT_LOOKED_AT_ON_WAKING,
    time::WAIT_PAST_THE_LIMIT,
    time::SEND_WITHOUT_ITS_LIMIT,
    time::CANCEL_NOT_HEARD,
    time::SLEEP_BEFORE_RETURNING,
    time::ELAPSED_WITHOUT_THE_LAST_SEND,
    waits::NO_CEILING,
    waits::CEILING_AFTER_JITTER,
    waits::FIRST_WORD_AGAIN,
    waits::HINT_SHORTENED_BY_JITTER,
    waits::HINT_WITHOUT_CAP,
    waits::AT_LEAST_AS_REPLACE,
    waits::OWN_DELAY_JITTERED,
    waits::ALL_WAITS_TOLD_AS_THE_SERVERS,
    end::FIRST_REPLY_RETURNED,
    end::EVERY_RESPONSE_AN_ANSWER,
    end::NO_RETRIES_AT_ALL,
    end::CODE_OF_THE_STATUS,
    end::ASKED_AFTER_THE_CAP,
    waits::A_WORD_FROM_SOMEWHERE,
    waits::SPREAD_BY_THE_WALL_CLOCK,
];
