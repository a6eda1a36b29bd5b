//! A FIFO between the system and a state machine.

/// Words of a FIFO that has taken its neighbour's storage.
const MOST: usize = 8;

/// A FIFO of at most eight words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo {
    words: [u32; MOST],
    first: u8,
    level: u8,
    depth: u8,
}

impl Fifo {
    /// An empty FIFO of `depth` words, at most eight; one of none is both full and empty.
    pub fn new(depth: u8) -> Self {
        Self { depth: depth.min(MOST as u8), ..Self::default() }
    }

    /// The number of words in it.
    pub const fn level(&self) -> u8 {
        self.level
    }

    /// The number of words that it has room for.
    pub const fn room(&self) -> u8 {
        self.depth - self.level
    }

    /// Tells if it has no room.
    pub const fn is_full(&self) -> bool {
        self.level >= self.depth
    }

    /// Tells if it has no word.
    pub const fn is_empty(&self) -> bool {
        self.level == 0
    }

    /// Takes `word`; `false` if it is full, and then nothing changes.
    pub fn push(&mut self, word: u32) -> bool {
        let room = !self.is_full();
        if room {
            self.words[usize::from(self.first + self.level) % MOST] = word;
            self.level += 1;
        }
        room
    }

    /// Gives the oldest word, if there is one.
    pub fn pull(&mut self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let word = self.words[usize::from(self.first) % MOST];
        self.first = (self.first + 1) % MOST as u8;
        self.level -= 1;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_in_order_and_none_is_taken_beyond_the_depth() {
        for depth in [0, 4, 8] {
            let mut fifo = Fifo::new(depth);
            for round in 0..20u32 {
                let taken = (0..10).filter(|word| fifo.push(round * 100 + word)).count();
                assert_eq!((taken, fifo.is_full(), fifo.room()), (usize::from(depth), true, 0));
                let given: Vec<u32> = std::iter::from_fn(|| fifo.pull()).collect();
                assert_eq!(given, (0..u32::from(depth)).map(|word| round * 100 + word).collect::<Vec<_>>());
                assert!(fifo.is_empty());
                // The next round begins elsewhere.
                fifo.push(0);
                fifo.pull();
            }
        }
    }
}
