//! Flash that waits: the states in which members begin, stalls, and the uses of its caches.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};

use super::{Pending, Region};
use crate::member::{Exit, FlashUse, Known, NOT_KNOWN, Standing, Step, Variant};
use crate::native;

impl Region<'_, '_> {
    /// The host's address of the flash interface.
    pub(super) fn interface(&mut self) -> ir::Value {
        self.builder.ins().load(types::I64, self.memory[2], self.frame, native::INTERFACE)
    }

    /// Tells whether flash is in the state that `member` is for; `None` if it is for several.
    pub(super) fn is_at_start(&mut self, member: usize) -> Option<ir::Value> {
        let start = self.members[member].start?;
        let Standing { set, offset: Some(offset) } = start.standing else { return None };
        let [Variant { state, .. }] = self.sets[usize::from(set)][..] else { return None };
        let [_, _, frame, flash] = self.memory;
        let interface = self.interface();
        let number = self.builder.ins().load(types::I64, flash, interface, native::NUMBER);
        let since = self.builder.ins().load(types::I64, flash, interface, native::SINCE);
        let numbers = self.builder.ins().load(types::I64, frame, self.frame, native::NUMBERS);
        let wanted = self.builder.ins().load(types::I64, frame, numbers, 8 * i32::from(state));
        let is = self.builder.ins().icmp(IntCC::Equal, number, wanted);
        let now = self.builder.use_var(self.now);
        let passed = self.builder.ins().isub(now, since);
        let fits = self.builder.ins().icmp_imm_s(IntCC::Equal, passed, offset);
        Some(self.builder.ins().band(is, fits))
    }

    /// The cycle that the states of `standing` count from.
    pub(super) fn base_of(&mut self, standing: Standing) -> ir::Value {
        match standing.offset {
            Some(offset) => {
                let now = self.builder.use_var(self.now);
                self.builder.ins().iadd_imm_s(now, offset.wrapping_neg())
            }
            None => self.builder.use_var(self.base),
        }
    }

    fn has_several(&self, standing: Standing) -> bool {
        self.sets[usize::from(standing.set)].len() > 1
    }

    /// Tells the frame the state in `standing`.
    pub(super) fn note_standing(&mut self, standing: Standing) {
        let [_, _, frame, _] = self.memory;
        let base = self.base_of(standing);
        self.builder.ins().store(frame, base, self.frame, native::BASE);
        let variant = if self.has_several(standing) {
            self.builder.use_var(self.variant)
        } else {
            self.builder.ins().iconst(types::I64, 0)
        };
        self.builder.ins().store(frame, variant, self.frame, native::VARIANT);
    }

    /// Tells the frame the part of the state in `standing` that variables have.
    pub(super) fn note_variables(&mut self, standing: Standing) {
        if self.is_quick {
            return;
        }
        let variables = [
            (self.base, native::BASE, standing.offset.is_none()),
            (self.variant, native::VARIANT, self.has_several(standing)),
        ];
        for (variable, place, _) in variables.into_iter().filter(|(.., is_in_variable)| *is_in_variable) {
            let value = self.builder.use_var(variable);
            self.builder.ins().store(self.memory[2], value, self.frame, place);
        }
    }

    /// The state gets the number that it has where `exit` leads.
    pub(super) fn renumber(&mut self, exit: &Exit) {
        let variant = match &exit.renumbered[..] {
            [] => return,
            [number] => self.builder.ins().iconst(types::I64, i64::from(*number)),
            numbers => {
                let index = self.builder.use_var(self.variant);
                let number = self.look_up(numbers.iter().map(|number| u32::from(*number)), index);
                self.builder.ins().uextend(types::I64, number)
            }
        };
        self.set_variant(variant);
    }

    /// The element of `table` at `index`, which is inside.
    fn look_up(&mut self, table: impl IntoIterator<Item = u32>, index: ir::Value) -> ir::Value {
        let [_, _, frame, _] = self.memory;
        let tables = self.builder.ins().load(types::I64, frame, self.frame, native::TABLES);
        let place = self.builder.ins().ishl_imm_u(index, 2);
        let place = self.builder.ins().iadd(tables, place);
        let first = 4 * self.tables.len() as i32;
        self.tables.extend(table);
        self.builder.ins().load(types::I32, frame, place, first)
    }

    /// The stall of fetches or of a read that is `sought` in the state of `standing`. Gives up where it is not known.
    pub(super) fn seek(
        &mut self,
        sought: &FlashUse,
        standing: Option<Standing>,
        pending: &mut Pending,
    ) -> Option<ir::Value> {
        let FlashUse::Sought { least, outcomes, width, after, .. } = sought else { return None };
        let standing = standing?;
        let mut index = None;
        if self.has_several(standing) {
            let variant = self.builder.use_var(self.variant);
            index = Some(self.builder.ins().imul_imm_s(variant, *width as i64));
        }
        if standing.offset.is_none() {
            let (now, base) = (self.builder.use_var(self.now), self.builder.use_var(self.base));
            let passed = self.builder.ins().isub(now, base);
            let from = self.builder.ins().iadd_imm_s(passed, least.wrapping_neg());
            let is_there = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, *width as i64);
            self.require(is_there, pending);
            index = Some(index.map_or(from, |index| self.builder.ins().iadd(index, from)));
        }
        let index = index?;
        if let Some((first, others)) = outcomes.split_first()
            && *first != NOT_KNOWN
            && others.iter().all(|other| other == first)
        {
            let stall = self.builder.ins().iconst(types::I64, i64::from(first & 0xFFFF));
            pending.stall = Some(stall);
            return Some(stall);
        }
        let outcome = self.look_up(outcomes.iter().copied(), index);
        if outcomes.contains(&NOT_KNOWN) {
            let is_known = self.builder.ins().icmp_imm_s(IntCC::NotEqual, outcome, i64::from(NOT_KNOWN as i32));
            self.require(is_known, pending);
        }
        let outcome = self.builder.ins().uextend(types::I64, outcome);
        if self.sets[usize::from(*after)].len() > 1 {
            pending.variant = Some(self.builder.ins().ushr_imm_u(outcome, 16));
        }
        let stall = self.builder.ins().band_imm_u(outcome, 0xFFFF);
        pending.stall = Some(stall);
        Some(stall)
    }

    /// Gives up unless the cache of data has what is at the offset `offset` in flash.
    pub(super) fn require_cached(&mut self, offset: u32, pending: &mut Pending) {
        let [_, _, frame, _] = self.memory;
        let function = self.builder.ins().load(types::I64, frame, self.frame, native::CACHES_DATA);
        let offset = self.word(offset);
        let call = self.builder.ins().call_indirect(self.caches_data, function, &[self.frame, offset]);
        let is_cached = self.builder.inst_results(call)[0];
        self.require(is_cached, pending);
    }

    /// Writes down what `step` does to the flash interface beside its state.
    pub(super) fn use_flash(&mut self, step: &Step, pending: &Pending) {
        let (FlashUse::Known(known) | FlashUse::Sought { known, .. }) = &step.flash else { return };
        let Known { used, delivered, stall } = *known;
        if let Some(variant) = pending.variant {
            self.set_variant(variant);
        }
        let flash = self.memory[3];
        if used != 0
            && let Some(uses) = self.uses
        {
            let interface = self.interface();
            let mut count = self.builder.use_var(uses);
            for slot in used.to_le_bytes().into_iter().take_while(|slot| *slot != 0) {
                count = self.builder.ins().iadd_imm_s(count, 1);
                self.builder.ins().store(flash, count, interface, native::USED + 8 * i32::from(slot));
            }
            self.builder.def_var(uses, count);
            self.unsaved.add(super::state::Slots::USES);
        }
        if let Some(delivered) = delivered {
            let interface = self.interface();
            let stall = match stall {
                Some(stall) => Some(self.builder.ins().iconst(types::I64, i64::from(stall))),
                None => pending.stall,
            };
            let Some(stall) = stall else { return };
            let now = self.builder.use_var(self.now);
            let at = self.builder.ins().iadd_imm_s(now, delivered);
            let at = self.builder.ins().iadd(at, stall);
            self.builder.ins().store(flash, at, interface, native::DELIVERED);
            let stall = self.builder.ins().ireduce(types::I32, stall);
            self.builder.ins().store(flash, stall, interface, native::STALLED);
        }
    }
}
