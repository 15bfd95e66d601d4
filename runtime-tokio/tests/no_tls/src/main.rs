//! A request to an `https` URL by a client that was built without TLS: nobody can send it.

use retry_core::Policy;
use runtime_tokio::{RetryExt, client_builder};

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let client = client_builder().no_proxy().build().expect("a client can be built");
    let call = client.get("https://127.0.0.1:1/").with_retry(Policy::API).send();
    let error = runtime.block_on(call).expect_err("there is no TLS");
    assert_eq!((error.code(), error.attempts()), ("VALIDATION_ERROR", 0), "{error:?}");
    assert!(error.to_string().contains("built without TLS"), "{error}");
    println!("{}: {error}", error.code());
}
