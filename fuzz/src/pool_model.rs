//! A pool of proxies as its rules read: it keeps all that happened, and looks through it anew for each question.

use core::time::Duration;

/// When the pool moves on, and when a proxy rests.
#[derive(Clone, Debug)]
pub struct Settings {
    pub per_request: bool,
    pub statuses: Vec<u16>,
    pub threshold: u32,
    pub rest: Duration,
    pub untried_wait: Duration,
}

/// One thing that happened to a proxy.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Happened {
    Probed,
    Works,
    Fails { at: u64, probe: bool },
    Released { probe: bool },
}

/// What one call did: the proxies of its sends, and whether the last reply makes it move on.
#[derive(Debug, Default)]
pub struct Called {
    sends: Vec<usize>,
    moves_on: bool,
}

/// The pool.
#[derive(Debug)]
pub struct Model {
    settings: Settings,
    /// What happened to each proxy, in order.
    proxies: Vec<Vec<Happened>>,
    /// Each proxy that a call was moved to, in order.
    moves: Vec<usize>,
}

impl Model {
    pub fn new(settings: Settings, proxies: usize) -> Self {
        Self { settings, proxies: vec![Vec::new(); proxies], moves: Vec::new() }
    }

    /// The proxy of a call's next send, and whether the send probes it.
    pub fn pick(&mut self, call: &mut Called, now: u64) -> Option<(usize, bool)> {
        let stays = self.moves.last().copied().filter(|proxy| !self.rests(*proxy, now));
        let own = call.sends.last().copied().or(stays);
        let proxy = match own {
            Some(proxy) if !call.moves_on && !self.settings.per_request => proxy,
            _ => {
                let proxy = self.choice(call, now)?;
                self.moves.push(proxy);
                proxy
            }
        };
        call.sends.push(proxy);
        call.moves_on = false;
        let (_, until, _) = self.shown(proxy);
        let probe = until.is_some() && !self.rests(proxy, now);
        if probe {
            self.proxies[proxy].push(Happened::Probed);
        }
        Some((proxy, probe))
    }

    /// Where a move goes: untried and awake, then untried, then awake, then any.
    fn choice(&self, call: &Called, now: u64) -> Option<usize> {
        let count = self.proxies.len();
        let first = self.moves.last().map_or(0, |last| last + 1);
        let in_turn: Vec<_> = (0..count).map(|step| (first + step) % count).collect();
        let all = |wanted: &dyn Fn(usize) -> bool| in_turn.iter().copied().filter(|proxy| wanted(*proxy)).collect();
        let untried = |proxy| !call.sends.contains(&proxy);
        let awake = |proxy| !self.rests(proxy, now);
        let fresh: Vec<usize> = all(&|proxy| untried(proxy) && awake(proxy));
        let (untried, awake): (Vec<usize>, Vec<usize>) = (all(&untried), all(&awake));
        let first = |list: Vec<usize>| list.first().copied();
        first(fresh).or(self.soonest(untried)).or(first(awake)).or(self.soonest(in_turn))
    }

    /// The one whose rest ends first; those that are probed come last.
    fn soonest(&self, mut list: Vec<usize>) -> Option<usize> {
        // The sort keeps the order of what is equal.
        list.sort_by_key(|proxy| {
            let (_, until, probed) = self.shown(*proxy);
            (probed, until)
        });
        list.first().copied()
    }

    pub fn succeeded(&mut self, call: &mut Called, proxy: usize, status: u16) {
        call.moves_on = self.settings.statuses.contains(&status);
        self.proxies[proxy].push(Happened::Works);
    }

    /// The wait before a proxy that the call has not tried, if there is one.
    pub fn failed(&mut self, call: &mut Called, proxy: usize, probe: bool, at: u64) -> Option<Duration> {
        call.moves_on = true;
        self.proxies[proxy].push(Happened::Fails { at, probe });
        let (_, untried) = self.trail(call);
        if untried { Some(self.settings.untried_wait) } else { None }
    }

    pub fn release(&mut self, proxy: usize, probe: bool) {
        self.proxies[proxy].push(Happened::Released { probe });
    }

    /// The proxy of the call's last send, and whether one is left that it has not tried.
    pub fn trail(&self, call: &Called) -> (Option<usize>, bool) {
        (call.sends.last().copied(), (0..self.proxies.len()).any(|proxy| !call.sends.contains(&proxy)))
    }

    fn rests(&self, proxy: usize, now: u64) -> bool {
        let (_, until, probed) = self.shown(proxy);
        probed || until.is_some_and(|until| now < until)
    }

    /// How often the proxy failed in a row, the end of its rest, and whether it is probed.
    pub fn shown(&self, proxy: usize) -> (u32, Option<u64>, bool) {
        let (mut failures, mut until, mut probed) = (0, None, false);
        for happened in &self.proxies[proxy] {
            match *happened {
                Happened::Probed => probed = true,
                Happened::Works => (failures, until, probed) = (0, None, false),
                Happened::Fails { at, probe } => {
                    failures += 1;
                    probed = probed && !probe;
                    if until.is_some() || failures >= self.settings.threshold {
                        until = Some(at + u64::try_from(self.settings.rest.as_nanos()).unwrap_or(u64::MAX));
                    }
                }
                Happened::Released { probe } => probed = probed && !probe,
            }
        }
        (failures, until, probed)
    }
}
