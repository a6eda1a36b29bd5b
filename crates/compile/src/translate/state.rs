//! The variables of a region, and the state that they stand for: read where a region or a member begins and behind bodies, written
//! where it is left.

use cranelift_codegen::ir::{self, InstBuilder as _, types};
use cyclescope_engine::{Due, Micro};

use super::{Region, type_of};
use crate::check::MOST_SLOTS;
use crate::native;

/// A set of slots, by their numbers, and of what else a region has in variables.
#[derive(Clone, Copy)]
pub struct Slots(u128);

impl Slots {
    pub(super) const NONE: Self = Self(0);

    /// The clock and the count of uses of lines, behind all slots.
    pub(super) const NOW: usize = MOST_SLOTS;
    pub(super) const USES: usize = MOST_SLOTS + 1;

    pub(super) fn has(self, slot: usize) -> bool {
        self.0 >> slot & 1 != 0
    }

    pub(super) fn add(&mut self, slot: usize) {
        self.0 |= 1 << slot;
    }

    pub(super) fn unite(&mut self, others: Self) {
        self.0 |= others.0;
    }
}

impl Region<'_, '_> {
    /// Declares variables of the slots that are used.
    pub(super) fn declare(&mut self) {
        let steps = self.members.iter().flat_map(|member| &member.steps);
        let operations = steps
            .flat_map(|step| step.operations.iter().chain(step.ways.iter().flat_map(|way| &way.operations)))
            .chain(self.members.iter().flat_map(|member| &member.completed));
        for operation in operations {
            let (slot, writes) = match operation {
                Micro::Get(slot) => (*slot, false),
                Micro::Set(slot, _) => (*slot, true),
                _ => continue,
            };
            let number = usize::from(slot);
            if self.slots[number].is_none() {
                self.slots[number] = Some(self.builder.declare_var(type_of(self.fields.slots[number].bytes)));
            }
            self.written[number] |= writes;
        }
    }

    /// Reads everything from the state and the frame.
    pub(super) fn reload_all(&mut self) {
        self.reload();
        for (variable, offset) in [(self.base, native::BASE), (self.variant, native::VARIANT)] {
            let value = self.builder.ins().load(types::I64, self.memory[2], self.frame, offset);
            self.builder.def_var(variable, value);
        }
    }

    /// The states of flash count from the cycle `base` from now on.
    pub(super) fn set_base(&mut self, base: ir::Value) {
        self.builder.def_var(self.base, base);
        if self.is_quick {
            self.builder.ins().store(self.memory[2], base, self.frame, native::BASE);
        }
    }

    /// Flash is in the state `variant` of several.
    pub(super) fn set_variant(&mut self, variant: ir::Value) {
        self.builder.def_var(self.variant, variant);
        if self.is_quick {
            self.builder.ins().store(self.memory[2], variant, self.frame, native::VARIANT);
        }
    }

    /// Reads everything from the state.
    pub(super) fn reload(&mut self) {
        let [state, _, frame, _] = self.memory;
        for (variable, offset) in [(self.ram, native::RAM), (self.pages, native::PAGES)] {
            let value = self.builder.ins().load(types::I64, frame, self.frame, offset);
            self.builder.def_var(variable, value);
        }
        for (slot, variable) in self.fields.slots.iter().zip(&self.slots) {
            if let Some(variable) = variable {
                let value = self.builder.ins().load(type_of(slot.bytes), state, self.cpu, slot.offset as i32);
                self.builder.def_var(*variable, value);
            }
        }
        let now = self.builder.ins().load(types::I64, state, self.cpu, self.fields.now as i32);
        self.builder.def_var(self.now, now);
        if let Some(uses) = self.uses {
            let interface = self.interface();
            let count = self.builder.ins().load(types::I64, self.memory[3], interface, native::USES);
            self.builder.def_var(uses, count);
        }
        self.unsaved = Slots::NONE;
    }

    /// Writes the slots that may differ from the state to it, as far as they are due `here`.
    pub(super) fn save(&mut self, here: Due) {
        let [state, ..] = self.memory;
        for (number, (slot, variable)) in self.fields.slots.iter().zip(&self.slots).enumerate() {
            let Some(variable) = variable else { continue };
            let is_due = match slot.due {
                Due::WhereSeen | Due::WhereLeft if !self.is_quick => slot.due <= here && self.written[number],
                _ => self.unsaved.has(number),
            };
            if is_due {
                let value = self.builder.use_var(*variable);
                self.builder.ins().store(state, value, self.cpu, slot.offset as i32);
            }
        }
        if self.is_quick {
            self.save_counters();
        }
        self.unsaved = Slots::NONE;
    }

    /// Writes the clock and the uses of lines to the state: both, or in quickly made code what may differ from it.
    pub(super) fn save_counters(&mut self) {
        let [state, ..] = self.memory;
        let is_due = |number| !self.is_quick || self.unsaved.has(number);
        let [now, uses] = [Slots::NOW, Slots::USES].map(is_due);
        if now {
            let value = self.builder.use_var(self.now);
            self.builder.ins().store(state, value, self.cpu, self.fields.now as i32);
        }
        if let Some(variable) = self.uses.filter(|_| uses) {
            let (interface, count) = (self.interface(), self.builder.use_var(variable));
            self.builder.ins().store(self.memory[3], count, interface, native::USES);
        }
    }

    /// Writes everything to the state but the program counter.
    pub(super) fn write_back(&mut self) {
        self.save(Due::WhereLeft);
        if !self.is_quick {
            self.save_counters();
        }
    }

    /// The program counter is `pc`.
    pub(super) fn set_pc(&mut self, pc: u32) {
        let pc = self.word(pc);
        self.builder.ins().store(self.memory[0], pc, self.cpu, self.fields.pc as i32);
    }

    /// Lets constant cycles pass, and counts instructions: in the state, as nothing here reads their number and registers are few.
    pub(super) fn count(&mut self, cycles: u32, instructions: u32) {
        let before = self.builder.use_var(self.now);
        let after = self.builder.ins().iadd_imm_s(before, i64::from(cycles));
        self.builder.def_var(self.now, after);
        self.unsaved.add(Slots::NOW);
        let (state, offset) = (self.memory[0], self.fields.instructions as i32);
        let before = self.builder.ins().load(types::I64, state, self.cpu, offset);
        let after = self.builder.ins().iadd_imm_s(before, i64::from(instructions));
        self.builder.ins().store(state, after, self.cpu, offset);
    }
}
