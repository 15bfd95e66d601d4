//! A call that can only go out once: a POST as it is, or a policy without retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Method;
use retry_core::{Instant, Policy, Timer, UnixTime};
use runtime_tokio::{Retry, RetryExt, TokioTimer};

use crate::alloc::Heap;
use crate::lab::{Job, Lab, Program, Result, tell};
use crate::report::{Aim, Section};
use crate::server::path;
use crate::subjects::{self, LIMIT, Settings};
use crate::table::{Table, short, signed};

use super::block_on;
use super::happy::allocations;

/// Calls in a window: few, because the processes are many.
const CALLS: u64 = 50;

/// `copy`: what one copy of the request allocates. `timers`: how many timers of ours a call makes. Others: a subject's
/// allocations, of a POST if its name ends so, else of a GET without retries.
pub fn measure(job: &Job) {
    let get = Settings::get(job.port, path::ASLEEP).limit(job.limit.then_some(LIMIT));
    let post = Settings { method: Method::POST, ..get.clone() };
    match (job.subject.as_str(), job.subject.strip_suffix(" post")) {
        ("copy", _) => tell("allocations", &[copy(&get).calls as f64]),
        ("timers", _) => tell("timers", &[timers(&post) as f64]),
        (_, Some(name)) => allocations(&Job { subject: name.to_owned(), ..job.clone() }, &post),
        (_, None) => allocations(job, &Settings { retries: 0, ..get }),
    }
}

/// What one copy of the request takes.
pub fn copy(settings: &Settings) -> Heap {
    let request = reqwest::Request::new(settings.method.clone(), settings.url.clone());
    let before = Heap::now();
    let copy = request.try_clone();
    let after = Heap::now();
    drop(copy);
    Heap { calls: after.calls - before.calls, held: after.held - before.held }
}

/// tokio's timer, counting what is asked of it.
#[derive(Clone, Default)]
struct CountingTimer(Arc<AtomicU64>);

impl Timer for CountingTimer {
    fn now(&self) -> Instant {
        TokioTimer.now()
    }

    fn wall(&self) -> Option<UnixTime> {
        TokioTimer.wall()
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        self.0.fetch_add(1, Ordering::SeqCst);
        TokioTimer.sleep(duration)
    }
}

/// Of one POST that is answered.
fn timers(settings: &Settings) -> u64 {
    let timer = CountingTimer::default();
    let policy = Policy::API.edit().total_timeout(settings.limit).build().expect("a policy within the bounds");
    let retry = Retry::with_timer(policy, timer.clone());
    let client = runtime_tokio::client_builder().no_proxy().build().expect("a client");
    let request = client.request(settings.method.clone(), settings.url.clone());
    block_on(request.with_retry(&retry).send()).expect("an answer");
    timer.0.load(Ordering::SeqCst)
}

pub fn report(lab: &Lab) -> Result<Section> {
    let mut section = Section::new(
        "A call that goes out once",
        "Allocations over those of the same call by bare reqwest. A copy of the request would be seen among them: its \
         URL is on the heap.",
    );
    let heap = |name: &str, limit| -> Result<f64> {
        lab.ask(Program::Counting, &lab.job("single", name, limit, CALLS))?.one("allocations")
    };
    // Bare takes the same for a POST, and tokio's limit takes nothing: the baseline is one.
    let bare = heap("bare", false)?;
    let over = |name: &str, post: &str| -> Result<[f64; 2]> {
        let more = |limit| -> Result<f64> { Ok(heap(&format!("{name}{post}"), limit)? - bare) };
        Ok([more(false)?, more(true)?])
    };
    let mut table = Table::new(&["", "GET, 0 retries", "with limit", "POST", "with limit"]);
    for entry in subjects::retrying() {
        let [get, get_limit] = over(entry.name, "")?;
        let cells = if entry.is_ours() {
            let [post, post_limit] = over(entry.name, " post")?;
            let most = get.max(get_limit).max(post).max(post_limit);
            let what = format!("`{}`, single send: allocations", entry.name);
            section.aims.push(Aim::new(what, "+0, no copy".into(), signed(most), most < 0.05));
            [signed(post), signed(post_limit)]
        } else {
            ["sent again".into(), "sent again".into()]
        };
        let [post, post_limit] = cells;
        table.row([entry.label.into(), signed(get), signed(get_limit), post, post_limit]);
    }
    section.tables.push(table);
    let timers =
        |limit| -> Result<f64> { lab.ask(Program::Counting, &lab.job("single", "timers", limit, 1))?.one("timers") };
    let (free, limited) = (timers(false)?, timers(true)?);
    section.aims.push(Aim::new(
        "single send: timers without limit, with limit".into(),
        "0, <= 1".into(),
        format!("{}, {}", short(free), short(limited)),
        free == 0.0 && limited <= 1.0,
    ));
    Ok(section)
}
