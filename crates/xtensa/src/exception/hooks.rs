//! The hooks of the engine: what is due between instructions, and what blocks leave to be done.

use cyclescope_engine::{Hooks, Outcome, Refusal, Rest, Turn};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, Bus, CallFrame, Channel, Peripherals, SemihostingAnswer, SemihostingCall, Signal, Still, Stop, Touch, Width,
};

use crate::cpu::Cpu;
use crate::decode::Instruction;
use crate::exec::{self, Exit, Handler};
use crate::fault::{Cause, Fault};

/// The simulator's calls, in a2 (SIMCALL): exit and write.
const SIMULATOR_EXIT: u32 = 1;
const SIMULATOR_WRITE: u32 = 4;
/// The most bytes that a call of the simulator writes.
const LONGEST_WRITE: u32 = 64 * 1024;

impl<P: Peripherals> Hooks<P> for Cpu {
    type Reset = ();

    /// Goes to the reset vector. Interrupt lines are low until the bus says that they have risen.
    fn reset(&mut self, _: &mut Bus<P>) {
        Cpu::reset(self);
    }

    fn handler<R: Outcome<Self, P>>(&self, i: &Instruction) -> Handler<P, R> {
        exec::handler(i)
    }

    fn settle(&mut self, bus: &mut Bus<P>) {
        self.run_events(bus, self.now);
        while bus.shared.interrupts.changed() {
            self.note_lines(bus, self.now);
            self.run_events(bus, self.now);
        }
    }

    fn next_event(&self, bus: &Bus<P>) -> u64 {
        bus.shared.events.next_at().get().min(self.lines.next_at()).min(self.next_match())
    }

    fn pending_fault(&mut self, bus: &mut Bus<P>) -> Turn {
        // Interrupts come first: they are taken before the instruction is looked at.
        if !self.is_watched_by_itself() || self.asleep || self.takeable().is_some() {
            return Turn::Settled;
        }
        let Some(fault) = self.debug_before() else { return Turn::Settled };
        self.exception(bus, fault);
        Turn::Again
    }

    fn rest(&mut self, bus: &mut Bus<P>, until: u64) -> Rest {
        if !self.asleep {
            return Rest::Awake;
        }
        match (self.takeable().is_some(), self.now < until) {
            (true, true) => {
                self.asleep = false;
                self.now += self.charge(self.config.timing.wake);
                self.tell_sleep(bus, false);
                Rest::Woken
            }
            (true, false) => Rest::Until(self.now),
            (false, _) => Rest::Until(u64::MAX),
        }
    }

    fn take_pending(&mut self, bus: &mut Bus<P>) -> Turn {
        let Some((number, level)) = self.takeable() else { return Turn::Settled };
        self.interrupt(bus, number, level);
        Turn::Again
    }

    fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        match exit {
            Exit::Next => return None,
            Exit::Fault => return self.raise(bus, self.fault),
            Exit::Sleep => {
                self.asleep = true;
                self.tell_sleep(bus, true);
            }
            Exit::Returned => self.leave_handler(bus),
            Exit::Semihosting => self.call_host(bus),
        }
        self.horizon = 0;
        None
    }

    fn refuse_fetch(&mut self, bus: &mut Bus<P>, address: u32, refusal: Refusal) -> Option<Stop> {
        let cause = match refusal {
            Refusal::NoMemory => Cause::FetchAddress,
            Refusal::Forbidden => Cause::FetchProhibited,
        };
        self.raise(bus, Fault::at(cause, address))
    }

    /// As the calling conventions have it: a0 and a1, of the window that ENTRY will make where one was called.
    fn call_frame(&self, bus: &Bus<P>) -> CallFrame {
        let increment = self.ps.increment;
        let is_entry = self.config.configuration.options.windows
            && bus.memory.read(self.pc, Width::Byte).is_some_and(|first| first & 0xFF == 0x36);
        let link = if is_entry { self.get(4 * increment) } else { self.get(0) };
        let high = if is_entry && increment > 0 { self.pc & 0xC000_0000 } else { link & 0xC000_0000 };
        CallFrame { return_address: Address::new(high | link & 0x3FFF_FFFF), stack_pointer: Address::new(self.get(1)) }
    }

    fn touches(&self, bus: &Bus<P>) -> Option<Touch> {
        self.touched(&bus.memory)
    }

    fn still(&self, bus: &Bus<P>, access: Access) -> Option<Still> {
        bus.peripherals.still(access)
    }
}

impl Cpu {
    fn tell_sleep<P: Peripherals>(&self, bus: &mut Bus<P>, asleep: bool) {
        let now = Cycles::new(self.now);
        bus.shared.signals.record(now, if asleep { Signal::Sleep } else { Signal::Wake });
        let (peripherals, mut context) = bus.with_context(now, self.pc());
        peripherals.sleep(asleep, false, &mut context);
    }

    /// BREAK 1, 14 has Arm's number in a2 and its argument in a3; SIMCALL the simulator's number in a2 and arguments behind it.
    fn call_host<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        let (pc, at) = (self.pc(), Cycles::new(self.now));
        let is_break = bus.memory.read(self.pc.wrapping_add(1), Width::Byte).is_some_and(|byte| byte >> 4 == 4);
        let result = if is_break {
            match (SemihostingCall { number: self.get(2), argument: self.get(3), pc, at }).answer(bus) {
                SemihostingAnswer::Result(result) => Some(result),
                SemihostingAnswer::Exit(code) => {
                    self.exit = Some(code);
                    None
                }
            }
        } else {
            self.call_simulator(bus)
        };
        if let Some(result) = result {
            self.set(2, result);
        }
        self.pc = self.pc.wrapping_add(3);
        self.instructions += 1;
        self.now += self.charge((self.config.timing.cost)(crate::timing::Class::Plain).row);
        self.go_back();
    }

    fn call_simulator<P: Peripherals>(&mut self, bus: &mut Bus<P>) -> Option<u32> {
        match self.get(2) {
            SIMULATOR_EXIT => {
                self.exit = Some(self.get(3) as i32);
                None
            }
            SIMULATOR_WRITE => {
                let (from, count) = (self.get(4), self.get(5).min(LONGEST_WRITE));
                for offset in 0..count {
                    let byte = bus.memory.read(from.wrapping_add(offset), Width::Byte).unwrap_or(0) as u8;
                    bus.shared.console.write(Channel::Semihosting, &[byte]);
                }
                Some(count)
            }
            _ => Some(u32::MAX),
        }
    }

    /// The instruction at the program counter raises `fault`.
    #[cold]
    fn raise<P: Peripherals>(&mut self, bus: &mut Bus<P>, fault: Fault) -> Option<Stop> {
        self.horizon = 0;
        let asked = match fault {
            Fault::General { cause, .. } => matches!(cause, Cause::Syscall | Cause::Alloca | Cause::Coprocessor0),
            Fault::Overflow { .. } | Fault::Underflow { .. } => true,
            Fault::Debug { .. } => false,
        };
        if self.halt_on_fault && !asked {
            let stop = match fault {
                Fault::Debug { .. } => Stop::Breakpoint(self.pc(), 0),
                _ => Stop::Fault(fault.report(self.pc)),
            };
            return Some(stop);
        }
        if self.is_vector() && matches!(fault, Fault::General { cause: Cause::Illegal | Cause::FetchAddress, .. }) {
            // What is at the double exception vector raises an exception that goes there again, for ever.
            return Some(Stop::Lockup(fault.report(self.pc)));
        }
        self.exception(bus, fault);
        None
    }
}
