//! Events, interrupt lines, and the exceptions that they make pending.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Peripherals, Signal};

use super::{Masks, SYS_TICK};
use crate::cpu::Cpu;

impl Cpu {
    /// Brings devices, SysTick and the interrupt lines up to the cycle `at`, each happening at the cycle it is due.
    #[inline]
    pub fn run_events<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) {
        if self.next_event(bus) <= at || bus.shared.interrupts.changed() {
            self.run_due_events(bus, at);
        }
    }

    fn run_due_events<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) {
        loop {
            let due = self.next_event(bus).min(at);
            bus.run_events(Cycles::new(due), self.pc());
            if self.systick.run_to(due) {
                self.pend(bus, SYS_TICK, due);
            }
            self.latch_interrupts(bus, due);
            if due == at {
                break;
            }
        }
    }

    /// Latches what the devices' lines did.
    pub fn latch_interrupts<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) {
        if !bus.shared.interrupts.changed() {
            return;
        }
        self.event |= bus.shared.interrupts.take_event();
        let newly = self.nvic.latch(&mut bus.shared.interrupts);
        for number in newly {
            self.pended(bus, number, at);
        }
    }

    /// Makes the exception `number` pending.
    pub fn pend<P: Peripherals>(&mut self, bus: &mut Bus<P>, number: u16, at: u64) {
        if self.nvic.pend(number) {
            self.pended(bus, number, at);
        }
    }

    /// Records that exception `number` became pending at the cycle `at`, and sets the event register if SCR.SEVONPEND is set.
    pub(super) fn pended<P: Peripherals>(&mut self, bus: &mut Bus<P>, number: u16, at: u64) {
        bus.shared.signals.record(Cycles::new(at), Signal::ExceptionPended { number });
        self.event |= self.scb.send_event_on_pending();
    }

    /// The next cycle at which something happens by itself.
    pub fn next_event<P>(&self, bus: &Bus<P>) -> u64 {
        bus.shared.events.next_at().get().min(self.systick.next_interrupt())
    }

    /// The pending exception that preempts what runs now.
    #[inline]
    pub fn preempting(&self) -> Option<u16> {
        // Most of the time there is nothing to compare.
        if !self.nvic.any_ready() {
            return None;
        }
        self.nvic.preempting(self.execution_priority())
    }

    /// Tells whether a pending exception would preempt if PRIMASK were clear. Such an exception wakes WFI.
    pub fn wakes(&self) -> bool {
        let masks = Masks { primask: false, ..self.masks() };
        self.nvic.preempting(self.nvic.execution_priority(masks)).is_some()
    }
}
