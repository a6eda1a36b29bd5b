//! The registers of each core.

use super::{MIE, MPIE, MPP, MPRV, Register, Row, TW};

const fn row(number: u16, name: &'static str, register: Register, writable: u32) -> Row {
    Row { number, count: 1, name, register, writable, reset: 0 }
}

const fn constant(number: u16, name: &'static str, value: u32) -> Row {
    row(number, name, Register::Constant(value), 0)
}

const fn constants(number: u16, count: u16, name: &'static str) -> Row {
    Row { count, ..constant(number, name, 0) }
}

const fn unmodelled(number: u16, name: &'static str, writable: u32) -> Row {
    row(number, name, Register::Unmodelled, writable)
}

const fn pmp_configuration(index: u16) -> Row {
    let register = Register::PmpConfiguration(index as u8);
    row(0x3A0 + index, ["pmpcfg0", "pmpcfg1", "pmpcfg2", "pmpcfg3"][index as usize], register, u32::MAX)
}

/// pmpaddr0 to pmpaddr15: which of them is found by the number.
const PMP_ADDRESSES: Row = Row { count: 16, ..row(0x3B0, "pmpaddr", Register::PmpAddress(0), u32::MAX) };

const MSTATUS: u32 = MIE | MPIE | 3 << MPP | MPRV | TW;
/// MSIP, MTIP, MEIP.
const STANDARD: u32 = 1 << 3 | 1 << 7 | 1 << 11;
/// Those and fast interrupts 16 to 30.
const FAST: u32 = STANDARD | 0x7FFF_0000;
/// Instructions are at even addresses.
const EVEN: u32 = !1;

/// Ibex: its Reference Guide, "Control and Status Registers", and ibex_cs_registers.sv, in the configuration without a
/// cache, hardening, debug triggers or counters beside mcycle and minstret.
pub static IBEX: &[Row] = &[
    Row { reset: MPIE, ..row(0x300, "mstatus", Register::Mstatus, MSTATUS) },
    // RV32IMC with U mode.
    constant(0x301, "misa", 0x4010_1104),
    row(0x304, "mie", Register::Mie, FAST),
    row(0x305, "mtvec", Register::Mtvec, !0xFF),
    constant(0x306, "mcounteren", 0),
    constant(0x30A, "menvcfg", 0),
    constant(0x310, "mstatush", 0),
    constant(0x31A, "menvcfgh", 0),
    row(0x320, "mcountinhibit", Register::Mcountinhibit, 0b101),
    constants(0x323, 29, "mhpmevent"),
    row(0x340, "mscratch", Register::Mscratch, u32::MAX),
    row(0x341, "mepc", Register::Mepc, EVEN),
    row(0x342, "mcause", Register::IbexMcause, 0xC000_001F),
    row(0x343, "mtval", Register::Mtval, u32::MAX),
    row(0x344, "mip", Register::Mip, 0),
    pmp_configuration(0),
    pmp_configuration(1),
    pmp_configuration(2),
    pmp_configuration(3),
    PMP_ADDRESSES,
    unmodelled(0x747, "mseccfg", 7),
    constant(0x757, "mseccfgh", 0),
    row(0x7C0, "cpuctrlsts", Register::CpuControl, 0xC0),
    constant(0x7C1, "secureseed", 0),
    row(0xB00, "mcycle", Register::Cycle, u32::MAX),
    row(0xB02, "minstret", Register::Instret, u32::MAX),
    constants(0xB03, 29, "mhpmcounter"),
    row(0xB80, "mcycleh", Register::CycleHigh, u32::MAX),
    row(0xB82, "minstreth", Register::InstretHigh, u32::MAX),
    constants(0xB83, 29, "mhpmcounterh"),
    constant(0xF11, "mvendorid", 0),
    constant(0xF12, "marchid", 22),
    constant(0xF13, "mimpid", 0),
    row(0xF14, "mhartid", Register::Mhartid, 0),
    constant(0xF15, "mconfigptr", 0),
];

/// VexRiscv with all of its CsrPlugin, PmpPlugin and ExternalInterruptArrayPlugin, and with a data cache.
pub static VEXRISCV: &[Row] = &[
    Row { reset: 3 << MPP, ..row(0x300, "mstatus", Register::Mstatus, MIE | MPIE | 3 << MPP) },
    row(0x301, "misa", Register::Misa, 0),
    row(0x304, "mie", Register::Mie, STANDARD),
    row(0x305, "mtvec", Register::Mtvec, !2),
    row(0x340, "mscratch", Register::Mscratch, u32::MAX),
    row(0x341, "mepc", Register::Mepc, EVEN),
    row(0x342, "mcause", Register::Mcause, 0x8000_000F),
    row(0x343, "mtval", Register::Mtval, u32::MAX),
    row(0x344, "mip", Register::Mip, 0),
    pmp_configuration(0),
    pmp_configuration(1),
    pmp_configuration(2),
    pmp_configuration(3),
    PMP_ADDRESSES,
    row(0xB00, "mcycle", Register::Cycle, u32::MAX),
    row(0xB02, "minstret", Register::Instret, u32::MAX),
    row(0xB80, "mcycleh", Register::CycleHigh, u32::MAX),
    row(0xB82, "minstreth", Register::InstretHigh, u32::MAX),
    row(0xBC0, "irq_mask", Register::ArrayMask, u32::MAX),
    row(0xC00, "cycle", Register::Cycle, 0),
    row(0xC02, "instret", Register::Instret, 0),
    row(0xC80, "cycleh", Register::CycleHigh, 0),
    row(0xC82, "instreth", Register::InstretHigh, 0),
    // Bytes of the data cache, and of its lines from bit 20 on.
    constant(0xCC0, "dcache_info", 4096 | 32 << 20),
    constant(0xF11, "mvendorid", 0),
    constant(0xF12, "marchid", 0),
    constant(0xF13, "mimpid", 0),
    row(0xF14, "mhartid", Register::Mhartid, 0),
    row(0xFC0, "irq_pending", Register::ArrayPending, 0),
];

/// mcounteren.TM: whether U mode may read time.
pub const TM: u32 = 1 << 1;

/// A core with M and U mode and what the privileged architecture asks of it, as QEMU's `virt` has it (without S mode, which
/// programs for it must not ask for). Counters beside cycle, time and instret count nothing.
pub static PLAIN: &[Row] = &[
    row(0x300, "mstatus", Register::Mstatus, MSTATUS),
    row(0x301, "misa", Register::Misa, 0),
    row(0x304, "mie", Register::Mie, STANDARD),
    row(0x305, "mtvec", Register::Mtvec, !2),
    row(0x306, "mcounteren", Register::Mcounteren, u32::MAX),
    constant(0x30A, "menvcfg", 0),
    constant(0x310, "mstatush", 0),
    constant(0x31A, "menvcfgh", 0),
    row(0x320, "mcountinhibit", Register::Mcountinhibit, 0b101),
    constants(0x323, 29, "mhpmevent"),
    row(0x340, "mscratch", Register::Mscratch, u32::MAX),
    row(0x341, "mepc", Register::Mepc, EVEN),
    row(0x342, "mcause", Register::Mcause, u32::MAX),
    row(0x343, "mtval", Register::Mtval, u32::MAX),
    row(0x344, "mip", Register::Mip, 0),
    pmp_configuration(0),
    pmp_configuration(1),
    pmp_configuration(2),
    pmp_configuration(3),
    PMP_ADDRESSES,
    row(0x747, "mseccfg", Register::Security, 7),
    row(0x757, "mseccfgh", Register::Security, 0),
    // No trigger: the RISC-V Debug Specification 0.13.2, section 5.1, says how a program finds that out.
    constant(0x7A0, "tselect", 0),
    constant(0x7A1, "tdata1", 0),
    constant(0x7A2, "tdata2", 0),
    constant(0x7A3, "tdata3", 0),
    constant(0x7A4, "tinfo", 1),
    constant(0x7A5, "tcontrol", 0),
    constant(0x7A8, "mcontext", 0),
    row(0xB00, "mcycle", Register::Cycle, u32::MAX),
    row(0xB02, "minstret", Register::Instret, u32::MAX),
    constants(0xB03, 29, "mhpmcounter"),
    row(0xB80, "mcycleh", Register::CycleHigh, u32::MAX),
    row(0xB82, "minstreth", Register::InstretHigh, u32::MAX),
    constants(0xB83, 29, "mhpmcounterh"),
    row(0xC00, "cycle", Register::Cycle, 0),
    row(0xC01, "time", Register::Time, 0),
    row(0xC02, "instret", Register::Instret, 0),
    constants(0xC03, 29, "hpmcounter"),
    row(0xC80, "cycleh", Register::CycleHigh, 0),
    row(0xC81, "timeh", Register::TimeHigh, 0),
    row(0xC82, "instreth", Register::InstretHigh, 0),
    constants(0xC83, 29, "hpmcounterh"),
    constant(0xF11, "mvendorid", 0),
    constant(0xF12, "marchid", 0),
    constant(0xF13, "mimpid", 0),
    row(0xF14, "mhartid", Register::Mhartid, 0),
    constant(0xF15, "mconfigptr", 0),
];

/// PicoRV32's counters, of which time is the same as cycle: picorv32.v, instr_rdcycle and its like.
pub static PICORV32: &[Row] = &[
    row(0xC00, "cycle", Register::Cycle, 0),
    row(0xC01, "time", Register::Cycle, 0),
    row(0xC02, "instret", Register::Instret, 0),
    row(0xC80, "cycleh", Register::CycleHigh, 0),
    row(0xC81, "timeh", Register::CycleHigh, 0),
    row(0xC82, "instreth", Register::InstretHigh, 0),
];
