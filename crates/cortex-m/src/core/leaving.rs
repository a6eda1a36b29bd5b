//! What a block leaves to be done when it is left: exceptions to return from or to take, sleep, breakpoints, faults.

use cyclescope_machine::{Bus, FaultReport, Peripherals, SemihostingAnswer, SemihostingCall, Signal, Stop};
use cyclescope_units::Cycles;

use super::Core;
use crate::cpu::{Fault, Sleep};
use crate::decode::Reg;
use crate::exception::LockedUp;
use crate::exec::Exit;

/// The immediate of BKPT that means a semihosting call (IHI 0100).
const SEMIHOSTING: u8 = 0xAB;

impl<P: Peripherals> Core<P> {
    /// Whether what wakes the core has come; wakes it.
    pub(super) fn wake(&mut self, bus: &mut Bus<P>) -> bool {
        let woken = match self.cpu.sleep {
            Sleep::Awake => true,
            Sleep::ForEvent => self.cpu.event || self.cpu.preempting().is_some(),
            Sleep::ForInterrupt => self.cpu.wakes(),
        };
        if woken {
            if self.cpu.sleep == Sleep::ForEvent {
                self.cpu.event = false;
            }
            self.cpu.sleep = Sleep::Awake;
            self.cpu.now += self.cpu.charge(self.cpu.config.timing.wake);
            self.tell_sleep(bus, false);
        }
        woken
    }

    fn tell_sleep(&mut self, bus: &mut Bus<P>, asleep: bool) {
        let now = self.now();
        bus.shared.signals.record(now, if asleep { Signal::Sleep } else { Signal::Wake });
        let (peripherals, mut context) = bus.with_context(now, self.cpu.pc());
        peripherals.sleep(asleep, self.cpu.scb.deep_sleep(), &mut context);
    }

    /// What a block left to be done.
    pub(super) fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        let taken = match exit {
            Exit::Next => Ok(()),
            Exit::Fault => return self.fault(bus, self.cpu.fault),
            Exit::ExceptionReturn => {
                let returned = self.cpu.return_from_exception(bus, self.cpu.detail);
                if self.cpu.sleep != Sleep::Awake {
                    self.tell_sleep(bus, true);
                }
                returned
            }
            Exit::SupervisorCall => self.cpu.supervisor_call(bus),
            Exit::Breakpoint => return self.breakpoint(bus, self.cpu.detail as u8),
            Exit::WaitForEvent | Exit::WaitForInterrupt => {
                self.wait(bus, exit == Exit::WaitForEvent);
                Ok(())
            }
        };
        taken.err().map(|LockedUp| self.lockup())
    }

    fn wait(&mut self, bus: &mut Bus<P>, for_event: bool) {
        self.cpu.horizon = 0;
        if for_event && std::mem::take(&mut self.cpu.event) {
            return;
        }
        self.cpu.sleep = if for_event { Sleep::ForEvent } else { Sleep::ForInterrupt };
        self.tell_sleep(bus, true);
    }

    fn breakpoint(&mut self, bus: &mut Bus<P>, number: u8) -> Option<Stop> {
        if !self.cpu.config.semihosting || number != SEMIHOSTING {
            return Some(Stop::Breakpoint(self.cpu.pc(), number));
        }
        let (pc, at) = (self.cpu.pc(), Cycles::new(self.cpu.now));
        match (SemihostingCall { number: self.cpu.r[0], argument: self.cpu.r[1], pc, at }).answer(bus) {
            SemihostingAnswer::Result(result) => self.cpu.r[0] = result,
            SemihostingAnswer::Exit(code) => self.cpu.exit = Some(code),
        }
        self.cpu.r[Reg::Pc as usize] += 2;
        self.cpu.horizon = 0;
        None
    }

    /// Takes `fault` as an exception, or ends the run with it where faults do.
    pub(super) fn fault(&mut self, bus: &mut Bus<P>, fault: Fault) -> Option<Stop> {
        if self.halt_on_fault {
            self.cpu.note_fault(fault);
            self.cpu.noted = false;
            return self.cpu.last_fault.map(Stop::Fault);
        }
        self.cpu.take_fault(bus, fault).err().map(|LockedUp| self.lockup())
    }

    /// A store failed behind the write buffer: the fault stands between instructions, and is reported where the store was.
    pub(super) fn imprecise_fault(&mut self, bus: &mut Bus<P>, fault: Fault, pc: u32) -> Option<Stop> {
        let next = std::mem::replace(&mut self.cpu.r[Reg::Pc as usize], pc);
        self.cpu.note_fault(fault);
        let report = self.cpu.last_fault;
        self.cpu.r[Reg::Pc as usize] = next;
        self.cpu.noted = false;
        if self.halt_on_fault {
            return report.map(Stop::Fault);
        }
        self.cpu.pend_fault(bus, fault);
        self.cpu.last_fault = report;
        None
    }

    /// What ends the run when a fault can be no exception any more.
    pub(super) fn lockup(&self) -> Stop {
        let unknown = FaultReport { pc: self.cpu.pc(), cause: "fault at HardFault's own priority", address: None };
        Stop::Lockup(self.cpu.last_fault.unwrap_or(unknown))
    }
}
