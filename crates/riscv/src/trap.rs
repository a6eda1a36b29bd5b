//! Modes of the core, and the exceptions of its instructions.

use cyclescope_machine::FaultReport;
use cyclescope_machine::units::Address;

/// The mode of the core, which decides what code may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// U mode.
    User,
    /// M mode.
    Machine,
}

/// An exception before it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// mcause.
    pub cause: u32,
    /// mtval.
    pub value: u32,
}

impl Trap {
    /// A misaligned target of a jump or branch.
    pub const INSTRUCTION_MISALIGNED: u32 = 0;
    /// Code where there is none, or that may not be executed.
    pub const INSTRUCTION_ACCESS: u32 = 1;
    /// No instruction of this core, or one that may not be executed.
    pub const ILLEGAL: u32 = 2;
    /// EBREAK.
    pub const BREAKPOINT: u32 = 3;
    /// A misaligned load or LR.
    pub const LOAD_MISALIGNED: u32 = 4;
    /// A load where nothing answers, or that is not allowed.
    pub const LOAD_ACCESS: u32 = 5;
    /// A misaligned store, SC or AMO.
    pub const STORE_MISALIGNED: u32 = 6;
    /// A store where nothing answers, or that is not allowed.
    pub const STORE_ACCESS: u32 = 7;
    /// ECALL from U mode; from M mode it is three more.
    pub const USER_CALL: u32 = 8;

    /// The exception `cause` with `value` for mtval.
    pub const fn new(cause: u32, value: u32) -> Self {
        Self { cause, value }
    }

    /// The privileged architecture's words for it (table 3.6).
    pub const fn words(&self) -> &'static str {
        match self.cause {
            Self::INSTRUCTION_MISALIGNED => "instruction address misaligned",
            Self::INSTRUCTION_ACCESS => "instruction access fault",
            Self::ILLEGAL => "illegal instruction",
            Self::BREAKPOINT => "breakpoint",
            Self::LOAD_MISALIGNED => "load address misaligned",
            Self::LOAD_ACCESS => "load access fault",
            Self::STORE_MISALIGNED => "store/AMO address misaligned",
            Self::STORE_ACCESS => "store/AMO access fault",
            Self::USER_CALL => "environment call from U-mode",
            _ => "environment call from M-mode",
        }
    }

    /// As a report of what the instruction at `pc` could not do.
    pub const fn report(&self, pc: u32) -> FaultReport {
        let has_address = matches!(self.cause, 0 | 1 | 4..=7);
        let address = if has_address { Some(Address::new(self.value)) } else { None };
        FaultReport { pc: Address::new(pc), cause: self.words(), address }
    }
}
