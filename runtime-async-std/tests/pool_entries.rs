//! What a pool can be built of, in every set of features.

use core::time::Duration;

use retry_core::Policy;
use runtime_async_std::{PoolBuilder, PoolError, Retry};

/// Passwords of these tests. The log of a whole run must not have them.
const PASSWORD: &str = "pool-pa55word";

fn pool(entries: &[&str]) -> PoolBuilder {
    Retry::new(Policy::API).proxies(entries.iter().copied(), |_, builder| builder)
}

#[test]
fn an_entry_that_is_no_proxy_is_named_without_its_password() {
    let entry = |text: &str| {
        let error = pool(&["http://127.0.0.1:8080", text]).build().unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(PASSWORD), "a password is shown");
        assert!(matches!(error, PoolError::Entry { number: 2, .. }), "whatever clients there are");
        error.to_string()
    };
    let with = |rest: &str| rest.replace("PASSWORD", PASSWORD);
    let (scheme, bare) = ("its scheme is none of http, https, socks5, socks5h", "it has no scheme, such as http://");
    assert_eq!(entry("ftp://p1:2121"), format!("entry 2 of proxies, ftp://p1:2121: {scheme}"));
    assert_eq!(entry(&with("ftp://user:PASSWORD@p1")), format!("entry 2 of proxies, ftp://p1: {scheme}"));
    for text in ["p1:8080", "user:PASSWORD@p1:8080", "p1:8080:user:PASSWORD", "PASSWORD"] {
        assert_eq!(entry(&with(text)), format!("entry 2 of proxies: {bare}"));
    }
    for text in [
        "http://",
        "http://user:a@PASSWORD@",
        "http://p1:8080:user:PASSWORD",
        "http://user:PASSWORD:80",
        "http://user:PASSWORD%40p1:80",
        "http://[user:PASSWORD]",
        "http://user:PASSWORD!",
        "PASSWORD ://x",
    ] {
        assert_eq!(entry(&with(text)), "entry 2 of proxies: it is not a URL");
    }
    assert_eq!(entry(&with("user:PASSWORD://p1@p2")), "entry 2 of proxies: it has no host");
}

#[test]
fn a_setting_that_is_out_of_its_bounds_is_named() {
    assert_eq!(pool(&[]).build().unwrap_err().to_string(), "proxies is empty, accepted: one or more");
    let one = || pool(&["http://127.0.0.1:8080"]);
    for status in [99, 200] {
        let error = one().rotate_on_status(&[403, status]).build().unwrap_err();
        assert_eq!(error.to_string(), format!("rotate_on_status is {status}, accepted: 400 ..= 599"));
    }
    let error = one().failure_threshold(0).build().unwrap_err();
    assert_eq!(error.to_string(), "threshold is 0, accepted: 1 or more");
    let error = one().rest(Duration::ZERO).build().unwrap_err();
    assert_eq!(error.to_string(), "rest is 0ns, accepted: above 0, at most 24 h");
}

#[test]
fn a_builder_shows_no_password() {
    let entry = format!("http://user:{PASSWORD}@127.0.0.1:8080");
    assert!(!format!("{:?}", pool(&[&entry])).contains(PASSWORD), "a password is shown");
}

#[cfg(not(feature = "curl"))]
#[test]
fn without_curl_a_pool_says_what_it_needs() {
    for entry in [String::from("http://127.0.0.1:8080"), format!("socks5h://user:{PASSWORD}@127.0.0.1:1080")] {
        let builder = pool(&[&entry]).rotate_on_status(&[403]).rotate_per_request().untried_wait(Duration::ZERO);
        let error = builder.build().unwrap_err();
        assert!(matches!(error, PoolError::NeedsCurl));
        assert_eq!(error.to_string(), "proxies: this needs the feature `curl` of runtime-async-std");
    }
}

#[cfg(feature = "curl")]
#[test]
fn a_client_that_cannot_be_built_is_an_error_without_the_password() {
    let entry = format!("http://user:{PASSWORD}@127.0.0.1:8080");
    let configure =
        |_: &surf::Url, builder: runtime_async_std::ProxyClientBuilder| builder.default_header("not a name", "x");
    let error = Retry::new(Policy::API).proxies([entry], configure).build().unwrap_err();
    assert_eq!(error.to_string(), "no client can be built for the proxy http://127.0.0.1:8080");
    assert!(core::error::Error::source(&error).is_some());
    assert!(!format!("{error:?}").contains(PASSWORD), "a password is shown");
}
