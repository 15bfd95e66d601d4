//! An allocator that counts, on all threads. The program `counting` has it as the global one; `plain` has the system's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);
static TAKEN: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);

/// What the process has asked the allocator for since its start.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    /// Allocations and reallocations.
    pub calls: u64,
    /// Bytes held now.
    pub held: i64,
}

impl Heap {
    pub fn now() -> Self {
        let held = TAKEN.load(Ordering::SeqCst).wrapping_sub(FREED.load(Ordering::SeqCst));
        Self { calls: CALLS.load(Ordering::SeqCst), held: held as i64 }
    }
}

fn take(bytes: usize) {
    CALLS.fetch_add(1, Ordering::Relaxed);
    TAKEN.fetch_add(bytes as u64, Ordering::Relaxed);
}

fn free(bytes: usize) {
    FREED.fetch_add(bytes as u64, Ordering::Relaxed);
}

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        free(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        free(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}
