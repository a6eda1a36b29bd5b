//! The beginning of exceptions and interrupts (§4.4.1.10, §4.4.5, §4.7.1.5, §4.7.6).

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Peripherals, Signal};

use super::{DEBUG_EXCEPTION, INTERRUPT, WINDOW_EXCEPTIONS};
use crate::code::Pending;
use crate::cpu::Cpu;
use crate::fault::{Cause, Fault};
use crate::ps::Ps;

/// The most handlers remembered that have not returned.
const MOST_ACTIVE: usize = 64;

impl Cpu {
    /// Takes the interrupt `number` of `level` between two instructions.
    pub(crate) fn interrupt<P: Peripherals>(&mut self, bus: &mut Bus<P>, number: u8, level: u8) {
        self.now += self.charge(self.config.timing.interrupt);
        if self.config.configuration.nmi_level == level {
            // The edge is consumed.
            self.latched &= !(1 << number);
        }
        let signal = INTERRUPT | u16::from(number);
        if level == 1 {
            self.general(bus, Cause::Level1, None, signal);
        } else {
            self.raise_level(bus, level, signal);
        }
    }

    /// The instruction at the program counter raises `fault`.
    pub(crate) fn exception<P: Peripherals>(&mut self, bus: &mut Bus<P>, fault: Fault) {
        let timing = self.config.timing;
        match fault {
            Fault::General { cause, address } => {
                if !matches!(cause, Cause::Syscall | Cause::Alloca) {
                    self.last_fault = Some(fault.report(self.pc));
                }
                self.now += self.charge(timing.exception);
                self.general(bus, cause, address, cause as u16);
            }
            Fault::Overflow { rotation, size } => self.window(bus, i32::from(rotation), size, true),
            Fault::Underflow { size } => self.window(bus, -i32::from(size), size, false),
            Fault::Debug { cause } => {
                self.now += self.charge(timing.exception);
                self.debug.cause = cause.into();
                self.raise_level(bus, self.config.configuration.debug_level, DEBUG_EXCEPTION);
            }
        }
    }

    /// The general exceptions' vectors.
    fn general<P: Peripherals>(&mut self, bus: &mut Bus<P>, cause: Cause, address: Option<u32>, signal: u16) {
        let vectors = &self.config.configuration.vectors;
        self.cause = cause as u32;
        if let Some(address) = address {
            self.address = address;
        }
        let vector = if self.ps.exception {
            self.epc[0] = self.pc;
            vectors.double
        } else {
            self.epc[1] = self.pc;
            if self.ps.user { vectors.user } else { vectors.kernel }
        };
        self.begin(bus, vector, Ps { exception: true, ..self.ps }, signal);
    }

    /// The vector of a level above 1.
    fn raise_level<P: Peripherals>(&mut self, bus: &mut Bus<P>, level: u8, signal: u16) {
        let index = usize::from(level & 7);
        self.epc[index] = self.pc;
        self.eps[index] = self.ps.bits();
        let vector = self.config.configuration.vectors.levels[index.saturating_sub(2).min(5)];
        self.begin(bus, vector, Ps { level, exception: true, ..self.ps }, signal);
    }

    /// A window exception, whose handler runs in the window `by` times four registers from here.
    fn window<P: Peripherals>(&mut self, bus: &mut Bus<P>, by: i32, size: u8, overflow: bool) {
        self.now += self.charge(self.config.timing.window);
        self.epc[1] = self.pc;
        let old_base = self.window_base;
        self.rotate(by);
        let vectors = &self.config.configuration.vectors;
        let index = usize::from(size.clamp(1, 3) - 1);
        let vector = if overflow { vectors.overflow[index] } else { vectors.underflow[index] };
        let signal = WINDOW_EXCEPTIONS.start() + 2 * index as u16 + u16::from(!overflow);
        self.begin(bus, vector, Ps { old_base, exception: true, ..self.ps }, signal);
    }

    fn begin<P: Peripherals>(&mut self, bus: &mut Bus<P>, vector: u32, ps: Ps, signal: u16) {
        self.set_ps(ps);
        self.horizon = 0;
        self.pending = Pending::default();
        self.arrive(bus, self.vector_base.wrapping_add(vector));
        self.exceptions_taken += 1;
        if self.active.len() == MOST_ACTIVE {
            self.active.remove(0);
        }
        self.active.push(signal);
        bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionEntered { number: signal });
    }

    /// A return from an exception.
    pub(crate) fn leave_handler<P>(&mut self, bus: &mut Bus<P>) {
        if let Some(number) = self.active.pop() {
            bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionReturned { number });
        }
    }

    /// Tells whether general exceptions go to the program counter, where the core would loop for ever.
    pub(crate) fn is_vector(&self) -> bool {
        self.ps.exception && self.pc == self.vector_base.wrapping_add(self.config.configuration.vectors.double)
    }

    /// Tells whether each instruction must run by itself: breakpoints or ICOUNT look at it, or a loop ends where no block knows.
    #[inline(always)]
    pub(crate) fn is_watched_by_itself(&self) -> bool {
        // A loop that has ended ends nowhere: those that save a task's registers set LEND without one.
        self.odd_loop & (self.loop_count != 0) | (self.debug.ibreak_enable != 0) | (self.debug.icount_level != 0)
    }

    /// The debug exception that the instruction about to execute raises before it does.
    pub(crate) fn debug_before(&self) -> Option<Fault> {
        let debug = &self.debug;
        if self.level() >= self.config.configuration.debug_level {
            return None;
        }
        let breaks = |index: usize| debug.ibreak_enable >> index & 1 != 0 && debug.ibreaka[index] == self.pc;
        if (0..2).any(breaks) {
            return Some(Fault::Debug { cause: Fault::IBREAK });
        }
        (self.counts_instructions() && debug.icount == u32::MAX).then_some(Fault::Debug { cause: Fault::ICOUNT })
    }

    /// Tells whether ICOUNT counts at the level in force.
    #[inline(always)]
    pub(crate) fn counts_instructions(&self) -> bool {
        self.debug.icount_level > u32::from(self.level())
    }

    /// An instruction has retired by itself, which counts if it did before it began.
    #[inline(always)]
    pub(crate) fn count_instruction(&mut self) {
        if self.counts {
            self.debug.icount = self.debug.icount.wrapping_add(1);
        }
    }
}
