//! Cycles. Semantics say what happened; these tables say how long it took.
//!
//! One instruction issues in a cycle. Its result may come later, and the first instruction that reads it waits. Control that
//! goes elsewhere costs the stages that are fetched anew, and one cycle more where the target crosses a word of the fetch
//! bus.

mod lx106;
mod lx6;
mod results;

use cyclescope_machine::TimingRow;

use crate::decode::{Instruction, Op};

pub use lx6::LX6;
pub use lx106::LX106;
pub(crate) use results::{reads, writes};

/// The bytes that a core fetches at a time: XCHAL_INST_FETCH_WIDTH of both cores.
pub const FETCH_BYTES: u32 = 4;

/// The kinds of instructions that take different time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One that only computes, or any that has no class of its own.
    Plain,
    /// A load.
    Load,
    /// A store.
    Store,
    /// S32C1I.
    ConditionalStore,
    /// A product of halves.
    Multiply16,
    /// A product of words.
    Multiply32,
    /// QUOU, QUOS, REMU, REMS.
    Divide,
    /// The multiplier-accumulator.
    Mac,
    /// RSR, XSR and RUR.
    ReadSpecial,
    /// Sums and products of the floating-point unit.
    Float,
    /// Other operations of the floating-point unit.
    FloatOther,
    /// Conversions between numbers and integers.
    Convert,
    /// A branch under a condition, or a loop instruction.
    Branch,
    /// A jump, a call or a return.
    Jump,
    /// A return from an exception.
    Return,
    /// ISYNC, which fetches anew.
    Isync,
    /// MEMW, EXTW and the other instructions that wait for what is before them.
    Sync,
    /// WAITI.
    Wait,
    /// One that raises an exception, which says how long that takes.
    Raising,
}

impl Class {
    /// The class of `i`.
    pub fn of(i: &Instruction) -> Self {
        match i.op {
            Op::Mul16u | Op::Mul16s => Self::Multiply16,
            Op::Mull | Op::Muluh | Op::Mulsh => Self::Multiply32,
            Op::Quou | Op::Quos | Op::Remu | Op::Rems => Self::Divide,
            Op::Umul | Op::Mul | Op::Mula | Op::Muls => Self::Mac,
            Op::MulaLoad | Op::LoadMac | Op::Lsi | Op::Lsip | Op::Lsx | Op::Lsxp => Self::Load,
            Op::Literal => Self::Load,
            Op::Ssi | Op::Ssip | Op::Ssx | Op::Ssxp => Self::Store,
            Op::S32c1i => Self::ConditionalStore,
            Op::Rsr | Op::Xsr | Op::Rur | Op::Rsil => Self::ReadSpecial,
            Op::AddS | Op::SubS | Op::MulS | Op::MaddS | Op::MsubS | Op::MaddnS | Op::DivnS => Self::Float,
            Op::RoundS | Op::TruncS | Op::FloorS | Op::CeilS | Op::UtruncS | Op::FloatS | Op::UfloatS => Self::Convert,
            _ if i.is_float() => Self::FloatOther,
            _ if i.is_load() => Self::Load,
            _ if i.is_store() => Self::Store,
            _ if i.is_branch() || i.is_loop() => Self::Branch,
            Op::J | Op::Jx | Op::Ret | Op::Retw => Self::Jump,
            _ if i.is_call() => Self::Jump,
            Op::Rfe | Op::Rfde | Op::Rfi | Op::Rfwo | Op::Rfwu => Self::Return,
            Op::Isync => Self::Isync,
            Op::Rsync | Op::Esync | Op::Dsync | Op::Excw | Op::Memw | Op::Extw => Self::Sync,
            Op::Waiti => Self::Wait,
            Op::Illegal | Op::FetchFault | Op::Syscall | Op::Break | Op::BreakN => Self::Raising,
            _ => Self::Plain,
        }
    }
}

/// The cost of an instruction, beside what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The row of its cycles, for a branch those when it falls through.
    pub row: usize,
    /// The row of the cycles by which its result comes later, if it does.
    pub late: Option<usize>,
}

/// The timing of one core.
#[derive(Debug)]
pub struct CoreTiming {
    /// The core's name and configuration.
    pub core: &'static str,
    /// Every row.
    pub rows: &'static [TimingRow],
    /// The cost of instructions of a class.
    pub cost: fn(Class) -> Cost,
    /// The row of what a taken branch takes on top.
    pub taken: usize,
    /// The row of what any change of control takes on top where its target crosses a word of the fetch bus.
    pub crossing: usize,
    /// The row of the second access of a load or store across words, on a core that makes it.
    pub unaligned: usize,
    /// The row of an exception: from the beginning of the instruction that raises it to that of the first at the vector.
    pub exception: usize,
    /// The row of a window exception, likewise.
    pub window: usize,
    /// The row of an interrupt: from the end of an instruction to the beginning of the first at the vector.
    pub interrupt: usize,
    /// The row of the time from a reset to the beginning of the first instruction.
    pub reset: usize,
    /// The row of what waking up from WAITI takes.
    pub wake: usize,
    /// The row that says how long after a line moves the core sees it.
    pub recognition: usize,
    /// The row that says in which cycle of a load or store, from 0, a register sees the access.
    pub data_phase: usize,
    /// The row that says in which cycle of an instruction, from 0, CCOUNT is read and written.
    pub counter_phase: usize,
}

impl CoreTiming {
    /// The cycles of the row at `index`.
    pub fn cycles(&self, index: usize) -> u32 {
        self.rows[index].cycles
    }
}

/// Tells whether an instruction of `bytes` bytes at `address` crosses a word of the fetch bus.
#[inline(always)]
pub(crate) const fn crosses(address: u32, bytes: u32) -> bool {
    (address & (FETCH_BYTES - 1)) + bytes > FETCH_BYTES
}
