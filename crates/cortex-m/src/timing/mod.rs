//! Cycles. Semantics say what happened; these tables say how long it took, one file a core, one row a row of its manual.

mod m0plus;
mod m3;
mod m4;
mod neighbour;
mod pipeline;

use cyclescope_machine::{RowSet, TimingRow};

use crate::decode::shape::{Shape, shape};
use crate::decode::{Instruction, Op, Reg};

pub use m0plus::CORTEX_M0PLUS;
pub use m3::CORTEX_M3;
pub use m4::{CORTEX_M4, CORTEX_M4F};
pub(crate) use neighbour::overlaps;

/// The conditions beside an instruction itself on which its cost depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The instruction before it, if control came straight from there and that one was executed for certain.
    pub previous: Option<Instruction>,
    /// True if the one before is of 32 bits.
    pub previous_wide: bool,
    /// True if the instruction itself is of 32 bits.
    pub wide: bool,
    /// True if the target of this direct branch is a 32-bit instruction across a word boundary.
    pub target_unaligned: bool,
    /// True if the target of this direct branch is fetched over the system bus.
    pub target_on_system_bus: bool,
}

/// The cost of an instruction without wait states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The index of the row that says so.
    pub row: usize,
    /// Its cycles: of a conditional branch, when it falls through; of one whose operands decide, the least.
    pub cycles: u32,
    /// The cycles that a branch adds when it is taken: at most 15.
    pub taken: u32,
    /// The most that operands, alignment of data or of an indirect target may add.
    pub most_extra: u32,
}

impl Cost {
    /// A cost that nothing but the instruction and its neighbour decides.
    pub const fn fixed(row: usize, cycles: u32) -> Self {
        Self { row, cycles, taken: 0, most_extra: 0 }
    }
}

/// The timing of one core.
#[derive(Debug)]
pub struct CoreTiming {
    /// The core's name.
    pub core: &'static str,
    /// Every row, instructions first.
    pub rows: &'static [TimingRow],
    /// The cost of an instruction in its context.
    pub cost: fn(&Instruction, &Context) -> Cost,
    /// Further rows that apply to the instruction in its context, for the record of what was used.
    pub also: fn(&Instruction, &Context, &mut RowSet),
    /// The cycles of a division beyond its least, by dividend, divisor, and whether it is signed.
    pub division: fn(u32, u32, bool) -> u32,
    /// The bits of the quotient that a division finds in a cycle, on a core that divides: see [`Self::division`].
    pub division_bits: Option<u32>,
    /// The cycles of a long multiplication beyond its least, if its operands decide.
    pub long_multiply: Option<fn(u32, u32) -> u32>,
    /// The cycles that an indirect branch to a 32-bit instruction across a word boundary adds.
    pub unaligned_target: u32,
    /// The row of what going to code on the system bus adds, where fetches have a bus of their own for code elsewhere.
    pub system_fetch: Option<usize>,
    /// The row of what a load or store takes more that would overlap with a load from another memory, where that was measured.
    pub memory_change: Option<usize>,
    /// Cycles that an instruction which its condition skips takes.
    pub skipped: u32,
    /// The row of each further piece of an unaligned access.
    pub unaligned: usize,
    /// The row of exception entry, from the instruction boundary to the handler's first instruction.
    pub exception_entry: usize,
    /// The row of what exception entry takes on top when it stores floating-point state.
    pub entry_with_fp: usize,
    /// The row of exception return, on top of the instruction that causes it.
    pub exception_return: usize,
    /// The row of what return takes on top when it loads floating-point state.
    pub return_with_fp: usize,
    /// The row of preserving floating-point state when an instruction asks for the unit.
    pub lazy_preservation: usize,
    /// The row of going from one handler straight into the next.
    pub tail_chain: usize,
    /// The row that says how long into an entry a more urgent exception is still taken instead.
    pub late_arrival: usize,
    /// The row of waking from sleep.
    pub wake: usize,
    /// The row that says when, inside a load or store, its data phase is.
    pub data_phase: usize,
    /// The row that says how long after the address phase of its fetch an instruction begins at the earliest.
    pub fetch_latency: usize,
    /// The row that says how many words the fetch unit has room for.
    pub fetch_buffer: usize,
    /// True if fetches have a bus of their own and go on beside execution. If not, each of their stalls stalls the core.
    pub fetches_aside: bool,
}

/// When fetching turns to the target of a branch (DDI 0337G table 15-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirect {
    /// From its decode on: the target is known there.
    Decode,
    /// From its execution on.
    Execute,
}

/// Tells whether `i` branches to LR. LR is available while `i` is decoded, unless the instruction before writes it.
fn is_forwarded(i: &Instruction) -> bool {
    matches!(i.op, Op::Bx | Op::Blx | Op::MovPc) && i.rm == Reg::Lr
}

/// When the fetch unit turns to the target of `i`, of a branch under a condition if it is taken; `None` if `i` is no branch.
pub fn redirect(i: &Instruction) -> Option<Redirect> {
    match shape(i) {
        Shape::BranchIf if matches!(i.op, Op::Cbz | Op::Cbnz) => Some(Redirect::Execute),
        Shape::Branch | Shape::BranchIf => Some(Redirect::Decode),
        Shape::BranchIndirect if is_forwarded(i) => Some(Redirect::Decode),
        Shape::BranchIndirect | Shape::LoadPc | Shape::LoadMultiplePc(_) | Shape::Table | Shape::InstructionBarrier => {
            Some(Redirect::Execute)
        }
        _ => None,
    }
}

/// Tells whether the instruction at `pc` is fetched over the system bus of a core that has one (DDI 0337I §2.2:
/// 0x20000000 to 0xDFFFFFFF; no code can be above).
pub const fn on_system_bus(pc: u32) -> bool {
    pc >= 0x2000_0000
}

impl CoreTiming {
    /// The cycles of the row at `index`.
    pub fn cycles(&self, index: usize) -> u32 {
        self.rows[index].cycles
    }
}
