//! The architectural state.

use cyclescope_engine::{MainStack, Marks, SeenAt};
use cyclescope_machine::units::Address;
use cyclescope_machine::{AccessKind, FaultReport, RowSet};

use crate::config::{Config, TrapVector, Traps};
use crate::csr::{self, Csrs, Register};
use crate::exception::{Lines, PicoIrq};
use crate::exec::{MOST_TAGS, Recall, Stores};
use crate::pipeline::Pipeline;
use crate::pmp::{Pmp, Window};
use crate::timing::CoreTiming;
use crate::trap::{Privilege, Trap};

/// The effects of an instruction on the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// The instruction decoded before the next one was a compressed one: PicoRV32 says so in q0.
    pub compressed: bool,
    /// Cycles at its end in which the core had nothing to execute: Ibex takes interrupts in them.
    pub empty: u8,
    /// The next instruction is executed even if an interrupt is pending.
    pub committed: bool,
}

/// Everything architectural and the clock. Plain data.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// x0 to x31, then the register that stands for x0 as a destination.
    pub x: [u32; 64],
    /// The address of the next instruction.
    pub pc: u32,
    /// The mode.
    pub privilege: Privilege,
    /// The control and status registers.
    pub csrs: Csrs,
    /// Physical memory protection.
    pub pmp: Pmp,
    /// The instructions that have read or written something other than main RAM.
    pub(crate) beyond_ram: SeenAt,
    /// The word that LR.W reserved.
    pub reservation: Option<u32>,
    /// PicoRV32's interrupts.
    pub pico: PicoIrq,
    /// In WFI or waitirq.
    pub asleep: bool,
    /// It has just fallen asleep in compiled code, and nobody has been told.
    pub(crate) falls_asleep: bool,
    /// Cycles since reset.
    pub now: u64,
    /// Instructions retired since reset.
    pub instructions: u64,
    /// Traps taken since reset: interrupts and exceptions.
    pub traps_taken: u64,
    /// Rows of the timing table that traps and accesses used.
    pub rows: RowSet,
    /// The cycle before which nothing can happen by itself: blocks that end before it run unchecked. 0 asks the run loop
    /// to look at everything again.
    pub horizon: u64,
    /// The core's configuration.
    pub config: Config,
    /// The trap that ended a block early.
    pub trap: Trap,
    /// The exit code that semihosting asked for.
    pub exit: Option<i32>,
    /// The exception taken last that was no call, with the instruction that raised it.
    pub last_fault: Option<FaultReport>,
    /// The wires as the core sees them.
    pub(crate) lines: Lines,
    /// Causes of traps whose handlers have not returned, the outermost first, as signals number them.
    pub(crate) active: Vec<u16>,
    /// True if data accesses must be checked against the PMP.
    pub(crate) guarded: bool,
    /// The addresses at which loads and stores are known to be allowed.
    pub(crate) readable: Window,
    pub(crate) writable: Window,
    /// Counts the PMP's settings.
    pub(crate) protection: u32,
    /// The bits of a jump's target that must be zero.
    pub(crate) misalignment: u32,
    /// The effects of the last instruction on the next one.
    pub(crate) after: After,
    /// mie and mstatus.MIE as they were up to a cycle in which they were written.
    pub(crate) masks_before: Option<(u64, u32, bool)>,
    /// The marks of the block that runs, for an observer.
    pub(crate) marks: Marks,
    /// VexRiscv's pipeline.
    pub(crate) pipeline: Option<Box<Pipeline>>,
    /// The part of it that is remembered.
    pub(crate) recall: Recall,
    /// The tags of its caches of instructions and of data while it is in a phase, and the bits of a line's number that tell its place.
    pub(crate) fetch_tags: [u32; MOST_TAGS],
    pub(crate) data_tags: [u32; MOST_TAGS],
    pub(crate) tag_masks: [usize; 2],
    /// The stores to registers that the bus has not carried out.
    pub(crate) stores: Stores,
    /// The depth of the stack that was used first.
    pub main_stack: MainStack,
    /// The run stops at an exception ([`Stop::Fault`](cyclescope_machine::Stop::Fault), at EBREAK
    /// [`Stop::Breakpoint`](cyclescope_machine::Stop::Breakpoint)) instead of running the guest's handler. An environment call
    /// is none: it asks for the handler.
    pub halt_on_fault: bool,
}

/// The pipeline of a core at the end of a reset, if it has one.
fn pipeline(timing: &CoreTiming, pc: u32, now: u64) -> Option<Pipeline> {
    timing.pipeline.map(|variant| Pipeline::new(variant, timing.bus.map(|bus| bus.wishbone), pc, now))
}

impl Cpu {
    /// A core after its reset at cycle 0, about to begin its first instruction.
    pub fn new(config: Config) -> Self {
        let pmp = config.privileged().map(|core| {
            let pmp = Pmp::new(core.pmp_regions, core.pmp_granularity, core.smepmp);
            if core.pmp_plugin { pmp.of_plugin() } else { pmp }
        });
        let mut cpu = Self {
            x: [0; 64],
            pc: config.reset,
            privilege: Privilege::Machine,
            csrs: Csrs::default(),
            pmp: pmp.unwrap_or_else(|| Pmp::new(0, 0, false)),
            beyond_ram: SeenAt::default(),
            reservation: None,
            pico: PicoIrq::default(),
            asleep: false,
            falls_asleep: false,
            now: u64::from(config.timing.cycles(config.timing.reset)),
            instructions: 0,
            traps_taken: 0,
            rows: RowSet::default(),
            horizon: 0,
            config,
            trap: Trap::new(0, 0),
            exit: None,
            last_fault: None,
            marks: Marks::default(),
            main_stack: MainStack::default(),
            halt_on_fault: false,
            lines: Lines::default(),
            active: Vec::new(),
            guarded: false,
            readable: Window::default(),
            writable: Window::default(),
            protection: 1,
            misalignment: if config.extensions.c { 0 } else { 2 },
            after: After { compressed: false, empty: config.timing.reset_empty, committed: false },
            masks_before: None,
            pipeline: None,
            recall: Recall::default(),
            fetch_tags: [u32::MAX; MOST_TAGS],
            data_tags: [u32::MAX; MOST_TAGS],
            tag_masks: [0; 2],
            stores: Stores::new(),
        };
        cpu.rows.insert(config.timing.reset);
        cpu.pipeline = pipeline(config.timing, config.reset, cpu.now).map(Box::new);
        for row in config.timing.bus.iter().flat_map(|bus| bus.rows) {
            cpu.rows.insert(*row);
        }
        cpu.set_stack();
        if let Traps::Privileged(core) = &config.traps {
            cpu.csrs.stored = core.csrs.iter().map(|row| row.reset).collect();
            if let Some(row) = core.csrs.iter().find(|row| row.register == Register::Mstatus) {
                cpu.csrs.set_mstatus(row.reset, core.user_mode);
            }
            cpu.csrs.mtvec = core.vector_reset | u32::from(core.vector == TrapVector::Vectored);
        }
        cpu
    }

    /// The state after another reset; the registers and the clock go on. Interrupt lines are low until the bus says that they
    /// have risen, as after the first.
    pub fn reset(&mut self) {
        let fresh = Self::new(self.config);
        *self = Self {
            x: self.x,
            now: self.now + fresh.now,
            instructions: self.instructions,
            traps_taken: self.traps_taken,
            rows: self.rows,
            last_fault: self.last_fault,
            main_stack: self.main_stack,
            halt_on_fault: self.halt_on_fault,
            protection: self.protection + 1,
            ..fresh
        };
        self.set_stack();
        self.pipeline = pipeline(self.config.timing, self.pc, self.now).map(Box::new);
        self.csrs.cycle.write(self.now, Self::new(self.config).now);
        self.csrs.instret.write(self.instructions, 0);
    }

    /// PicoRV32's STACKADDR.
    fn set_stack(&mut self) {
        if let Traps::Pico(pico) = &self.config.traps
            && pico.stack != u32::MAX
        {
            self.x[2] = pico.stack;
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

    /// Reads a register.
    #[inline(always)]
    pub fn get(&self, register: u8) -> u32 {
        self.x[usize::from(register & 63)]
    }

    /// Writes a register; x0 stays zero only if the caller sees to it.
    #[inline(always)]
    pub(crate) fn put(&mut self, register: u8, value: u32) {
        self.x[usize::from(register & 63)] = value;
    }

    /// Writes a register; x0 stays zero.
    pub fn set(&mut self, register: u8, value: u32) {
        if register & 31 != 0 {
            self.x[usize::from(register & 31)] = value;
        }
    }

    /// The mode whose rights loads and stores have (mstatus.MPRV).
    pub fn data_privilege(&self) -> Privilege {
        if self.csrs.mprv && !self.csrs.mpp_machine { Privilege::User } else { self.privilege }
    }

    /// The mode, MPRV, or the PMP has changed: what was known of what is allowed is not any more.
    pub(crate) fn rights_changed(&mut self) {
        self.readable = Window::default();
        self.writable = Window::default();
        self.guarded = self.pmp.regions() > 0 && (self.data_privilege() == Privilege::User || self.pmp.binds_machine());
    }

    /// Returns the key of the rights that blocks must have been checked under to run unchecked: 0 where all may run.
    pub(crate) fn protection_key(&self) -> u32 {
        if self.pmp.regions() == 0 || self.privilege == Privilege::Machine && !self.pmp.binds_machine() {
            return 0;
        }
        // The top value means something else.
        (self.protection << 1 | u32::from(self.privilege == Privilege::User)) & 0x7FFF_FFFF
    }

    /// Checks that the instructions from `pc` to before `end` may be executed. The error is the first address that must not.
    pub(crate) fn look_at_fetches(&self, pc: u32, end: u32) -> Result<(), u32> {
        let mut at = pc;
        loop {
            let (allowed, window) = self.pmp.look(at, AccessKind::Fetch, self.privilege);
            if !allowed {
                return Err(at);
            }
            // Halfwords, since instructions begin at them.
            if window.contains(end.wrapping_sub(2)) || at.wrapping_add(2) >= end {
                return Ok(());
            }
            at = at.wrapping_add(2);
        }
    }

    /// VexRiscv's pipeline, if the core has it: what has retired. All else may lag behind.
    pub fn pipeline(&self) -> Option<&Pipeline> {
        self.pipeline.as_deref()
    }

    /// The effects of the last instruction on the next one, packed into a number.
    pub fn inherited(&self) -> u32 {
        let After { compressed, empty, committed } = self.after;
        u32::from(empty) | u32::from(compressed) << 8 | u32::from(committed) << 9
    }

    /// Traps whose handlers have not returned, the outermost first, as signals number them.
    pub fn active_traps(&self) -> &[u16] {
        &self.active
    }

    /// The row of the CSR with `number`, if the core has it.
    pub(crate) fn csr_row(config: &Config, number: u16) -> Option<usize> {
        csr::find(config.traps.csrs(), number).map(|(index, _)| index)
    }
}
