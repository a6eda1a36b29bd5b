//! Predecoded code: straight runs of instructions with their summed static cycles.
//!
//! A block begins wherever control arrives and ends at an instruction that may leave the straight line, before a watched
//! address, or at [`LONGEST`] instructions. It carries what can be known once: cycles, instruction count, flash lines
//! crossed, the rows of the timing table it uses. The executor looks at the clock once a block; near an event it runs
//! blocks of a single instruction, which are kept in a table of their own.

use std::collections::HashMap;

use cyclescope_machine::{FlashTiming, Memory, Peripherals, RegionKind, RowSet, Width};
use cyclescope_units::Address;

use crate::cpu::{Config, Entry};
use crate::decode::{self, Flags, Guard, Instruction, InstructionSet, Op, Reg};
use crate::exec::Step;
use crate::timing::{Context, CoreTiming};

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
    /// How to begin with it, if it is tried again.
    pub entry: Entry,
    /// How to go on after it.
    pub next: Entry,
}

/// The operand of [`Op::FetchLine`]: which line, and how many static cycles of the block come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchedLine {
    /// The line's number; flash has fewer than 2^20 lines (8 MiB of 8 bytes).
    pub number: u32,
    /// Static cycles of the block before the fetch; the builder ends a block before they reach 2^12.
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
    /// What it was checked under to run unchecked: [`WATCHED`], or what the MPU's settings and the privilege come to.
    pub key: u32,
    /// Whether it is a single instruction that an interrupt may cut short: a load or store of several registers, or a
    /// division.
    pub abandonable: bool,
}

/// The key of a block that begins at a watched address: none that code runs under.
pub const WATCHED: u32 = u32::MAX;

impl<P> Block<P> {
    /// Whether it begins at a watched address.
    pub fn watched(&self) -> bool {
        self.key == WATCHED
    }
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
    /// Single instructions that begin otherwise than after a branch.
    entered: HashMap<(u32, Entry), usize>,
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
    instructions: &'static InstructionSet,
    timing: &'static CoreTiming,
    /// Whether data accesses are shown to the MPU.
    guarded: bool,
}

impl<P: Peripherals> Code<P> {
    pub fn new(config: &Config, memory: &Memory) -> Self {
        let flash_bytes = memory.flash.bytes().len() as u32;
        let ram_bytes = memory.ram.bytes().len() as u32;
        Self {
            blocks: Vec::new(),
            whole: Vec::new(),
            single: Vec::new(),
            entered: HashMap::new(),
            built: Vec::new(),
            steps: 0,
            flash_base: memory.flash.base().get(),
            flash_bytes,
            ram_base: memory.ram.base().get(),
            ram_bytes,
            watched: Vec::new(),
            generation: memory.generation(),
            rows: RowSet::default(),
            instructions: config.architecture.instructions(),
            timing: config.timing,
            guarded: false,
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
        self.entered.clear();
        self.steps = 0;
        for slot in self.built.drain(..) {
            for table in [&mut self.whole, &mut self.single] {
                if let Some(entry) = table.get_mut(slot) {
                    *entry = 0;
                }
            }
        }
    }

    /// Forgets blocks that memory says are stale, or that do not ask the MPU as they should.
    pub fn refresh(&mut self, memory: &mut Memory, guarded: bool) {
        let code_changed = memory.take_code_changed();
        if code_changed || memory.generation() != self.generation || guarded != self.guarded {
            self.generation = memory.generation();
            self.guarded = guarded;
            self.flush();
        }
    }

    /// The block at `id`, to say what it was checked under.
    pub fn block_mut(&mut self, id: usize) -> &mut Block<P> {
        &mut self.blocks[id]
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

    /// The single instruction at `pc`, begun as `entry` says.
    pub fn find_entered(&self, pc: u32, entry: Entry) -> Option<usize> {
        self.entered.get(&(pc, entry)).copied()
    }

    /// Builds the block that begins at `pc`; `None` where no memory holds code.
    #[cold]
    pub fn build(&mut self, pc: u32, stride: Stride, memory: &mut Memory) -> Option<usize> {
        let slot = self.slot(pc)?;
        let limit = if stride == Stride::Single { 1 } else { LONGEST };
        let id = self.add(pc, limit, Entry::PLAIN, memory)?;
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

    /// Builds the single instruction at `pc` begun as `entry` says; `None` where no memory holds code.
    #[cold]
    pub fn build_entered(&mut self, pc: u32, entry: Entry, memory: &mut Memory) -> Option<usize> {
        self.slot(pc)?;
        let id = self.add(pc, 1, entry, memory)?;
        self.entered.insert((pc, entry), id);
        Some(id)
    }

    fn add(&mut self, pc: u32, limit: usize, entry: Entry, memory: &mut Memory) -> Option<usize> {
        let builder = Builder {
            memory,
            instruction_set: self.instructions,
            timing: self.timing,
            watched: &self.watched,
            rows: &mut self.rows,
            flash: memory.flash.interface().timing(),
            instructions: Vec::new(),
            places: Vec::new(),
            line: None,
            cycles: 0,
            extra: 0,
            count: 0,
        };
        let block = builder.build(pc, limit, entry, self.guarded)?;
        if let (Some(RegionKind::Ram(from)), Some(RegionKind::Ram(to))) =
            (memory.region(pc), memory.region(block.next_pc.wrapping_sub(1)))
        {
            memory.mark_code(from, to + 1);
        }
        if self.steps + block.steps.len() > MOST_STEPS {
            self.flush();
        }
        self.steps += block.steps.len();
        self.blocks.push(block);
        Some(self.blocks.len() - 1)
    }
}

/// The state of an IT block after one of its instructions (ITAdvance(), DDI 0403E §A7.3.3).
const fn advance(it: u8) -> u8 {
    if it & 7 == 0 { 0 } else { it & 0xE0 | it << 1 & 0x1F }
}

/// An instruction as it stands at its place.
#[derive(Clone, Copy)]
struct Placed {
    i: Instruction,
    pc: u32,
    next_pc: u32,
    wide: bool,
    /// EPSR.IT as it begins.
    it: u8,
}

impl Placed {
    /// Whether it is executed only if a condition holds. BKPT always is (DDI 0403E §A7.7.17).
    fn is_guarded(&self) -> bool {
        self.it & 0xF != 0 && self.it >> 4 < 14 && self.i.op != Op::Bkpt
    }

    fn next_it(&self) -> u8 {
        if self.i.op == Op::It { self.i.imm as u8 } else { advance(self.it) }
    }
}

/// Builds one block.
struct Builder<'a> {
    memory: &'a Memory,
    instruction_set: &'static InstructionSet,
    timing: &'static CoreTiming,
    watched: &'a [u32],
    rows: &'a mut RowSet,
    flash: FlashTiming,
    instructions: Vec<Instruction>,
    places: Vec<Place>,
    line: Option<u32>,
    cycles: u32,
    /// The most that stalls and operands may add.
    extra: u32,
    count: u32,
}

impl Builder<'_> {
    fn build<P: Peripherals>(mut self, start: u32, limit: usize, entry: Entry, guarded: bool) -> Option<Block<P>> {
        // Nothing to fetch: the first instruction faults, a later one ends the block before it.
        let it = if entry.continues_at().is_some() { 0 } else { entry.it };
        let mut placed = self.place_at(start, it)?;
        if let Some(register) = entry.continues_at() {
            placed.i = placed.i.continued(register);
        }
        let mut context = self.context(&placed, None);
        let mut adjust = entry.adjust;
        let next = loop {
            let next = self.place_at(placed.next_pc, placed.next_it());
            let next_context = next.map(|next| self.context(&next, Some(&placed)));
            let next_adjust = match (next, next_context) {
                (Some(next), Some(context)) if !placed.i.ends_block() => self.adjust(&next, &context),
                _ => 0,
            };
            let after = Entry { it: placed.next_it(), adjust: next_adjust };
            self.push(&placed, &context, adjust, after);
            if placed.i.ends_block() {
                break placed.next_pc;
            }
            let full = self.count as usize >= limit || self.cycles >= 1 << 11;
            match next.zip(next_context).filter(|_| !full && !self.watched.contains(&placed.next_pc)) {
                Some((next, next_context)) => (placed, context, adjust) = (next, next_context, 0),
                None => {
                    self.enter_with(&placed, after);
                    break placed.next_pc;
                }
            }
        };
        if entry.continues_at().is_some() {
            // Should it fault, it is tried again from where it was.
            self.places.iter_mut().for_each(|place| place.entry = Entry { adjust: 0, ..entry });
        }
        let single = self.count == 1;
        let only = |test: fn(&Instruction) -> bool| single && self.instructions.iter().any(test);
        Some(Block {
            abandonable: only(Instruction::is_multiple) || only(Instruction::is_division),
            steps: self.instructions.iter().map(|i| Step::new(*i, guarded)).collect(),
            places: self.places.into(),
            pc: start,
            next_pc: next,
            cycles: self.cycles,
            worst_cycles: self.cycles + self.extra,
            count: self.count,
            key: if self.watched.contains(&start) { WATCHED } else { 0 },
        })
    }

    /// The instruction at `pc`, with an IT block's effect on it.
    fn place_at(&self, pc: u32, it: u8) -> Option<Placed> {
        let (decoded, size) = self.decode(pc)?;
        let i = if it & 0xF != 0 && size == 2 { decode::inside_it(decoded) } else { decoded };
        Some(Placed { i, pc, next_pc: pc.wrapping_add(size), wide: size == 4, it })
    }

    /// What `placed` costs depends on this; `previous` stands right before it.
    fn context(&self, placed: &Placed, previous: Option<&Placed>) -> Context {
        // Whether one under a condition was executed is not known here; it is taken for one that leaves no trace.
        let previous = previous.filter(|previous| !previous.is_guarded());
        let target_unaligned = self.target(placed).is_some_and(|target| {
            let first = self.memory.read(target, Width::Half);
            target & 2 != 0 && first.is_some_and(|first| decode::is_wide(first as u16))
        });
        Context {
            previous: previous.map(|previous| previous.i),
            previous_wide: previous.is_some_and(|previous| previous.wide),
            wide: placed.wide,
            target_unaligned,
        }
    }

    /// Where a direct branch goes.
    fn target(&self, placed: &Placed) -> Option<u32> {
        let i = &placed.i;
        let direct = matches!(i.op, Op::B | Op::Bl | Op::Cbz | Op::Cbnz) || i.is_conditional();
        direct.then(|| placed.pc.wrapping_add(4).wrapping_add(i.imm))
    }

    /// What the one before `placed` adds to its cost.
    fn adjust(&self, placed: &Placed, context: &Context) -> i8 {
        let alone = Context { previous: None, previous_wide: false, ..*context };
        let cycles = |context: &Context| (self.timing.cost)(&placed.i, context).cycles as i32;
        (cycles(context) - cycles(&alone)) as i8
    }

    /// A step that says how to go on.
    fn enter_with(&mut self, placed: &Placed, entry: Entry) {
        if entry != Entry::PLAIN {
            self.places.push(self.place(placed, 0, entry));
            self.instructions.push(Instruction::new(Op::SetEntry).imm(entry.pack()));
        }
    }

    fn decode(&self, pc: u32) -> Option<(Instruction, u32)> {
        let first = self.memory.read(pc, Width::Half)? as u16;
        if !decode::is_wide(first) {
            return Some((self.instruction_set.decode(first, 0), 2));
        }
        let second = self.memory.read(pc.wrapping_add(2), Width::Half)? as u16;
        Some((self.instruction_set.decode(first, second), 4))
    }

    /// Charges for reaching a new flash line at `pc`.
    fn fetch(&mut self, pc: u32, placed: &Placed) {
        if self.flash.wait_states == 0 {
            return;
        }
        let Some(RegionKind::Flash(offset)) = self.memory.region(pc) else { return };
        let reached = self.memory.flash.interface().line(offset);
        if self.line.replace(reached) != Some(reached) {
            self.places.push(self.place(placed, 0, Entry::PLAIN));
            let line = FetchedLine { number: reached, before: self.cycles };
            self.instructions.push(Instruction::new(Op::FetchLine).imm(line.pack()));
            self.extra += self.worst_stall();
        }
    }

    /// A read that waits for a prefetch under way, then for the array.
    fn worst_stall(&self) -> u32 {
        2 * (self.flash.wait_states + 1)
    }

    fn place(&self, placed: &Placed, cycles: u32, next: Entry) -> Place {
        let entry = Entry { it: placed.it, adjust: 0 };
        Place { pc: placed.pc, next_pc: placed.next_pc, before: self.cycles, cycles, index: self.count, entry, next }
    }

    fn push(&mut self, placed: &Placed, context: &Context, adjust: i8, after: Entry) {
        self.fetch(placed.pc, placed);
        self.fetch(placed.next_pc.wrapping_sub(2), placed);
        let decoded = placed.i;
        let cost = (self.timing.cost)(&decoded, context);
        self.rows.insert(cost.row);
        (self.timing.also)(&decoded, context, self.rows);
        let cycles = cost.cycles.saturating_add_signed(i32::from(adjust));
        let mut resolved = self.resolve(decoded, placed);
        if cost.taken > 0 {
            resolved.rd = Reg::new(cost.taken);
        }
        if decoded.ends_block() {
            // It may never get to a step of its own after it.
            self.enter_with(placed, Entry { it: after.it, adjust: 0 });
        }
        if placed.is_guarded() {
            let guard =
                Guard { condition: u32::from(placed.it >> 4), saved: cycles.saturating_sub(self.timing.skipped) };
            self.places.push(self.place(placed, cycles, after));
            self.instructions.push(Instruction::new(Op::Guard).imm(guard.pack()));
        }
        self.extra += cost.taken + cost.most_extra;
        if self.flash.wait_states > 0 && resolved.reads_memory() {
            // Data may come from flash, in up to three pieces if it is not aligned.
            self.extra += self.worst_stall() * if resolved.is_multiple() { 32 } else { 3 };
        }
        self.places.push(self.place(placed, cycles, after));
        self.instructions.push(resolved);
        self.cycles += cycles;
        self.count += 1;
        if resolved.rd == Reg::Sp && resolved.writes_rd() && !matches!(resolved.op, Op::AddHigh | Op::AddConstant) {
            self.places.push(self.place(placed, 0, after));
            self.instructions.push(Instruction::new(Op::AlignSp));
        }
    }

    /// Turns what depends on the instruction's place into absolute addresses and constants.
    fn resolve(&self, decoded: Instruction, placed: &Placed) -> Instruction {
        let here = placed.pc.wrapping_add(4);
        let aligned = here & !3;
        let constant = |imm| Instruction { op: Op::Constant, imm, ..decoded };
        match decoded.op {
            Op::Adr => constant(aligned.wrapping_add(decoded.imm)),
            Op::MovPc if decoded.rm == Reg::Pc => Instruction { op: Op::B, imm: here, ..decoded },
            Op::MovHigh if decoded.rm == Reg::Pc => constant(here),
            Op::MovConst if Flags::unpack(decoded.rm) == Flags::Keep => constant(decoded.imm),
            Op::AddHigh if decoded.rm == Reg::Pc => Instruction { op: Op::AddConstant, imm: here, ..decoded },
            Op::AddPc => Instruction { imm: here, ..decoded },
            Op::LdrLiteral => {
                let address = aligned.wrapping_add(decoded.imm);
                // Flash does not change under predecoded code: its literals are constants.
                match (self.memory.region(address), self.memory.read(address, Width::Word)) {
                    (Some(RegionKind::Flash(_)), Some(value)) if self.flash.wait_states == 0 => constant(value),
                    (Some(RegionKind::Flash(offset)), Some(_)) => {
                        Instruction { op: Op::FlashConstant, imm: offset, ..decoded }
                    }
                    _ => Instruction { imm: address, ..decoded },
                }
            }
            Op::LdrhLiteral
            | Op::LdrbLiteral
            | Op::LdrshLiteral
            | Op::LdrsbLiteral
            | Op::LdrdLiteral
            | Op::LdrPcLiteral => Instruction { imm: aligned.wrapping_add(decoded.imm), ..decoded },
            _ => match self.target(placed) {
                Some(target) => Instruction { imm: target, ..decoded },
                None => decoded,
            },
        }
    }
}
