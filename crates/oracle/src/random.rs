//! Random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
//! generators", OOPSLA 2014).

/// Values at which flags and shifts change their behaviour.
pub const EDGES: [u32; 10] = [0, 1, 31, 32, 33, 255, 256, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF];

/// A generator; its whole state is one word.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator for `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// Returns 32 random bits.
    pub const fn bits(&mut self) -> u32 {
        (self.word() >> 32) as u32
    }

    /// Returns a number below `end`, which is not 0.
    pub const fn below(&mut self, end: u32) -> u32 {
        (((self.word() >> 32) * end as u64) >> 32) as u32
    }

    /// Returns `true` once in `times` on average.
    pub const fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// Returns one of `choices`, which is not empty.
    pub const fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Returns an operand: an edge in most cases, else any value or a small one.
    pub const fn operand(&mut self) -> u32 {
        match self.below(8) {
            0..=4 => self.pick(&EDGES),
            5 => self.below(1024),
            _ => self.bits(),
        }
    }
}
