//! What the machine costs in bytes. A call's state lives in every request's future, so growth here is felt everywhere.

use retry_core::{Action, Policy, Record};

#[test]
fn a_policy_and_an_action_stay_small() {
    const fn is_copy<T: Copy>() {}
    is_copy::<Policy>();
    assert!(size_of::<Policy>() <= 128, "{}", size_of::<Policy>());
    // The adapters pass the policy by reference.
    assert!(size_of::<Action<&Policy>>() <= 96, "{}", size_of::<Action<&Policy>>());
}

#[test]
fn a_record_stays_small() {
    // Every call in a wait holds one, on the heap of its adapter: eight attempts of 36 bytes, and their number.
    assert!(size_of::<Record>() <= 288 + size_of::<u64>(), "{}", size_of::<Record>());
}
