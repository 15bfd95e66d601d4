//! Pools of proxies: the check values, the choice rule, and the laws over random traffic.

mod common;

use core::time::Duration;

use common::Words;
use proptest::prelude::*;
use retry_core::{
    Action, Attempt, Cause, Circuit, End, Event, Failure, Instant, Jitter, NonIdempotent, Outcome, Policy, Pool,
    Reached, Reason, Replay, Rotation, Ticket, Trail, Unlimited, WaitSource,
};

const OWN: Event = Event::Failure(Failure::new(Cause::Proxy, Reached::Unsent));
const ORIGIN: Event = Event::Failure(Failure::new(Cause::Network, Reached::MaybeSent));

/// What a proxy does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// Passes it on; the origin answers so.
    Answers(u16),
    /// Passes it on; the origin resets.
    Resets,
    /// Cannot be reached.
    Dead,
}

/// A pool and its time, for many calls.
struct World {
    rotation: Rotation,
    circuits: Vec<Circuit>,
    turn: Option<usize>,
    now: Instant,
}

/// One call: where each send went, after which wait.
struct Call {
    end: End,
    sends: Vec<(usize, Duration, Option<WaitSource>)>,
}

impl Call {
    fn proxies(&self) -> Vec<usize> {
        self.sends.iter().map(|(proxy, ..)| *proxy).collect()
    }
}

impl World {
    fn new(rotation: Rotation, proxies: usize) -> Self {
        Self { rotation, circuits: vec![Circuit::default(); proxies], turn: None, now: Instant::EPOCH }
    }

    fn pool(&mut self) -> Pool<'_> {
        Pool::new(&self.rotation, &mut self.circuits, &mut self.turn)
    }

    fn call(&mut self, policy: Policy, replay: Replay, does: &[Does]) -> Call {
        let policy = self.rotation.policy(policy, self.circuits.len());
        let mut tried = vec![false; self.circuits.len()];
        let mut trail = Trail::new(&mut tried[..]);
        let (mut sends, mut waited) = (Vec::new(), (Duration::ZERO, None));
        let mut action = Attempt::start(&policy, replay, None, self.now);
        let end = loop {
            action = match action {
                Action::Send(attempt) => {
                    let now = self.now;
                    let ticket = self.pool().pick(&mut trail, now).expect("the pool is not empty");
                    sends.push((ticket.proxy(), waited.0, waited.1));
                    let outcome = match does[ticket.proxy()] {
                        Does::Answers(status) => {
                            self.pool().succeeded(ticket, &mut trail, status);
                            Outcome::status(status)
                        }
                        Does::Resets => {
                            self.pool().release(ticket);
                            Outcome::new(ORIGIN)
                        }
                        Does::Dead => {
                            let untried = self.pool().failed(ticket, &mut trail, now);
                            Outcome { untried, ..Outcome::new(OWN) }
                        }
                    };
                    attempt.finish(outcome, self.now, &mut Unlimited, &mut Words::new(&[0]))
                }
                Action::Wait(pause) => {
                    waited = (pause.duration(), Some(pause.source()));
                    self.now = pause.until();
                    let now = self.now;
                    pause.resume(now)
                }
                Action::Done(end) | Action::GiveUp(end) => break end,
            };
        };
        Call { end, sends }
    }

    fn get(&mut self, does: &[Does]) -> Call {
        self.call(policy(3), Replay::Always, does)
    }
}

fn policy(max_retries: u32) -> Policy {
    let policy = Policy::API.edit().max_retries(max_retries).jitter(Jitter::None).total_timeout(None).build();
    policy.expect("a valid policy")
}

fn on_403() -> Rotation {
    Rotation::new().on_status(&[403]).expect("403 is a status to move on after")
}

#[test]
fn retries_rise_so_that_each_proxy_can_be_tried() {
    let raised = |proxies, max_retries| on_403().policy(policy(max_retries), proxies).max_retries();
    let cases =
        [(5, 3, 4), (5, 2, 4), (12, 1, 10), (2, 3, 3), (1, 3, 3), (5, 0, 0), (0, 3, 3), (11, 1, 10), (11, 99, 99)];
    for (proxies, own, expected) in cases {
        assert_eq!(raised(proxies, own), expected, "({proxies}, {own})");
        assert_eq!(Rotation::new().policy(policy(own), proxies).max_retries(), own, "not without rotation");
    }
    assert_eq!(Rotation::new().per_request().policy(policy(3), 5).max_retries(), 4);
    assert!(on_403().policy(policy(3), 1).statuses().contains(403));
}

#[test]
fn a_pool_is_on_if_it_moves_by_itself() {
    assert!(!Rotation::new().is_on() && !Rotation::new().untried_wait(Duration::MAX).is_on());
    assert!(Rotation::new().per_request().is_on() && on_403().is_on() && on_403().per_request().is_on());
}

#[test]
fn settings_out_of_bounds_name_the_entry() {
    for status in [99, 200, 399, 600] {
        let error = Rotation::new().on_status(&[403, status]).unwrap_err();
        assert_eq!(error.to_string(), format!("rotate_on_status is {status}, accepted: 400 ..= 599"));
    }
    assert_eq!(Rotation::new().threshold(0).unwrap_err().field(), "threshold");
    for rest in [Duration::ZERO, Duration::from_secs(86_401), Duration::MAX] {
        assert_eq!(Rotation::new().rest(rest).unwrap_err().field(), "rest");
    }
    assert!(Rotation::new().rest(Duration::from_secs(86_400)).is_ok());
    assert!(Rotation::new().rest(Duration::from_nanos(1)).is_ok());
    // A good one changes nothing else.
    let rotation = on_403().per_request().untried_wait(Duration::from_secs(1)).threshold(2).unwrap();
    let rested = |rotation: Rotation| rotation.rest(Duration::from_secs(60)).unwrap();
    assert_eq!(
        rested(rotation),
        rested(on_403()).threshold(2).unwrap().per_request().untried_wait(Duration::from_secs(1))
    );
    assert_ne!(rested(rotation), rotation);
}

#[test]
fn five_proxies_that_are_all_blocked_are_tried_once_each() {
    let call = World::new(on_403(), 5).get(&[Does::Answers(403); 5]);
    assert_eq!(call.proxies(), [0, 1, 2, 3, 4]);
    assert_eq!(call.end.reason, Reason::RetriesExhausted);
}

#[test]
fn h2_a_dead_first_proxy_costs_no_wait_and_six_dead_ones_are_tried_once_each() {
    let call = World::new(Rotation::new(), 2).get(&[Does::Dead, Does::Answers(200)]);
    assert_eq!(call.sends, [(0, Duration::ZERO, None), (1, Duration::ZERO, Some(WaitSource::Proxy))]);
    let patient = Rotation::new().untried_wait(Duration::from_millis(250));
    let call = World::new(patient, 2).get(&[Does::Dead, Does::Answers(200)]);
    assert_eq!(call.sends[1], (1, Duration::from_millis(250), Some(WaitSource::Proxy)));
    let call = World::new(Rotation::new().per_request(), 6).get(&[Does::Dead; 6]);
    assert_eq!(call.proxies(), [0, 1, 2, 3, 4, 5]);
    assert!(call.sends.iter().all(|(_, wait, _)| wait.is_zero()));
}

#[test]
fn a_pool_that_is_dead_as_a_whole_does_not_spin() {
    let call = World::new(Rotation::new(), 2).call(policy(5), Replay::Always, &[Does::Dead; 2]);
    let waits: Vec<_> = call.sends.iter().skip(1).map(|(_, wait, source)| (wait.as_secs(), source.unwrap())).collect();
    let computed = |secs| (secs, WaitSource::Computed);
    assert_eq!(waits, [(0, WaitSource::Proxy), computed(2), computed(4), computed(8), computed(16)]);
}

#[test]
fn without_rotation_the_first_proxy_is_kept_until_it_fails() {
    let mut world = World::new(Rotation::new(), 3);
    let busy = [Does::Answers(503); 3];
    assert_eq!(world.get(&busy).proxies(), [0; 4]);
    assert_eq!(world.get(&[Does::Resets; 3]).proxies(), [0; 4], "the origin's failure is none of the proxy's");
    assert_eq!(world.get(&[Does::Dead, Does::Answers(200), Does::Dead]).proxies(), [0, 1]);
    assert_eq!(world.get(&busy).proxies(), [1; 4], "and the pool stays with the next one");
}

#[test]
fn a_single_send_fails_at_once_and_an_unsent_one_moves_on() {
    use retry_core::Why;
    let does = [Does::Dead, Does::Answers(403)];
    let once = World::new(on_403(), 2).call(policy(3), Replay::Once(Why::Method), &does);
    assert_eq!((once.proxies(), once.end.reason), (vec![0], Reason::NotRepeatable(Why::Method)));
    let unsent = Replay::new("POST", true, NonIdempotent::WhenUnsent);
    let moved = World::new(on_403(), 2).call(policy(3), unsent, &does);
    assert_eq!((moved.proxies(), moved.end.event), (vec![0, 1], Some(Event::Status(403))));
    assert_eq!(moved.end.kind(), None, "a POST answered 403 is handed over");
}

#[test]
fn a_proxy_that_failed_three_times_rests_and_then_one_probe_may_use_it() {
    let mut world = World::new(Rotation::new().per_request(), 2);
    let (dead, good) = ([Does::Dead, Does::Answers(200)], [Does::Answers(200); 2]);
    for _ in 0..3 {
        world.turn = Some(1);
        assert_eq!(world.get(&dead).proxies(), [0, 1]);
    }
    let until = Instant::from_nanos(30_000_000_000);
    assert_eq!((world.circuits[0].failures(), world.circuits[0].rests_until()), (3, Some(until)));
    assert_eq!(world.get(&good).proxies(), [1], "it rests");
    world.now = until;

    // Two calls at once: the first one probes, the second one goes elsewhere.
    let (mut one, mut two) = ([false; 2], [false; 2]);
    let (mut one, mut two) = (Trail::new(&mut one[..]), Trail::new(&mut two[..]));
    let probe = world.pool().pick(&mut one, until).unwrap();
    let other = world.pool().pick(&mut two, until).unwrap();
    assert_eq!(((probe.proxy(), probe.is_probe()), (other.proxy(), other.is_probe())), ((0, true), (1, false)));
    assert!(world.circuits[0].is_probed());
    // A dropped probe frees it for the next.
    world.pool().release(probe);
    let probe = world.pool().pick(&mut Trail::new([false; 2]), until).unwrap();
    assert_eq!((probe.proxy(), probe.is_probe()), (0, true));
    // A failed one rests it again, a good one closes the circuit.
    assert_eq!(world.pool().failed(probe, &mut one, until), Some(Duration::ZERO));
    assert_eq!(world.circuits[0].rests_until(), Some(Instant::from_nanos(60_000_000_000)));
    world.now = Instant::from_nanos(60_000_000_000);
    world.turn = Some(1);
    assert_eq!(world.get(&good).proxies(), [0]);
    assert_eq!(world.circuits[0], Circuit::default());
}

#[test]
fn when_all_rest_the_one_that_rests_least_is_taken() {
    let mut world = World::new(Rotation::new().threshold(1).unwrap(), 3);
    let dead = [Does::Dead; 3];
    world.call(policy(0), Replay::Always, &dead);
    world.now = Instant::from_nanos(5_000_000_000);
    world.call(policy(0), Replay::Always, &dead);
    world.call(policy(0), Replay::Always, &dead);
    let ends: Vec<_> =
        world.circuits.iter().map(|circuit| circuit.rests_until().unwrap().as_nanos() / 1_000_000_000).collect();
    assert_eq!(ends, [30, 35, 35]);
    assert_eq!(world.call(policy(0), Replay::Always, &[Does::Answers(200); 3]).proxies(), [0]);
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        4 => Just(Does::Dead),
        3 => Just(Does::Answers(200)),
        1 => Just(Does::Answers(403)),
        1 => Just(Does::Answers(503)),
        1 => Just(Does::Resets),
    ]
}

fn rotation() -> impl Strategy<Value = Rotation> {
    (any::<bool>(), any::<bool>(), 1_u32..4).prop_map(|(per_request, on_status, threshold)| {
        let rotation = if on_status { on_403() } else { Rotation::new() };
        let rotation = if per_request { rotation.per_request() } else { rotation };
        rotation.threshold(threshold).expect("at least 1")
    })
}

proptest! {
    #[test]
    fn a_good_proxy_is_found_behind_all_dead_ones(
        rotation in rotation(),
        alive in prop::collection::vec(any::<bool>(), 1..9),
        before in 0_usize..4,
    ) {
        prop_assume!(alive.contains(&true));
        let does: Vec<_> = alive.iter().map(|alive| if *alive { Does::Answers(200) } else { Does::Dead }).collect();
        let dead = alive.iter().filter(|alive| !**alive).count();
        let mut world = World::new(rotation, alive.len());
        for _ in 0..=before {
            let call = world.call(policy(20), Replay::Always, &does);
            prop_assert_eq!(call.end.reason, Reason::Answer);
            prop_assert!(call.sends.len() <= dead + 1, "{:?}", call.sends);
            prop_assert!(call.sends.iter().all(|(_, wait, _)| wait.is_zero()));
        }
    }

    #[test]
    fn no_proxy_is_moved_to_twice_before_all_were_tried(
        rotation in rotation(),
        calls in prop::collection::vec(prop::collection::vec(does(), 5), 1..6),
        gap in 0_u64..40,
    ) {
        let mut world = World::new(rotation, 5);
        for does in calls {
            let call = world.call(policy(12), Replay::Always, &does);
            let mut seen = Vec::new();
            let mut moves = call.proxies();
            moves.dedup();
            for proxy in moves {
                prop_assert!(!seen.contains(&proxy) || seen.len() == 5, "{:?}", call.sends);
                if !seen.contains(&proxy) { seen.push(proxy); }
            }
            prop_assert!(world.circuits.iter().all(|circuit| !circuit.is_probed()), "every ticket came back");
            world.now = world.now.saturating_add(Duration::from_secs(gap));
        }
    }

    #[test]
    fn the_origins_answers_and_failures_trip_no_circuit(
        rotation in rotation(),
        calls in prop::collection::vec(prop::collection::vec(does(), 3), 1..6),
    ) {
        let mut world = World::new(rotation, 3);
        for mut does in calls {
            for does in &mut does {
                if *does == Does::Dead { *does = Does::Resets; }
            }
            world.call(policy(6), Replay::Always, &does);
        }
        prop_assert!(world.circuits.iter().all(|circuit| *circuit == Circuit::default()));
    }

    #[test]
    fn a_canceled_send_changes_no_circuit(proxies in 1_usize..6, sends in 1_usize..20) {
        let mut world = World::new(Rotation::new().per_request(), proxies);
        for _ in 0..sends {
            let mut tried = vec![false; proxies];
            let mut trail = Trail::new(&mut tried[..]);
            let ticket = world.pool().pick(&mut trail, Instant::EPOCH).expect("the pool is not empty");
            world.pool().release(ticket);
        }
        prop_assert!(world.circuits.iter().all(|circuit| *circuit == Circuit::default()));
    }

    #[test]
    fn turns_are_even(proxies in 1_usize..8, calls in 1_usize..60) {
        let mut world = World::new(Rotation::new().per_request(), proxies);
        let mut counts = vec![0_u32; proxies];
        for _ in 0..calls {
            for proxy in world.get(&vec![Does::Answers(200); proxies]).proxies() {
                counts[proxy] += 1;
            }
        }
        let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
        prop_assert!(most.unwrap_or(0) - least.unwrap_or(0) <= 1, "{counts:?}");
    }
}

#[test]
fn an_empty_pool_has_no_proxy_and_a_ticket_names_its_proxy() {
    let mut world = World::new(Rotation::default(), 0);
    assert_eq!(world.pool().pick(&mut Trail::new([]), Instant::EPOCH), None);
    let mut world = World::new(Rotation::default(), 1);
    let mut tried = [false];
    let mut trail = Trail::new(&mut tried[..]);
    assert_eq!((trail.current(), trail.has_untried()), (None, true));
    let ticket: Ticket = world.pool().pick(&mut trail, Instant::EPOCH).unwrap();
    assert_eq!((ticket.proxy(), trail.current(), trail.has_untried()), (0, Some(0), false));
}

#[test]
fn slices_that_do_not_fit_and_tickets_of_another_pool_do_no_harm() {
    let (mut large, mut small) = (World::new(Rotation::new().per_request(), 3), World::new(Rotation::new(), 1));
    let mut trail = Trail::new([false]);
    let mut ticket = |large: &mut World| large.pool().pick(&mut trail, Instant::EPOCH).unwrap();
    let _ = ticket(&mut large);
    // The trail has no place for the second proxy and the third.
    let tickets = [ticket(&mut large), ticket(&mut large), ticket(&mut large)];
    assert_eq!([0, 1, 2].map(|place: usize| tickets[place].proxy()), [1, 2, 0]);
    let [first, second, _] = tickets;
    let third = {
        large.turn = Some(1);
        ticket(&mut large)
    };

    let mut own = Trail::new([false]);
    small.pool().succeeded(first, &mut own, 200);
    assert_eq!(small.pool().failed(second, &mut own, Instant::EPOCH), Some(Duration::ZERO));
    small.pool().release(third);
    assert_eq!(small.circuits, [Circuit::default()]);
}
