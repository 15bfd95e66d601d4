//! A generator for tests.

use core::convert::Infallible;

/// Gives the words of a list, over and over, and counts how many were taken.
pub(crate) struct Words<'a> {
    words: &'a [u64],
    pub(crate) taken: usize,
}

impl<'a> Words<'a> {
    pub(crate) const fn new(words: &'a [u64]) -> Self {
        Self { words, taken: 0 }
    }
}

impl rand_core::TryRng for Words<'_> {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let word = self.words[self.taken % self.words.len()];
        self.taken += 1;
        Ok(word)
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the machine takes whole words")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("the machine takes whole words")
    }
}
