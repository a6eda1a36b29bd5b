//! From memory to blocks: decoding, where they go on, IT blocks, costs in their context, flash lines, addresses resolved.
//!
//! In flash, and while the MPU is off, a block goes on at the target of B and BL, and behind a conditional branch forwards,
//! which leaves it where it is taken. Elsewhere a block is one straight run: what is made from code that may change, or
//! what the MPU is asked of, is one range of addresses.

mod fetches;

use cyclescope_engine::{self as engine, Draft};
use cyclescope_machine::{FlashTiming, Memory, RegionKind, RowSet, SimpleAccess, Width};

use super::block::{Alone, BlockDetail, FetchRun, Place, PlaceDetail, Word};
use super::memories;
use crate::cpu::{Config, Cpu, Entry, Neighbour};
use crate::decode::shape::{Shape, shape};
use crate::decode::{self, Flags, Guard, Instruction, InstructionSet, Op, Reg};
use crate::timing::{Context, CoreTiming, on_system_bus, overlaps, redirect};

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
    /// The address that counts for timing in place of `pc`.
    at: u32,
    wide: bool,
    /// EPSR.IT as it begins.
    it: u8,
}

impl Placed {
    /// Says whether it is executed only if a condition holds. BKPT always is (DDI 0403E §A7.7.17).
    fn is_guarded(&self) -> bool {
        self.it & 0xF != 0 && self.it >> 4 < 14 && self.i.op != Op::Bkpt
    }

    /// The address behind it that counts for timing.
    fn next_at(&self) -> u32 {
        self.at.wrapping_add(if self.wide { 4 } else { 2 })
    }

    fn next_it(&self) -> u8 {
        if self.i.op == Op::It { self.i.imm as u8 } else { advance(self.it) }
    }

    /// Tells whether it branches, perhaps only under a condition.
    fn branches(&self) -> bool {
        redirect(&self.i).is_some()
    }

    /// Tells whether it may go straight on.
    fn may_go_straight_on(&self) -> bool {
        !self.branches() || self.is_conditional() || self.is_guarded()
    }

    /// Tells whether it is a branch that tests something itself.
    fn is_conditional(&self) -> bool {
        self.i.is_conditional() || matches!(self.i.op, Op::Cbz | Op::Cbnz)
    }
}

/// Tells whether a branch stands at `pc` whose second half is in the next word.
pub(crate) fn is_branch_across(memory: &Memory, instructions: &InstructionSet, pc: u32) -> bool {
    let halves = [pc, pc.wrapping_add(2)].map(|address| memory.read(address, Width::Half));
    let [Some(first), Some(second)] = halves else { return false };
    pc & 2 != 0
        && decode::is_wide(first as u16)
        && redirect(&instructions.decode(first as u16, second as u16)).is_some()
}

/// The way in which a block goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onward {
    /// Straight on.
    Straight,
    /// Straight on unless the instruction, a conditional branch, is taken.
    Untaken,
    /// At the target of a branch that is always taken.
    Target(u32),
    /// Not at all.
    Ends,
}

/// Builds one block.
pub(crate) struct Builder<'d, 'a> {
    draft: &'d mut Draft<'a, Instruction, PlaceDetail>,
    instruction_set: &'static InstructionSet,
    timing: &'static CoreTiming,
    /// Accesses need not be aligned.
    unaligned: bool,
    flash: FlashTiming,
    /// Fetching begins at what is added next; if so, tells whether a branch inside the block went there.
    arrives: Option<bool>,
    /// The last flash line that was asked for, and the last that was waited for.
    asked: u32,
    awaited: u32,
    /// The runs of fetches, and whether more may join the last.
    runs: Vec<FetchRun>,
    joins: bool,
    /// The number of times that fetches are waited for.
    waits: u32,
    /// The block goes on past branches.
    passes: bool,
    /// The block may have been left before what comes next.
    left: bool,
}

impl<'d, 'a> Builder<'d, 'a> {
    pub(crate) fn new(draft: &'d mut Draft<'a, Instruction, PlaceDetail>, config: &Config) -> Self {
        Self {
            instruction_set: config.architecture.instructions(),
            timing: config.timing,
            unaligned: config.architecture.is_v7(),
            flash: draft.memory.flash.interface().timing(),
            draft,
            arrives: Some(false),
            asked: 0,
            awaited: 0,
            runs: Vec::new(),
            joins: false,
            waits: 0,
            passes: false,
            left: false,
        }
    }

    /// Builds the block, begun as `entry` says, and if `guarded` with data accesses shown to the MPU. Returns the address behind it
    /// and its detail; `None` where nothing can be fetched.
    pub(crate) fn build(mut self, entry: Entry, guarded: bool) -> Option<(u32, BlockDetail)> {
        let start = self.draft.pc;
        // Nothing to fetch: the first instruction faults, a later one ends the block before it.
        let it = if entry.continues_at().is_some() { 0 } else { entry.it };
        let mut placed = self.place_at(start, it)?;
        if let Some(register) = entry.continues_at() {
            placed.i = placed.i.continued(register);
        }
        let mut context = self.context(&placed, None);
        let mut inherited = entry.neighbour;
        self.passes = !guarded && self.in_flash(start);
        let end = loop {
            let full = self.draft.count() + 1 >= self.draft.limit() || self.draft.cycles >= 1 << 11;
            let onward = self.onward(&placed);
            let next = match onward {
                Onward::Straight | Onward::Untaken => self.place_at(placed.next_pc, placed.next_it()),
                Onward::Target(target) => self.place_at(target, 0),
                Onward::Ends => None,
            };
            // What is fetched behind it, unless it branches.
            let follower = match onward {
                Onward::Straight | Onward::Untaken => next,
                Onward::Ends if placed.may_go_straight_on() => self.place_at(placed.next_pc, placed.next_it()),
                Onward::Target(_) | Onward::Ends => None,
            };
            // Behind a branch, taken or not, the pipeline has nothing before it.
            let before = (onward == Onward::Straight).then_some(&placed);
            let next = next.map(|next| (next, self.context(&next, before)));
            let next_adjust = match &next {
                Some((next, context)) if onward == Onward::Straight => self.adjust(next, context),
                _ => 0,
            };
            let chained = match &next {
                Some((next, context)) if onward == Onward::Straight => self.chains(&placed, next, context),
                _ => false,
            };
            let after = Entry { it: placed.next_it(), neighbour: Neighbour::new(next_adjust, chained) };
            let next = next.filter(|(next, context)| !full && self.may_follow(&placed, next, context, onward));
            match next {
                Some((next, next_context)) => {
                    self.push(&placed, &context, inherited, after, onward, follower.as_ref());
                    (placed, context) = (next, next_context);
                    inherited = Neighbour::new(0, chained);
                }
                None => {
                    self.push(&placed, &context, inherited, after, Onward::Ends, follower.as_ref());
                    if onward == Onward::Straight {
                        self.enter_with(&placed, after);
                    }
                    break placed.next_pc;
                }
            }
        };
        if entry.continues_at().is_some() {
            // Should it fault, it is tried again from where it was.
            self.draft.places().iter_mut().for_each(|place| place.detail.entry = Entry::with_it(entry.it));
        }
        let single = self.draft.count() == 1;
        let waits = single && self.draft.places().iter().any(|place| place.detail.address_wait > 0);
        let only = |test: fn(&Instruction) -> bool| single && self.draft.steps().iter().any(test);
        let abandonable = only(Instruction::is_multiple) || only(Instruction::is_division);
        let accesses_late = !abandonable && (waits || only(Instruction::moves_two));
        self.draft.memory.mark_code_at(start, end.wrapping_sub(start));
        let alone = (single && !self.timing.fetches_aside).then(|| Box::new(self.alone(start)));
        Some((end, BlockDetail { runs: self.runs.into(), abandonable, accesses_late, alone }))
    }

    /// The facts of the one instruction of the block, at `pc`.
    fn alone(&self, pc: u32) -> Alone {
        let (memory, steps) = (&*self.draft.memory, self.draft.steps());
        let words = [0, 4].map(|offset| Word::of(memory, (pc & !3).wrapping_add(offset)));
        let branches = steps.iter().any(|i| redirect(i).is_some());
        // One access, which is aligned or faults: nothing comes behind it.
        let once = |i: &Instruction| !i.moves_data() || i.op.is_between(Op::LdrImm, Op::LdrLiteral);
        let reach = steps.iter().all(<Cpu as engine::InstructionSet>::is_calm).then(|| {
            let one = !self.unaligned && steps.iter().all(once);
            if one { SimpleAccess::Register } else { SimpleAccess::Memory }
        });
        Alone {
            words,
            is_across: is_branch_across(memory, self.instruction_set, pc),
            branches,
            reads: steps.iter().any(Instruction::reads_memory),
            reach,
        }
    }

    /// The way in which the block may go on after `placed`.
    fn onward(&self, placed: &Placed) -> Onward {
        let i = &placed.i;
        if !i.ends_block() {
            return Onward::Straight;
        }
        match self.target(placed).filter(|target| self.passes && placed.it == 0 && self.in_flash(*target)) {
            // Who watches follows calls from block to block.
            Some(_) if i.op == Op::Bl && self.draft.catalog.is_some() => Onward::Ends,
            Some(target) if matches!(i.op, Op::B | Op::Bl) => Onward::Target(target),
            // A branch backwards closes a loop, and mostly is taken.
            Some(target) if target > placed.pc => Onward::Untaken,
            _ => Onward::Ends,
        }
    }

    /// Says whether the block may go on from `placed` with `next`. Rows count as used when an instruction is added, so one that may not be
    /// reached has rows that others have used.
    fn may_follow(&mut self, placed: &Placed, next: &Placed, context: &Context, onward: Onward) -> bool {
        // What flash places elsewhere, for timing, is not fetched behind it.
        if !matches!(onward, Onward::Target(_)) && next.at != placed.next_at() {
            return false;
        }
        let certain = !self.left && onward != Onward::Untaken;
        (certain || self.draft.rows.includes(self.rows_of(next, context))) && !self.draft.ends_before(next.pc)
    }

    fn in_flash(&self, pc: u32) -> bool {
        matches!(self.draft.memory.region(pc), Some(RegionKind::Flash(_)))
    }

    /// The rows of the timing table that `placed` uses.
    fn rows_of(&self, placed: &Placed, context: &Context) -> RowSet {
        let mut rows = RowSet::default();
        rows.insert((self.timing.cost)(&placed.i, context).row);
        (self.timing.also)(&placed.i, context, &mut rows);
        rows
    }

    /// The instruction at `pc`, with an IT block's effect on it.
    fn place_at(&self, pc: u32, it: u8) -> Option<Placed> {
        let (decoded, size) = self.decode(pc)?;
        let i = if it & 0xF != 0 && size == 2 { decode::inside_it(decoded) } else { decoded };
        let at = self.draft.memory.timed(pc);
        Some(Placed { i, pc, next_pc: pc.wrapping_add(size), at, wide: size == 4, it })
    }

    /// The context on which the cost of `placed` depends; `previous` stands right before it.
    fn context(&self, placed: &Placed, previous: Option<&Placed>) -> Context {
        // Whether one under a condition was executed is not known here; it is taken for one that leaves no trace.
        let previous = previous.filter(|previous| !previous.is_guarded());
        let target_unaligned = self.target(placed).is_some_and(|target| {
            let first = self.draft.memory.read(target, Width::Half);
            self.draft.memory.timed(target) & 2 != 0 && first.is_some_and(|first| decode::is_wide(first as u16))
        });
        Context {
            previous: previous.map(|previous| previous.i),
            previous_wide: previous.is_some_and(|previous| previous.wide),
            wide: placed.wide,
            target_unaligned,
            target_on_system_bus: self.target(placed).is_some_and(on_system_bus),
        }
    }

    /// The target of a direct branch.
    fn target(&self, placed: &Placed) -> Option<u32> {
        let i = &placed.i;
        let direct = matches!(i.op, Op::B | Op::Bl) || placed.is_conditional();
        direct.then(|| placed.pc.wrapping_add(4).wrapping_add(i.imm))
    }

    /// The cycles that the one before `placed` adds to its cost.
    fn adjust(&self, placed: &Placed, context: &Context) -> i8 {
        let alone = Context { previous: None, previous_wide: false, ..*context };
        let cycles = |context: &Context| (self.timing.cost)(&placed.i, context).cycles as i32;
        (cycles(context) - cycles(&alone)) as i8
    }

    /// Tells whether `next`, right behind `placed`, overlaps with it unless they go to two memories, which only a run can tell.
    fn chains(&self, placed: &Placed, next: &Placed, context: &Context) -> bool {
        self.timing.memory_change.is_some()
            && self.draft.memory.has_several_rams()
            && overlaps(&next.i, context)
            && [placed, next].iter().all(|one| self.step_beside(one, Op::NoteMemory).is_some())
    }

    /// The step before `placed` by which a run tells whether loads overlap, if it takes part in that.
    fn beside(&self, placed: &Placed, before: Neighbour, after: Neighbour) -> Option<Instruction> {
        match (before.is_chained(), after.is_chained()) {
            (true, _) => self.step_beside(placed, Op::CompareMemory),
            (false, true) => self.step_beside(placed, Op::NoteMemory),
            (false, false) => None,
        }
    }

    fn step_beside(&self, placed: &Placed, op: Op) -> Option<Instruction> {
        memories::step(&placed.i, placed.pc, self.draft.memory, op)
    }

    /// A step that says how to go on.
    fn enter_with(&mut self, placed: &Placed, entry: Entry) {
        if entry != Entry::PLAIN {
            self.draft.step(Instruction::new(Op::SetEntry).imm(entry.pack()), self.place(placed, 0, entry));
        }
    }

    fn decode(&self, pc: u32) -> Option<(Instruction, u32)> {
        let first = self.draft.memory.read(pc, Width::Half)? as u16;
        if !decode::is_wide(first) {
            return Some((self.instruction_set.decode(first, 0), 2));
        }
        let second = self.draft.memory.read(pc.wrapping_add(2), Width::Half)? as u16;
        Some((self.instruction_set.decode(first, second), 4))
    }

    fn place(&self, placed: &Placed, cycles: u32, next: Entry) -> Place {
        let detail = PlaceDetail { entry: Entry::with_it(placed.it), next, address_wait: 0 };
        self.draft.place(placed.pc, placed.next_pc, cycles, detail)
    }

    fn push(
        &mut self,
        placed: &Placed,
        context: &Context,
        inherited: Neighbour,
        after: Entry,
        onward: Onward,
        follower: Option<&Placed>,
    ) {
        let (waits, extra) = (self.waits, self.draft.extra);
        let decoded = placed.i;
        let cost = (self.timing.cost)(&decoded, context);
        self.draft.rows.union(self.rows_of(placed, context));
        let cycles = cost.cycles.saturating_add_signed(i32::from(inherited.adjust()));
        self.reach(placed, cycles, follower);
        // Its own access to flash, which comes first, and whether it branches are known behind it. Without a bus of its own it
        // fetches no further than itself if it branches, but for a branch that is gone past.
        let leaves = if self.timing.fetches_aside { placed.branches() } else { onward == Onward::Untaken };
        let behind = decoded.reads_memory() || leaves;
        if !behind {
            self.fetch_on(placed, cycles, follower, 0);
        }
        let mut resolved = self.resolve(decoded, placed);
        if cost.taken > 0 {
            resolved.rd = Reg::new(cost.taken);
        }
        let goes_on = matches!(onward, Onward::Target(_)) || shape(&decoded).only_computes();
        if !goes_on || cost.most_extra > 0 || placed.is_guarded() {
            self.joins = false;
        }
        if decoded.ends_block() {
            // It may never get to a step of its own after it.
            self.enter_with(placed, Entry::with_it(after.it));
        }
        if let Some(step) = self.beside(placed, inherited, after.neighbour) {
            debug_assert!(!placed.is_guarded(), "before what a condition may skip stands IT, or another such");
            self.draft.step(step, self.place(placed, cycles, after));
        }
        if placed.is_guarded() {
            let guard =
                Guard { condition: u32::from(placed.it >> 4), saved: cycles.saturating_sub(self.timing.skipped) };
            self.draft.step(Instruction::new(Op::Guard).imm(guard.pack()), self.place(placed, cycles, after));
        }
        self.draft.extra += cost.taken + cost.most_extra;
        if let Some(row) = self.timing.memory_change.filter(|_| inherited.is_chained()) {
            self.draft.extra += self.timing.cycles(row);
        }
        if self.flash.wait_states > 0 {
            // Data may come from flash.
            self.draft.extra += self.worst_stall() * self.most_reads(&resolved);
        }
        let step = match onward {
            // Behind one that is not taken fetches go on.
            Onward::Ends if follower.is_some() && self.asks() && placed.is_conditional() => {
                Some(resolved.leaves_block())
            }
            Onward::Straight | Onward::Ends => Some(resolved),
            Onward::Untaken => {
                self.left = true;
                Some(resolved.leaves_block())
            }
            // All that is left of it is its time and the link register.
            Onward::Target(_) => {
                (decoded.op == Op::Bl).then(|| Instruction::new(Op::Constant).rd(Reg::Lr).imm(placed.next_pc | 1))
            }
        };
        if let Some(step) = step {
            let mut place = self.place(placed, cycles, after);
            if decoded.moves_data() {
                // One at the beginning of a block has inherited it.
                let adjust = i32::from(inherited.adjust()) + i32::from(self.adjust(placed, context));
                place.detail.address_wait = adjust.clamp(0, i32::from(u8::MAX)) as u8;
            }
            self.draft.step(step, place);
        }
        if behind {
            self.fetch_on(placed, cycles, follower, 1);
        }
        if let Onward::Target(_) = onward {
            self.arrives = Some(true);
        }
        self.draft.retire(&self.place(placed, cycles, after));
        if resolved.rd == Reg::Sp && resolved.writes_rd() && !matches!(resolved.op, Op::AddHigh | Op::AddConstant) {
            self.draft.step(Instruction::new(Op::AlignSp), self.place(placed, 0, after));
        }
        if self.draft.catalog.is_some() {
            // A branch that is taken leaves the block, and what that takes is left for its end.
            let waited = self.waits > waits;
            let decided = onward == Onward::Straight && (self.draft.extra > extra || placed.is_guarded());
            if onward != Onward::Ends && (waited || decided) {
                self.joins = false;
                self.draft.mark(|counter| Instruction::new(Op::Mark).imm(counter));
            }
        }
    }

    /// The most cycles that a read of flash stalls.
    fn worst_stall(&self) -> u32 {
        if self.timing.fetches_aside { self.flash.worst_stall() } else { self.flash.worst_stall_in_order() }
    }

    /// The most reads that `i` makes. One that is not aligned comes in up to three pieces.
    fn most_reads(&self, i: &Instruction) -> u32 {
        match shape(i) {
            Shape::LoadMultiple(n) | Shape::LoadMultiplePc(n) | Shape::FpLoad(n) | Shape::FpLoadMultiple(n) => n,
            Shape::LoadDouble => 2,
            _ if i.op == Op::FlashConstant => 1,
            _ if i.reads_memory() => {
                if self.unaligned {
                    3
                } else {
                    1
                }
            }
            _ => 0,
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
                if self.draft.memory.is_uncached(address) {
                    return Instruction { imm: address, ..decoded };
                }
                // Flash does not change under predecoded code: its literals are constants.
                match (self.draft.memory.region(address), self.draft.memory.read(address, Width::Word)) {
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
