//! The architectural state.

use cyclescope_engine::{MainStack, Marks, SeenAt};
use cyclescope_machine::units::Address;
use cyclescope_machine::{FaultReport, RowSet};

use crate::code::Pending;
use crate::config::Config;
use crate::exception::{Kinds, Lines};
use crate::exec::Regions;
use crate::fault::Fault;
use crate::float::Fcsr;
use crate::ps::Ps;

/// Everything architectural and the clock. Plain data.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// a0 to a15, as the current window has them.
    pub a: [u32; 16],
    /// All general registers; those of the current window are in [`Self::a`].
    pub(crate) file: [u32; 64],
    /// f0 to f15.
    pub f: [u32; 16],
    /// The address of the next instruction.
    pub pc: u32,
    /// WINDOWBASE.
    pub window_base: u8,
    /// WINDOWSTART.
    pub window_start: u16,
    /// As many times four registers behind a0 to a3 that can be used without a window overflow, 0 to 3.
    pub(crate) usable: u8,
    /// PS.
    pub ps: Ps,
    /// SAR.
    pub sar: u32,
    /// BR.
    pub booleans: u16,
    /// LBEG.
    pub loop_begin: u32,
    /// LEND.
    pub loop_end: u32,
    /// LCOUNT.
    pub loop_count: u32,
    /// LEND was set to an address that no loop instruction in memory has, so that no block knows of it. It matters while LCOUNT is not 0.
    pub(crate) odd_loop: bool,
    /// LITBASE.
    pub(crate) literal_base: u32,
    /// SCOMPARE1.
    pub compare: u32,
    /// ACCHI and ACCLO: 40 bits with sign.
    pub accumulator: i64,
    /// m0 to m3.
    pub m: [u32; 4],
    /// FCR and FSR.
    pub fcsr: Fcsr,
    /// THREADPTR.
    pub thread_pointer: u32,
    /// EXPSTATE, then the registers of the accelerator of double precision.
    pub(crate) extra: [u32; 4],
    /// EPC by level; index 0 is DEPC.
    pub epc: [u32; 8],
    /// EPS by level.
    pub eps: [u32; 8],
    /// EXCSAVE by level.
    pub excsave: [u32; 8],
    /// EXCCAUSE.
    pub cause: u32,
    /// EXCVADDR.
    pub address: u32,
    /// VECBASE.
    pub vector_base: u32,
    /// INTENABLE.
    pub enabled: u32,
    /// Interrupts that are kept until they are cleared: edges, timers, software's.
    pub(crate) latched: u32,
    /// The interrupts there are.
    pub(crate) kinds: Kinds,
    /// CPENABLE.
    pub coprocessors: u8,
    /// CCOUNT, less the clock.
    pub(crate) count_offset: u32,
    /// CCOMPARE.
    pub(crate) compares: [u32; 3],
    /// The cycles at which CCOUNT next equals each of them.
    pub(crate) matches: [u64; 3],
    /// MISC.
    pub misc: [u32; 4],
    /// MEMCTL.
    pub(crate) memory_control: u32,
    /// ATOMCTL.
    pub(crate) atomic_control: u32,
    /// The registers of the debug option.
    pub(crate) debug: Debug,
    /// The attributes of the regions of memory.
    pub(crate) regions: Regions,
    /// Some load or store may be refused or stop at a data breakpoint, or literals lie elsewhere: no access takes the fast path.
    pub(crate) guarded: bool,
    /// In WAITI.
    pub asleep: bool,
    /// Cycles since reset.
    pub now: u64,
    /// Instructions retired since reset.
    pub instructions: u64,
    /// Exceptions and interrupts taken since reset; those of windows count too.
    pub exceptions_taken: u64,
    /// Rows of the timing table that exceptions and accesses used.
    pub rows: RowSet,
    /// The cycle before which nothing can happen by itself: blocks that end before it run unchecked. 0 asks the run loop to
    /// look at everything again.
    pub horizon: u64,
    /// The core's configuration.
    pub config: Config,
    /// The exception that ended a block early.
    pub(crate) fault: Fault,
    /// The exit code that semihosting asked for.
    pub exit: Option<i32>,
    /// The exception taken last that was no call and no window's, with the instruction that raised it.
    pub last_fault: Option<FaultReport>,
    /// The wires as the core sees them.
    pub(crate) lines: Lines,
    /// Exceptions whose handlers have not returned, the outermost first, as signals number them.
    pub(crate) active: Vec<u16>,
    /// The results that the next instruction may have to wait for.
    pub(crate) pending: Pending,
    /// ICOUNT counts the instruction under way.
    pub(crate) counts: bool,
    /// The marks of the block that runs, for an observer.
    pub(crate) marks: Marks,
    /// The depth of the stack that was used first.
    pub main_stack: MainStack,
    /// The instructions that have accessed something other than main RAM.
    pub(crate) beyond_ram: SeenAt,
    /// The run stops at an exception ([`Stop::Fault`](cyclescope_machine::Stop::Fault), at BREAK
    /// [`Stop::Breakpoint`](cyclescope_machine::Stop::Breakpoint)) instead of running the guest's handler. Window exceptions,
    /// SYSCALL and MOVSP's are none: they ask for their handlers.
    pub halt_on_fault: bool,
}

/// The registers of the debug option (§4.7.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Debug {
    pub(crate) ibreak_enable: u32,
    pub(crate) ibreaka: [u32; 2],
    pub(crate) dbreaka: [u32; 2],
    pub(crate) dbreakc: [u32; 2],
    pub(crate) cause: u32,
    pub(crate) icount: u32,
    pub(crate) icount_level: u32,
    pub(crate) ddr: u32,
}

impl Cpu {
    /// A core after its reset at cycle 0, about to begin its first instruction.
    pub fn new(config: Config) -> Self {
        let mut cpu = Self {
            a: [0; 16],
            file: [0; 64],
            f: [0; 16],
            pc: config.reset,
            window_base: 0,
            window_start: 1,
            usable: 3,
            ps: Ps::RESET,
            sar: 0,
            booleans: 0,
            loop_begin: 0,
            loop_end: 0,
            loop_count: 0,
            odd_loop: false,
            literal_base: 0,
            compare: 0,
            accumulator: 0,
            m: [0; 4],
            fcsr: Fcsr::default(),
            thread_pointer: 0,
            extra: [0; 4],
            epc: [0; 8],
            eps: [0; 8],
            excsave: [0; 8],
            cause: 0,
            address: 0,
            vector_base: config.vector_base,
            enabled: 0,
            latched: 0,
            kinds: Kinds::of(config.configuration.interrupts),
            coprocessors: 0,
            count_offset: 0,
            compares: [0; 3],
            matches: [u64::MAX; 3],
            misc: [0; 4],
            memory_control: 0,
            atomic_control: 0x28,
            debug: Debug::default(),
            regions: Regions::RESET,
            guarded: false,
            asleep: false,
            now: u64::from(config.timing.cycles(config.timing.reset)),
            instructions: 0,
            exceptions_taken: 0,
            rows: RowSet::default(),
            horizon: 0,
            config,
            fault: Fault::ILLEGAL,
            exit: None,
            last_fault: None,
            lines: Lines::default(),
            active: Vec::new(),
            pending: Pending::default(),
            counts: false,
            marks: Marks::default(),
            main_stack: MainStack::default(),
            beyond_ram: SeenAt::default(),
            halt_on_fault: false,
        };
        cpu.rows.insert(config.timing.reset);
        for timer in 0..usize::from(config.configuration.timers) {
            cpu.set_compare(timer, 0, cpu.now);
        }
        cpu
    }

    /// The state after another reset; general registers and the clock go on. Interrupt lines are low until the bus says that
    /// they have risen, as after the first.
    pub fn reset(&mut self) {
        let fresh = Self::new(self.config);
        self.store_window();
        *self = Self {
            a: self.a,
            file: self.file,
            f: self.f,
            now: self.now + fresh.now,
            instructions: self.instructions,
            exceptions_taken: self.exceptions_taken,
            rows: self.rows,
            last_fault: self.last_fault,
            main_stack: self.main_stack,
            halt_on_fault: self.halt_on_fault,
            ..fresh
        };
        self.rows.insert(self.config.timing.reset);
        self.load_window();
        for timer in 0..usize::from(self.config.configuration.timers) {
            self.set_compare(timer, 0, self.now);
        }
    }

    /// The cycles of the timing row at `row`, which counts as used.
    pub(crate) fn charge(&mut self, row: usize) -> u64 {
        self.rows.insert(row);
        u64::from(self.config.timing.cycles(row))
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> Address {
        Address::new(self.pc)
    }

    /// Reads a register of the current window.
    #[inline(always)]
    pub fn get(&self, register: u8) -> u32 {
        self.a[usize::from(register & 15)]
    }

    /// Writes a register of the current window.
    #[inline(always)]
    pub fn set(&mut self, register: u8, value: u32) {
        self.a[usize::from(register & 15)] = value;
    }

    /// Reads a register of the floating-point unit.
    #[inline(always)]
    pub(crate) fn float(&self, register: u8) -> u32 {
        self.f[usize::from(register & 15)]
    }

    /// Writes a register of the floating-point unit.
    #[inline(always)]
    pub(crate) fn set_float(&mut self, register: u8, value: u32) {
        self.f[usize::from(register & 15)] = value;
    }

    /// Reads a boolean register.
    #[inline(always)]
    pub(crate) fn boolean(&self, register: u8) -> bool {
        self.booleans >> (register & 15) & 1 != 0
    }

    /// Writes a boolean register.
    #[inline(always)]
    pub(crate) fn set_boolean(&mut self, register: u8, value: bool) {
        let bit = 1 << (register & 15);
        self.booleans = if value { self.booleans | bit } else { self.booleans & !bit };
    }

    /// The interrupt level in force, CINTLEVEL.
    pub fn level(&self) -> u8 {
        let held = if self.ps.exception { self.config.configuration.exception_level } else { 0 };
        self.ps.level.max(held)
    }

    /// PS gets these fields.
    pub(crate) fn set_ps(&mut self, ps: Ps) {
        self.ps = ps;
        self.look_at_windows();
        self.look_at_interrupts();
    }

    /// CCOUNT at the cycle `at`.
    pub(crate) fn count_at(&self, at: u64) -> u32 {
        (at as u32).wrapping_add(self.count_offset)
    }

    /// CCOUNT is `value` at the cycle `at`.
    pub(crate) fn set_count(&mut self, value: u32, at: u64) {
        self.count_offset = value.wrapping_sub(at as u32);
        for timer in 0..usize::from(self.config.configuration.timers) {
            self.plan_match(timer, at);
        }
    }

    /// CCOMPARE of `timer` is `value` from the cycle `at` on.
    pub(crate) fn set_compare(&mut self, timer: usize, value: u32, at: u64) {
        self.compares[timer] = value;
        self.plan_match(timer, at);
    }

    /// Finds the first cycle behind `at` in which CCOUNT equals CCOMPARE of `timer`.
    fn plan_match(&mut self, timer: usize, at: u64) {
        let ahead = self.compares[timer].wrapping_sub(self.count_at(at));
        self.matches[timer] = at + if ahead == 0 { 1 << 32 } else { u64::from(ahead) };
        self.horizon = 0;
    }

    /// The results that the next instruction may have to wait for, packed into a number.
    pub fn inherited(&self) -> u32 {
        self.pending.iter().fold(0, |packed, (register, cycles)| packed << 8 | u32::from(register) << 2 | cycles & 3)
    }

    /// Exceptions whose handlers have not returned, the outermost first, as signals number them.
    pub fn active_exceptions(&self) -> &[u16] {
        &self.active
    }
}
