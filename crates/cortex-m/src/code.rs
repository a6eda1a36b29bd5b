//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block begins wherever control arrives and ends at an instruction that may leave the straight line, before a watched
//! address, or at [`LONGEST`] instructions. It carries what can be known once: cycles, instruction count, flash lines
//! crossed, the rows of the timing table it uses. The executor looks at the clock once a block; near an event it runs
//! blocks of a single instruction, which are kept in a table of their own.

use cyclescope_machine::{FlashTiming, Memory, Peripherals, RegionKind, RowSet, Width};
use cyclescope_units::Address;

use crate::decode::{self, Instruction, Op, Reg};
use crate::exec::Step;
use crate::timing::CoreTiming;

/// The most instructions a block holds, so that no block outruns the next event by much.
const LONGEST: usize = 64;

/// The most steps kept at a time, some 40 MB: a guest that jumps to every halfword of its flash gets no more. Past that
/// all blocks are forgotten and built again as they are needed.
const MOST_STEPS: usize = 1 << 20;

/// What the executor needs of an instruction only when it leaves the straight path.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where the instruction stands.
    pub pc: u32,
    /// Where the next one stands.
    pub next_pc: u32,
    /// Static cycles of the block before it.
    pub before: u32,
    /// Its own static cycles.
    pub cycles: u32,
    /// Instructions of the block before it.
    pub index: u32,
}

/// The operand of [`Op::FetchLine`]: which line, and how many static cycles of the block come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchedLine {
    /// The line's number; flash has fewer than 2^20 lines (8 MiB of 8 bytes).
    pub number: u32,
    /// Static cycles of the block before the fetch; [`LONGEST`] instructions take fewer than 2^12.
    pub before: u32,
}

impl FetchedLine {
    const BEFORE_BITS: u32 = 12;

    /// As one operand.
    pub fn pack(self) -> u32 {
        debug_assert!(self.before >> Self::BEFORE_BITS == 0 && self.number >> (32 - Self::BEFORE_BITS) == 0);
        self.number << Self::BEFORE_BITS | self.before
    }

    /// Back from an operand.
    #[inline(always)]
    pub const fn unpack(operand: u32) -> Self {
        Self { number: operand >> Self::BEFORE_BITS, before: operand & ((1 << Self::BEFORE_BITS) - 1) }
    }
}

/// A straight run of predecoded instructions.
#[derive(Clone, Debug)]
pub struct Block<P> {
    /// The instructions, with those that only charge for fetching among them.
    pub steps: Box<[Step<P>]>,
    /// For each of `steps`, its place.
    pub places: Box<[Place]>,
    /// Where the first one stands.
    pub pc: u32,
    /// Where control goes when the block ends without a branch.
    pub next_pc: u32,
    /// Static cycles of the whole block.
    pub cycles: u32,
    /// The most it can take: static cycles and every stall at its worst.
    pub worst_cycles: u32,
    /// Real instructions in it.
    pub count: u32,
    /// Whether `pc` is a watched address.
    pub watched: bool,
    /// Whether it is a single LDM, STM, PUSH or POP, which an interrupt may make the core abandon.
    pub abandonable: bool,
}

/// Whether blocks run as far as they can or stop after each instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// Whole blocks.
    Block,
    /// One instruction at a time.
    Single,
}

/// All predecoded code of a machine.
#[derive(Clone, Debug)]
pub struct Code<P> {
    blocks: Vec<Block<P>>,
    /// For each halfword of flash, RAM and the alias at zero, the block that begins there plus one; 0 if none.
    whole: Vec<u32>,
    single: Vec<u32>,
    /// The slots in use in either table, so that forgetting costs what was built and no more.
    built: Vec<usize>,
    steps: usize,
    flash_base: u32,
    flash_bytes: u32,
    ram_base: u32,
    ram_bytes: u32,
    watched: Vec<u32>,
    generation: u32,
    rows: RowSet,
}

impl<P: Peripherals> Code<P> {
    pub fn new(memory: &Memory) -> Self {
        let flash_bytes = memory.flash.bytes().len() as u32;
        let ram_bytes = memory.ram.bytes().len() as u32;
        Self {
            blocks: Vec::new(),
            whole: Vec::new(),
            single: Vec::new(),
            built: Vec::new(),
            steps: 0,
            flash_base: memory.flash.base().get(),
            flash_bytes,
            ram_base: memory.ram.base().get(),
            ram_bytes,
            watched: Vec::new(),
            generation: memory.generation(),
            rows: RowSet::default(),
        }
    }

    /// The rows of the timing table that predecoded code uses.
    pub fn rows(&self) -> RowSet {
        self.rows
    }

    /// Ends blocks before `address` from now on, so that the run can stop there.
    pub fn watch(&mut self, address: Address) {
        if !self.watched.contains(&address.get()) {
            self.watched.push(address.get());
            self.flush();
        }
    }

    /// Forgets all blocks.
    pub fn flush(&mut self) {
        self.blocks.clear();
        self.steps = 0;
        for slot in self.built.drain(..) {
            for table in [&mut self.whole, &mut self.single] {
                if let Some(entry) = table.get_mut(slot) {
                    *entry = 0;
                }
            }
        }
    }

    /// Forgets blocks that memory says are stale.
    pub fn refresh(&mut self, memory: &mut Memory) {
        let code_changed = memory.take_code_changed();
        if code_changed || memory.generation() != self.generation {
            self.generation = memory.generation();
            self.flush();
        }
    }

    /// The block at `id`.
    #[inline(always)]
    pub fn block(&self, id: usize) -> &Block<P> {
        &self.blocks[id]
    }

    /// The slot of `pc` in the entry tables: flash, then RAM, then the alias at zero.
    #[inline(always)]
    fn slot(&self, pc: u32) -> Option<usize> {
        let flash = pc.wrapping_sub(self.flash_base);
        if flash < self.flash_bytes {
            return Some((flash / 2) as usize);
        }
        let ram = pc.wrapping_sub(self.ram_base);
        if ram < self.ram_bytes {
            return Some(((self.flash_bytes + ram) / 2) as usize);
        }
        (pc < self.flash_bytes.max(self.ram_bytes)).then(|| ((self.flash_bytes + self.ram_bytes + pc) / 2) as usize)
    }

    /// The block that begins at `pc`, if it was built.
    #[inline(always)]
    pub fn find(&self, pc: u32, stride: Stride) -> Option<usize> {
        let table = match stride {
            Stride::Block => &self.whole,
            Stride::Single => &self.single,
        };
        let entry = *table.get(self.slot(pc)?)?;
        (entry as usize).checked_sub(1)
    }

    /// The whole block that begins at `pc`, if it was built: the way that is taken millions of times a second.
    #[inline(always)]
    pub fn whole_block(&self, pc: u32) -> Option<&Block<P>> {
        let entry = *self.whole.get(self.slot(pc)?)?;
        self.blocks.get(entry.wrapping_sub(1) as usize)
    }

    /// Builds the block that begins at `pc`; `None` where no memory holds code.
    #[cold]
    pub fn build(&mut self, pc: u32, stride: Stride, memory: &mut Memory, timing: &CoreTiming) -> Option<usize> {
        let slot = self.slot(pc)?;
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let block = Builder::new(memory, timing, &self.watched, &mut self.rows).build(pc, limit)?;
        if let (Some(RegionKind::Ram(from)), Some(RegionKind::Ram(to))) =
            (memory.region(pc), memory.region(block.next_pc.wrapping_sub(1)))
        {
            memory.mark_code(from, to + 1);
        }
        if self.steps + block.steps.len() > MOST_STEPS {
            self.flush();
        }
        self.steps += block.steps.len();
        let id = self.blocks.len();
        self.blocks.push(block);
        let slots = (self.flash_bytes + self.ram_bytes + self.flash_bytes.max(self.ram_bytes)) as usize / 2 + 1;
        let table = match stride {
            Stride::Block => &mut self.whole,
            Stride::Single => &mut self.single,
        };
        if table.is_empty() {
            *table = vec![0; slots];
        }
        table[slot] = id as u32 + 1;
        self.built.push(slot);
        Some(id)
    }
}

/// Builds one block.
struct Builder<'a> {
    memory: &'a Memory,
    timing: &'a CoreTiming,
    watched: &'a [u32],
    rows: &'a mut RowSet,
    flash: FlashTiming,
    instructions: Vec<Instruction>,
    places: Vec<Place>,
    cycles: u32,
    stalls: u32,
    count: u32,
}

impl<'a> Builder<'a> {
    fn new(memory: &'a Memory, timing: &'a CoreTiming, watched: &'a [u32], rows: &'a mut RowSet) -> Self {
        let flash = memory.flash.interface().timing();
        let (instructions, places) = (Vec::new(), Vec::new());
        Self { memory, timing, watched, rows, flash, instructions, places, cycles: 0, stalls: 0, count: 0 }
    }

    fn build<P: Peripherals>(mut self, start: u32, limit: usize) -> Option<Block<P>> {
        let mut pc = start;
        let mut line = None;
        while (self.count as usize) < limit && (pc == start || !self.watched.contains(&pc)) {
            let Some((instruction, size)) = self.decode(pc) else {
                // Nothing to fetch: the first instruction faults, a later one ends the block before it.
                if pc == start {
                    return None;
                }
                break;
            };
            let last = pc.wrapping_add(size - 2);
            self.fetch(pc, &mut line);
            self.fetch(last, &mut line);
            let next_pc = pc.wrapping_add(size);
            self.push(instruction, pc, next_pc);
            pc = next_pc;
            if instruction.ends_block() {
                break;
            }
        }
        let abandonable = self.count == 1 && self.instructions.last().is_some_and(Instruction::is_multiple);
        Some(Block {
            abandonable,
            steps: self.instructions.iter().copied().map(Step::new).collect(),
            places: self.places.into(),
            pc: start,
            next_pc: pc,
            cycles: self.cycles,
            worst_cycles: self.cycles + self.stalls + self.timing.cycles(self.timing.branch_taken),
            count: self.count,
            watched: self.watched.contains(&start),
        })
    }

    fn decode(&self, pc: u32) -> Option<(Instruction, u32)> {
        let first = self.memory.read(pc, Width::Half)? as u16;
        if !decode::is_wide(first) {
            return Some((decode::decode(first, 0), 2));
        }
        let second = self.memory.read(pc.wrapping_add(2), Width::Half)? as u16;
        Some((decode::decode(first, second), 4))
    }

    /// Charges for reaching a new flash line at `pc`.
    fn fetch(&mut self, pc: u32, line: &mut Option<u32>) {
        if self.flash.wait_states == 0 {
            return;
        }
        let Some(RegionKind::Flash(offset)) = self.memory.region(pc) else { return };
        let reached = self.memory.flash.interface().line(offset);
        if line.replace(reached) != Some(reached) {
            self.places.push(self.place(pc, pc, 0));
            let line = FetchedLine { number: reached, before: self.cycles };
            self.instructions.push(Instruction::new(Op::FetchLine).imm(line.pack()));
            self.stalls += self.worst_stall();
        }
    }

    /// A read that waits for a prefetch under way, then for the array.
    fn worst_stall(&self) -> u32 {
        2 * (self.flash.wait_states + 1)
    }

    fn place(&self, pc: u32, next_pc: u32, cycles: u32) -> Place {
        Place { pc, next_pc, before: self.cycles, cycles, index: self.count }
    }

    fn push(&mut self, decoded: Instruction, pc: u32, next_pc: u32) {
        let cost = (self.timing.cost)(&decoded);
        self.rows.insert(cost.row);
        if decoded.is_conditional() {
            self.rows.insert(self.timing.branch_taken);
        }
        self.places.push(self.place(pc, next_pc, cost.cycles));
        let resolved = self.resolve(decoded, pc);
        if self.flash.wait_states > 0 && resolved.reads_memory() {
            // Data may come from flash.
            self.stalls += self.worst_stall() * if resolved.is_multiple() { 9 } else { 1 };
        }
        self.instructions.push(resolved);
        self.cycles += cost.cycles;
        self.count += 1;
    }

    /// Turns what depends on the instruction's place into absolute addresses and constants.
    fn resolve(&self, decoded: Instruction, pc: u32) -> Instruction {
        let here = pc.wrapping_add(4);
        let aligned = here & !3;
        match decoded.op {
            Op::Adr => Instruction { op: Op::Constant, imm: aligned.wrapping_add(decoded.imm), ..decoded },
            Op::MovPc if decoded.rm == Reg::Pc => Instruction { op: Op::B, imm: here, ..decoded },
            Op::MovHigh if decoded.rm == Reg::Pc => Instruction { op: Op::Constant, imm: here, ..decoded },
            Op::AddHigh if decoded.rm == Reg::Pc => Instruction { op: Op::AddConstant, imm: here, ..decoded },
            Op::AddPc => Instruction { imm: here, ..decoded },
            Op::LdrLiteral => {
                let address = aligned.wrapping_add(decoded.imm);
                // Flash does not change under predecoded code: its literals are constants.
                match (self.memory.region(address), self.memory.read(address, Width::Word)) {
                    (Some(RegionKind::Flash(_)), Some(value)) => {
                        let op = if self.flash.wait_states == 0 { Op::Constant } else { Op::FlashConstant };
                        Instruction { op, imm: value, ..decoded }
                    }
                    _ => Instruction { imm: address, ..decoded },
                }
            }
            Op::B | Op::Bl => Instruction { imm: here.wrapping_add(decoded.imm), ..decoded },
            _ if decoded.is_conditional() => Instruction { imm: here.wrapping_add(decoded.imm), ..decoded },
            _ => decoded,
        }
    }
}
