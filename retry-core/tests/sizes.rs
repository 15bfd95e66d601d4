//! What the machine costs in bytes. A call's state lives in every request's future, so growth here is felt everywhere.

use retry_core::{Action, Policy};

#[test]
fn a_policy_and_an_action_stay_small() {
    const fn is_copy<T: Copy>() {}
    is_copy::<Policy>();
    assert!(size_of::<Policy>() <= 128, "{}", size_of::<Policy>());
    // The adapters pass the policy by reference.
    assert!(size_of::<Action<&Policy>>() <= 96, "{}", size_of::<Action<&Policy>>());
}
