//! The last attempts of a call. The driver keeps it, so that it outlives a call that was dropped.

use core::borrow::Borrow;
use core::fmt;
use core::time::Duration;

use crate::machine::{Attempt, Pause, WaitSource};
use crate::outcome::Event;
use crate::policy::Policy;
use crate::time::{self, Instant};

/// How many attempts a record keeps.
const KEPT: usize = 8;

/// The last 8 attempts of a call, and how many there were before them.
///
/// It has a fixed size, so that a call with a million retries takes no more memory than one with ten.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Record {
    ring: [Option<Noted>; KEPT],
    sends: usize,
}

/// An [`Entry`] that is packed: every call in a wait holds eight of these.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Noted {
    start: Nanos,
    took: Nanos,
    wait: Nanos,
    number: u32,
    event: Event,
    source: Option<WaitSource>,
    /// Whether `proxy` means anything.
    is_proxied: bool,
    proxy: u16,
}

/// Nanoseconds, saturating after 584 years. As far aligned as the rest of [`Noted`], so that it ends without a gap.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(Rust, packed(4))]
struct Nanos(u64);

impl Nanos {
    const fn new(duration: Duration) -> Self {
        Self(time::nanos(duration))
    }

    const fn duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl Noted {
    fn entry(&self) -> Entry {
        Entry {
            number: self.number,
            event: self.event,
            start: self.start.duration(),
            took: self.took.duration(),
            wait: self.source.map(|source| (self.wait.duration(), source)),
            proxy: self.is_proxied.then_some(self.proxy),
        }
    }
}

/// One attempt of a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Entry {
    /// The number of the send, from 1.
    pub number: u32,
    /// What came back.
    pub event: Event,
    /// When the send was begun, counted from the start of the call.
    pub start: Duration,
    /// How long it took until its reply.
    pub took: Duration,
    /// The wait that followed, and where its length came from.
    pub wait: Option<(Duration, WaitSource)>,
    /// Which proxy of the pool was used, by its place in the pool.
    pub proxy: Option<u16>,
}

impl Record {
    /// Notes the reply of `attempt`, which came at `now`.
    pub fn reply<P: Borrow<Policy>>(&mut self, attempt: &Attempt<P>, event: Event, now: Instant, proxy: Option<u16>) {
        let start = attempt.elapsed(attempt.sent_at());
        let took = attempt.elapsed(now).saturating_sub(start);
        let entry = Noted {
            start: Nanos::new(start),
            took: Nanos::new(took),
            wait: Nanos::default(),
            number: attempt.number(),
            event,
            source: None,
            is_proxied: proxy.is_some(),
            proxy: proxy.unwrap_or_default(),
        };
        if let Some(place) = self.ring.get_mut(self.sends % KEPT) {
            *place = Some(entry);
            self.sends = self.sends.saturating_add(1);
        }
    }

    /// Notes the wait that follows the reply noted last.
    pub fn pause<P: Borrow<Policy>>(&mut self, pause: &Pause<P>) {
        let last = self.sends.wrapping_sub(1) % KEPT;
        if let Some(Some(entry)) = self.ring.get_mut(last) {
            (entry.wait, entry.source) = (Nanos::new(pause.duration()), Some(pause.source()));
        }
    }

    /// The attempts that are kept, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry> {
        let (newer, older) = self.ring.split_at(self.sends % KEPT);
        older.iter().chain(newer).flatten().map(Noted::entry)
    }

    /// How many attempts were noted before the ones that are kept.
    pub const fn earlier(&self) -> usize {
        self.sends.saturating_sub(KEPT)
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Entries<'a>(&'a Record);
        impl fmt::Debug for Entries<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.0.entries()).finish()
            }
        }
        f.debug_struct("Record").field("earlier", &self.earlier()).field("entries", &Entries(self)).finish()
    }
}
