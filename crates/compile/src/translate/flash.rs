//! Flash that waits: the states in which members begin, stalls, and the uses of its caches.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};

use super::{Pending, Region, type_of};
use crate::member::{FlashUse, Known, NO_STALL, Standing, Start, Step};
use crate::native;

impl Region<'_, '_> {
    /// The host's address of the flash interface.
    pub(super) fn interface(&mut self) -> ir::Value {
        self.builder.ins().load(types::I64, self.memory[2], self.frame, native::INTERFACE)
    }

    /// Tells whether everything is in the state that `member` is for; `None` if it is for any.
    pub(super) fn is_at_start(&mut self, member: usize) -> Option<ir::Value> {
        let Start { standing, anew } = self.members[member].start?;
        let [state, _, frame, flash] = self.memory;
        let interface = self.interface();
        let number = self.builder.ins().load(types::I64, flash, interface, native::NUMBER);
        let since = self.builder.ins().load(types::I64, flash, interface, native::SINCE);
        let numbers = self.builder.ins().load(types::I64, frame, self.frame, native::NUMBERS);
        let wanted = self.builder.ins().load(types::I64, frame, numbers, 8 * i32::from(standing.state));
        let mut is = self.builder.ins().icmp(IntCC::Equal, number, wanted);
        match standing.behind {
            Some(behind) => {
                let now = self.builder.use_var(self.now);
                let passed = self.builder.ins().isub(now, since);
                let fits = self.builder.ins().icmp_imm_s(IntCC::Equal, passed, behind);
                is = self.builder.ins().band(is, fits);
            }
            None => self.builder.def_var(self.since, since),
        }
        if let Some(slot) = self.anew.and_then(|slot| self.fields.slots.get(usize::from(slot))) {
            let own = self.builder.ins().load(type_of(slot.bytes), state, self.cpu, slot.offset as i32);
            let fits = self.builder.ins().icmp_imm_s(IntCC::Equal, own, i64::from(anew));
            is = self.builder.ins().band(is, fits);
        }
        Some(is)
    }

    /// The cycle from which the state `standing` is seen.
    pub(super) fn since_of(&mut self, standing: Standing) -> ir::Value {
        match standing.behind {
            Some(behind) => {
                let now = self.builder.use_var(self.now);
                self.builder.ins().iadd_imm_s(now, behind.wrapping_neg())
            }
            None => self.builder.use_var(self.since),
        }
    }

    /// Tells the frame the cycle from which the state `standing` is seen.
    pub(super) fn note_since(&mut self, standing: Standing) {
        let since = self.since_of(standing);
        self.builder.ins().store(self.memory[2], since, self.frame, native::SINCE_THERE);
    }

    /// The stall of fetches or of a read that is `sought`. Gives up where it is not known.
    pub(super) fn seek(&mut self, sought: &FlashUse, pending: &mut Pending) -> Option<ir::Value> {
        let FlashUse::Sought { least, stalls, .. } = sought else { return None };
        let (now, since) = (self.builder.use_var(self.now), self.builder.use_var(self.since));
        let passed = self.builder.ins().isub(now, since);
        let index = self.builder.ins().iadd_imm_s(passed, least.wrapping_neg());
        let count = stalls.len() as i64;
        let is_there = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, count);
        self.require(is_there, pending);
        let stall = if stalls.iter().all(|stall| stall == &stalls[0]) {
            self.builder.ins().iconst(types::I64, i64::from(stalls[0]))
        } else {
            let table = self.builder.ins().load(types::I64, self.memory[2], self.frame, native::STALLS);
            let place = self.builder.ins().ishl_imm_u(index, 1);
            let place = self.builder.ins().iadd(table, place);
            let first = 2 * self.stalls.len() as i32;
            self.stalls.extend(stalls);
            let stall = self.builder.ins().load(types::I16, self.memory[2], place, first);
            self.builder.ins().uextend(types::I64, stall)
        };
        if stalls.contains(&NO_STALL) {
            let is_known = self.builder.ins().icmp_imm_u(IntCC::NotEqual, stall, i64::from(NO_STALL));
            self.require(is_known, pending);
        }
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
