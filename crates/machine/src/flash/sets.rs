//! A cache in two ways, of instructions and data together.

use super::lines::NONE;

/// A place for two lines that adjoin.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// The number of the pair.
    pair: u32,
    /// Those of the two that are here, one bit each.
    there: u8,
}

const EMPTY: Way = Way { pair: NONE, there: 0 };

/// The two ways of a set, and the one that is filled next: they take turns, whatever is used.
#[derive(Clone, Copy, Debug)]
struct Set {
    ways: [Way; 2],
    next: usize,
}

/// The sets of the cache.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    sets: Box<[Set]>,
}

impl Sets {
    /// Empty sets, as many as the power of two at or above `count`.
    pub(super) fn new(count: u32) -> Self {
        let count = count.clamp(1, 1 << 16).next_power_of_two() as usize;
        Self { sets: vec![Set { ways: [EMPTY; 2], next: 0 }; count].into_boxed_slice() }
    }

    /// The same without contents.
    pub(super) fn emptied(&self) -> Self {
        Self::new(self.sets.len() as u32)
    }

    /// The pair of `line`, its set, and its bit in the way.
    #[inline(always)]
    fn place(&self, line: u32) -> (u32, usize, u8) {
        let pair = line >> 1;
        (pair, pair as usize & (self.sets.len() - 1), 1 << (line & 1))
    }

    /// Tells whether `line` is here.
    #[inline(always)]
    pub(super) fn holds(&self, line: u32) -> bool {
        let (pair, set, bit) = self.place(line);
        self.sets[set].ways.iter().any(|way| way.pair == pair && way.there & bit != 0)
    }

    /// Keeps `line`, which is not here.
    pub(super) fn insert(&mut self, line: u32) {
        let (pair, set, bit) = self.place(line);
        let Set { ways, next } = &mut self.sets[set];
        match ways.iter_mut().find(|way| way.pair == pair) {
            Some(way) => way.there |= bit,
            None => {
                ways[*next] = Way { pair, there: bit };
                *next ^= 1;
            }
        }
    }

    /// Forgets the pair of `line`; tells whether it was here.
    pub(super) fn forget(&mut self, line: u32) -> bool {
        let (pair, set, _) = self.place(line);
        let way = self.sets[set].ways.iter_mut().find(|way| way.pair == pair);
        way.map(|way| *way = EMPTY).is_some()
    }
}
