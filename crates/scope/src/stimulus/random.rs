//! Random numbers that are the same on every host.

use std::collections::BTreeSet;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// ChaCha20's key stream as 64-bit words, little-endian.
pub(crate) struct Draws(ChaCha20Rng);

impl Draws {
    /// Returns the stream of number `stream` (the cipher's nonce). The key starts with `seed`, little-endian, and is
    /// zero after it.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha20Rng::from_seed(key);
        generator.set_stream(stream);
        Self(generator)
    }

    /// Draws a number below `bound`, which is not 0. All are equally likely: the first word below the greatest multiple
    /// of `bound` is taken modulo `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        // The number of greatest words that would favour small remainders.
        let surplus = (u64::MAX % bound + 1) % bound;
        loop {
            let word = self.0.next_u64();
            if word <= u64::MAX - surplus {
                return word % bound;
            }
        }
    }

    /// Draws a number from `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        match (most - least).checked_add(1) {
            Some(values) => least + self.below(values),
            None => self.0.next_u64(),
        }
    }

    /// Draws `count` distinct numbers from 1 to `most`, ascending; all sets are equally likely (Floyd's algorithm;
    /// Bentley and Floyd, Communications of the ACM 30 (1987) 754). `count` is at most `most`.
    pub(crate) fn distinct(&mut self, count: u64, most: u64) -> BTreeSet<u64> {
        let mut chosen = BTreeSet::new();
        for greatest in most - count + 1..=most {
            let drawn = self.between(1, greatest);
            if !chosen.insert(drawn) {
                chosen.insert(greatest);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_one_that_rfc_8439_prints() {
        // Appendix A.1, test vector 1: key and nonce of zeros.
        let mut draws = Draws::new(0, 0);
        let expect = [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28];
        let words = [draws.0.next_u64(), draws.0.next_u64()];
        assert_eq!(words.map(u64::to_le_bytes).concat(), expect);
    }

    #[test]
    fn words_that_would_favour_small_numbers_are_passed_over() {
        // Nearly half of all words are rejected; an independent program gave the expected rest.
        let mut draws = Draws::new(3, 0);
        let bound = (1 << 63) + 1;
        assert_eq!(
            [(); 4].map(|()| draws.below(bound)),
            [
                2_044_047_066_529_548_933,
                6_018_681_190_734_534_718,
                1_974_959_400_465_649_556,
                3_690_421_832_627_292_909
            ]
        );
    }

    #[test]
    fn draws_reach_both_ends_and_nothing_else() {
        let mut draws = Draws::new(7, 0);
        let mut seen = [0u32; 10];
        for _ in 0..10_000 {
            seen[draws.between(20, 29) as usize - 20] += 1;
        }
        // Twelve deviations of a binomial with p = 1/10.
        assert!(seen.iter().all(|&count| (640..=1360).contains(&count)), "{seen:?}");
        assert_eq!(draws.between(5, 5), 5);
        draws.between(0, u64::MAX);
    }

    #[test]
    fn distinct_draws_are_distinct_whatever_the_room() {
        let mut draws = Draws::new(7, 1);
        assert_eq!(draws.distinct(4, 4).into_iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(draws.distinct(0, 9).len(), 0);
        for _ in 0..100 {
            let drawn = draws.distinct(6, 8);
            assert!(drawn.len() == 6 && drawn.iter().all(|number| (1..=8).contains(number)), "{drawn:?}");
        }
    }
}
