//! How much this thread holds: an allocator that counts. Its test has to name it as the global one.
#![allow(unsafe_code, reason = "a global allocator cannot be written without it")]
#![allow(dead_code, reason = "each test takes what it needs")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use std::alloc::System;

pub(crate) struct Counting;

std::thread_local! {
    /// What is held now, and the most of it, in bytes, since [`peak`] began. What other threads free is missing.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
    /// How often memory was asked for.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// What `work` gives, and the most memory that it held on this thread, in bytes.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, isize) {
    HELD.set((0, 0));
    let output = work();
    (output, HELD.get().1)
}

/// How often this thread has asked for memory until now.
pub(crate) fn asked() -> usize {
    ASKED.get()
}

/// What this thread holds, in bytes, counted from any moment.
pub(crate) fn held() -> isize {
    HELD.get().0
}

fn add(bytes: usize, sign: isize) {
    // A thread that is being torn down has no counter any more, and no test either.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        let now = now + sign * isize::try_from(bytes).unwrap_or(isize::MAX);
        held.set((now, most.max(now)));
    });
    if sign > 0 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
    }
}

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size(), 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size(), 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size, 1);
        add(layout.size(), -1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(layout.size(), -1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}
