//! The scenario's random words as a generator.

use core::convert::Infallible;

use rand_core::{SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::scenario::Random;

/// The random words of a scenario, in order.
#[derive(Clone, Debug)]
pub struct Words(Source);

#[derive(Clone, Debug)]
enum Source {
    Listed { words: Vec<u64>, drawn: usize },
    Seeded(Xoshiro256PlusPlus),
}

impl Words {
    /// The words of `random`, from the first on.
    pub fn new(random: &Random) -> Self {
        Self(match random {
            Random::Words(words) => Source::Listed { words: words.clone(), drawn: 0 },
            Random::Seed(seed) => Source::Seeded(Xoshiro256PlusPlus::seed_from_u64(*seed)),
        })
    }

    fn next(&mut self) -> u64 {
        match &mut self.0 {
            Source::Listed { words, drawn } => {
                let word = words.get(*drawn).or(words.last());
                *drawn += 1;
                word.copied().unwrap_or_default()
            }
            Source::Seeded(generator) => {
                let Ok(word) = generator.try_next_u64();
                word
            }
        }
    }
}

impl TryRng for Words {
    type Error = Infallible;

    /// The upper half of a word.
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::try_from(self.next() >> 32).unwrap_or_default())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
