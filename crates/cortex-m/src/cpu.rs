//! The state of a core: registers, flags, modes, and the clock.

use std::ops::Range;

use cyclescope_engine::{Marks, SeenAt};
use cyclescope_machine::units::Address;
use cyclescope_machine::{FaultReport, RowSet};

use crate::decode::{Architecture, Reg};
use crate::exception::{Dwt, Masks, Nvic, SysTick, SystemControl};
use crate::exec::{Ahead, BegunFetch, Kept, PlannedFetch};
use crate::fp::FpState;
use crate::mpu::Mpu;
use crate::stacks::{CONTEXT_BYTES, Stacks};
use crate::timing::CoreTiming;

/// The properties of a core that a part decides.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Its instructions.
    pub architecture: Architecture,
    /// The core's timing.
    pub timing: &'static CoreTiming,
    /// True if the core has the bit-band aliases.
    pub bit_band: bool,
    /// Implemented bits of each priority field: 2 on Armv6-M, 3 to 8 on Armv7-M.
    pub priority_bits: u8,
    /// Interrupt lines the part connects.
    pub interrupts: u16,
    /// MPU regions; 0 where there is no MPU.
    pub mpu_regions: u8,
    /// Core cycles in one period of SysTick's reference clock; `None` where the part has none.
    pub systick_reference: Option<u32>,
    /// The value that `SYST_CALIB` reads.
    pub systick_calibration: u32,
    /// The value that `CPUID` reads.
    pub cpuid: u32,
    /// True if `BKPT 0xAB` talks to the host, as with a debug probe attached.
    pub semihosting: bool,
}

/// The architecture's name for a fault. On Armv6-M all are HardFaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// UFSR.UNDEFINSTR.
    Undefined,
    /// UFSR.INVSTATE.
    InvalidState,
    /// UFSR.INVPC.
    InvalidPc,
    /// UFSR.NOCP.
    NoCoprocessor,
    /// UFSR.UNALIGNED.
    Unaligned,
    /// UFSR.DIVBYZERO.
    DivideByZero,
    /// MMFSR.IACCVIOL.
    FetchAccess,
    /// MMFSR.DACCVIOL.
    DataAccess,
    /// MMFSR.MSTKERR.
    StackingAccess,
    /// MMFSR.MUNSTKERR.
    UnstackingAccess,
    /// MMFSR.MLSPERR.
    PreservationAccess,
    /// BFSR.IBUSERR.
    FetchBus,
    /// BFSR.PRECISERR.
    PreciseBus,
    /// BFSR.IMPRECISERR.
    ImpreciseBus,
    /// BFSR.STKERR.
    StackingBus,
    /// BFSR.UNSTKERR.
    UnstackingBus,
    /// BFSR.LSPERR.
    PreservationBus,
    /// HFSR.VECTTBL.
    VectorTable,
    /// SVC where it cannot be taken: a HardFault by escalation.
    Escalated,
}

/// Why an instruction could not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The architecture's name for it.
    pub kind: FaultKind,
    /// In words.
    pub cause: &'static str,
    /// The address of the access that failed.
    pub address: Option<u32>,
}

impl Fault {
    /// As it counts while an exception's frame is written.
    #[must_use]
    pub fn in_stacking(self) -> Self {
        self.within(FaultKind::StackingAccess, FaultKind::StackingBus)
    }

    /// As it counts while an exception's frame is read.
    #[must_use]
    pub fn in_unstacking(self) -> Self {
        self.within(FaultKind::UnstackingAccess, FaultKind::UnstackingBus)
    }

    /// As it counts while floating-point state is preserved.
    #[must_use]
    pub fn in_lazy_preservation(self) -> Self {
        self.within(FaultKind::PreservationAccess, FaultKind::PreservationBus)
    }

    fn within(self, access: FaultKind, bus: FaultKind) -> Self {
        let kind = if self.kind == FaultKind::DataAccess { access } else { bus };
        Self { kind, ..self }
    }
}

/// The state beside an address that execution needs to go on where a block was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entry {
    /// EPSR.IT, or EPSR.ICI when its low four bits are zero.
    pub it: u8,
    /// The influence of the instruction before it on the cycles of the next one.
    pub neighbour: Neighbour,
}

/// The part of an entry that the instruction right before decides, in a byte: entries are compared between all blocks, and
/// each place in a block has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Neighbour(i8);

impl Neighbour {
    /// Nothing, as after a branch.
    pub const NONE: Self = Self(0);

    /// It takes `adjust` cycles more than after a branch, from -64 to 63. If it is `chained`, it overlaps with a load, which went to
    /// [`Cpu::loaded_from`], unless it goes to another memory; that is said only where there are several.
    pub const fn new(adjust: i8, chained: bool) -> Self {
        Self(adjust << 1 | chained as i8)
    }

    /// The cycles it takes more.
    pub const fn adjust(self) -> i8 {
        self.0 >> 1
    }

    /// Tells whether it is chained.
    pub const fn is_chained(self) -> bool {
        self.0 & 1 != 0
    }
}

impl Entry {
    /// As after a branch.
    pub const PLAIN: Self = Self::with_it(0);

    /// With that EPSR.IT or EPSR.ICI, and nothing of a neighbour.
    pub const fn with_it(it: u8) -> Self {
        Self { it, neighbour: Neighbour::NONE }
    }

    /// As an immediate.
    pub const fn pack(self) -> u32 {
        self.it as u32 | (self.neighbour.0 as u8 as u32) << 8
    }

    /// Back from an immediate.
    pub const fn unpack(imm: u32) -> Self {
        Self { it: imm as u8, neighbour: Neighbour((imm >> 8) as i8) }
    }

    /// The register that a load or store of several goes on with, if one was interrupted.
    pub const fn continues_at(self) -> Option<u32> {
        if self.it != 0 && self.it & 0xF == 0 { Some(self.it as u32 >> 4) } else { None }
    }
}

/// The way the core waits, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// It runs.
    Awake,
    /// WFE: an event wakes it.
    ForEvent,
    /// WFI or sleep-on-exit: an exception that could preempt wakes it.
    ForInterrupt,
}

/// An exception's entry or return that a core beside another has begun. Its end depends on what has reached the core by then, which
/// the other core may have yet to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halfway {
    /// Entry into the exception `number` since the cycle `since`: the frame is written.
    Entry {
        /// The exception.
        number: u16,
        /// The cycle in which it began.
        since: u64,
    },
    /// Return by this EXC_RETURN: the branch is made.
    Return(u32),
    /// The same return: the exception `number` is no longer active.
    Left {
        /// The exception.
        number: u16,
        /// EXC_RETURN.
        exc_return: u32,
        /// The exception to take instead, if EXC_RETURN fits no active state.
        instead: Option<u16>,
    },
}

/// Everything architectural and the clock. Plain data.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// The register file. `r[13]` is the stack pointer in use, `r[15]` the next instruction's address.
    pub r: [u32; 16],
    /// N is set when this is negative, Z when its low 32 bits are zero: the last result, sign-extended.
    pub nz: i64,
    /// The carry flag.
    pub c: bool,
    /// The overflow flag.
    pub v: bool,
    /// The sticky saturation flag.
    pub q: bool,
    /// The four greater-or-equal flags of the DSP extension.
    pub ge: u8,
    /// EPSR.T: cleared by a branch to an even address, which faults at the next instruction.
    pub thumb: bool,
    /// The number of the exception being handled; 0 in thread mode.
    pub ipsr: u16,
    /// PRIMASK.PM.
    pub primask: bool,
    /// FAULTMASK.FM.
    pub faultmask: bool,
    /// BASEPRI.
    pub basepri: u8,
    /// CONTROL.nPRIV.
    pub unprivileged: bool,
    /// CONTROL.SPSEL: the process stack pointer is in use in thread mode.
    pub process_stack: bool,
    /// The stack pointer not in use.
    pub other_sp: u32,
    /// The lowest value either stack pointer had when something was pushed, since MSR last wrote it: main, process.
    pub lowest_sp: [u32; 2],
    /// The stacks that are watched, and the use of them from before.
    pub(crate) stacks: Stacks,
    /// The state in which execution goes on at `r[15]`.
    pub entry: Entry,
    /// True if the DWT counted events when the latest instruction that runs by itself began: its own cycles count then.
    pub(crate) counts: bool,
    /// The addresses of the RAM from which the last load was that the instruction behind it overlaps with, none if it was from
    /// no RAM; kept only where there are several.
    pub(crate) loaded_from: Range<u32>,
    /// The instructions that have read or written registers, flash, or another RAM than the main one.
    pub(crate) beyond_ram: SeenAt,
    /// The instructions that have waited since they and the load before them went to two RAMs.
    pub(crate) memory_changes: SeenAt,
    /// True if fetching must begin anew at `r[15]`, after a branch, a barrier, an exception or a change by a debugger.
    pub refill: bool,
    /// Beside another core: the word, by a fourth of its address, that was fetched last from memory other than flash that waits.
    pub(crate) fetched: u32,
    /// Likewise the fetch that went on behind the instruction done last.
    pub(crate) ahead: Option<Ahead>,
    /// Likewise the fetch that comes next.
    pub(crate) planned: Option<PlannedFetch>,
    /// Likewise those that have their ports, for the next instruction.
    pub(crate) begun: [Option<BegunFetch>; 2],
    /// Likewise the state before a simple attempt.
    pub(crate) kept: Kept,
    /// The local exclusive monitor watches.
    pub exclusive: bool,
    /// Floating point.
    pub fp: FpState,
    /// The event register of WFE.
    pub event: bool,
    /// The way the core sleeps, if it does.
    pub sleep: Sleep,
    /// It sleeps, and the part knows that nothing woke it at once.
    pub rests: bool,
    /// Its clock stands, as it sleeps deeply.
    pub stands: bool,
    /// Its clock stands, whatever it does, as no oscillator runs.
    pub dormant: bool,
    /// Cycles since reset.
    pub now: u64,
    /// Instructions retired since reset.
    pub instructions: u64,
    /// Interrupts, SysTick and the system control registers.
    pub nvic: Nvic,
    /// The system timer.
    pub systick: SysTick,
    /// The system control block.
    pub scb: SystemControl,
    /// The memory protection unit.
    pub mpu: Mpu,
    /// The data watchpoint and trace unit's counters.
    pub dwt: Dwt,
    /// The exception's entry or return under way.
    pub(crate) halfway: Option<Halfway>,
    /// A store that failed after its instruction, and that instruction's address.
    pub imprecise: Option<(Fault, u32)>,
    /// A fault was noted that nobody was told of yet.
    pub noted: bool,
    /// The access under way has the rights of unprivileged code.
    pub acts_unprivileged: bool,
    /// The fault behind the latest HardFault, and where it was.
    pub last_fault: Option<FaultReport>,
    /// Its kind.
    pub last_fault_kind: Option<FaultKind>,
    /// Rows of the timing table that exceptions, sleep and register accesses used.
    pub rows: RowSet,
    /// The cycle before which nothing can happen by itself: blocks that end before it run unchecked. 0 asks the run loop
    /// to look at everything again.
    pub horizon: u64,
    /// Exceptions taken since reset, tail-chained ones included.
    pub exceptions_taken: u64,
    /// The properties that the part decided.
    pub config: Config,
    /// The fault that a block ended with.
    pub fault: Fault,
    /// The detail of a block's end: an EXC_RETURN value, BKPT's immediate, or EPSR.IT at SVC.
    pub detail: u32,
    /// The exit code the guest passed to the host.
    pub exit: Option<i32>,
    /// The run stops at a fault ([`Stop::Fault`](cyclescope_machine::Stop::Fault)) instead of running the guest's handler.
    pub halt_on_fault: bool,
    /// The cycle marks of the block that runs, for an observer.
    pub(crate) marks: Marks,
}

impl Cpu {
    /// A core that is yet to be reset.
    pub fn new(config: Config) -> Self {
        Self {
            r: [0; 16],
            nz: 1,
            c: false,
            v: false,
            q: false,
            ge: 0,
            thumb: true,
            ipsr: 0,
            primask: false,
            faultmask: false,
            basepri: 0,
            unprivileged: false,
            process_stack: false,
            other_sp: 0,
            lowest_sp: [u32::MAX; 2],
            stacks: Stacks::default(),
            entry: Entry::PLAIN,
            counts: false,
            loaded_from: 0..0,
            beyond_ram: SeenAt::default(),
            memory_changes: SeenAt::default(),
            refill: true,
            fetched: u32::MAX,
            ahead: None,
            planned: None,
            begun: [None; 2],
            kept: Kept::default(),
            exclusive: false,
            fp: FpState::new(),
            event: false,
            sleep: Sleep::Awake,
            rests: false,
            stands: false,
            dormant: false,
            now: 0,
            instructions: 0,
            nvic: Nvic::new(config.architecture, config.priority_bits, config.interrupts),
            systick: SysTick::new(config.systick_reference, config.systick_calibration),
            scb: SystemControl::new(config.architecture),
            mpu: Mpu::new(config.mpu_regions),
            dwt: Dwt::default(),
            halfway: None,
            imprecise: None,
            noted: false,
            acts_unprivileged: false,
            last_fault: None,
            last_fault_kind: None,
            rows: RowSet::default(),
            horizon: 0,
            exceptions_taken: 0,
            config,
            fault: Fault { kind: FaultKind::Undefined, cause: "none", address: None },
            detail: 0,
            exit: None,
            halt_on_fault: false,
            marks: Marks::default(),
        }
    }

    /// The cycles of the timing row at `row`, which counts as used.
    pub fn charge(&mut self, row: usize) -> u64 {
        self.rows.insert(row);
        u64::from(self.config.timing.cycles(row))
    }

    /// Lets `cycles` pass within a block. Until the block ends the time may lie before the first cycle: a skipped instruction
    /// gives back what its block was charged.
    #[inline(always)]
    pub(crate) fn pass(&mut self, cycles: u64) {
        self.now = self.now.wrapping_add(cycles);
    }

    /// Reads a register.
    #[inline(always)]
    pub fn get(&self, register: Reg) -> u32 {
        self.r[register as usize]
    }

    /// Writes a register other than the program counter or a stack pointer.
    #[inline(always)]
    pub fn set(&mut self, register: Reg, value: u32) {
        self.r[register as usize] = value;
    }

    /// Writes the stack pointer in use, whose two low bits are always zero.
    #[inline(always)]
    pub fn set_sp(&mut self, value: u32) {
        self.r[Reg::Sp as usize] = value & !3;
    }

    /// Lowers the stack pointer in use and remembers how low it was.
    #[inline(always)]
    pub fn push_to(&mut self, value: u32) {
        self.set_sp(value);
        let lowest = &mut self.lowest_sp[usize::from(self.process_stack)];
        *lowest = (*lowest).min(value);
    }

    /// Sets the stack pointer in use, maybe to another stack.
    #[inline(always)]
    pub fn move_sp(&mut self, value: u32) {
        if self.stacks.may_move(self.process_stack, value & !3) {
            self.set_stack_pointer(self.process_stack, value);
        }
        self.push_to(value);
    }

    /// A store of `words` words from `address` up with a base other than the stack pointer is about to be made: in a
    /// handler and right below the process stack pointer, it saves a task's registers to the task's stack.
    #[inline(always)]
    pub fn stores_several(&mut self, address: u32, words: u32) {
        if self.may_save_context(address) {
            self.saves_context(address, words);
        }
    }

    /// Notes that the stack of a task reaches down to such a store. It stands apart, so that other stores need no registers saved for it.
    #[inline(never)]
    fn saves_context(&mut self, address: u32, words: u32) {
        let from = self.stacks.saves(self.other_sp, address, words);
        self.lowest_sp[1] = self.lowest_sp[1].min(from);
    }

    /// Tells whether a store from `address` up, in a handler and right below the process stack pointer, may save a task's registers.
    #[inline(always)]
    pub(crate) fn may_save_context(&self, address: u32) -> bool {
        self.ipsr != 0 && self.other_sp.wrapping_sub(address).wrapping_sub(1) < CONTEXT_BYTES
    }

    /// Watches the stacks that lie in `ranges` from now on, for [`Cpu::lowest_in_stacks`].
    pub fn watch_stacks(&mut self, ranges: impl IntoIterator<Item = Range<u32>>) {
        let (main, process) = self.stack_pointers();
        self.stacks.watch(ranges, [main, process], self.ipsr != 0);
        // What was counted so far was counted for nobody but the main stack as a whole.
        self.stacks.main_starts(self.lowest_sp[0]);
        self.lowest_sp = [main, process];
    }

    /// Watches one more stack from now on, which no stack pointer is in. It takes the place of those that it overlaps.
    pub fn watch_stack(&mut self, range: Range<u32>) {
        self.stacks.add(range);
    }

    /// The stacks with all that was counted in them, when both stack pointers are lost.
    pub(crate) fn leave_stacks(&mut self) -> Stacks {
        let mut stacks = std::mem::take(&mut self.stacks);
        for (process, lowest) in [(false, self.lowest_sp[0]), (true, self.lowest_sp[1])] {
            stacks.left(process, lowest);
        }
        stacks.reset();
        stacks
    }

    /// For each stack watched its range and the lowest address used, by pushes, frames and saved registers; its end where
    /// it was not used, and less than its start where it was too small.
    pub fn lowest_in_stacks(&self) -> impl Iterator<Item = (Range<u32>, u32)> {
        self.stacks.lowest(self.lowest_sp)
    }

    /// A boot program uses the main stack until it hands over by MSR: its depth counts for nobody.
    pub fn starts_by_boot_program(&mut self) {
        self.stacks.boots();
    }

    /// The lowest main stack pointer ever, but for a boot program's.
    pub fn lowest_main_sp(&self) -> u32 {
        self.stacks.lowest_main(self.lowest_sp[0])
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> Address {
        Address::new(self.r[Reg::Pc as usize])
    }

    /// Tells whether the core may use privileged registers.
    pub fn privileged(&self) -> bool {
        self.ipsr != 0 || !self.unprivileged
    }

    /// Switches between the main and the process stack pointer.
    pub fn select_stack(&mut self, process: bool) {
        if self.process_stack != process {
            self.process_stack = process;
            std::mem::swap(&mut self.r[Reg::Sp as usize], &mut self.other_sp);
        }
    }

    /// The main and the process stack pointer.
    pub fn stack_pointers(&self) -> (u32, u32) {
        let used = self.r[Reg::Sp as usize];
        if self.process_stack { (self.other_sp, used) } else { (used, self.other_sp) }
    }

    /// Writes the main (`false`) or process (`true`) stack pointer.
    pub fn set_stack_pointer(&mut self, process: bool, value: u32) {
        let value = value & !3;
        let lowest = std::mem::replace(&mut self.lowest_sp[usize::from(process)], value);
        self.stacks.moved(process, lowest, value, self.ipsr != 0);
        if self.process_stack == process {
            self.r[Reg::Sp as usize] = value;
        } else {
            self.other_sp = value;
        }
    }

    /// Keeps the two low bits of the stack pointer zero.
    pub fn align_sp(&mut self) {
        self.r[Reg::Sp as usize] &= !3;
    }

    /// Sets how to go on at the next instruction; the run loop sees to anything but a plain entry.
    pub fn enter_with(&mut self, entry: Entry) {
        self.entry = entry;
        if entry != Entry::PLAIN {
            self.horizon = 0;
        }
    }

    /// The program status register: flags, IT or ICI, T and the exception number (DDI 0403E §B1.4.2).
    pub fn xpsr(&self) -> u32 {
        let it = u32::from(self.entry.it);
        self.apsr() | (it & 3) << 25 | u32::from(self.thumb) << 24 | (it >> 2) << 10 | u32::from(self.ipsr)
    }

    /// Takes flags, IT and T of a program status register.
    pub fn set_xpsr(&mut self, value: u32) {
        self.set_apsr(value);
        self.thumb = value & 1 << 24 != 0;
        if self.config.architecture.is_v7() {
            let it = (value >> 10 & 0x3F) << 2 | value >> 25 & 3;
            self.enter_with(Entry::with_it(it as u8));
        }
    }

    /// The masks that raise the priority of what runs.
    pub fn masks(&self) -> Masks {
        Masks { primask: self.primask, faultmask: self.faultmask, basepri: self.basepri }
    }

    /// The priority of what runs.
    pub fn execution_priority(&self) -> i16 {
        self.nvic.execution_priority(self.masks())
    }

    /// Goes on at `pc` as after a branch.
    #[inline(always)]
    pub fn go_to(&mut self, pc: u32) {
        self.r[Reg::Pc as usize] = pc;
        self.refill = true;
    }

    /// The Z flag.
    #[inline(always)]
    pub fn zero(&self) -> bool {
        self.nz as u32 == 0
    }

    /// The flags: N, Z, C and V in bits 31 to 28, Q in 27, GE in 19 to 16.
    pub fn apsr(&self) -> u32 {
        u32::from(self.nz < 0) << 31
            | u32::from(self.zero()) << 30
            | u32::from(self.c) << 29
            | u32::from(self.v) << 28
            | u32::from(self.q) << 27
            | u32::from(self.ge) << 16
    }

    /// Sets N, Z, C and V from bits 31 to 28.
    pub fn set_nzcv(&mut self, value: u32) {
        let zero = value & 1 << 30 != 0;
        // Both flags at once, which no result has, take the sign from above the low 32 bits.
        self.nz = i64::from(value as i32) & i64::MIN | i64::from(!zero);
        self.c = value & 1 << 29 != 0;
        self.v = value & 1 << 28 != 0;
    }

    /// Sets those flags that the architecture has.
    pub fn set_apsr(&mut self, value: u32) {
        self.set_nzcv(value);
        self.q = self.config.architecture.is_v7() && value & 1 << 27 != 0;
        self.ge = if self.config.architecture >= Architecture::Armv7EM { (value >> 16 & 0xF) as u8 } else { 0 };
    }

    /// CONTROL: nPRIV, SPSEL and FPCA.
    pub fn control(&self) -> u32 {
        u32::from(self.unprivileged) | u32::from(self.process_stack) << 1 | u32::from(self.fp.active) << 2
    }

    /// Remembers a fault at the instruction about to be reported.
    pub fn note_fault(&mut self, fault: Fault) {
        self.noted = true;
        self.last_fault_kind = Some(fault.kind);
        self.last_fault =
            Some(FaultReport { pc: self.pc(), cause: fault.cause, address: fault.address.map(Address::new) });
    }
}
