//! Predecoded code, whatever its instruction set: blocks by the address they begin at, and who follows whom.
//!
//! What a block is, and how one is built, is the core's. Here stands what cores have in common: where blocks are found,
//! which addresses are watched, when what is kept is stale, and how much is kept at most. Instructions begin at even
//! addresses.

use cyclescope_units::Address;

use crate::Memory;

/// The most steps kept at a time, some 40 MB: a guest that jumps to every halfword of its flash gets no more. Past that
/// all blocks are forgotten and built again as they are needed.
const MOST_STEPS: usize = 1 << 20;

/// No successor: no code is at an odd address.
const NO_SUCCESSOR: (u32, u32) = (u32::MAX, 0);

/// Where control went from a block before, and which blocks are there, the latest first.
#[derive(Clone, Copy, Debug)]
pub struct Successors([(u32, u32); 2]);

impl Default for Successors {
    fn default() -> Self {
        Self([NO_SUCCESSOR; 2])
    }
}

impl Successors {
    /// The block at `pc`, if it came next before.
    #[inline(always)]
    pub fn at(&self, pc: u32) -> Option<usize> {
        let [(latest, id), (earlier, other)] = self.0;
        if latest == pc {
            Some(id as usize)
        } else if earlier == pc {
            Some(other as usize)
        } else {
            None
        }
    }

    /// The block `id` at `pc` came next.
    fn follow(&mut self, pc: u32, id: usize) {
        self.0 = [(pc, id as u32), self.0[0]];
    }
}

/// A straight run of predecoded instructions, as far as [`Blocks`] must know it.
pub trait Block {
    /// How many steps it keeps.
    fn steps(&self) -> usize;
    /// What came after it.
    fn successors(&mut self) -> &mut Successors;
}

/// Whether blocks run as far as they can or stop after each instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// Whole blocks.
    Block,
    /// One instruction at a time.
    Single,
    /// Whole blocks with marks, for an observer ([`Layout`](crate::Layout)).
    Marked,
}

/// All blocks of a machine. An id is good until [`Blocks::flush`].
#[derive(Clone, Debug)]
pub struct Blocks<B> {
    blocks: Vec<B>,
    /// For each halfword of flash, RAM and the alias at zero, the block that begins there plus one; 0 if none.
    whole: Vec<u32>,
    single: Vec<u32>,
    marked: Vec<u32>,
    /// The set of an observer's that the marked blocks are of; 0 if there are none.
    layout: u64,
    /// The slots in use in any table, so that forgetting costs what was built and no more.
    built: Vec<usize>,
    steps: usize,
    flash_base: u32,
    flash_bytes: u32,
    ram_base: u32,
    ram_bytes: u32,
    /// What can appear at zero.
    zero_bytes: u32,
    watched: Vec<u32>,
    generation: u32,
}

impl<B: Block> Blocks<B> {
    /// None yet, of the code in `memory`.
    pub fn new(memory: &Memory) -> Self {
        Self {
            blocks: Vec::new(),
            whole: Vec::new(),
            single: Vec::new(),
            marked: Vec::new(),
            layout: 0,
            built: Vec::new(),
            steps: 0,
            flash_base: memory.flash.base().get(),
            flash_bytes: memory.flash.bytes().len() as u32,
            ram_base: memory.ram.base().get(),
            ram_bytes: memory.ram.bytes().len() as u32,
            zero_bytes: memory.most_at_zero() as u32,
            watched: Vec::new(),
            generation: memory.generation(),
        }
    }

    /// The addresses before which blocks are to end.
    pub fn watched(&self) -> &[u32] {
        &self.watched
    }

    /// Whether blocks are to end before `address`.
    pub fn watches(&self, address: u32) -> bool {
        self.watched.contains(&address)
    }

    /// Has blocks end before `address` from now on, so that the run can stop there; `true` if they did not before, and
    /// what was built is to be flushed.
    #[must_use]
    pub fn watch(&mut self, address: Address) -> bool {
        let newly = !self.watches(address.get());
        if newly {
            self.watched.push(address.get());
        }
        newly
    }

    /// Has blocks end before `addresses` and nowhere else from now on; what was built is to be flushed.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.watched.clear();
        self.watched.extend_from_slice(addresses);
    }

    /// Whether memory says that what was built is stale.
    pub fn is_stale(&self, memory: &Memory) -> bool {
        memory.code_changed() || memory.generation() != self.generation
    }

    /// The same, and takes note: what was built is to be flushed.
    #[must_use]
    pub fn take_stale(&mut self, memory: &mut Memory) -> bool {
        let stale = self.is_stale(memory);
        memory.take_code_changed();
        self.generation = memory.generation();
        stale
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.clear();
        self.steps = 0;
        self.layout = 0;
        for slot in self.built.drain(..) {
            for table in [&mut self.whole, &mut self.single, &mut self.marked] {
                if let Some(entry) = table.get_mut(slot) {
                    *entry = 0;
                }
            }
        }
    }

    /// The block `id`.
    #[inline(always)]
    pub fn get(&self, id: usize) -> &B {
        &self.blocks[id]
    }

    /// The block `id`, to change what the core keeps in it.
    pub fn get_mut(&mut self, id: usize) -> &mut B {
        &mut self.blocks[id]
    }

    /// The slot of `pc` in the tables: flash, then RAM, then the alias at zero; `None` where no code can be.
    #[inline(always)]
    pub fn slot(&self, pc: u32) -> Option<usize> {
        let flash = pc.wrapping_sub(self.flash_base);
        if flash < self.flash_bytes {
            return Some((flash / 2) as usize);
        }
        let ram = pc.wrapping_sub(self.ram_base);
        if ram < self.ram_bytes {
            return Some(((self.flash_bytes + ram) / 2) as usize);
        }
        (pc < self.zero_bytes).then(|| ((self.flash_bytes + self.ram_bytes + pc) / 2) as usize)
    }

    /// The block that begins at `pc`, if it was built.
    #[inline(always)]
    pub fn find(&self, pc: u32, stride: Stride) -> Option<usize> {
        let table = match stride {
            Stride::Block => &self.whole,
            Stride::Single => &self.single,
            Stride::Marked => &self.marked,
        };
        let entry = *table.get(self.slot(pc)?)?;
        (entry as usize).checked_sub(1)
    }

    /// The set of an observer's that the marked blocks are of; 0 if there are none.
    #[inline(always)]
    pub fn layout(&self) -> u64 {
        self.layout
    }

    /// Marked blocks are of the observer's set `layout` from now on; what was built is forgotten.
    pub fn lay_out(&mut self, layout: u64) {
        self.flush();
        self.layout = layout;
    }

    /// The block that begins at `pc`, if it was built as the block `id` was, after which it comes and which remembers it.
    pub fn link(&mut self, id: usize, pc: u32, stride: Stride) -> Option<usize> {
        let next = self.find(pc, stride)?;
        self.blocks[id].successors().follow(pc, next);
        Some(next)
    }

    /// Whether `block` is more than may be kept: then all are to be flushed before it is added.
    pub fn is_full_for(&self, block: &B) -> bool {
        self.steps + block.steps() > MOST_STEPS
    }

    /// Keeps `block`, which is found by its id only.
    pub fn add(&mut self, block: B) -> usize {
        self.steps += block.steps();
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Lets the block `id` be found at the `slot` of the address it begins at.
    pub fn enter(&mut self, id: usize, slot: usize, stride: Stride) {
        let slots = (self.flash_bytes + self.ram_bytes + self.zero_bytes) as usize / 2 + 1;
        let table = match stride {
            Stride::Block => &mut self.whole,
            Stride::Single => &mut self.single,
            Stride::Marked => &mut self.marked,
        };
        if table.is_empty() {
            *table = vec![0; slots];
        }
        table[slot] = id as u32 + 1;
        self.built.push(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default)]
    struct Dummy(Successors, usize);

    impl Block for Dummy {
        fn steps(&self) -> usize {
            self.1
        }

        fn successors(&mut self) -> &mut Successors {
            &mut self.0
        }
    }

    const FLASH: u32 = 0x0800_0000;
    const RAM: u32 = 0x2000_0000;

    fn memory() -> Memory {
        let mut memory = Memory::new(Address::new(FLASH), vec![0; 64], Address::new(RAM), 128);
        memory.map_at_zero(crate::AtZero::Flash);
        memory
    }

    fn built(blocks: &mut Blocks<Dummy>, pc: u32, stride: Stride) -> usize {
        let slot = blocks.slot(pc).unwrap();
        let id = blocks.add(Dummy(Successors::default(), 1));
        blocks.enter(id, slot, stride);
        id
    }

    #[test]
    fn every_halfword_of_code_has_a_place_of_its_own() {
        let mut blocks = Blocks::new(&memory());
        let places = [(0, 128), (FLASH, 64), (RAM, 128)];
        let all: Vec<u32> = places.iter().flat_map(|&(from, bytes)| (from..from + bytes).step_by(2)).collect();
        let ids: Vec<usize> = all.iter().map(|pc| built(&mut blocks, *pc, Stride::Block)).collect();
        for (pc, id) in all.iter().zip(ids) {
            assert_eq!(blocks.find(*pc, Stride::Block), Some(id), "{pc:#x}");
            assert_eq!(blocks.find(*pc, Stride::Single), None);
        }
        for outside in [128, FLASH - 2, FLASH + 64, RAM - 2, RAM + 128, u32::MAX - 1] {
            assert_eq!((blocks.slot(outside), blocks.find(outside, Stride::Block)), (None, None), "{outside:#x}");
        }
    }

    #[test]
    fn a_block_knows_the_last_two_that_followed_and_forgets_them_with_the_rest() {
        let mut blocks = Blocks::new(&memory());
        let [first, second, third, fourth] = [0, 2, 4, 6].map(|offset| built(&mut blocks, RAM + offset, Stride::Block));
        assert_eq!(blocks.get(first).0.at(RAM + 2), None);
        assert_eq!(blocks.link(first, RAM + 8, Stride::Block), None, "not built");
        for (offset, id) in [(2, second), (4, third), (6, fourth)] {
            assert_eq!(blocks.link(first, RAM + offset, Stride::Block), Some(id));
        }
        let successors = [2, 4, 6].map(|offset| blocks.get(first).0.at(RAM + offset));
        assert_eq!(successors, [None, Some(third), Some(fourth)]);
        blocks.flush();
        assert_eq!(blocks.find(RAM, Stride::Block), None);
        let anew = built(&mut blocks, RAM + 6, Stride::Block);
        assert_eq!(blocks.get(anew).0.at(RAM + 4), None);
    }

    #[test]
    fn what_is_kept_is_stale_once_and_never_too_much() {
        let mut memory = memory();
        let mut blocks: Blocks<Dummy> = Blocks::new(&memory);
        assert!(!blocks.take_stale(&mut memory));
        memory.program_flash(0, &[1]);
        assert!(blocks.is_stale(&memory) && blocks.take_stale(&mut memory) && !blocks.take_stale(&mut memory));
        memory.mark_code(0, 4);
        memory.write(RAM, crate::Width::Half, 1);
        assert!(blocks.is_stale(&memory) && blocks.take_stale(&mut memory) && !blocks.take_stale(&mut memory));
        blocks.add(Dummy(Successors::default(), MOST_STEPS - 1));
        assert!(!blocks.is_full_for(&Dummy(Successors::default(), 1)));
        assert!(blocks.is_full_for(&Dummy(Successors::default(), 2)));
        assert!(blocks.watch(Address::new(RAM)) && !blocks.watch(Address::new(RAM)) && blocks.watches(RAM));
        blocks.watch_only(&[FLASH]);
        assert_eq!(blocks.watched(), [FLASH]);
    }
}
