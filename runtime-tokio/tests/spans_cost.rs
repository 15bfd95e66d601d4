//! Spans that nobody wants cost no memory.
//!
//! A program of its own: a subscriber on one thread of a process lets spans be made on all of them.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test, and of its helpers")]

#[path = "common/memory.rs"]
mod memory;

use http::{Method, Response};
use memory::{Counting, asked};
use retry_core::testing::SkipTimer;
use retry_core::{Policy, Try};
use runtime_tokio::{Retry, TokioTimer};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::Registry;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often a call with a wait and two sends asks for memory: the least of a few.
fn allocations() -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let send = async |this: Try| {
        let response = Response::builder().status(if this.number == 1 { 503 } else { 200 }).body("a page").unwrap();
        Ok::<_, reqwest::Error>(response.into())
    };
    let count = || {
        let retry = Retry::with_timer(Policy::API, SkipTimer::over(TokioTimer));
        let before = asked();
        runtime.block_on(retry.run(Method::GET, "http://user@localhost/page?query", send)).unwrap();
        asked() - before
    };
    (0..8).map(|_| count()).min().unwrap()
}

#[test]
fn spans_that_nobody_wants_ask_for_no_memory() {
    let without = allocations();
    let at = |level: LevelFilter| tracing::subscriber::with_default(Registry::default().with(level), allocations);
    assert_eq!(at(LevelFilter::OFF), without);
    assert_eq!(at(LevelFilter::WARN), without);
    assert!(at(LevelFilter::INFO) > without, "those that are wanted are made");
}
