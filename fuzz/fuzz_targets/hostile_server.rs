#![no_main]

use retry_fuzz::hostile_server::run;

libfuzzer_sys::fuzz_target!(|data: &[u8]| run(data, runtime_tokio::client_builder().no_proxy()));
