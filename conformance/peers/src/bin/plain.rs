//! Measures one subject in one scenario, with the system's allocator: instructions and times.

fn main() {
    peers::lab::child();
}
