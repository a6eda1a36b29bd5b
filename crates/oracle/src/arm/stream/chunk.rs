//! A chunk: straight code with its literals, which ends with a transfer to the next chunk of the stream.

use cyclescope_cortex_m::decode::Reg;

use crate::arm::map::Region;
use crate::random::Random;

/// The region of a chunk and the alignment of its first instruction.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The region of the image.
    pub region: Region,
    /// Tells if an unused halfword precedes its first instruction, which then is not word-aligned.
    pub shifted: bool,
}

impl Place {
    /// Returns a place in `region` with random alignment.
    pub fn anywhere_in(region: Region, random: &mut Random) -> Self {
        Self { region, shifted: random.one_in(2) }
    }
}

/// A word in a chunk's literal pool.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// A value.
    Value(u32),
    /// The address of the next chunk's first instruction, exclusive-or a value.
    Next(u32),
    /// The same, minus the value of pc in the instruction at a label.
    NextLess(usize, u32),
    /// An address in the chunk minus a number, divided so that `share` times the word is the difference.
    Here {
        /// The spot with the address.
        spot: Spot,
        /// The number to subtract.
        less: u32,
        /// The divisor: 1, 2 (for even addresses), or an odd number.
        share: u32,
    },
}

/// A spot in a chunk.
#[derive(Clone, Copy, Debug)]
pub enum Spot {
    /// The word at this index of the pool.
    Pool(usize),
    /// The code at this label.
    Code(usize),
}

/// A branch or literal load whose offset is filled in when all chunks have addresses.
#[derive(Clone, Copy, Debug)]
pub enum Patch {
    /// B T2 at this index, or BL in its two halfwords where B does not reach.
    Branch(usize),
    /// BL at this index.
    Link(usize),
    /// B T1 at this index, or a NOP if it does not reach.
    Conditional(usize),
    /// B T4 at this index.
    Wide(usize),
    /// B T3 at this index.
    WideConditional(usize),
    /// A literal load of some bytes at this index with an offset of 12 bits, which is kept if it stays in the image.
    Literal12(usize, u32),
    /// The same with an offset of 8 bits in words.
    Literal8(usize, u32),
    /// LDR (literal) T2 at the first index, which loads the word at the second index of the pool.
    Pool(usize, usize),
}

/// Code and pool under construction.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Its place.
    pub place: Place,
    /// The instructions.
    pub code: Vec<u16>,
    /// The pool.
    pub literals: Vec<Literal>,
    /// LDR (literal) at an index of the code, and the index of its word in the pool.
    pub loads: Vec<(usize, usize)>,
    /// Branches to the next chunk, and literal loads.
    pub patches: Vec<Patch>,
    /// Indices of the code, by label.
    labels: Vec<usize>,
}

impl Chunk {
    /// Returns an empty chunk.
    pub fn new(place: Place) -> Self {
        Self {
            place,
            code: Vec::new(),
            literals: Vec::new(),
            loads: Vec::new(),
            patches: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Returns the size in bytes with the pool; a multiple of 4.
    pub fn bytes(&self) -> u32 {
        self.pool() + 4 * self.literals.len() as u32
    }

    /// Returns the pool's offset in the chunk.
    pub fn pool(&self) -> u32 {
        self.offset(self.code.len()).next_multiple_of(4)
    }

    /// Returns the offset in the chunk of the instruction at `index` of the code.
    pub fn offset(&self, index: usize) -> u32 {
        2 * (u32::from(self.place.shifted) + index as u32)
    }

    /// Returns a new label.
    pub fn label(&mut self) -> usize {
        self.labels.push(0);
        self.labels.len() - 1
    }

    /// Sets `label` to the next instruction.
    pub fn put(&mut self, label: usize) {
        self.labels[label] = self.code.len();
    }

    /// Returns the index in the code of `label`.
    pub fn index_of(&self, label: usize) -> usize {
        self.labels[label]
    }

    /// Appends a word to the pool and returns its index.
    pub fn word(&mut self, literal: Literal) -> usize {
        self.literals.push(literal);
        self.literals.len() - 1
    }

    /// Appends an instruction of either size.
    pub fn instruction(&mut self, bits: u32) {
        if bits > 0xFFFF { self.wide(bits) } else { self.narrow(bits) }
    }

    /// Appends a 16-bit instruction.
    pub fn narrow(&mut self, bits: u32) {
        self.code.push(bits as u16);
    }

    /// Appends a 32-bit instruction.
    pub fn wide(&mut self, bits: u32) {
        self.code.extend([(bits >> 16) as u16, bits as u16]);
    }

    /// Appends code that sets `register` (not pc) to `literal` without changing the registers in the set `busy`.
    pub fn set(&mut self, register: Reg, literal: Literal, busy: u32, random: &mut Random) {
        let number = register as u32;
        let low = if number < 8 {
            number
        } else {
            loop {
                let low = random.below(8);
                if busy & 1 << low == 0 {
                    break low;
                }
            }
        };
        self.loads.push((self.code.len(), self.literals.len()));
        self.literals.push(literal);
        self.narrow(0x4800 | low << 8);
        if number >= 8 {
            self.narrow(0x4680 | low << 3 | number & 7);
        }
    }
}
