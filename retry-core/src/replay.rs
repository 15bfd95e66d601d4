//! Whether a request may go out again: its method, its body, and what the caller agreed to.

use crate::outcome::{Event, Failure, Reached};
use crate::policy::NonIdempotent;

/// Whether a request may go out more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Replay {
    /// It goes out once, and its reply is handed over as it is.
    Once(Why),
    /// Again only after a failure that is [`Reached::Unsent`].
    IfUnsent,
    /// After any reply that is worth it.
    Always,
}

/// What keeps a request from going out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "trace", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Why {
    /// The body cannot be produced again.
    Body,
    /// The method is not idempotent (RFC 9110 9.2.2), and the caller did not agree to a repetition.
    Method,
    /// `max_retries` is 0.
    RetriesOff,
}

impl Replay {
    /// The rule for one request.
    ///
    /// `replayable_body` is whether each send can have the same bytes, which an absent body can; `consent` comes from
    /// [`NonIdempotent::resolve`].
    ///
    /// ```
    /// use retry_core::{NonIdempotent, Replay, Why};
    ///
    /// assert_eq!(Replay::new("GET", true, NonIdempotent::Never), Replay::Always);
    /// assert_eq!(Replay::new("POST", true, NonIdempotent::Never), Replay::Once(Why::Method));
    /// assert_eq!(Replay::new("POST", true, NonIdempotent::Always), Replay::Always);
    /// assert_eq!(Replay::new("PUT", false, NonIdempotent::Always), Replay::Once(Why::Body));
    /// ```
    pub fn new(method: &str, replayable_body: bool, consent: NonIdempotent) -> Self {
        match (replayable_body, is_idempotent(method), consent) {
            (false, _, _) => Self::Once(Why::Body),
            (true, true, _) | (true, false, NonIdempotent::Always) => Self::Always,
            (true, false, NonIdempotent::WhenUnsent) => Self::IfUnsent,
            (true, false, NonIdempotent::Never) => Self::Once(Why::Method),
        }
    }

    /// Why a call under this rule has one send only, if so.
    pub const fn single_send(self, max_retries: u32) -> Option<Why> {
        match self {
            Self::Once(why) => Some(why),
            Self::IfUnsent | Self::Always if max_retries == 0 => Some(Why::RetriesOff),
            Self::IfUnsent | Self::Always => None,
        }
    }

    /// Whether the request may go out again after `event`.
    pub(crate) const fn permits(self, event: Event) -> Result<(), Why> {
        match (self, event) {
            (Self::Always, _) => Ok(()),
            (Self::IfUnsent, Event::Failure(Failure { reached: Reached::Unsent, .. })) => Ok(()),
            (Self::IfUnsent, Event::Failure(Failure { reached: Reached::MaybeSent, .. }) | Event::Status(_)) => {
                Err(Why::Method)
            }
            (Self::Once(why), _) => Err(why),
        }
    }
}

impl NonIdempotent {
    /// The setting that holds for one request.
    ///
    /// The request's own word wins over the policy's. An idempotency key is consent too, and only a request's own
    /// `Never` beats it.
    pub const fn resolve(policy: Self, request: Option<Self>, idempotency_key: bool) -> Self {
        match (request, idempotency_key) {
            (Some(Self::Never), _) => Self::Never,
            (Some(Self::WhenUnsent | Self::Always) | None, true) => Self::Always,
            (Some(own), false) => own,
            (None, false) => policy,
        }
    }
}

/// Whether RFC 9110 9.2.2 calls the method idempotent. Methods are case-sensitive (9.1).
pub fn is_idempotent(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_spelled_exactly_so() {
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
            assert!(is_idempotent(method), "{method}");
        }
        for method in ["get", "Get", "POST", "PATCH", "CONNECT", "PROPFIND", "", "GET "] {
            assert!(!is_idempotent(method), "{method}");
        }
    }

    #[test]
    fn a_call_with_one_send_says_why() {
        let rows = [
            (Replay::Once(Why::Body), 0, Some(Why::Body)),
            (Replay::Once(Why::Method), 3, Some(Why::Method)),
            (Replay::IfUnsent, 0, Some(Why::RetriesOff)),
            (Replay::IfUnsent, 1, None),
            (Replay::Always, 0, Some(Why::RetriesOff)),
            (Replay::Always, u32::MAX, None),
        ];
        for (replay, max_retries, why) in rows {
            assert_eq!(replay.single_send(max_retries), why, "{replay:?}, {max_retries}");
        }
    }

    #[test]
    fn the_requests_own_word_wins_and_only_its_never_beats_a_key() {
        use NonIdempotent::{Always, Never, WhenUnsent};
        for policy in [Never, WhenUnsent, Always] {
            for own in [Never, WhenUnsent, Always] {
                assert_eq!(NonIdempotent::resolve(policy, Some(own), false), own);
            }
            assert_eq!(NonIdempotent::resolve(policy, None, false), policy);
            assert_eq!(NonIdempotent::resolve(policy, None, true), Always);
            assert_eq!(NonIdempotent::resolve(policy, Some(WhenUnsent), true), Always);
            assert_eq!(NonIdempotent::resolve(policy, Some(Never), true), Never);
        }
    }
}
