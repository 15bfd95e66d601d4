//! Which proxy of a pool the next send takes, and which ones rest: pure state over slices that the caller keeps.

use core::time::Duration;

use crate::policy::Policy;
use crate::policy_error::{PolicyError, Value, rule};
use crate::status::StatusSet;
use crate::time::{Instant, nanos};

/// The most retries that a pool adds by itself.
const MOST_RAISED: u32 = 10;

/// When a pool moves on to another proxy, and when a proxy rests.
///
/// By default it moves on only after a proxy's own failure; a proxy that failed three times in a row rests for 30 s; and
/// a proxy that this call has not tried is moved to without a wait.
///
/// ```
/// use retry_core::{Policy, Rotation};
///
/// let rotation = Rotation::new().on_status(&[403])?;
/// let policy = rotation.policy(Policy::API, 5);
/// assert_eq!(policy.max_retries(), 4); // so that each of the five can be tried
/// assert!(policy.statuses().contains(403));
/// # Ok::<(), retry_core::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    per_request: bool,
    statuses: StatusSet,
    threshold: u32,
    rest: u64,
    untried_wait: Duration,
}

impl Rotation {
    /// The default.
    pub const fn new() -> Self {
        Self {
            per_request: false,
            statuses: StatusSet::EMPTY,
            threshold: 3,
            rest: 30 * crate::time::NANOS_PER_SEC,
            untried_wait: Duration::ZERO,
        }
    }

    /// Moves on with every request and every send.
    #[must_use]
    pub const fn per_request(self) -> Self {
        Self { per_request: true, ..self }
    }

    /// Moves on after these statuses too, each 400 ..= 599; they join the ones that are worth another send.
    ///
    /// # Errors
    ///
    /// A [`PolicyError`] for the first status out of its bounds.
    pub const fn on_status(mut self, statuses: &[u16]) -> Result<Self, PolicyError> {
        let mut rest = statuses;
        while let [status, tail @ ..] = rest {
            self.statuses = match self.statuses.with(*status) {
                Some(larger) => larger,
                None => {
                    return Err(PolicyError { rule: rule::ROTATE_ON_STATUS, value: Value::Number(*status as f64) });
                }
            };
            rest = tail;
        }
        Ok(self)
    }

    /// How many failures in a row make a proxy rest: at least 1.
    ///
    /// # Errors
    ///
    /// A [`PolicyError`] for 0.
    pub const fn threshold(self, failures: u32) -> Result<Self, PolicyError> {
        if failures == 0 {
            return Err(PolicyError { rule: rule::THRESHOLD, value: Value::Number(0.0) });
        }
        Ok(Self { threshold: failures, ..self })
    }

    /// How long a proxy rests: more than zero, at most 24 h.
    ///
    /// # Errors
    ///
    /// A [`PolicyError`] for a time out of its bounds.
    pub const fn rest(self, rest: Duration) -> Result<Self, PolicyError> {
        match nanos(rest) {
            1..=DAY => Ok(Self { rest: nanos(rest), ..self }),
            _ => Err(PolicyError { rule: rule::REST, value: Value::Time(rest) }),
        }
    }

    /// The wait before a proxy that this call has not tried, after another one's own failure. Default none.
    #[must_use]
    pub const fn untried_wait(self, wait: Duration) -> Self {
        Self { untried_wait: wait, ..self }
    }

    /// Whether it moves on by itself, not just after a proxy's own failure.
    pub const fn is_on(&self) -> bool {
        self.per_request || !self.statuses.is_empty()
    }

    /// `policy` as it holds with a pool of `proxies` distinct proxies: with the statuses of
    /// [`on_status`](Self::on_status), and, if the pool moves on by itself, with as many retries as let each proxy be
    /// tried, at most 10. `max_retries` 0 stays off.
    pub const fn policy(&self, policy: Policy, proxies: usize) -> Policy {
        let max_retries = match (self.is_on(), policy.max_retries, proxies) {
            (false, own, _) | (true, own @ 0, _) | (true, own, 0 | 1) => own,
            (true, own, several) => {
                let others = several.saturating_sub(1);
                let raised = if others < MOST_RAISED as usize { others as u32 } else { MOST_RAISED };
                if own < raised { raised } else { own }
            }
        };
        Policy { max_retries, statuses: policy.statuses.union(self.statuses), ..policy }
    }
}

impl Default for Rotation {
    fn default() -> Self {
        Self::new()
    }
}

const DAY: u64 = 24 * 60 * 60 * crate::time::NANOS_PER_SEC;

/// What a pool knows of one proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    failures: u32,
    /// The end of its rest; `None` if it does not rest.
    until: Option<Instant>,
    /// Whether one send is finding out if it works again.
    probing: bool,
}

impl Circuit {
    /// How many times in a row it failed.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// The end of its rest; `None` if it does not rest. After that one send may probe it.
    pub const fn rests_until(&self) -> Option<Instant> {
        self.until
    }

    /// Whether a send is probing it.
    pub const fn is_probed(&self) -> bool {
        self.probing
    }

    /// Whether it is to be left alone at `now`.
    fn rests(&self, now: Instant) -> bool {
        self.probing || self.until.is_some_and(|until| until > now)
    }
}

/// A call's way through a pool: which proxies it has tried, and which one it uses.
#[derive(Debug)]
pub struct Trail<B> {
    tried: B,
    current: Option<usize>,
    /// Whether the next send takes another proxy.
    moves_on: bool,
}

impl<B: AsMut<[bool]> + AsRef<[bool]>> Trail<B> {
    /// The start of a call. `tried` has a place for each proxy, all of them false: a slice, or what has one.
    pub const fn new(tried: B) -> Self {
        Self { tried, current: None, moves_on: false }
    }

    /// The proxy of the last send.
    pub const fn current(&self) -> Option<usize> {
        self.current
    }

    /// Whether a proxy is left that this call has not tried.
    pub fn has_untried(&self) -> bool {
        self.tried.as_ref().iter().any(|tried| !tried)
    }
}

/// The right to use one proxy for one send. Give it back with its reply, or by [`Pool::release`] if there is none.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a probe that is not given back keeps its proxy from everybody"]
pub struct Ticket {
    proxy: usize,
    probe: bool,
}

impl Ticket {
    /// The proxy's place in the pool.
    pub const fn proxy(&self) -> usize {
        self.proxy
    }

    /// Whether this send finds out if a proxy that rested works again.
    pub const fn is_probe(&self) -> bool {
        self.probe
    }
}

/// A pool of proxies, for as long as one choice takes. Its slices are the caller's, with a place for each proxy.
#[derive(Debug)]
pub struct Pool<'a> {
    rotation: &'a Rotation,
    circuits: &'a mut [Circuit],
    /// The proxy moved to last, by any call.
    turn: &'a mut Option<usize>,
}

impl<'a> Pool<'a> {
    /// A pool. `turn` begins as `None`.
    pub const fn new(rotation: &'a Rotation, circuits: &'a mut [Circuit], turn: &'a mut Option<usize>) -> Self {
        Self { rotation, circuits, turn }
    }

    /// The proxy for the next send of a call; `None` if the pool is empty.
    ///
    /// A send that does not move on keeps the proxy of the one before. A move goes, in turn, to a proxy that this call
    /// has not tried and that does not rest; else to one not tried, earliest end of rest first; else, in turn, to one
    /// that does not rest; else to the one whose rest ends first.
    pub fn pick(&mut self, trail: &mut Trail<impl AsMut<[bool]> + AsRef<[bool]>>, now: Instant) -> Option<Ticket> {
        // A call without a proxy of its own takes the one that the pool stays with.
        let stays = self.turn.filter(|proxy| self.is_awake(*proxy, now));
        let kept = if trail.moves_on || self.rotation.per_request { None } else { trail.current.or(stays) };
        let proxy = match kept {
            Some(proxy) => proxy,
            None => *self.turn.insert(self.next(trail, now)?),
        };
        trail.current = Some(proxy);
        trail.moves_on = false;
        if let Some(tried) = trail.tried.as_mut().get_mut(proxy) {
            *tried = true;
        }
        let circuit = self.circuits.get_mut(proxy)?;
        let probe = circuit.until.is_some() && !circuit.rests(now);
        circuit.probing |= probe;
        Some(Ticket { proxy, probe })
    }

    fn next(&self, trail: &Trail<impl AsMut<[bool]> + AsRef<[bool]>>, now: Instant) -> Option<usize> {
        let untried = |proxy: &usize| trail.tried.as_ref().get(*proxy).is_some_and(|tried| !tried);
        let awake = |proxy: &usize| self.is_awake(*proxy, now);
        // A probed proxy comes after all that rest: nobody knows yet when it can be used.
        let end = |proxy: &usize| self.circuits.get(*proxy).map(|circuit| (circuit.probing, circuit.until));
        self.in_turn()
            .find(|proxy| untried(proxy) && awake(proxy))
            .or_else(|| self.in_turn().filter(untried).min_by_key(end))
            .or_else(|| self.in_turn().find(awake))
            .or_else(|| self.in_turn().min_by_key(end))
    }

    fn is_awake(&self, proxy: usize, now: Instant) -> bool {
        self.circuits.get(proxy).is_some_and(|circuit| !circuit.rests(now))
    }

    /// All proxies, the one after the last moved to first.
    fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let count = self.circuits.len();
        let first = self.turn.map_or(0, |last| last.saturating_add(1));
        (first..count).chain(0..first.min(count))
    }

    /// The send got a response with this status through its proxy: whatever it is, the proxy works.
    pub fn succeeded(&mut self, ticket: Ticket, trail: &mut Trail<impl AsMut<[bool]> + AsRef<[bool]>>, status: u16) {
        trail.moves_on = self.rotation.statuses.contains(status);
        if let Some(circuit) = self.circuits.get_mut(ticket.proxy) {
            *circuit = Circuit::default();
        }
    }

    /// The proxy itself failed at `now`: it could not be reached, or refused the tunnel.
    ///
    /// The wait before the next send, where that goes to a proxy not yet tried: for
    /// [`Outcome::untried`](crate::Outcome::untried).
    pub fn failed(
        &mut self,
        ticket: Ticket,
        trail: &mut Trail<impl AsMut<[bool]> + AsRef<[bool]>>,
        now: Instant,
    ) -> Option<Duration> {
        trail.moves_on = true;
        if let Some(circuit) = self.circuits.get_mut(ticket.proxy) {
            circuit.failures = circuit.failures.saturating_add(1);
            circuit.probing &= !ticket.probe;
            if circuit.until.is_some() || circuit.failures >= self.rotation.threshold {
                circuit.until = Some(now.saturating_add(Duration::from_nanos(self.rotation.rest)));
            }
        }
        trail.has_untried().then_some(self.rotation.untried_wait)
    }

    /// The send ended without telling anything of the proxy: a failure that is the origin's, a cut, a cancel, a drop.
    pub fn release(&mut self, ticket: Ticket) {
        if let Some(circuit) = self.circuits.get_mut(ticket.proxy) {
            circuit.probing &= !ticket.probe;
        }
    }
}
