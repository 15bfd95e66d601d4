//! A setting out of its bounds, in a `const`.

use core::time::Duration;
use retry_core::{Jitter, Policy, RetryAfter};

const MAX_RETRIES: Policy = Policy::builder().max_retries(u32::MAX).build_const();
const BASE_DELAY: Policy = Policy::builder().base_delay(Duration::from_secs(1801)).build_const();
const FACTOR: Policy = Policy::builder().factor(1.005).build_const();
const MAX_DELAY: Policy = Policy::builder().max_delay(Duration::from_millis(999)).build_const();
const JITTER: Policy = Policy::builder().jitter(Jitter::Proportional(1.5)).build_const();
const CAP: Policy = Policy::builder().retry_after(RetryAfter::replace().cap(Duration::ZERO)).build_const();
const SPREAD: Policy = Policy::builder().retry_after(RetryAfter::replace().spread(f64::NAN)).build_const();
const TOTAL: Policy = Policy::builder().total_timeout(Some(Duration::ZERO)).build_const();
const ATTEMPT: Policy = Policy::builder().attempt_timeout(Some(Duration::MAX)).build_const();
const STATUSES: Policy = Policy::builder().statuses(&[503, 200]).build_const();

fn main() {}
