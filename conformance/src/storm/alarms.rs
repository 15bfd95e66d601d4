//! The moments at which something must happen even if nothing else does, the earliest first.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// One step of one call: a send on its way, or a wait. A later step has a larger serial number, so that what comes for an
/// earlier one can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    /// The number of the step; no two steps of a run share one.
    pub(super) serial: u32,
    /// Where the call is kept.
    pub(super) slot: u32,
}

/// Alarms in order of time, and of their serial numbers where times are equal.
#[derive(Debug, Default)]
pub(super) struct Alarms(BinaryHeap<Reverse<(u64, Ticket)>>);

impl Alarms {
    pub(super) fn set(&mut self, at: u64, ticket: Ticket) {
        self.0.push(Reverse((at, ticket)));
    }

    pub(super) fn next(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    pub(super) fn ring(&mut self) -> Option<Ticket> {
        self.0.pop().map(|Reverse((_, ticket))| ticket)
    }

    /// Forgets alarms of steps that are over, once they are more than the `live` ones: a limit of minutes on sends that
    /// take milliseconds would fill the memory with them.
    pub(super) fn sweep(&mut self, live: usize, is_live: impl Fn(Ticket) -> bool) {
        if self.0.len() > 2 * live {
            self.0.retain(|Reverse((_, ticket))| is_live(*ticket));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(serial: u32) -> Ticket {
        Ticket { serial, slot: 0 }
    }

    #[test]
    fn alarms_ring_in_order_and_only_what_is_over_is_forgotten() {
        let mut alarms = Alarms::default();
        for (at, serial) in [(30, 1), (10, 4), (20, 2), (10, 3), (40, 5)] {
            alarms.set(at, ticket(serial));
        }
        alarms.sweep(3, |_| false);
        assert_eq!((alarms.next(), alarms.ring()), (Some(10), Some(ticket(3))), "five are no more than twice three");
        alarms.sweep(1, |ticket| ticket.serial != 2);
        let rest: Vec<_> = core::iter::from_fn(|| alarms.ring()).collect();
        assert_eq!(rest, [ticket(4), ticket(1), ticket(5)]);
    }
}
