//! Traps of the privileged architecture (RISC-V Privileged Architecture 20211203, §3.1.6 to §3.1.16, §3.3), and the interrupt lines
//! of all cores.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Peripherals, Signal};

use super::INTERRUPT;
use crate::config::{Privileged, TrapVector, Traps};
use crate::cpu::Cpu;
use crate::trap::{Privilege, Trap};

/// The most handlers remembered that have not returned.
const MOST_ACTIVE: usize = 64;

/// The instructions of these names.
const MRET: u32 = 0x3020_0073;
const WFI: u32 = 0x1050_0073;

/// The external interrupt's bit of mip.
const MEIP: u32 = 1 << 11;

/// An interrupt taken between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Of mip.
    Maskable(u8),
    /// Ibex's NMI.
    NonMaskable(u8),
    /// PicoRV32's, all that are pending and not masked.
    Pico,
}

impl Cpu {
    /// Hands every event due at or before `now` to the peripherals; lines that move thereby do so when they do.
    pub(crate) fn run_events<P: Peripherals>(&mut self, bus: &mut Bus<P>, now: u64) {
        loop {
            let due = bus.shared.events.next_at().get();
            if due > now {
                break;
            }
            bus.run_events(Cycles::new(due), self.pc());
            if bus.shared.interrupts.changed() {
                self.note_lines(bus, due);
            }
        }
        self.lines.settle(now);
    }

    /// Takes note of lines that moved in the cycle `at`. A line of VexRiscv's array that is let through is told of twice: its
    /// handler is the external interrupt's.
    pub(crate) fn note_lines<P>(&mut self, bus: &mut Bus<P>, at: u64) {
        let [rose, ..] = bus.shared.interrupts.take_rose();
        let levels = bus.shared.interrupts.levels(0);
        let seen = at + u64::from(self.config.timing.cycles(self.config.timing.recognition));
        self.rows.insert(self.config.timing.recognition);
        self.lines.change(seen, levels, rose);
        self.horizon = 0;
        let mut rest = rose | u64::from(self.external_of(rose));
        while rest != 0 {
            let number = INTERRUPT | rest.trailing_zeros() as u16;
            bus.shared.signals.record(Cycles::new(at), Signal::ExceptionPended { number });
            rest &= rest - 1;
        }
    }

    /// The levels of the interrupt lines in `cycle`: up to 60 cycles back, and ahead as far as is known.
    pub fn lines_in(&self, cycle: u64) -> u64 {
        self.lines.seen_at(cycle + u64::from(self.config.timing.cycles(self.config.timing.recognition)))
    }

    /// Returns the lines of VexRiscv's array that are high in `levels` and that its mask lets through.
    pub(crate) fn array_pending_of(&self, levels: u64) -> u32 {
        (levels >> 32) as u32 & self.csrs.array_mask
    }

    /// The external interrupt's bit if VexRiscv's array asks for it while the lines are at `levels`.
    fn external_of(&self, levels: u64) -> u32 {
        let array = self.config.privileged().is_some_and(|core| core.external_array);
        if array && self.array_pending_of(levels) != 0 { MEIP } else { 0 }
    }

    /// mip.
    pub(crate) fn mip(&self) -> u32 {
        self.mip_of(self.lines.levels())
    }

    /// mip while the lines are at `levels`.
    pub(crate) fn mip_of(&self, levels: u64) -> u32 {
        let Traps::Privileged(core) = &self.config.traps else { return 0 };
        (levels as u32 | self.external_of(levels)) & core.interrupts
    }

    /// The interrupt to be taken before the next instruction, if there is one.
    #[inline]
    pub(crate) fn pending(&self) -> Option<Interrupt> {
        match &self.config.traps {
            Traps::Privileged(core) => {
                self.pending_privileged(core, self.lines.levels(), (self.csrs.mie, self.csrs.mie_enabled))
            }
            Traps::Pico(pico) => self.pico_pending(pico).then_some(Interrupt::Pico),
        }
    }

    /// The interrupt to be taken while the lines are at `levels`, and mie and mstatus.MIE hold `masks`.
    pub(super) fn pending_privileged(
        &self,
        core: &Privileged,
        levels: u64,
        (mie, enabled): (u32, bool),
    ) -> Option<Interrupt> {
        if let Some(line) = core.nmi
            && levels >> line & 1 != 0
            && self.csrs.before_nmi.is_none()
        {
            return Some(Interrupt::NonMaskable(line));
        }
        let allowed = (enabled || self.privilege == Privilege::User) && self.csrs.before_nmi.is_none();
        let waiting = self.mip_of(levels) & mie;
        if !allowed || waiting == 0 {
            return None;
        }
        core.order.iter().find(|number| waiting >> **number & 1 != 0).map(|number| Interrupt::Maskable(*number))
    }

    /// Tells whether WFI ends: an interrupt is pending and enabled, whatever mstatus.MIE says (§3.3.3).
    pub(crate) fn wakes(&self) -> bool {
        match &self.config.traps {
            Traps::Privileged(core) => {
                self.mip() & self.csrs.mie != 0 || core.nmi.is_some_and(|line| self.lines.levels() >> line & 1 != 0)
            }
            Traps::Pico(_) => self.pico.pending(&self.lines) != 0,
        }
    }

    /// Takes `interrupt`.
    pub(crate) fn interrupt<P: Peripherals>(&mut self, bus: &mut Bus<P>, interrupt: Interrupt) {
        let number = match interrupt {
            Interrupt::Pico => return self.pico_interrupt(bus),
            Interrupt::NonMaskable(number) => {
                let csrs = &mut self.csrs;
                csrs.before_nmi = Some((csrs.mpp_machine, csrs.mpie, csrs.mepc, csrs.mcause));
                number
            }
            Interrupt::Maskable(number) => number,
        };
        self.now += self.charge(self.config.timing.interrupt);
        self.enter(bus, 1 << 31 | u32::from(number), 0, INTERRUPT | u16::from(number));
    }

    /// Takes the exception `trap`, which the instruction at the program counter raised.
    pub(crate) fn exception<P: Peripherals>(&mut self, bus: &mut Bus<P>, trap: Trap) {
        // A call is none.
        if trap.cause < Trap::USER_CALL {
            self.last_fault = Some(trap.report(self.pc));
        }
        let timing = self.config.timing;
        self.now += self.charge((timing.exception)(trap.cause));
        self.await_exception(bus, trap);
        self.after.committed = false;
        if self.config.privileged().is_some_and(|core| core.counts_faults) {
            // sync_exc_seen and double_fault_seen.
            let seen = self.csrs.cpu_control & 1 << 6;
            self.csrs.cpu_control |= 1 << 6 | seen << 1;
            // MRET and WFI that user mode may not execute count in minstret (ibex_id_stage.sv, instr_perf_count_id_o lacks
            // illegal_umode_insn).
            if trap.cause == Trap::ILLEGAL && matches!(trap.value, MRET | WFI) {
                self.csrs.instret.adjust(1);
            }
        }
        self.enter(bus, trap.cause, trap.value, trap.cause as u16);
    }

    fn enter<P: Peripherals>(&mut self, bus: &mut Bus<P>, cause: u32, value: u32, number: u16) {
        let csrs = &mut self.csrs;
        csrs.mpie = csrs.mie_enabled;
        csrs.mie_enabled = false;
        csrs.mpp_machine = self.privilege == Privilege::Machine;
        csrs.mepc = self.pc;
        csrs.mcause = cause;
        csrs.mtval = value;
        let base = csrs.mtvec & !3;
        let vectored = csrs.mtvec & 1 != 0 && cause >> 31 != 0;
        self.privilege = Privilege::Machine;
        self.rights_changed();
        let target = if vectored { base.wrapping_add(4 * (cause & 0xFF)) } else { base };
        self.arrive(bus, target, self.config.timing.stage.map_or(0, |stage| stage.behind_traps));
        self.enter_pipeline();
        self.traps_taken += 1;
        if self.active.len() == MOST_ACTIVE {
            self.active.remove(0);
        }
        self.active.push(number);
        self.horizon = 0;
        bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionEntered { number });
    }

    /// MRET.
    pub(crate) fn return_from_trap<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        let Traps::Privileged(core) = &self.config.traps else { return };
        let csrs = &mut self.csrs;
        csrs.mie_enabled = csrs.mpie;
        csrs.mpie = true;
        let machine = csrs.mpp_machine || !core.user_mode;
        self.privilege = if machine { Privilege::Machine } else { Privilege::User };
        csrs.mpp_machine = !core.user_mode;
        if !machine {
            csrs.mprv = false;
        }
        csrs.cpu_control &= !(1 << 6);
        let target = csrs.mepc;
        if let Some((mpp_machine, mpie, mepc, mcause)) = csrs.before_nmi.take() {
            (csrs.mpp_machine, csrs.mpie, csrs.mepc, csrs.mcause) = (mpp_machine, mpie, mepc, mcause);
        }
        self.rights_changed();
        self.arrive(bus, target & !self.misalignment, self.config.timing.stage.map_or(0, |stage| stage.behind_traps));
        self.horizon = 0;
        self.leave_handler(bus);
    }

    pub(super) fn leave_handler<P>(&mut self, bus: &mut Bus<P>) {
        if let Some(number) = self.active.pop() {
            bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionReturned { number });
        }
    }

    /// Tells whether exceptions go to `pc`, where the core would loop for ever if `pc` could not be fetched. Always true on
    /// PicoRV32.
    pub(crate) fn is_vector(&self, pc: u32) -> bool {
        match &self.config.traps {
            Traps::Privileged(core) => {
                let mask = if core.vector == TrapVector::Direct { !0 } else { !3 };
                self.csrs.mtvec & mask == pc && self.privilege == Privilege::Machine
            }
            Traps::Pico(_) => true,
        }
    }
}
