//! Micro-operations.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};
use cyclescope_engine::{Binary, Compare, Micro, Table, Unary};

use super::{Here, Pending, Region, type_of};

impl Region<'_, '_> {
    pub(super) fn carry_out(&mut self, here: Here, operations: &[Micro], pending: &mut Pending) {
        for operation in operations {
            let value = self.operation(here, operation, pending);
            pending.values.push(value);
        }
        let step = &self.members[here.member].steps;
        if step.get(here.step).is_some_and(|step| step.falls_back) {
            return;
        }
        if let Some(way_out) = pending.gives_up {
            // What is behind it is not filled yet.
            let behind = self.builder.create_block();
            self.builder.ins().jump(behind, &[]);
            self.begin_cold(way_out);
            self.give_up(here);
            self.begin(behind);
        }
    }

    /// The address and the offset of the number at `place` in a table.
    fn entry(&mut self, table: u8, place: ir::Value) -> (ir::Value, i32) {
        let Table { offset, length } = self.fields.tables[usize::from(table)];
        let place = self.builder.ins().band_imm_u(place, i64::from(length - 1));
        let place = self.builder.ins().uextend(types::I64, place);
        let place = self.builder.ins().ishl_imm_u(place, 2);
        (self.builder.ins().iadd(self.cpu, place), offset as i32)
    }

    fn operation(&mut self, here: Here, operation: &Micro, pending: &mut Pending) -> Option<ir::Value> {
        let [_, ram, ..] = self.memory;
        Some(match *operation {
            Micro::Constant(value, bytes) => {
                let bits = 64 - 8 * u32::from(bytes);
                self.builder.ins().iconst(type_of(bytes), ((value << bits) >> bits) as i64)
            }
            Micro::Get(slot) => {
                let variable = self.slots[usize::from(slot)]?;
                self.builder.use_var(variable)
            }
            Micro::Set(slot, value) => {
                let value = pending.value(value);
                pending.slots.push((slot, value));
                return None;
            }
            Micro::Binary(operation, a, b) => {
                let (a, b) = (pending.value(a), pending.value(b));
                let ins = self.builder.ins();
                match operation {
                    Binary::Add => ins.iadd(a, b),
                    Binary::Sub => ins.isub(a, b),
                    Binary::Mul => ins.imul(a, b),
                    Binary::And => ins.band(a, b),
                    Binary::Or => ins.bor(a, b),
                    Binary::Xor => ins.bxor(a, b),
                    Binary::ShiftLeft => ins.ishl(a, b),
                    Binary::ShiftRight => ins.ushr(a, b),
                    Binary::ShiftRightSigned => ins.sshr(a, b),
                    Binary::RotateRight => ins.rotr(a, b),
                    Binary::MinUnsigned => ins.umin(a, b),
                    Binary::Divide | Binary::DivideSigned | Binary::Remainder | Binary::RemainderSigned => {
                        return Some(self.divide(operation, a, b));
                    }
                }
            }
            Micro::Unary(operation, a) => {
                let a = pending.value(a);
                let ins = self.builder.ins();
                match operation {
                    Unary::Not => ins.bnot(a),
                    Unary::Negate => ins.ineg(a),
                    Unary::SwapBytes => ins.bswap(a),
                    Unary::ReverseBits => ins.bitrev(a),
                    Unary::LeadingZeros => ins.clz(a),
                }
            }
            Micro::Compare(comparison, a, b) => {
                let condition = match comparison {
                    Compare::Equal => IntCC::Equal,
                    Compare::NotEqual => IntCC::NotEqual,
                    Compare::Less => IntCC::UnsignedLessThan,
                    Compare::LessOrEqual => IntCC::UnsignedLessThanOrEqual,
                    Compare::LessSigned => IntCC::SignedLessThan,
                    Compare::LessOrEqualSigned => IntCC::SignedLessThanOrEqual,
                };
                let (a, b) = (pending.value(a), pending.value(b));
                self.builder.ins().icmp(condition, a, b)
            }
            Micro::Select(truth, a, b) => {
                let (truth, a, b) = (pending.value(truth), pending.value(a), pending.value(b));
                self.builder.ins().select(truth, a, b)
            }
            Micro::Widen(value, bytes, signed) => {
                let (value, to) = (pending.value(value), type_of(bytes));
                if signed { self.builder.ins().sextend(to, value) } else { self.builder.ins().uextend(to, value) }
            }
            Micro::Narrow(value, bytes) => {
                let value = pending.value(value);
                self.builder.ins().ireduce(type_of(bytes), value)
            }
            Micro::Now => self.builder.use_var(self.now),
            Micro::Entry(table, place) => {
                let (place, offset) = self.entry(table, pending.value(place));
                self.builder.ins().load(types::I32, self.memory[0], place, offset)
            }
            Micro::SetEntry(table, place, value) => {
                let (place, offset) = self.entry(table, pending.value(place));
                self.builder.ins().store(self.memory[0], pending.value(value), place, offset);
                return None;
            }
            Micro::Pc => self.word(self.members[here.member].next_pc),
            Micro::Ram { address, bytes, count, writes } => {
                let address = pending.value(address);
                self.place_in_ram(address, bytes, count, writes, pending)
            }
            Micro::Load(place, offset, bytes) => {
                let place = pending.value(place);
                self.builder.ins().load(type_of(bytes), ram, place, i32::from(offset))
            }
            Micro::Store(place, offset, value) => {
                let (place, value) = (pending.value(place), pending.value(value));
                self.builder.ins().store(ram, value, place, i32::from(offset));
                return None;
            }
            Micro::Flash(offset, bytes) => {
                let offset = pending.value(offset);
                self.read_flash_bytes(offset, bytes, pending)
            }
            Micro::Unless(truth) => {
                let truth = pending.value(truth);
                let holds = self.builder.ins().icmp_imm_s(IntCC::Equal, truth, 0);
                self.require(holds, pending);
                return None;
            }
            // See `Region::mark`.
            Micro::Mark(_) => return None,
            Micro::Pass(cycles) => {
                let cycles = pending.value(cycles);
                pending.passed = Some(match pending.passed {
                    Some(passed) => self.builder.ins().iadd(passed, cycles),
                    None => cycles,
                });
                return None;
            }
            Micro::Fetches(..) | Micro::ReadFlash(..) => {
                let members = self.members;
                let step = &members[here.member].steps[here.step];
                match (self.seek(&step.flash, step.standing, pending), operation) {
                    (Some(stall), _) => stall,
                    (None, Micro::ReadFlash(offset, _)) => {
                        self.require_cached(*offset, pending);
                        self.builder.ins().iconst(types::I64, 0)
                    }
                    (None, _) => return None,
                }
            }
        })
    }

    /// A quotient or remainder, without what the host traps.
    fn divide(&mut self, operation: Binary, a: ir::Value, b: ir::Value) -> ir::Value {
        let kind = self.builder.func.dfg.value_type(a);
        let by_zero = self.builder.ins().icmp_imm_s(IntCC::Equal, b, 0);
        let mut unsafely = by_zero;
        if matches!(operation, Binary::DivideSigned | Binary::RemainderSigned) {
            // By 1 it gives the same.
            let least = self.builder.ins().icmp_imm_s(IntCC::Equal, a, i64::MIN >> (64 - kind.bits()));
            let by_minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, b, -1);
            let overflows = self.builder.ins().band(least, by_minus_one);
            unsafely = self.builder.ins().bor(by_zero, overflows);
        }
        let one = self.builder.ins().iconst(kind, 1);
        let divisor = self.builder.ins().select(unsafely, one, b);
        let (result, by_none) = match operation {
            Binary::Divide => (self.builder.ins().udiv(a, divisor), self.builder.ins().iconst(kind, 0)),
            Binary::DivideSigned => (self.builder.ins().sdiv(a, divisor), self.builder.ins().iconst(kind, 0)),
            Binary::Remainder => (self.builder.ins().urem(a, divisor), a),
            _ => (self.builder.ins().srem(a, divisor), a),
        };
        self.builder.ins().select(by_zero, by_none, result)
    }
}
