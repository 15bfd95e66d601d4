//! The random words of a scenario: given ones, or xoshiro256++ whose state `SplitMix64` fills from a seed.

use crate::scenario::Random;

/// The words, from the first on.
pub(crate) enum Words {
    Given(Vec<u64>, usize),
    Seeded([u64; 4]),
}

impl Words {
    pub(crate) fn new(random: &Random) -> Self {
        match random {
            Random::Words(words) => Self::Given(words.clone(), 0),
            Random::Seed(seed) => {
                let mut seed = *seed;
                Self::Seeded([(); 4].map(|()| split_mix(&mut seed)))
            }
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        match self {
            Self::Given(words, drawn) => {
                *drawn += 1;
                words.get(*drawn - 1).or(words.last()).copied().unwrap_or(0)
            }
            Self::Seeded(state) => xoshiro(state),
        }
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn xoshiro(s: &mut [u64; 4]) -> u64 {
    let word = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
    let shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3].rotate_left(45);
    word
}
