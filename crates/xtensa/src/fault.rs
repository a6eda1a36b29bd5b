//! Exceptions of instructions.

use cyclescope_machine::FaultReport;
use cyclescope_machine::units::Address;

/// EXCCAUSE (table 4–64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// No instruction of this core, or one that may not be executed now.
    Illegal = 0,
    /// SYSCALL.
    Syscall = 1,
    /// A fetch where nothing answers.
    FetchError = 2,
    /// A load or store that the memory there refuses.
    LoadStoreError = 3,
    /// An interrupt of level 1.
    Level1 = 4,
    /// MOVSP whose caller's registers have been spilled.
    Alloca = 5,
    /// A division by zero.
    DivideByZero = 6,
    /// A load or store at an address that is not a multiple of its width.
    Alignment = 9,
    /// A fetch over the bus where nothing answers.
    FetchAddress = 14,
    /// A load or store over the bus where nothing answers.
    LoadStoreAddress = 15,
    /// A fetch from a region that may not be executed.
    FetchProhibited = 20,
    /// A load from a region that may not be read.
    LoadProhibited = 28,
    /// A store to a region that may not be written.
    StoreProhibited = 29,
    /// An instruction of coprocessor 0 while CPENABLE forbids it.
    Coprocessor0 = 32,
}

impl Cause {
    /// The manual's words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Illegal => "illegal instruction",
            Self::Syscall => "system call",
            Self::FetchError => "instruction fetch error",
            Self::LoadStoreError => "load or store error",
            Self::Level1 => "level-1 interrupt",
            Self::Alloca => "MOVSP with spilled registers of the caller",
            Self::DivideByZero => "integer division by zero",
            Self::Alignment => "load or store alignment",
            Self::FetchAddress => "instruction fetch address error",
            Self::LoadStoreAddress => "load or store address error",
            Self::FetchProhibited => "instruction fetch prohibited",
            Self::LoadProhibited => "load prohibited",
            Self::StoreProhibited => "store prohibited",
            Self::Coprocessor0 => "coprocessor 0 disabled",
        }
    }
}

/// An exception before it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// One with a cause, at the general vectors.
    General {
        /// EXCCAUSE.
        cause: Cause,
        /// EXCVADDR, where the cause sets it.
        address: Option<u32>,
    },
    /// A window overflow: the window is to be rotated by as many times four registers, 1 to 3, and so many are to be spilled.
    Overflow {
        /// The rotation up to the window to be spilled.
        rotation: u8,
        /// Its own size, in registers divided by 4.
        size: u8,
    },
    /// A window underflow of as many times four registers, 1 to 3.
    Underflow {
        /// The size.
        size: u8,
    },
    /// The debug exception with these bits of DEBUGCAUSE.
    Debug {
        /// DEBUGCAUSE.
        cause: u8,
    },
}

impl Fault {
    /// DEBUGCAUSE: ICOUNT has counted to its end.
    pub const ICOUNT: u8 = 1 << 0;
    /// DEBUGCAUSE: an instruction breakpoint.
    pub const IBREAK: u8 = 1 << 1;
    /// DEBUGCAUSE: a data breakpoint.
    pub const DBREAK: u8 = 1 << 2;
    /// DEBUGCAUSE: BREAK.
    pub const BREAK: u8 = 1 << 3;
    /// DEBUGCAUSE: BREAK.N.
    pub const BREAK_NARROW: u8 = 1 << 4;

    /// A general exception without an address.
    pub const fn new(cause: Cause) -> Self {
        Self::General { cause, address: None }
    }

    /// A general exception with EXCVADDR.
    pub const fn at(cause: Cause, address: u32) -> Self {
        Self::General { cause, address: Some(address) }
    }

    /// An illegal instruction.
    pub const ILLEGAL: Self = Self::new(Cause::Illegal);

    /// As a report of what the instruction at `pc` could not do.
    pub const fn report(&self, pc: u32) -> FaultReport {
        let (cause, address) = match self {
            Self::General { cause, address } => (cause.words(), *address),
            Self::Overflow { .. } => ("window overflow", None),
            Self::Underflow { .. } => ("window underflow", None),
            Self::Debug { .. } => ("debug exception", None),
        };
        let address = match address {
            Some(address) => Some(Address::new(address)),
            None => None,
        };
        FaultReport { pc: Address::new(pc), cause, address }
    }
}
