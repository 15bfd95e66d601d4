//! No call passes a bound, and for each bound there is a call that comes within a nanosecond a wait of it.

use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use retry_core::{Cause, Jitter, Mode, Outcome, Policy, Reached, Reason, Why};

use crate::calls::{BUSY, Step, call};
use crate::settings::{DAY, Settings, YEAR, nanos, settings};

/// The largest word: it draws the end of any window.
const LAST: u64 = u64::MAX;
const NANO: Duration = Duration::from_nanos(1);
const FOR_EVER: u64 = u64::MAX;

/// What a server can do, hints of all lengths among it.
fn step() -> impl Strategy<Value = Step> {
    let hint = prop_oneof![Just(None), nanos(u64::MAX).prop_map(|hint| Some(Duration::from_nanos(hint)))];
    let reply = prop_oneof![
        4 => hint.prop_map(|hint| BUSY.with_hint(hint)),
        1 => Just(Outcome::failure(Cause::Network, Reached::Unsent)),
    ];
    let word = prop_oneof![any::<u64>(), Just(0), Just(LAST)];
    (nanos(YEAR), reply, word).prop_map(|(takes, reply, word)| Step { takes, reply, word })
}

prop_compose! {
    /// Settings with so few retries that a call can use them.
    fn callable()(settings in settings(), retries in 0..40_u32) -> Settings {
        Settings { retries, ..settings }
    }
}

/// The slowest that a server can be, which knows the limits and the longest waits of the policy that it deals with.
struct Slow {
    total: u64,
    attempt: u64,
    cap: u64,
    /// The longest waits one by one, without hints and if each reply asks for the cap.
    computed: Vec<u64>,
    hinted: Vec<u64>,
}

impl Slow {
    fn new(settings: &Settings) -> Self {
        let policy = Settings { total: None, ..settings.clone() }.policy();
        let longest = |reply| call(&policy, |_, _| Step { takes: 0, reply, word: LAST }).waits;
        Self {
            total: settings.total.unwrap_or(FOR_EVER),
            attempt: settings.attempt.unwrap_or(FOR_EVER),
            cap: settings.cap,
            computed: longest(BUSY),
            hinted: longest(BUSY.with_hint(Some(Duration::from_nanos(settings.cap)))),
        }
    }

    /// A send of `takes`, and the longest wait that any reply leads to.
    fn step(&self, number: u32, takes: u64) -> Step {
        let wait = |waits: &[u64]| waits.get(number as usize - 1).copied();
        let asks = wait(&self.hinted) > wait(&self.computed);
        Step { takes, reply: BUSY.with_hint(asks.then_some(Duration::from_nanos(self.cap))), word: LAST }
    }

    /// The longest send, and the longest wait that ends before the total limit, by a hint.
    fn until_the_limit(&self, number: u32, begun: u64) -> Step {
        let longest = self.step(number, self.attempt);
        let Some(most) = self.hinted.get(number as usize - 1).copied() else { return longest };
        let left = self.total.saturating_sub(begun).saturating_sub(self.attempt).saturating_sub(1);
        if left == 0 || most.max(self.computed[number as usize - 1]) <= left {
            return longest;
        }
        let (hint, word) = match left.checked_sub(self.cap) {
            None => (left, 0),
            // The first word that draws this much more than the cap.
            Some(more) => (self.cap, (u128::from(more) << 64).div_ceil(u128::from(most - self.cap) + 1)),
        };
        let word = u64::try_from(word).expect("what is drawn lies in the window");
        Step { reply: BUSY.with_hint(Some(Duration::from_nanos(hint))), word, ..longest }
    }
}

proptest! {
    #[test]
    fn no_call_passes_a_bound(settings in callable(), script in vec(step(), 1..8)) {
        let policy = settings.policy();
        let seen = call(&policy, |number, _| script[(number as usize - 1) % script.len()]);
        prop_assert!(seen.sends <= policy.max_sends());
        prop_assert!(seen.waited() <= policy.max_waits_with_hints());
        prop_assert!(policy.max_total().is_none_or(|most| seen.elapsed <= most));

        let silent = |number: u32, _: u64| Step { reply: BUSY, ..script[(number as usize - 1) % script.len()] };
        let slowest = script.iter().map(|step| step.takes).max().expect("the script has a step");
        let seen = call(&policy, silent);
        prop_assert!(seen.waited() <= policy.max_waits());
        prop_assert!(seen.elapsed <= policy.time_needed(Duration::from_nanos(slowest)));

        let plain = policy.edit().jitter(Jitter::None).build().expect("no jitter is a jitter");
        prop_assert!(call(&plain, silent).waited() <= policy.nominal_waits());
    }

    #[test]
    fn a_call_can_send_as_often(settings in callable()) {
        let policy = Settings { total: None, ..settings }.policy();
        let seen = call(&policy, |_, _| Step { takes: 0, reply: BUSY, word: LAST });
        prop_assert_eq!((seen.sends, seen.reason), (policy.max_sends(), ended(&policy)));
    }

    #[test]
    fn a_call_can_wait_as_long(settings in callable()) {
        let settings = Settings { total: None, ..settings };
        let (policy, slow, open_ends) = (settings.policy(), Slow::new(&settings), NANO * settings.retries);
        let computed = call(&policy, |_, _| Step { takes: 0, reply: BUSY, word: LAST });
        prop_assert!(computed.waited() + open_ends >= policy.max_waits());
        let hinted = call(&policy, |number, _| slow.step(number, 0));
        prop_assert!(hinted.waited() + open_ends >= policy.max_waits_with_hints());

        let plain = policy.edit().jitter(Jitter::None).build().expect("no jitter is a jitter");
        let nominal = call(&plain, |_, _| Step { takes: 0, reply: BUSY, word: LAST });
        prop_assert_eq!(nominal.waited(), policy.nominal_waits());
    }

    /// With either limit, or with both if the sends end first.
    #[test]
    fn a_call_can_last_as_long(settings in callable(), total in any::<bool>(), attempt in nanos(YEAR)) {
        let mut settings = settings;
        (settings.attempt, settings.total) = match settings.total {
            Some(limit) if total => (None, Some(limit)),
            limit => (Some(attempt.max(1)), limit),
        };
        let by_sends = Settings { total: None, ..settings.clone() }.policy().max_total();
        settings.total = settings.total.map(|limit| {
            let sends = by_sends.map_or(0, |most| u64::try_from(most.as_nanos()).expect("it is some years"));
            limit.max(sends).min(YEAR)
        });
        let (policy, slow) = (settings.policy(), Slow::new(&settings));
        prop_assume!(settings.attempt.is_none() || by_sends <= settings.total.map(Duration::from_nanos).or(by_sends));
        let seen = call(&policy, |number, _| slow.step(number, slow.attempt));
        let most = policy.max_total().expect("there is a limit");
        prop_assert!(seen.elapsed + NANO * settings.retries >= most, "{seen:?}, {most:?}");
    }

    /// With both limits, if the server can fill the time up to the total by what it asks for. If not, a wait that does
    /// not fit can end the call earlier: the bound is the limit none the less.
    #[test]
    fn a_call_can_last_up_to_its_limit(settings in callable(), total in nanos(YEAR), attempt in nanos(YEAR)) {
        let max = settings.max.min(DAY / 2);
        let settings = Settings {
            mode: Mode::Replace,
            base: settings.base.min(max),
            max,
            cap: settings.cap.max(2 * max),
            total: Some(total.max(1)),
            attempt: Some(attempt.max(1)),
            ..settings
        };
        let (policy, slow) = (settings.policy(), Slow::new(&settings));
        let seen = call(&policy, |number, begun| slow.until_the_limit(number, begun));
        let most = policy.max_total().expect("there is a limit");
        prop_assert!(seen.elapsed + NANO >= most, "{seen:?}, {most:?}");
    }

    /// Time for all retries is enough, and less than it is too little for some call.
    #[test]
    fn the_time_needed_is_enough_and_no_less_is(
        settings in callable(),
        send in nanos(YEAR / 64),
        words in vec(any::<u64>(), 1..8),
    ) {
        let policy = Settings { total: None, attempt: None, ..settings.clone() }.policy();
        let limited = |limit: Duration| policy.edit().total_timeout(Some(limit)).build();
        // A wait that would end at the limit is not begun, so a send that takes no time needs one nanosecond more.
        let needed = policy.time_needed(Duration::from_nanos(send)) + if send == 0 { NANO } else { Duration::ZERO };
        if let Ok(policy) = limited(needed) {
            for words in [&words[..], &[LAST]] {
                let word = |number: u32| words[(number as usize - 1) % words.len()];
                let seen = call(&policy, |number, _| Step { takes: send, reply: BUSY, word: word(number) });
                prop_assert_eq!((seen.sends, seen.reason), (policy.max_sends(), ended(&policy)));
            }
        }
        if let Some(Ok(policy)) = needed.checked_sub(NANO * (settings.retries + 1)).map(limited) {
            let seen = call(&policy, |_, _| Step { takes: send, reply: BUSY, word: LAST });
            // The last reply comes too late, or the last send is not begun.
            prop_assert_eq!(seen.reason, Reason::TotalTimeout);
        }
    }
}

/// Why a call of `policy` ends that fails until its sends are used up.
fn ended(policy: &Policy) -> Reason {
    if policy.max_retries() == 0 { Reason::NotRepeatable(Why::RetriesOff) } else { Reason::RetriesExhausted }
}
