//! Measures one subject in one scenario, with an allocator that counts.

#[global_allocator]
static ALLOCATOR: peers::alloc::Counting = peers::alloc::Counting;

fn main() {
    peers::lab::child();
}
