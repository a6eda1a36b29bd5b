//! An instruction as the pipeline sees it.

use super::data::Way;
use super::{FetchStages, Masks, Variant};
use crate::decode::{Instruction, Op};

/// The kind of an instruction, by its effect on stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Plain,
    Load,
    Store,
    Shift,
    Multiply,
    Divide,
    Csr,
    FenceI,
    /// The data cache is emptied.
    FlushData,
    Wait,
    /// MRET.
    Return,
    /// An exception of the fetch, in which the decode stage is empty, of the decode, execute, memory and last stage, and one of a CSR.
    TrapFetch,
    TrapDecode,
    TrapExecute,
    TrapCsr,
    TrapMemory,
    TrapLast,
}

impl Kind {
    /// Tells whether it raises an exception in a stage behind the decode stage.
    pub const fn raises(self) -> bool {
        matches!(self, Self::TrapExecute | Self::TrapCsr | Self::TrapMemory | Self::TrapLast)
    }
}

/// An instruction in the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    pub pc: u32,
    /// Its size.
    pub bytes: u8,
    pub kind: Kind,
    /// Registers read, 0 for none, and the register written.
    pub reads: [u8; 2],
    pub writes: u8,
    /// Its result can be passed on from the execute and from the memory stage.
    pub early: [bool; 2],
    /// The bits that a shift moves, or the cycles that the write of a CSR takes beyond the first.
    pub amount: u8,
    /// The address of a load or store, its bytes in their word, the way that it goes, and whether it stores nothing.
    pub address: u32,
    pub lanes: u8,
    pub way: Way,
    pub is_void: bool,
    /// It loads, or fails to.
    pub loads: bool,
    /// The address that is fetched behind it, and whether that takes a jump.
    pub predicted: u32,
    pub jumps: bool,
    /// The address that it jumps to in the memory stage if no prediction was made, or the wrong one.
    pub corrects: Option<u32>,
    /// It branches on a condition, or jumps to an address that a register has.
    pub is_branch: bool,
    pub is_computed: bool,
    /// It branches, if it does, to the instruction behind it.
    pub is_idle: bool,
    /// The program's: not fetched astray.
    pub own: bool,
    /// It has come to its stage in the latest cycle.
    pub fresh: bool,
    /// The address that the memory stage goes to.
    pub redirect: Option<u32>,
    /// Masks that it sets.
    pub masks: Option<Masks>,
    /// It is looked for.
    pub sought: bool,
    /// It stores to a register, which happens when the bus carries it out.
    pub deferred: bool,
}

impl Slot {
    /// An instruction at `pc` that must not be executed.
    pub const fn denied(pc: u32) -> Self {
        Self {
            pc,
            bytes: 4,
            kind: Kind::TrapFetch,
            reads: [0; 2],
            writes: 0,
            early: [true; 2],
            amount: 0,
            address: 0,
            lanes: 0,
            way: Way::Through,
            is_void: false,
            loads: false,
            predicted: pc,
            jumps: false,
            corrects: None,
            is_branch: false,
            is_computed: false,
            is_idle: false,
            own: false,
            fresh: false,
            redirect: None,
            masks: None,
            sought: false,
            deferred: false,
        }
    }

    /// Tells whether it loads or stores.
    pub const fn is_access(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Store)
    }

    /// Tells whether it reads or writes a CSR, if only to fail.
    pub const fn is_csr(&self) -> bool {
        matches!(self.kind, Kind::Csr | Kind::TrapCsr)
    }
}

/// The core's state that an instruction depends on.
pub(crate) trait Values {
    /// The value of the register with `number`.
    fn register(&self, number: u8) -> u32;
    /// Tells whether the access of `i` to a CSR is an illegal instruction.
    fn refuses(&self, i: &Instruction) -> bool;
    /// Tells whether SC.W would store at `address`.
    fn reserves(&self, address: u32) -> bool;
    /// Tells whether the PMP allows an aligned load, or store, at `address`.
    fn allows(&self, address: u32, store: bool) -> bool;
}

/// Tells whether the condition of the branch `i` holds.
fn holds(i: &Instruction, values: &impl Values) -> bool {
    let (a, b) = (values.register(i.rs1), values.register(i.rs2));
    match i.op {
        Op::Beq => a == b,
        Op::Bne => a != b,
        Op::Blt => (a as i32) < b as i32,
        Op::Bge => a as i32 >= b as i32,
        Op::Bltu => a < b,
        _ => a >= b,
    }
}

/// The part of an instruction that comes from its encoding and the core's state: `i` at `pc`, of `bytes` bytes. Targets are relative.
pub(crate) fn slot(variant: &Variant, i: &Instruction, pc: u32, bytes: u8, values: &impl Values) -> Slot {
    let size = match i.op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        _ => 4,
    };
    let conditional = i.op == Op::ScW;
    let (loads, stores) = (i.is_load() || i.op == Op::LrW, i.is_store() || conditional);
    let address = values.register(i.rs1).wrapping_add(if i.is_atomic() { 0 } else { i.imm });
    let misaligned = (loads || stores) && address & (size - 1) != 0;
    let denied = (loads || stores) && !misaligned && !values.allows(address, stores);
    let constant = matches!(i.op, Op::Slli | Op::Srli | Op::Srai);
    let is_shift = constant || matches!(i.op, Op::Sll | Op::Srl | Op::Sra);
    let kind = match i.op {
        _ if denied || misaligned && variant.data_lines > 0 => Kind::TrapLast,
        _ if misaligned => Kind::TrapMemory,
        _ if loads => Kind::Load,
        _ if stores => Kind::Store,
        _ if is_shift => Kind::Shift,
        _ if i.is_multiplication() => Kind::Multiply,
        _ if i.is_division() => Kind::Divide,
        _ if i.is_csr() && values.refuses(i) => Kind::TrapCsr,
        _ if i.is_csr() => Kind::Csr,
        Op::FenceI if variant.fetch != FetchStages::Uncached => Kind::FenceI,
        Op::FlushData => Kind::FlushData,
        Op::Wfi => Kind::Wait,
        Op::Mret => Kind::Return,
        Op::Ecall => Kind::TrapExecute,
        Op::Illegal | Op::FetchFault | Op::Ebreak => Kind::TrapDecode,
        _ => Kind::Plain,
    };
    let none = matches!(
        i.op,
        Op::Lui
            | Op::Auipc
            | Op::Jal
            | Op::Fence
            | Op::FenceI
            | Op::FlushData
            | Op::Ecall
            | Op::Ebreak
            | Op::Mret
            | Op::Wfi
            | Op::Illegal
    ) || matches!(i.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci);
    let two = i.is_branch()
        || stores
        || i.is_multiplication()
        || i.is_division()
        || (Op::Add as u8..=Op::And as u8).contains(&(i.op as u8));
    let nothing = i.is_branch() || i.is_store() || matches!(kind, Kind::TrapDecode | Kind::FlushData);
    let writes = if nothing { 0 } else { i.rd & 31 };
    let early = match kind {
        _ if matches!(i.op, Op::Jal | Op::Jalr) => [true, variant.passes_links],
        _ if loads || stores => [false, false],
        Kind::Multiply => [false, variant.iterative_multiplier],
        Kind::Divide | Kind::Csr | Kind::TrapCsr => [false, true],
        Kind::Shift => [variant.light_shifter, true],
        _ => [true, true],
    };
    let compressed = matches!(variant.fetch, FetchStages::Compressed(_));
    let aligned = compressed || i.imm & 2 == 0;
    let jumps = variant.predicts && (i.op == Op::Jal || i.is_branch() && (i.imm as i32) < 0) && aligned;
    let next = pc.wrapping_add(bytes.into());
    let taken = pc.wrapping_add(i.imm);
    let corrects = match i.op {
        Op::Jalr => Some(address & !1),
        Op::Jal => (!jumps).then_some(taken),
        _ if i.is_branch() => {
            let holds = holds(i, values);
            (jumps != holds).then_some(if holds { taken } else { next })
        }
        _ => None,
    };
    let is_misaligned = !compressed && corrects.is_some_and(|target| target & 2 != 0);
    let kind = if is_misaligned { Kind::TrapMemory } else { kind };
    let shifted = if constant { i.imm } else { values.register(i.rs2) } & 31;
    let amount = match kind {
        Kind::Shift => shifted as u8,
        Kind::Csr => variant.writes(i),
        _ => 0,
    };
    Slot {
        bytes,
        kind,
        reads: [if none { 0 } else { i.rs1 & 31 }, if two { i.rs2 & 31 } else { 0 }],
        writes,
        early,
        amount,
        address,
        lanes: ((1 << size) - 1) << (address & 3),
        loads,
        is_void: conditional && !values.reserves(address),
        predicted: if jumps { taken } else { next },
        jumps,
        corrects,
        is_branch: i.is_branch(),
        is_computed: i.op == Op::Jalr,
        is_idle: i.is_branch() && taken == next,
        ..Slot::denied(pc)
    }
}
