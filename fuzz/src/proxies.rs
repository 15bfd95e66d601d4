//! Pools of proxies: rotation and circuits of the core against a naive model that keeps all that happened.
//!
//! The bytes are a rotation, the number of proxies, and what becomes of up to four calls that go through the pool at once.

use core::time::Duration;

use retry_core::{Circuit, Instant, Policy, Pool, Rotation, Ticket, Trail};

use crate::bytes::Bytes;
use crate::pool_model::{Called, Model, Settings};

const CALLS: usize = 4;
const MOST_PROXIES: usize = 14;

/// The model looks through all that happened for each question.
const MOST_STEPS: usize = 200;

/// One call through the pool, in the core's words and in the model's.
struct Call {
    trail: Trail<Vec<bool>>,
    ticket: Option<Ticket>,
    called: Called,
}

impl Call {
    fn new(proxies: usize) -> Self {
        Self { trail: Trail::new(vec![false; proxies]), ticket: None, called: Called::default() }
    }
}

/// Fails if the core and the model do not choose the same proxies, or do not think the same of them.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let proxies = bytes.below(MOST_PROXIES);
    let settings = Settings {
        per_request: bytes.read(),
        statuses: bytes.read::<bool>().then_some(403).into_iter().collect(),
        threshold: 1 + u32::from(bytes.byte() % 4),
        rest: seconds(1 + u64::from(bytes.byte())),
        untried_wait: seconds(u64::from(bytes.byte() % 3)),
    };
    let rotation = rotation(&settings);
    raised(&rotation, &settings, proxies, bytes.byte());

    let (mut circuits, mut turn) = (vec![Circuit::default(); proxies], None);
    let mut model = Model::new(settings, proxies);
    let mut calls: Vec<_> = (0..CALLS).map(|_| Call::new(proxies)).collect();
    let mut now: u64 = 1_000_000;
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let step = bytes.byte();
        let Call { trail, ticket, called } = &mut calls[usize::from(step) % CALLS];
        let at = Instant::from_nanos(now * 1_000_000_000);
        let mut pool = Pool::new(&rotation, &mut circuits, &mut turn);
        match (step / 4 % 8, ticket.take()) {
            // The clock goes on, or back.
            (0, held) => {
                *ticket = held;
                now = (now + u64::from(bytes.byte())).saturating_sub(16);
            }
            // The call is over; what it held is given back as a dropped send's is.
            (1, held) => {
                if let Some(held) = held {
                    model.release(held.proxy(), held.is_probe());
                    pool.release(held);
                }
                (*trail, *called) = (Trail::new(vec![false; proxies]), Called::default());
            }
            (_, None) => {
                let picked = pool.pick(trail, at);
                let right = model.pick(called, at.as_nanos());
                assert_eq!(picked.as_ref().map(|ticket| (ticket.proxy(), ticket.is_probe())), right, "{model:#?}");
                *ticket = picked;
            }
            (2 | 3, Some(held)) => {
                let status = if bytes.read() { 403 } else { 200 };
                model.succeeded(called, held.proxy(), status);
                pool.succeeded(held, trail, status);
            }
            (4, Some(held)) => {
                model.release(held.proxy(), held.is_probe());
                pool.release(held);
            }
            (_, Some(held)) => {
                let right = model.failed(called, held.proxy(), held.is_probe(), at.as_nanos());
                assert_eq!(pool.failed(held, trail, at), right, "{model:#?}");
            }
        }
        assert_eq!((trail.current(), trail.has_untried()), model.trail(called), "{model:#?}");
        for (proxy, circuit) in circuits.iter().enumerate() {
            let shown = (circuit.failures(), circuit.rests_until().map(Instant::as_nanos), circuit.is_probed());
            assert_eq!(shown, model.shown(proxy), "proxy {proxy}: {model:#?}");
        }
    }
}

fn rotation(settings: &Settings) -> Rotation {
    let rotation = Rotation::new().untried_wait(settings.untried_wait);
    let rotation = if settings.per_request { rotation.per_request() } else { rotation };
    let rotation = rotation.on_status(&settings.statuses).and_then(|rotation| rotation.threshold(settings.threshold));
    rotation.and_then(|rotation| rotation.rest(settings.rest)).expect("all settings are within their bounds")
}

/// How many retries a pool makes of a policy's.
fn raised(rotation: &Rotation, settings: &Settings, proxies: usize, retries: u8) {
    let own = u32::from(retries);
    let policy = Policy::API.edit().max_retries(own).build().expect("so many retries are within the bounds");
    let others = u32::try_from(proxies).unwrap_or(u32::MAX).saturating_sub(1).min(10);
    let moves = settings.per_request || !settings.statuses.is_empty();
    let right = if moves && own > 0 { own.max(others) } else { own };
    let policy = rotation.policy(policy, proxies);
    assert_eq!(policy.max_retries(), right, "{own} retries, {proxies} proxies, {settings:?}");
    assert_eq!(policy.statuses().contains(403), !settings.statuses.is_empty());
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}
