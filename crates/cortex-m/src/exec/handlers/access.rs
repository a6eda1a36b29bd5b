//! Loads and stores of Armv7-M.

use cyclescope_engine::{Execute as _, index, next};
use cyclescope_machine::{Peripherals, Width};

use super::super::{Exit, Handler};
use crate::decode::{Addressing, Index, Indexed, Instruction, Op, Reg};

/// The handler of `i`, if it is one of these.
pub(super) fn handler<P: Peripherals, const GUARDED: bool>(i: &Instruction) -> Option<Handler<P>> {
    /// Loads whose base is written, or that act without privilege.
    macro_rules! indexed_load {
        ($width:ident, $extend:ty) => {
            match Indexed::unpack(i.imm).index {
                Index::Unprivileged => access!(|cpu, bus, block, index, i| {
                    let address = cpu.get(i.rn).wrapping_add(i.imm & 0xFFFF);
                    cpu.load_unprivileged(bus, block, index, address, Width::$width).map(|(value, touched)| {
                        cpu.set(i.rd, value as $extend as i32 as u32);
                        touched
                    })
                }),
                _ => access!(|cpu, bus, block, index, i| {
                    let (address, base) = cpu.indexed(i);
                    let loaded = match cpu.load_fast::<P, GUARDED>(bus, address, Width::$width) {
                        Some(value) => Ok((value, false)),
                        None => cpu.load_slow(bus, block, index, address, Width::$width),
                    };
                    loaded.map(|(value, touched)| {
                        cpu.set_base(i.rn, base);
                        cpu.set(i.rd, value as $extend as i32 as u32);
                        touched
                    })
                }),
            }
        };
    }
    macro_rules! indexed_store {
        ($width:ident) => {
            match Indexed::unpack(i.imm).index {
                Index::Unprivileged => access!(|cpu, bus, block, index, i| {
                    let (address, value) = (cpu.get(i.rn).wrapping_add(i.imm & 0xFFFF), cpu.get(i.rd));
                    cpu.store_unprivileged(bus, block, index, address, Width::$width, value)
                }),
                _ => access!(|cpu, bus, block, index, i| {
                    let (address, base) = cpu.indexed(i);
                    let value = cpu.get(i.rd);
                    let stored = if cpu.store_fast::<P, GUARDED>(bus, address, Width::$width, value) {
                        Ok(false)
                    } else {
                        cpu.store_slow(bus, block, index, address, Width::$width, value)
                    };
                    stored.inspect(|_| cpu.set_base(i.rn, base))
                }),
            }
        };
    }
    /// Steps that are told where the access behind them goes.
    macro_rules! beside {
        (|$cpu:ident, $bus:ident, $address:ident| $body:expr) => {
            match Addressing::unpack(i.rd) {
                Addressing::Offset => beside!(|$cpu, $bus, i, $address| $cpu.get(i.rn).wrapping_add(i.imm), $body),
                Addressing::Register => {
                    beside!(|$cpu, $bus, i, $address| $cpu.get(i.rn).wrapping_add($cpu.get(i.rm) << (i.imm & 3)), $body)
                }
                Addressing::Literal => beside!(|$cpu, $bus, i, $address| i.imm, $body),
            }
        };
        (|$cpu:ident, $bus:ident, $i:ident, $address:ident| $made:expr, $body:expr) => {
            |$cpu, $bus, block, step, rest| {
                let $i = &step.i;
                let $address = $made;
                $body;
                next($cpu, $bus, block, rest)
            }
        };
    }
    let handler: Handler<P> = match i.op {
        Op::NoteMemory => beside!(|cpu, bus, address| cpu.note_memory(bus, address)),
        Op::CompareMemory => beside!(|cpu, bus, address| cpu.compare_memory(bus, address)),
        Op::LdrshImm => load!(Half, i16, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrsbImm => load!(Byte, i8, |cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrhLiteral => load!(Half, u16, |cpu, i| i.imm),
        Op::LdrbLiteral => load!(Byte, u8, |cpu, i| i.imm),
        Op::LdrshLiteral => load!(Half, i16, |cpu, i| i.imm),
        Op::LdrsbLiteral => load!(Byte, i8, |cpu, i| i.imm),
        Op::LdrIndexed => indexed_load!(Word, u32),
        Op::LdrhIndexed => indexed_load!(Half, u16),
        Op::LdrbIndexed => indexed_load!(Byte, u8),
        Op::LdrshIndexed => indexed_load!(Half, i16),
        Op::LdrsbIndexed => indexed_load!(Byte, i8),
        Op::StrIndexed => indexed_store!(Word),
        Op::StrhIndexed => indexed_store!(Half),
        Op::StrbIndexed => indexed_store!(Byte),
        Op::Ldrd => access!(|cpu, bus, block, index, i| {
            let (address, base) = cpu.indexed(i);
            cpu.ldrd::<P, GUARDED>(bus, block, index, i, address, Some(base))
        }),
        Op::LdrdLiteral => {
            access!(|cpu, bus, block, index, i| cpu.ldrd::<P, GUARDED>(bus, block, index, i, i.imm, None))
        }
        Op::Strd => access!(|cpu, bus, block, index, i| cpu.strd::<P, GUARDED>(bus, block, index, i)),
        Op::Ldrex => access!(|cpu, bus, block, index, i| cpu.ldrex(bus, block, index, i, Width::Word)),
        Op::Ldrexh => access!(|cpu, bus, block, index, i| cpu.ldrex(bus, block, index, i, Width::Half)),
        Op::Ldrexb => access!(|cpu, bus, block, index, i| cpu.ldrex(bus, block, index, i, Width::Byte)),
        Op::Strex => access!(|cpu, bus, block, index, i| cpu.strex(bus, block, index, i, Width::Word)),
        Op::Strexh => access!(|cpu, bus, block, index, i| cpu.strex(bus, block, index, i, Width::Half)),
        Op::Strexb => access!(|cpu, bus, block, index, i| cpu.strex(bus, block, index, i, Width::Byte)),
        Op::LdrPcImm => load_pc!(|cpu, bus, block, index, i| {
            let address = cpu.get(i.rn).wrapping_add(i.imm);
            cpu.load_target::<P, GUARDED>(bus, block, index, address)
        }),
        Op::LdrPcReg => load_pc!(|cpu, bus, block, index, i| {
            let address = cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3));
            cpu.load_target::<P, GUARDED>(bus, block, index, address)
        }),
        Op::LdrPcLiteral => {
            load_pc!(|cpu, bus, block, index, i| cpu.load_target::<P, GUARDED>(bus, block, index, i.imm))
        }
        Op::LdrPcIndexed => load_pc!(|cpu, bus, block, index, i| {
            let (address, base) = cpu.indexed(i);
            cpu.load_target::<P, GUARDED>(bus, block, index, address).inspect(|_| cpu.set_base(i.rn, base))
        }),
        Op::Tbb => table!(|cpu, bus, block, index, i| {
            let address = cpu.get(i.rn).wrapping_add(cpu.get(i.rm));
            cpu.load::<P, GUARDED>(bus, block, index, address, Width::Byte)
        }),
        Op::Tbh => table!(|cpu, bus, block, index, i| {
            let address = cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << 1);
            cpu.load::<P, GUARDED>(bus, block, index, address, Width::Half)
        }),
        _ => return None,
    };
    Some(handler)
}
