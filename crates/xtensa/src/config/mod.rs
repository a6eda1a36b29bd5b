//! The configuration of a core: a part sets a [`Config`], which names one of the [`Configuration`]s that cores were generated with.

mod lx106;
mod lx6;

use std::ops::Range;

use crate::timing::CoreTiming;

pub use lx6::LX6;
pub use lx106::LX106;

/// The options that a core was generated with, as chapter 4 of the manual names them. The core architecture, the exception
/// option and the interrupt option are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Code density: instructions of 16 bits.
    pub density: bool,
    /// Zero-overhead loops.
    pub loops: bool,
    /// Register windows.
    pub windows: bool,
    /// L32R relative to LITBASE, where that says so: the extended L32R option.
    pub absolute_literals: bool,
    /// 16-bit multiplication.
    pub mul16: bool,
    /// 32-bit multiplication, MULL.
    pub mul32: bool,
    /// The high word of a product, MULUH and MULSH.
    pub mul32_high: bool,
    /// 32-bit division.
    pub div32: bool,
    /// The multiplier-accumulator.
    pub mac16: bool,
    /// NSA and NSAU.
    pub nsa: bool,
    /// MIN, MAX, MINU and MAXU.
    pub min_max: bool,
    /// SEXT.
    pub sext: bool,
    /// CLAMPS.
    pub clamps: bool,
    /// Boolean registers.
    pub booleans: bool,
    /// The single-precision unit, which is coprocessor 0.
    pub float: bool,
    /// L32AI and S32RI.
    pub synchronization: bool,
    /// S32C1I.
    pub conditional_store: bool,
    /// ATOMCTL, which says how S32C1I goes on each kind of memory.
    pub atomic_control: bool,
    /// CPENABLE.
    pub coprocessors: bool,
    /// THREADPTR.
    pub thread_pointer: bool,
    /// Loads and stores at any address; else they raise an exception.
    pub unaligned: bool,
    /// A cache of instructions in the core, with IPF, IHI and III.
    pub instruction_cache: bool,
    /// A cache of data in the core, with DPFR, DHWB and their like.
    pub data_cache: bool,
    /// VECBASE moves the vectors.
    pub relocatable_vectors: bool,
    /// Region protection with its instructions for the translation tables.
    pub region_protection: bool,
    /// Breakpoints in hardware, ICOUNT and the debug exception.
    pub debug: bool,
    /// MEMCTL.
    pub memory_control: bool,
    /// RER and WER.
    pub external_registers: bool,
    /// EXPSTATE, the output port of the TIE example that the LX6 of the ESP32 has.
    pub output_port: bool,
    /// The accelerator of double precision, whose registers alone are modelled.
    pub double_accelerator: bool,
}

impl Options {
    /// None of them.
    pub const NONE: Self = Self {
        density: false,
        loops: false,
        windows: false,
        absolute_literals: false,
        mul16: false,
        mul32: false,
        mul32_high: false,
        div32: false,
        mac16: false,
        nsa: false,
        min_max: false,
        sext: false,
        clamps: false,
        booleans: false,
        float: false,
        synchronization: false,
        conditional_store: false,
        atomic_control: false,
        coprocessors: false,
        thread_pointer: false,
        unaligned: false,
        instruction_cache: false,
        data_cache: false,
        relocatable_vectors: false,
        region_protection: false,
        debug: false,
        memory_control: false,
        external_registers: false,
        output_port: false,
        double_accelerator: false,
    };
}

/// The source of an interrupt (§4.4.4, table 4–69).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptKind {
    /// A line while it is high.
    Level,
    /// A line's rise, kept until INTCLEAR.
    Edge,
    /// INTSET, until INTCLEAR.
    Software,
    /// CCOMPARE of this number, until that is written.
    Timer(u8),
    /// A line's rise, which no mask holds back.
    Nmi,
    /// The performance counters of the core, which are a model gap: never.
    Profiling,
    /// None.
    Absent,
}

/// An interrupt of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Its level, 1 to 7.
    pub level: u8,
    /// Its source.
    pub kind: InterruptKind,
}

impl Interrupt {
    /// One of `level` from `kind`.
    pub const fn new(level: u8, kind: InterruptKind) -> Self {
        Self { level, kind }
    }
}

/// The places of the exception vectors, in bytes behind VECBASE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vectors {
    /// Window overflow of 4, 8 and 12 registers.
    pub overflow: [u32; 3],
    /// Window underflow of 4, 8 and 12 registers.
    pub underflow: [u32; 3],
    /// Interrupts of the levels 2 to 7; the level of the debugger and the NMI's are among them.
    pub levels: [u32; 6],
    /// Exceptions while PS.UM is 0.
    pub kernel: u32,
    /// Exceptions while PS.UM is 1.
    pub user: u32,
    /// Exceptions while PS.EXCM is 1.
    pub double: u32,
}

/// A core as it was generated.
#[derive(Debug)]
pub struct Configuration {
    /// Its name.
    pub name: &'static str,
    /// Its options.
    pub options: Options,
    /// General registers: 16, 32 or 64.
    pub registers: u32,
    /// Its interrupts, by number.
    pub interrupts: &'static [Interrupt],
    /// EXCMLEVEL: the levels up to this one are held back while PS.EXCM is set.
    pub exception_level: u8,
    /// DEBUGLEVEL.
    pub debug_level: u8,
    /// NMILEVEL; also the number of levels there are. 0 without an NMI.
    pub nmi_level: u8,
    /// The number of levels of interrupts: EPC, EPS and EXCSAVE have as many.
    pub levels: u8,
    /// CCOMPARE registers.
    pub timers: u8,
    /// MISC registers.
    pub misc: u8,
    /// Breakpoints for instructions and for data.
    pub breakpoints: u8,
    /// The vectors.
    pub vectors: Vectors,
    /// CONFIGID0 and CONFIGID1.
    pub id: [u32; 2],
}

/// The configuration of a core, as its part sets it.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The core.
    pub configuration: &'static Configuration,
    /// Cycles.
    pub timing: &'static CoreTiming,
    /// The address at which execution begins after a reset.
    pub reset: u32,
    /// VECBASE after a reset.
    pub vector_base: u32,
    /// PRID.
    pub processor: u32,
    /// The addresses at which loads and stores have 32 bits or raise an exception: RAM and ROM of the instruction bus.
    pub word_only: &'static [Range<u32>],
    /// True if BREAK 1, 14 is a semihosting call of Arm's numbers, as debuggers of these chips have it, and SIMCALL is one of
    /// the simulator's.
    pub semihosting: bool,
}
