#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| retry_fuzz::trace::run(data));
