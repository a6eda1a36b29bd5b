//! Places in RAM and flash.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};
use cyclescope_machine::Ram;

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
}
