//! Generates random instruction streams: batches of some hundred instructions with their initial state.
//!
//! A stream is a sequence of chunks, placed in the image in random order and executed one after the other, each in
//! flash, its alias or RAM. All rows of the decoder's table are drawn with equal probability, and the encodings of each
//! row are visited in turn. The preparation of an instruction precedes it. The generator executes nothing: a stream
//! depends on neither implementation.

mod assembly;
mod chunk;
mod conditional;
pub mod rows;
mod rules;
mod steer;
mod transfer;

use cyclescope_cortex_m::Fpscr;
use cyclescope_cortex_m::decode::{Architecture, Instruction, Op};

use crate::arm::map::{DATA_BYTES, FIRST, FLASH_BASES, LIMIT, Region};
use crate::arm::state::{CONTROL, SINGLES, State, WORDS};
use crate::random::Random;
use chunk::{Chunk, Place};
use rows::{Encodings, Rows};
use steer::Setting;
use transfer::Transfer;

/// The bytes after which a plain branch ends a chunk.
const LONG: u32 = 360;
/// The greatest length of a chunk in bytes.
const LONGEST: u32 = LONG + 300;
/// The number of batches between two flash bases: the peer remaps when the base changes.
const BATCHES_A_BASE: usize = 64;

/// One stream with its initial state.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Code and literals.
    pub image: Vec<u8>,
    /// Data RAM at the beginning.
    pub data: Vec<u8>,
    /// Initial registers.
    pub state: State,
    /// The address of its end.
    pub end: u32,
    /// The base of flash.
    pub flash_base: u32,
    /// The architecture that it is for.
    pub architecture: Architecture,
}

/// Generates an endless sequence of batches.
#[derive(Clone)]
pub struct Generator {
    architecture: Architecture,
    random: Random,
    rows: Rows,
    walks: Vec<Encodings>,
    batches: usize,
}

impl Generator {
    /// Returns a generator whose batches depend only on `architecture` and `seed`.
    pub fn new(architecture: Architecture, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let rows = Rows::new(architecture);
        let runs = |index: &usize| rows::NOT_IN_STREAMS.iter().all(|(name, _)| *name != rows.all[*index].name);
        let walks = (0..rows.all.len()).filter(runs).map(|index| Encodings::new(&rows, index, &mut random)).collect();
        Self { architecture, random, rows, walks, batches: 0 }
    }

    /// Returns the next encoding of a random row.
    fn draw(&mut self) -> (u32, Instruction) {
        let row = self.random.below(self.walks.len() as u32) as usize;
        self.walks[row].draw(&self.rows)
    }

    /// Returns the next batch.
    pub fn batch(&mut self) -> Batch {
        let flash_base = FLASH_BASES[self.batches / BATCHES_A_BASE % FLASH_BASES.len()];
        self.batches += 1;
        let region = self.random.pick(&Region::ALL);
        let mut place = Place::anywhere_in(region, &mut self.random);
        let mut chunks = Vec::new();
        let mut room = LIMIT - FIRST;
        while room > 2 * LONGEST {
            let (chunk, next) = self.chunk(place, Setting { architecture: self.architecture, flash_base });
            room -= chunk.bytes();
            chunks.push(chunk);
            place = next;
        }
        // However the last chunk leaves, the end is near this one.
        let mut ending = Chunk::new(place);
        transfer::near(&mut ending, &mut self.random);
        chunks.push(ending);
        let image = assembly::assemble(&chunks, flash_base, &mut self.random);
        let data = (0..DATA_BYTES / 8).flat_map(|_| self.random.word().to_le_bytes()).collect();
        Batch {
            image: image.bytes,
            data,
            state: self.state(image.entry),
            end: image.end,
            flash_base,
            architecture: self.architecture,
        }
    }

    fn chunk(&mut self, place: Place, setting: Setting) -> (Chunk, Place) {
        let mut chunk = Chunk::new(place);
        loop {
            let drawn = if chunk.bytes() < LONG {
                let (bits, instruction) = self.draw();
                if instruction.op == Op::It {
                    self.conditional(&mut chunk, bits, setting)
                } else {
                    let transfer = transfer::append(&mut chunk, bits, &instruction, setting, &mut self.random);
                    if matches!(transfer, Transfer::None) {
                        steer::prepare(&mut chunk, &instruction, setting, &mut self.random);
                        steer::append(&mut chunk, bits, &instruction);
                    }
                    transfer
                }
            } else {
                transfer::near(&mut chunk, &mut self.random)
            };
            if let Transfer::Leaves(next) = drawn {
                assert!(chunk.bytes() <= LONGEST, "an IT block with what it needs takes less than 300 bytes");
                return (chunk, next);
            }
        }
    }

    fn state(&mut self, entry: u32) -> State {
        let mut words = [0; WORDS];
        for word in &mut words[..15] {
            *word = self.random.operand();
        }
        let stacks = [self.random.operand() & !3, self.random.operand() & !3];
        let process = self.random.below(2);
        words[13] = stacks[process as usize];
        let xpsr = self.random.bits() & steer::flags(self.architecture) | 1 << 24;
        words[15..=CONTROL].copy_from_slice(&[entry, xpsr, stacks[0], stacks[1], process << 1]);
        words[20] = self.random.below(2);
        if self.architecture.is_v7() {
            words[21] = self.random.below(256);
            words[22] = self.random.below(2);
        }
        if self.architecture.has_fpu() {
            let active = self.random.one_in(2);
            words[CONTROL] |= u32::from(active) << 2;
            // A new context keeps FPSCR's flags, except in the peer (see the known defects).
            let kept = if active { Fpscr::IMPLEMENTED } else { Fpscr::CONTROL };
            words[SINGLES - 1] = steer::fpscr(&mut self.random) & kept;
            for word in &mut words[SINGLES..] {
                *word = steer::single(&mut self.random);
            }
        }
        State(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_batches_and_another_makes_others() {
        let batches = |seed| {
            let mut generator = Generator::new(Architecture::Armv7EMF, seed);
            (0..20).map(|_| generator.batch().image).collect::<Vec<_>>()
        };
        assert_eq!(batches(1), batches(1));
        assert_ne!(batches(1), batches(2));
    }
}
