//! From memory to blocks: decoding, costs, addresses resolved.

use cyclescope_engine::{Draft, LONGEST};
use cyclescope_machine::{Memory, RowSet, Width};

use super::{After, Ends, Pending, loops};
use crate::config::{Config, Options};
use crate::decode::{self, Instruction, Op, is_narrow};
use crate::special::{Special, User};
use crate::timing::{self, Class, crosses};

/// Builds one block.
pub(crate) struct Builder<'d, 'a> {
    draft: &'d mut Draft<'a, Instruction, After>,
    config: Config,
    /// Loads may be refused, or literals lie elsewhere.
    guarded: bool,
    /// The cycle of the block from which on each register's result is there.
    ready: [u32; 64],
    /// The windows that the block has looked at so far.
    windows: u8,
    /// It has looked whether the floating-point unit is enabled.
    enabled: bool,
    /// The latest instruction may take cycles that data or memory decide.
    decided: bool,
    /// The most cycles that a branch taken adds.
    taken: u32,
}

/// The bytes of the instruction that begins at `pc`; `None` where no memory is.
pub(crate) fn length(memory: &Memory, pc: u32, options: &Options) -> Option<u32> {
    let first = memory.read(pc, Width::Byte)? as u8;
    Some(if options.density && is_narrow(first) { 2 } else { 3 })
}

/// The instruction at `pc` with its length. Where its bytes, or some of them, are in no memory, [`Op::FetchFault`].
pub(crate) fn fetch(memory: &Memory, pc: u32, options: &Options) -> (Instruction, u32) {
    let byte = |offset: u32| memory.read(pc.wrapping_add(offset), Width::Byte);
    let bytes = length(memory, pc, options).unwrap_or(3);
    let mut bits = 0;
    for offset in 0..bytes {
        match byte(offset) {
            Some(byte) => bits |= byte << (8 * offset),
            None => return (Instruction::new(Op::FetchFault).imm(pc.wrapping_add(offset)), bytes),
        }
    }
    (decode::decode(bits, options), bytes)
}

impl<'d, 'a> Builder<'d, 'a> {
    pub(crate) fn new(
        draft: &'d mut Draft<'a, Instruction, After>,
        config: Config,
        guarded: bool,
        pending: Pending,
    ) -> Self {
        let mut ready = [0; 64];
        for (register, cycles) in pending.iter() {
            ready[usize::from(register & 63)] = cycles;
        }
        Self { draft, config, guarded, ready, windows: 0, enabled: false, decided: false, taken: 0 }
    }

    /// Builds it. Returns the address behind it and the ways in which it ends; `None` where no memory holds code.
    pub(crate) fn build(mut self) -> Option<(u32, Ends)> {
        let options = &self.config.configuration.options;
        let first = self.draft.pc;
        self.draft.memory.read(first, Width::Byte)?;
        let last = first.wrapping_add(3 * self.draft.limit().min(LONGEST) + 1);
        let ends = if options.loops { loops::ends(self.draft.memory, first, last) } else { Vec::new() };
        let mut pc = first;
        // Behind a branch that may be taken, only what has rows that others have used: a result names no row that did not run.
        let mut behind = false;
        while self.draft.memory.read(pc, Width::Byte).is_some() {
            let (i, bytes) = fetch(self.draft.memory, pc, options);
            let next_pc = pc.wrapping_add(bytes);
            let i = self.resolve(i, pc);
            if behind && !self.draft.rows.includes(self.rows_of(&i)) {
                break;
            }
            self.push(i, pc, next_pc);
            self.mark(pc, bytes);
            pc = next_pc;
            // A lone instruction looks by itself, since LEND may be anywhere, as does one that sets LEND or LCOUNT.
            if options.loops && (self.draft.limit() == 1 || ends.contains(&pc) || sets_loop(&i)) {
                self.end_loop(i);
                break;
            }
            let forward = i.is_branch() && i.imm > pc;
            if i.ends_block() && !forward || self.draft.ends_before(pc) {
                break;
            }
            behind |= forward;
        }
        if options.loops {
            // What was looked at for ends.
            self.mark(first.wrapping_sub(loops::REACH), loops::REACH + pc.wrapping_sub(first));
        }
        self.draft.extra += self.taken;
        let pending = self.draft.places().last()?.detail.pending;
        let waits = pending != Pending::default();
        Some((pc, Ends { pending, waits }))
    }

    /// Adds the step that goes back to the beginning of a loop, unless control never comes there.
    fn end_loop(&mut self, i: Instruction) {
        let leaves = matches!(i.op, Op::J | Op::Jx | Op::Ret | Op::Retw | Op::Illegal | Op::FetchFault)
            || matches!(i.op, Op::Rfe | Op::Rfde | Op::Rfi | Op::Rfwo | Op::Rfwu | Op::Syscall)
            || i.is_call();
        if let (false, Some(place)) = (leaves, self.draft.places().last().copied()) {
            self.draft.step(Instruction::new(Op::LoopEnd), place);
        }
    }

    /// Has memory notice stores to the `bytes` bytes of code at `pc`.
    fn mark(&mut self, pc: u32, bytes: u32) {
        self.draft.memory.mark_code_at(pc, bytes);
    }

    fn push(&mut self, i: Instruction, pc: u32, next_pc: u32) {
        if self.decided {
            self.draft.mark(|counter| Instruction::new(Op::Mark).imm(counter));
        }
        let timing = self.config.timing;
        let class = Class::of(&i);
        let cost = (timing.cost)(class);
        self.draft.rows.insert(cost.row);
        // It waits for what it reads.
        let before = self.draft.cycles;
        let needed = timing::reads(&i);
        let mut stall = 0;
        for register in 0..64 {
            if needed >> register & 1 != 0 {
                stall = stall.max(self.ready[register].saturating_sub(before));
            }
        }
        let mut cycles = stall + timing.cycles(cost.row);
        self.draft.extra += self.worst(&i, class);
        self.decided = self.worst(&i, class) > 0;
        let (near, mut taken) = (may_branch(&i), 0);
        if goes_to_its_constant(&i) {
            let crossing = self.crossing(i.imm);
            if near {
                self.draft.rows.insert(timing.taken);
                taken = timing.cycles(timing.taken) + crossing;
                self.taken = self.taken.max(taken);
            } else {
                cycles += crossing;
            }
        }
        if let Some(late) = cost.late {
            let results = timing::writes(&i);
            self.draft.rows.insert(late);
            for register in 0..64 {
                if results >> register & 1 != 0 {
                    self.ready[register] = before + cycles + timing.cycles(late);
                }
            }
        } else {
            let results = timing::writes(&i);
            for register in 0..64 {
                if results >> register & 1 != 0 {
                    self.ready[register] = 0;
                }
            }
        }
        let pending = self.pending(before + cycles);
        let place = self.draft.place(pc, next_pc, cycles, After { pending, taken });
        self.look_first(&i, place);
        self.draft.step(i, place);
        self.draft.retire(&place);
    }

    /// The results that are still to come at the cycle `at` of the block.
    fn pending(&self, at: u32) -> Pending {
        let mut pending = Pending::default();
        for (register, ready) in self.ready.iter().enumerate() {
            if *ready > at {
                pending.add(register as u8, ready - at);
            }
        }
        pending
    }

    /// The most cycles that data, addresses and exceptions add to `i`.
    fn worst(&self, i: &Instruction, class: Class) -> u32 {
        let timing = self.config.timing;
        match class {
            Class::Load | Class::Store if i.op != Op::Literal && self.config.configuration.options.unaligned => {
                timing.cycles(timing.unaligned)
            }
            Class::Jump | Class::Return => timing.cycles(timing.crossing),
            // One that only raises an exception has a boundary before it like any other.
            Class::Raising => 1,
            _ => 0,
        }
    }

    /// The cycles for a target at `address` that crosses a word of the fetch bus. A store there is to be noticed.
    fn crossing(&mut self, address: u32) -> u32 {
        let timing = self.config.timing;
        self.mark(address, 1);
        if !self.is_across(address) {
            return 0;
        }
        self.draft.rows.insert(timing.crossing);
        timing.cycles(timing.crossing)
    }

    /// Tells whether the instruction at `address` crosses a word of the fetch bus.
    fn is_across(&self, address: u32) -> bool {
        let bytes = length(self.draft.memory, address, &self.config.configuration.options).unwrap_or(3);
        crosses(self.draft.memory.timed(address), bytes)
    }

    /// The rows of the timing table that `i` uses.
    fn rows_of(&self, i: &Instruction) -> RowSet {
        let timing = self.config.timing;
        let cost = (timing.cost)(Class::of(i));
        let mut rows = RowSet::default();
        rows.insert(cost.row);
        cost.late.into_iter().for_each(|late| rows.insert(late));
        if may_branch(i) {
            rows.insert(timing.taken);
        }
        if goes_to_its_constant(i) && self.is_across(i.imm) {
            rows.insert(timing.crossing);
        }
        rows
    }

    /// Adds the steps before `i` that look whether it may be executed now.
    fn look_first(&mut self, i: &Instruction, place: cyclescope_engine::Place<After>) {
        let options = &self.config.configuration.options;
        if options.windows {
            let last = highest(i) / 4;
            if last > self.windows {
                self.windows = last;
                self.draft.step(Instruction::new(Op::Window).t(last), place);
            }
        }
        if i.is_float() && options.coprocessors && !self.enabled {
            self.enabled = true;
            self.draft.step(Instruction::new(Op::Enabled), place);
        }
    }

    /// Turns what depends on the instruction's place into absolute addresses, and finds special registers.
    fn resolve(&mut self, i: Instruction, pc: u32) -> Instruction {
        let configuration = self.config.configuration;
        match i.op {
            _ if i.is_branch() || i.is_loop() || i.op == Op::J => i.imm(pc.wrapping_add(i.imm)),
            Op::Call0 | Op::Call4 | Op::Call8 | Op::Call12 => i.imm((pc & !3).wrapping_add(i.imm)),
            Op::L32r => {
                let address = (pc.wrapping_add(3) & !3).wrapping_add(i.imm);
                match self.draft.memory.read(address, Width::Word) {
                    Some(word) if !self.guarded => {
                        self.mark(address, 4);
                        Instruction { op: Op::Literal, ..i }.imm(word)
                    }
                    _ => i.imm(address),
                }
            }
            Op::Rsr | Op::Wsr | Op::Xsr => match Special::find(i.imm as u8, configuration) {
                Some(register) if i.op == Op::Wsr || register.is_readable() => {
                    if i.op == Op::Rsr || register.is_writable() { i } else { Instruction::new(Op::Illegal) }
                }
                _ => Instruction::new(Op::Illegal),
            },
            Op::Rur | Op::Wur if User::find(i.imm as u8, configuration).is_none() => Instruction::new(Op::Illegal),
            Op::Addi if (i.s, i.t) == (1, 1) && (i.imm as i32) < 0 => Instruction { op: Op::Push, ..i },
            _ => i,
        }
    }
}

/// Tells whether `i` sets the end or the count of the loop, of which no loop instruction tells.
fn sets_loop(i: &Instruction) -> bool {
    matches!(i.op, Op::Wsr | Op::Xsr) && matches!(i.imm as u8, Special::LEND | Special::LCOUNT)
}

/// Tells whether `i` may branch to its constant.
fn may_branch(i: &Instruction) -> bool {
    i.is_branch() || matches!(i.op, Op::Loopnez | Op::Loopgtz)
}

/// Tells whether `i` goes to its constant, under a condition or not.
fn goes_to_its_constant(i: &Instruction) -> bool {
    may_branch(i) || matches!(i.op, Op::J | Op::Call0 | Op::Call4 | Op::Call8 | Op::Call12)
}

/// The highest general register that `i` uses, for window overflows: those of the window behind a call count, those of ENTRY do
/// not, since it moves the window before it looks.
fn highest(i: &Instruction) -> u8 {
    if i.is_call() {
        let target = if matches!(i.op, Op::Callx0 | Op::Callx4 | Op::Callx8 | Op::Callx12) { i.s } else { 0 };
        return target.max(4 * i.call_increment());
    }
    let used = (timing::reads(i) | timing::writes(i)) & 0xFFFF;
    // ENTRY and the returns look by themselves.
    if used == 0 || matches!(i.op, Op::Entry | Op::Ret | Op::Retw) { 0 } else { used.ilog2() as u8 }
}
