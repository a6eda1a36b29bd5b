//! PicoRV32's interrupts: its README, "Custom Instructions for IRQ Handling" and "ENABLE_IRQ"; picorv32.v.
//!
//! 32 inputs are latched. While no handler runs, what is pending and not masked goes to one vector, its bits in q1 and the
//! return address in q0. Three of the inputs are also the core's own: 0 its timer, 1 EBREAK, ECALL and illegal
//! instructions, 2 misaligned accesses; where their interrupt is masked or a handler runs, the core halts.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Peripherals, Signal};

use super::INTERRUPT;
use crate::config::{PicoConfig, Traps};
use crate::cpu::Cpu;
use crate::trap::Trap;

/// The timer's interrupt.
pub const TIMER: u32 = 1;
/// The interrupt of EBREAK, ECALL and illegal instructions.
pub const BREAK: u32 = 1 << 1;
/// The interrupt of misaligned accesses.
pub const BUS_ERROR: u32 = 1 << 2;

impl Cpu {
    /// Latches what was high up to the cycle `at`, and the timer.
    pub(crate) fn pico_latch(&mut self, at: u64) {
        let Traps::Pico(config) = &self.config.traps else { return };
        self.lines.settle(at);
        let high = (self.lines.take_rose() | self.lines.levels()) as u32;
        self.pico.latched |= high & config.latched & !config.absent;
        if self.pico.expires <= at {
            self.pico.expires = u64::MAX;
            self.pico.latched |= TIMER & !config.absent;
        }
    }

    pub(super) fn pico_pending(&self, config: &PicoConfig) -> bool {
        let pending = self.pico.pending(&self.lines) & !config.absent;
        !self.pico.active && !self.pico.holds() && pending & !self.pico.mask != 0
    }

    pub(super) fn pico_interrupt<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        let Traps::Pico(config) = &self.config.traps else { return };
        let (vector, absent) = (config.vector, config.absent);
        // What is served is what is pending when q1 is written; what is high then stays pending.
        let served_at = self.now + self.config.timing.interrupt_phase.map_or(0, |row| self.charge(row));
        self.run_events(bus, served_at);
        self.pico_latch(served_at);
        let served = self.pico.pending(&self.lines) & !absent & !self.pico.mask;
        self.now += self.charge(self.config.timing.interrupt);
        // Bit 0 says that the instruction before was a compressed one.
        self.pico.q[0] = self.pc | u32::from(self.after.compressed);
        self.pico.q[1] = served;
        self.pico.latched &= self.pico.mask;
        self.pico_latch(served_at + 1);
        self.pico.active = true;
        self.traps_taken += 1;
        self.arrive(bus, vector, 0);
        self.horizon = 0;
        let number = INTERRUPT | served.trailing_zeros() as u16;
        self.active.push(number);
        bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionEntered { number });
    }

    /// A misaligned access raises its interrupt if it may, and is then carried out without the address's low bits; says
    /// whether it does.
    pub(crate) fn pico_bus_error(&mut self) -> bool {
        let Traps::Pico(config) = &self.config.traps else { return false };
        let open = self.pico.mask & BUS_ERROR == 0 && !self.pico.active;
        if open {
            self.pico.latched |= BUS_ERROR & !config.absent;
            self.horizon = 0;
        }
        open
    }

    /// Raises the interrupt of a fault, or halts the core. If it raises one, the instruction counts as done, and `next_pc`
    /// comes next.
    pub(crate) fn pico_fault<P>(&mut self, bus: &Bus<P>, trap: Trap, next_pc: u32) {
        self.last_fault = Some(trap.report(self.pc));
        let cause = match trap.cause {
            Trap::INSTRUCTION_MISALIGNED | Trap::LOAD_MISALIGNED | Trap::STORE_MISALIGNED => BUS_ERROR,
            // Where nothing answers, the core waits for ever.
            Trap::INSTRUCTION_ACCESS | Trap::LOAD_ACCESS | Trap::STORE_ACCESS => 0,
            _ => BREAK,
        };
        self.now += self.charge((self.config.timing.exception)(trap.cause));
        self.horizon = 0;
        if cause != 0 && self.pico.mask & cause == 0 && !self.pico.active {
            self.pico.latched |= cause;
            // What is behind it has been fetched.
            self.after.compressed = next_pc.wrapping_sub(self.pc) == 2;
            self.arrive(bus, next_pc, 0);
            self.instructions += 1;
        } else {
            self.pico.halted = true;
        }
    }

    /// maskirq; returns nothing, since what was is read before.
    pub(crate) fn pico_set_mask(&mut self, mask: u32) {
        let Traps::Pico(config) = &self.config.traps else { return };
        self.pico.mask = mask | config.absent;
        self.horizon = 0;
    }

    /// retirq.
    pub(crate) fn pico_return<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        self.pico.active = false;
        self.pico.delayed = true;
        self.horizon = 0;
        let target = self.pico.q[0] & !1;
        self.arrive(bus, target, 0);
        self.leave_handler(bus);
    }

    /// timer: `value` counts down from the cycle after `at`; returns what was left.
    pub(crate) fn pico_timer(&mut self, at: u64, value: u32) -> u32 {
        let Traps::Pico(config) = &self.config.traps else { return 0 };
        // One that comes to its end as it is written has its interrupt none the less.
        if self.pico.expires <= at + 1 {
            self.pico.latched |= TIMER & !config.absent;
        }
        let left = if self.pico.expires == u64::MAX { 0 } else { self.pico.expires.saturating_sub(at) as u32 };
        self.pico.expires = if value == 0 { u64::MAX } else { at + 1 + u64::from(value) };
        self.horizon = 0;
        left
    }
}
