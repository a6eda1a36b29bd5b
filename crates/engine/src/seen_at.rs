//! The instructions at which something was seen that compiled code is to be made for.

/// The words of the filter.
const WORDS: usize = 32;

/// A filter of the addresses of instructions at which something was seen, such as an access that was not to main RAM. Compiled code does
/// such a thing for them, where it leaves its region for others. Two instructions may share a bit; that costs time, and changes no
/// result.
#[derive(Clone, Debug, Default)]
pub struct SeenAt([u64; WORDS]);

impl SeenAt {
    /// Notes that it was seen at `pc`.
    #[inline]
    pub fn note(&mut self, pc: u32) {
        let (word, bit) = place(pc);
        self.0[word] |= bit;
    }

    /// Tells whether it was seen at `pc`, or at an address that shares its bit.
    pub fn has(&self, pc: u32) -> bool {
        let (word, bit) = place(pc);
        self.0[word] & bit != 0
    }
}

/// The word and the bit of the instruction at `pc`. Multiplication spreads neighbours over the words (Fibonacci hashing).
fn place(pc: u32) -> (usize, u64) {
    let hash = (pc >> 1).wrapping_mul(0x9E37_79B1) >> (u32::BITS - (64 * WORDS as u32).ilog2());
    (hash as usize / 64, 1 << (hash % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_found_once_it_is_noted_and_few_others_are() {
        let mut beyond = SeenAt::default();
        let noted = |number: u32| 0x0800_0000 + 26 * number;
        for number in 0..20 {
            assert!(!beyond.has(noted(number)), "{number}");
            beyond.note(noted(number));
            assert!(beyond.has(noted(number)), "{number}");
        }
        let others = (0..4000).map(|number| 0x0800_0000 + 2 * number).filter(|pc| beyond.has(*pc)).count();
        assert!(others < 100, "{others} of 4000 for 20 that are noted");
    }
}
