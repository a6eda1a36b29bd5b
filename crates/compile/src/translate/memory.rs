//! Places in RAM, and fetches from flash that waits.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};
use cyclescope_machine::{FetchOutcome, FlashInterface, Ram};

use super::{Pending, Region};
use crate::native;

impl Region<'_, '_> {
    /// The host's address of what [`Micro::Ram`] asks for.
    pub(super) fn place_in_ram(
        &mut self,
        address: ir::Value,
        bytes: u8,
        count: u8,
        writes: bool,
        pending: &mut Pending,
    ) -> ir::Value {
        let [_, _, frame, _] = self.memory;
        let offset = self.builder.ins().iadd_imm_s(address, -i64::from(self.ram_base));
        // Rotated, one that is not aligned is beyond the last.
        let shift = u32::from(bytes).trailing_zeros();
        let index = if shift == 0 { offset } else { self.builder.ins().rotr_imm_u(offset, i64::from(shift)) };
        let mut last = self.builder.ins().uextend(types::I64, index);
        if count > 1 {
            last = self.builder.ins().iadd_imm_s(last, i64::from(count) - 1);
        }
        let elements = native::ELEMENTS + 8 * shift as i32;
        let limit = self.builder.ins().load(types::I64, frame, self.frame, elements);
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, last, limit);
        self.require(inside, pending);
        let address = self.builder.ins().uextend(types::I64, address);
        if writes {
            let pages = self.builder.use_var(self.pages);
            let aligned = native::pages_are_aligned(self.ram_base);
            let from = if aligned { address } else { self.builder.ins().uextend(types::I64, offset) };
            let end = i64::from(count - 1) * i64::from(bytes);
            for behind in [0, end].into_iter().take(if count > 1 { 2 } else { 1 }) {
                let at = self.builder.ins().iadd_imm_s(from, behind);
                let page = self.builder.ins().ushr_imm_u(at, i64::from(Ram::PAGE_BYTES.trailing_zeros()));
                let page = self.builder.ins().iadd(pages, page);
                // The bodies that are called change it.
                let state = self.builder.ins().load(types::I8, frame, page, 0);
                let settled = self.builder.ins().icmp_imm_s(IntCC::Equal, state, i64::from(Ram::SETTLED));
                self.require(settled, pending);
            }
        }
        let ram = self.builder.use_var(self.ram);
        self.builder.ins().iadd(ram, address)
    }

    /// So many bytes at `offset` in flash. Gives up beyond its end.
    pub(super) fn read_flash_bytes(&mut self, offset: ir::Value, bytes: u8, pending: &mut Pending) -> ir::Value {
        let [_, ram, frame, _] = self.memory;
        let offset = self.builder.ins().uextend(types::I64, offset);
        let end = self.builder.ins().iadd_imm_s(offset, i64::from(bytes));
        let [first, length] = [native::FLASH_BYTES, native::FLASH_LENGTH]
            .map(|place| self.builder.ins().load(types::I64, frame, self.frame, place));
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, length);
        self.require(inside, pending);
        let place = self.builder.ins().iadd(first, offset);
        self.builder.ins().load(super::type_of(bytes), ram, place, 0)
    }

    /// The stall of the fetches `run`, recalled as [`FlashInterface::recall`] does. Gives up where it finds nothing.
    ///
    /// Only the outcome that was found here before is looked at here: its place depends on nothing that the fetches before changed.
    pub(super) fn recall(&mut self, run: u32, anew: ir::Value, pending: &mut Pending) -> ir::Value {
        let [_, _, frame, flash] = self.memory;
        let [numbers_at, since_at, _, number_at, stall_at, until_at] = FetchOutcome::FIELDS.map(|offset| offset as i32);
        let [own_number, own_since, own_within, ..] = FlashInterface::RECALL_FIELDS.map(|offset| offset as i32);
        let site = self.sites;
        self.sites += 1;
        let now = self.builder.use_var(self.now);
        let [interface, outcomes, last, sites] =
            [native::INTERFACE, native::OUTCOMES, native::LAST_OUTCOME, native::SITES]
                .map(|offset| self.builder.ins().load(types::I64, frame, self.frame, offset));
        let place = self.builder.ins().load(types::I32, flash, sites, 4 * site as i32);
        let place = self.builder.ins().uextend(types::I64, place);
        let place = self.builder.ins().band(place, last);
        let offset = self.builder.ins().ishl_imm_u(place, i64::from(size_of::<FetchOutcome>().trailing_zeros()));
        let outcome = self.builder.ins().iadd(outcomes, offset);
        let number = self.builder.ins().load(types::I64, flash, interface, own_number);
        let number = self.builder.ins().bor_imm_u(number, i64::from(run));
        let before = self.builder.ins().load(types::I64, flash, interface, own_since);
        let passed = self.builder.ins().isub(now, before);
        let passed = self.builder.ins().ishl_imm_u(passed, 1);
        let long = self.builder.ins().uextend(types::I64, anew);
        let since = self.builder.ins().bor(passed, long);
        let numbers_there = self.builder.ins().load(types::I64, flash, outcome, numbers_at);
        let since_there = self.builder.ins().load(types::I64, flash, outcome, since_at);
        let differs = self.builder.ins().bxor(numbers_there, number);
        let differs_in_time = self.builder.ins().bxor(since_there, since);
        let differs = self.builder.ins().bor(differs, differs_in_time);
        let (hit, miss, done) = (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let stall = self.builder.append_block_param(done, types::I64);
        self.builder.ins().brif(differs, miss, &[], hit, &[]);

        self.begin_cold(miss);
        let function = self.builder.ins().load(types::I64, frame, self.frame, native::RECALL);
        let [run, site] = [run, site as u32].map(|number| self.word(number));
        let anew = self.builder.ins().uextend(types::I32, anew);
        let call = self.builder.ins().call_indirect(self.recall, function, &[self.frame, run, anew, site, now]);
        let found = self.builder.inst_results(call)[0];
        let is_found = self.builder.ins().icmp_imm_s(IntCC::NotEqual, found, native::NOT_RECALLED as i64);
        self.require(is_found, pending);
        self.builder.ins().jump(done, &[found.into()]);

        self.begin(hit);
        let after = self.builder.ins().load(types::I32, flash, outcome, number_at);
        let after = self.builder.ins().uextend(types::I64, after);
        let after = self.builder.ins().ishl_imm_u(after, 32);
        self.builder.ins().store(flash, after, interface, own_number);
        let until = self.builder.ins().load(types::I16, flash, outcome, until_at);
        let until = self.builder.ins().uextend(types::I64, until);
        let until = self.builder.ins().iadd(now, until);
        self.builder.ins().store(flash, until, interface, own_since);
        let short = self.builder.ins().ireduce(types::I32, place);
        self.builder.ins().store(flash, short, interface, own_within);
        if self.caches_many {
            self.use_again(interface, outcome);
        }
        let recalled = self.builder.ins().load(types::I16, flash, outcome, stall_at);
        let recalled = self.builder.ins().uextend(types::I64, recalled);
        self.builder.ins().jump(done, &[recalled.into()]);
        self.begin(done);
        stall
    }

    /// The lines that `outcome` has used are used again.
    fn use_again(&mut self, interface: ir::Value, outcome: ir::Value) {
        let [_, _, _, flash] = self.memory;
        let [_, _, used_at, ..] = FetchOutcome::FIELDS.map(|offset| offset as i32);
        let [_, _, _, own_uses, own_used, own_latest] = FlashInterface::RECALL_FIELDS.map(|offset| offset as i32);
        let used = self.builder.ins().load(types::I64, flash, outcome, used_at);
        let uses = self.builder.ins().load(types::I64, flash, interface, own_uses);
        let (again, done) = (self.builder.create_block(), self.builder.create_block());
        let left = self.builder.append_block_param(again, types::I64);
        let count = self.builder.append_block_param(again, types::I64);
        let uses_now = self.builder.append_block_param(done, types::I64);
        self.builder.ins().brif(used, again, &[used.into(), uses.into()], done, &[uses.into()]);
        self.builder.switch_to_block(again);
        let count = self.builder.ins().iadd_imm_s(count, 1);
        let slot = self.builder.ins().band_imm_u(left, 0xFF);
        let slot = self.builder.ins().ishl_imm_u(slot, 3);
        let slot = self.builder.ins().iadd(interface, slot);
        self.builder.ins().store(flash, count, slot, own_used);
        let left = self.builder.ins().ushr_imm_u(left, 8);
        self.builder.ins().brif(left, again, &[left.into(), count.into()], done, &[count.into()]);
        self.builder.seal_block(again);
        self.begin(done);
        self.builder.ins().store(flash, uses_now, interface, own_uses);
        let latest = self.builder.ins().band_imm_u(uses_now, (FlashInterface::LATEST_USES - 1) as i64);
        let latest = self.builder.ins().iadd(interface, latest);
        let none = self.builder.ins().iconst(types::I8, 0);
        self.builder.ins().store(flash, none, latest, own_latest);
    }
}
