//! A chunk: straight code with the literals it loads, ending in a transfer to the next chunk of the stream.

use cyclescope_cortex_m::decode::Reg;

use crate::map::Region;
use crate::random::Random;

/// Where a chunk runs and how its first instruction is aligned.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// In which copy of the image.
    pub region: Region,
    /// Whether an unused halfword stands before its first instruction, which then is not word-aligned.
    pub shifted: bool,
}

impl Place {
    /// A place in `region`, with either alignment.
    pub fn anywhere_in(region: Region, random: &mut Random) -> Self {
        Self { region, shifted: random.one_in(2) }
    }
}

/// A word in a chunk's pool.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// This value.
    Value(u32),
    /// The address of the next chunk's first instruction, exclusive-or this.
    Next(u32),
    /// The same, less the value that pc has in the instruction at this label.
    NextLess(usize, u32),
    /// An address in the chunk, less a number, divided so that `share` times the word is the whole.
    Here {
        /// Which.
        spot: Spot,
        /// What is taken off.
        less: u32,
        /// 1, 2 (of even addresses), or an odd number.
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

/// A branch or literal load whose offset is known once all chunks have their place.
#[derive(Clone, Copy, Debug)]
pub enum Patch {
    /// B T2 at this index, or BL in its two halfwords where B does not reach.
    Branch(usize),
    /// BL at this index.
    Link(usize),
    /// B T1 at this index, or a NOP where it does not reach.
    Conditional(usize),
    /// B T4 at this index.
    Wide(usize),
    /// B T3 at this index.
    WideConditional(usize),
    /// A literal load at this index of so many bytes with an offset of 12 bits, which is kept where it stays in the image.
    Literal12(usize, u32),
    /// The same with an offset of 8 bits that counts words.
    Literal8(usize, u32),
    /// LDR (literal) T2 at the first index, of the word at the second index of the pool.
    Pool(usize, usize),
}

/// Code and pool under construction.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Where it runs.
    pub place: Place,
    /// The instructions.
    pub code: Vec<u16>,
    /// The pool.
    pub literals: Vec<Literal>,
    /// LDR (literal) at an index of the code, and the index of its word in the pool.
    pub loads: Vec<(usize, usize)>,
    /// Branches to the next chunk, and literal loads.
    pub patches: Vec<Patch>,
    /// Indices of the code.
    labels: Vec<usize>,
}

impl Chunk {
    /// An empty chunk.
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

    /// Its size in bytes, the pool included; a multiple of 4.
    pub fn bytes(&self) -> u32 {
        self.pool() + 4 * self.literals.len() as u32
    }

    /// The offset of the pool in the chunk.
    pub fn pool(&self) -> u32 {
        self.offset(self.code.len()).next_multiple_of(4)
    }

    /// The offset in the chunk of the instruction at `index` of the code.
    pub fn offset(&self, index: usize) -> u32 {
        2 * (u32::from(self.place.shifted) + index as u32)
    }

    /// A label, to be put somewhere.
    pub fn label(&mut self) -> usize {
        self.labels.push(0);
        self.labels.len() - 1
    }

    /// Puts `label` at what is appended next.
    pub fn put(&mut self, label: usize) {
        self.labels[label] = self.code.len();
    }

    /// The index of the code where `label` was put.
    pub fn index_of(&self, label: usize) -> usize {
        self.labels[label]
    }

    /// Appends a word to the pool; its index there.
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

    /// Appends what sets `register` (not pc) to `literal` without touching the registers in the set `busy`.
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
