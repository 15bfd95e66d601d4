//! The random words of one call, made when the first is needed.

use core::convert::Infallible;
use core::hash::BuildHasher;
use std::hash::RandomState;

use rand_core::{SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A generator that is seeded at its first word: a call that is never retried does not pay for one.
pub(crate) struct CallRng {
    seed: Option<u64>,
    generator: Option<Box<Xoshiro256PlusPlus>>,
}

impl CallRng {
    /// Words from `seed`, or from a seed that the operating system gives when it is needed.
    pub(crate) const fn new(seed: Option<u64>) -> Self {
        Self { seed, generator: None }
    }

    /// The seed, which is made here if there is none.
    pub(crate) fn seed(&mut self) -> u64 {
        *self.seed.get_or_insert_with(random)
    }

    fn ready(&mut self) -> &mut Xoshiro256PlusPlus {
        let Self { seed, generator } = self;
        let seed = *seed.get_or_insert_with(random);
        generator.get_or_insert_with(|| Box::new(Xoshiro256PlusPlus::seed_from_u64(seed)))
    }
}

impl TryRng for CallRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.ready().try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.ready().try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.ready().try_fill_bytes(bytes)
    }
}

/// A word that differs from call to call and from process to process: std's hash keys come from the operating system.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(())
}
