//! Loads and stores of Armv7-M.

use cyclescope_engine::{Flow, Outcome, body};
use cyclescope_machine::{Peripherals, Width};

use super::super::{Exit, Handler};
use crate::cpu::Cpu;
use crate::decode::{Addressing, Index, Indexed, Instruction, Op, Reg};

/// The handler of `i`, if it is one of these.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>, const GUARDED: bool>(
    i: &Instruction,
) -> Option<Handler<P, R>> {
    /// Loads whose base is written, or that act without privilege.
    macro_rules! indexed_load {
        ($width:ident, $extend:ty) => {
            match Indexed::unpack(i.imm).index {
                Index::Unprivileged => body!(|cpu, bus, here, i| {
                    let address = cpu.get(i.rn).wrapping_add(i.imm & 0xFFFF);
                    let load = cpu.load_at(here, address, Width::$width);
                    cpu.with_rights(true, |cpu| cpu.read(bus, load)).map(|(value, touched)| {
                        cpu.set(i.rd, value as $extend as i32 as u32);
                        touched
                    })
                }),
                _ => body!(|cpu, bus, here, i| {
                    let (address, base) = cpu.indexed(i);
                    cpu.load_fast::<P, GUARDED>(bus, address, Width::$width).map(|value| {
                        cpu.set_base(i.rn, base);
                        cpu.set(i.rd, value as $extend as i32 as u32);
                    })
                }; {
                    let (address, base) = cpu.indexed(i);
                    cpu.read(bus, cpu.load_at(here, address, Width::$width)).map(|(value, touched)| {
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
                Index::Unprivileged => body!(|cpu, bus, here, i| {
                    let (address, value) = (cpu.get(i.rn).wrapping_add(i.imm & 0xFFFF), cpu.get(i.rd));
                    let store = cpu.store_at(here, address, Width::$width);
                    cpu.with_rights(true, |cpu| cpu.write(bus, store, value))
                }),
                _ => body!(|cpu, bus, here, i| {
                    let (address, base) = cpu.indexed(i);
                    let stored = cpu.store_fast::<P, GUARDED>(bus, address, Width::$width, cpu.get(i.rd));
                    stored.then(|| cpu.set_base(i.rn, base))
                }; {
                    let (address, base) = cpu.indexed(i);
                    let stored = cpu.write(bus, cpu.store_at(here, address, Width::$width), cpu.get(i.rd));
                    stored.inspect(|_| cpu.set_base(i.rn, base))
                }),
            }
        };
    }
    /// Steps that are told where the access behind them goes.
    macro_rules! beside {
        ($method:ident) => {
            match Addressing::unpack(i.rd) {
                Addressing::Offset => {
                    body!(|cpu, bus, here, i| cpu.$method(bus, here, cpu.get(i.rn).wrapping_add(i.imm)))
                }
                Addressing::Register => {
                    body!(|cpu, bus, here, i| cpu.$method(
                        bus,
                        here,
                        cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))
                    ))
                }
                Addressing::Literal => body!(|cpu, bus, here, i| cpu.$method(bus, here, i.imm)),
            }
        };
    }
    /// Loads and branches there.
    macro_rules! load_pc {
        (|$cpu:ident, $i:ident| $address:expr) => {
            body!(|$cpu, bus, here, $i| {
                $cpu.load::<P, GUARDED>(bus, here, $address, Width::Word).map(|loaded| {
                    let target = $cpu.loaded(loaded);
                    Flow::Ends($cpu.branch_exchange(bus, target))
                })
            })
        };
    }
    /// Branches forwards by twice what is loaded from the sum of two registers.
    macro_rules! table {
        ($width:ident, $shift:literal) => {
            body!(|cpu, bus, here, i| {
                let address = cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << $shift);
                cpu.load::<P, GUARDED>(bus, here, address, Width::$width).map(|loaded| {
                    let (entry, here) = (cpu.loaded(loaded), cpu.get(Reg::Pc));
                    cpu.branch_indirect(bus, here.wrapping_add(2 * entry));
                    Flow::Ends(Exit::Next)
                })
            })
        };
    }
    let handler: Handler<P, R> = match i.op {
        Op::NoteMemory => beside!(note_memory),
        Op::CompareMemory => beside!(compare_memory),
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
        Op::Ldrd => body!(|cpu, bus, here, i| {
            let (address, base) = cpu.indexed(i);
            cpu.load_two::<P, GUARDED>(bus, here, address).map(|([low, high], touched)| {
                cpu.set_base(i.rn, base);
                cpu.set(i.rd, low);
                cpu.set(i.rm, high);
                touched
            })
        }),
        Op::LdrdLiteral => body!(|cpu, bus, here, i| {
            cpu.load_two::<P, GUARDED>(bus, here, i.imm).map(|([low, high], touched)| {
                cpu.set(i.rd, low);
                cpu.set(i.rm, high);
                touched
            })
        }),
        Op::Strd => body!(|cpu, bus, here, i| {
            let (address, base) = cpu.indexed(i);
            let stored = cpu.store_two::<P, GUARDED>(bus, here, address, [cpu.get(i.rd), cpu.get(i.rm)]);
            stored.inspect(|_| cpu.set_base(i.rn, base))
        }),
        Op::Ldrex => body!(|cpu, bus, here, _| cpu.ldrex(bus, here, Width::Word)),
        Op::Ldrexh => body!(|cpu, bus, here, _| cpu.ldrex(bus, here, Width::Half)),
        Op::Ldrexb => body!(|cpu, bus, here, _| cpu.ldrex(bus, here, Width::Byte)),
        Op::Strex => body!(|cpu, bus, here, _| cpu.strex(bus, here, Width::Word)),
        Op::Strexh => body!(|cpu, bus, here, _| cpu.strex(bus, here, Width::Half)),
        Op::Strexb => body!(|cpu, bus, here, _| cpu.strex(bus, here, Width::Byte)),
        Op::LdrPcImm => load_pc!(|cpu, i| cpu.get(i.rn).wrapping_add(i.imm)),
        Op::LdrPcReg => load_pc!(|cpu, i| cpu.get(i.rn).wrapping_add(cpu.get(i.rm) << (i.imm & 3))),
        Op::LdrPcLiteral => load_pc!(|cpu, i| i.imm),
        Op::LdrPcIndexed => body!(|cpu, bus, here, i| {
            let (address, base) = cpu.indexed(i);
            cpu.load::<P, GUARDED>(bus, here, address, Width::Word).map(|loaded| {
                cpu.set_base(i.rn, base);
                let target = cpu.loaded(loaded);
                Flow::Ends(cpu.branch_exchange(bus, target))
            })
        }),
        Op::Tbb => table!(Byte, 0),
        Op::Tbh => table!(Half, 1),
        _ => return None,
    };
    Some(handler)
}
