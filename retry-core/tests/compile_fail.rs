//! What must not compile: wrong settings in a `const`, and calls in the wrong order.
//!
//! `TRYBUILD=overwrite cargo test -p retry-core --test compile_fail` writes the compiler's messages anew.

use std::path::Path;
use std::process::Command;

use core::time::Duration;
use retry_core::{Jitter, Policy, RetryAfter};

/// The compiler whose words the `.stderr` files have. Others say the same in other words.
const WRITTEN_WITH: &str = "rustc 1.95.";

#[test]
fn wrong_settings_and_wrong_calls_do_not_compile() {
    // With the component rust-src installed, the compiler quotes the standard library too.
    let quotes = Path::new(&rustc(&["--print", "sysroot"])).join("lib/rustlib/src/rust/library").exists();
    let version = rustc(&["--version"]);
    if quotes || !version.starts_with(WRITTEN_WITH) {
        println!("skipped: the messages are those of {WRITTEN_WITH}x without rust-src, and this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

fn rustc(arguments: &[&str]) -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(arguments).output().expect("the compiler is there");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// On any compiler: the messages name field and bound, for each of them.
#[test]
fn the_messages_name_field_and_bound() {
    let messages = include_str!("compile_fail/settings.stderr");
    let wrong = Duration::MAX;
    let settings = [
        Policy::builder().max_retries(u32::MAX),
        Policy::builder().base_delay(wrong),
        Policy::builder().factor(0.0),
        Policy::builder().max_delay(wrong),
        Policy::builder().jitter(Jitter::Proportional(2.0)),
        Policy::builder().retry_after(RetryAfter::replace().cap(wrong)),
        Policy::builder().retry_after(RetryAfter::replace().spread(2.0)),
        Policy::builder().total_timeout(Some(wrong)),
        Policy::builder().attempt_timeout(Some(wrong)),
        Policy::builder().statuses(&[0]),
    ];
    for setting in settings {
        let error = setting.build().unwrap_err();
        let message = format!("{} is out of bounds, accepted: {}", error.field(), error.bound());
        assert!(messages.contains(&message), "no message says `{message}`");
    }
}
