//! The table: what is worth another send. One match, and no other file judges.

use crate::outcome::{Cause, Event};
use crate::policy::Policy;

/// What the built-in table says of one reply, before anything else is asked.
///
/// | reply | verdict |
/// |---|---|
/// | a status of the policy's set | `Retry` |
/// | any other status | `Answer` |
/// | [`Network`](Cause::Network), [`Timeout`](Cause::Timeout), [`DnsTemporary`](Cause::DnsTemporary), [`ResponseRead`](Cause::ResponseRead), [`Transport`](Cause::Transport), [`Proxy`](Cause::Proxy) | `Retry` |
/// | [`DnsNoSuchName`](Cause::DnsNoSuchName), [`BodyTooLarge`](Cause::BodyTooLarge), [`Tls`](Cause::Tls), [`Certificate`](Cause::Certificate), [`ProxyAuth`](Cause::ProxyAuth), [`Validation`](Cause::Validation), [`Canceled`](Cause::Canceled), [`Unknown`](Cause::Unknown) | `Fail` |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// A response that is what the caller asked for, whatever its status.
    Answer,
    /// Worth another send, if the request may be repeated and the limits allow it.
    Retry,
    /// A failure that another send would only repeat.
    Fail,
}

impl Verdict {
    /// The verdict on `event`.
    ///
    /// ```
    /// use retry_core::{Event, Policy, Verdict};
    ///
    /// assert_eq!(Verdict::of(Event::Status(503), &Policy::API), Verdict::Retry);
    /// assert_eq!(Verdict::of(Event::Status(404), &Policy::API), Verdict::Answer);
    /// ```
    #[inline]
    pub const fn of(event: Event, policy: &Policy) -> Self {
        match event {
            Event::Status(status) if policy.statuses.contains(status) => Self::Retry,
            Event::Status(_) => Self::Answer,
            Event::Failure(failure) => match failure.cause {
                Cause::Network
                | Cause::Timeout
                | Cause::DnsTemporary
                | Cause::ResponseRead
                | Cause::Transport
                | Cause::Proxy => Self::Retry,
                Cause::DnsNoSuchName
                | Cause::BodyTooLarge
                | Cause::Tls
                | Cause::Certificate
                | Cause::ProxyAuth
                | Cause::Validation
                | Cause::Canceled
                | Cause::Unknown => Self::Fail,
            },
        }
    }
}
