//! The state of a core: registers, flags, modes, and the clock.

use cyclescope_machine::{FaultReport, RowSet};
use cyclescope_units::Address;

use crate::decode::Reg;
use crate::exception::{Nvic, SysTick, SystemControl};
use crate::timing::CoreTiming;

/// What a part decides about its core.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The core's timing.
    pub timing: &'static CoreTiming,
    /// Implemented bits of each priority field: 2 on Armv6-M.
    pub priority_bits: u8,
    /// Interrupt lines the part connects.
    pub interrupts: u16,
    /// MPU regions; 0 where there is no MPU.
    pub mpu_regions: u8,
    /// Core cycles in one period of SysTick's reference clock; `None` where the part has none.
    pub systick_reference: Option<u32>,
    /// What `SYST_CALIB` reads.
    pub systick_calibration: u32,
    /// What `CPUID` reads.
    pub cpuid: u32,
    /// Whether `BKPT 0xAB` talks to the host, as with a debug probe attached.
    pub semihosting: bool,
}

/// Why an instruction could not complete; on Armv6-M all of these are a HardFault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In the architecture's terms.
    pub cause: &'static str,
    /// The address of the access that failed.
    pub address: Option<u32>,
}

/// How the core waits, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// It runs.
    Awake,
    /// WFE: an event wakes it.
    ForEvent,
    /// WFI or sleep-on-exit: an exception that could preempt wakes it.
    ForInterrupt,
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
    /// EPSR.T: cleared by a branch to an even address, which faults at the next instruction.
    pub thumb: bool,
    /// The number of the exception being handled; 0 in thread mode.
    pub ipsr: u16,
    /// PRIMASK.PM.
    pub primask: bool,
    /// CONTROL.nPRIV.
    pub unprivileged: bool,
    /// CONTROL.SPSEL: the process stack pointer is in use in thread mode.
    pub process_stack: bool,
    /// The stack pointer not in use.
    pub other_sp: u32,
    /// The lowest value either stack pointer had when something was pushed: main, process.
    pub lowest_sp: [u32; 2],
    /// The event register of WFE.
    pub event: bool,
    /// Whether the core sleeps.
    pub sleep: Sleep,
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
    /// The fault behind the latest HardFault, and where it was.
    pub last_fault: Option<FaultReport>,
    /// Rows of the timing table that exceptions, sleep and register accesses used.
    pub rows: RowSet,
    /// The cycle before which nothing can happen by itself: blocks that end before it run unchecked. 0 asks the run loop
    /// to look at everything again.
    pub horizon: u64,
    /// Exceptions taken since reset, tail-chained ones included.
    pub exceptions_taken: u64,
    /// What the part decided.
    pub config: Config,
    /// Cycles a taken conditional branch adds.
    pub taken_extra: u64,
    /// The fault that a block ended with.
    pub fault: Fault,
    /// What else a block ended with: an EXC_RETURN value or BKPT's immediate.
    pub detail: u32,
    /// The exit code the guest passed to the host.
    pub exit: Option<i32>,
}

impl Cpu {
    /// A core that is yet to be reset.
    pub fn new(config: Config) -> Self {
        let branch = crate::decode::Instruction::new(crate::decode::Op::Beq);
        let fall_through = (config.timing.cost)(&branch).cycles;
        Self {
            r: [0; 16],
            nz: 1,
            c: false,
            v: false,
            thumb: true,
            ipsr: 0,
            primask: false,
            unprivileged: false,
            process_stack: false,
            other_sp: 0,
            lowest_sp: [u32::MAX; 2],
            event: false,
            sleep: Sleep::Awake,
            now: 0,
            instructions: 0,
            nvic: Nvic::new(config.priority_bits, config.interrupts),
            systick: SysTick::new(config.systick_reference, config.systick_calibration),
            scb: SystemControl::default(),
            last_fault: None,
            rows: RowSet::default(),
            horizon: 0,
            exceptions_taken: 0,
            config,
            taken_extra: u64::from(config.timing.taken_extra(fall_through)),
            fault: Fault { cause: "none", address: None },
            detail: 0,
            exit: None,
        }
    }

    /// The cycles of the timing row at `row`, which counts as used.
    pub fn charge(&mut self, row: usize) -> u64 {
        self.rows.insert(row);
        u64::from(self.config.timing.cycles(row))
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

    /// The address of the next instruction.
    pub fn pc(&self) -> Address {
        Address::new(self.r[Reg::Pc as usize])
    }

    /// Whether the core may use privileged registers.
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
        if self.process_stack == process {
            self.r[Reg::Sp as usize] = value;
        } else {
            self.other_sp = value;
        }
    }

    /// The program status register: flags, T and the exception number (DDI 0419E §B1.4.2).
    pub fn xpsr(&self) -> u32 {
        self.apsr() | u32::from(self.thumb) << 24 | u32::from(self.ipsr)
    }

    /// The Z flag.
    #[inline(always)]
    pub fn zero(&self) -> bool {
        self.nz as u32 == 0
    }

    /// The flags, in bits 31 to 28.
    pub fn apsr(&self) -> u32 {
        u32::from(self.nz < 0) << 31 | u32::from(self.zero()) << 30 | u32::from(self.c) << 29 | u32::from(self.v) << 28
    }

    /// Sets the flags from bits 31 to 28.
    pub fn set_apsr(&mut self, value: u32) {
        let zero = value & 1 << 30 != 0;
        // Both flags at once, which no result has, take the sign from above the low 32 bits.
        self.nz = i64::from(value as i32) & i64::MIN | i64::from(!zero);
        self.c = value & 1 << 29 != 0;
        self.v = value & 1 << 28 != 0;
    }

    /// CONTROL: nPRIV and SPSEL.
    pub fn control(&self) -> u32 {
        u32::from(self.unprivileged) | u32::from(self.process_stack) << 1
    }

    /// Remembers a fault at the instruction about to be reported.
    pub fn note_fault(&mut self, fault: Fault) {
        self.last_fault =
            Some(FaultReport { pc: self.pc(), cause: fault.cause, address: fault.address.map(Address::new) });
    }
}
