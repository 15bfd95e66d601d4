//! A checked policy cannot be changed without a check.

use retry_core::Policy;

fn main() {
    let mut policy = Policy::API;
    policy.max_retries = u32::MAX;
}
