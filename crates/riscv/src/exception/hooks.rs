//! The hooks of the engine: what is due between instructions, and what blocks leave to be done.

use cyclescope_engine::{Hooks, Outcome, Refusal, Rest, Turn};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, Bus, CallFrame, Peripherals, SemihostingAnswer, SemihostingCall, Signal, Still, Stop, Touch,
};

use super::privileged::Interrupt;
use crate::config::Traps;
use crate::cpu::Cpu;
use crate::decode::Instruction;
use crate::exec::{self, Exit, Handler, begins_wide};
use crate::trap::Trap;

impl<P: Peripherals> Hooks<P> for Cpu {
    type Reset = ();

    /// Goes to the reset vector with the core's registers at their initial values. Interrupt lines are low until the bus says
    /// that they have risen.
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
        self.pico_latch(self.now);
        self.settle_changed_inputs();
    }

    fn next_event(&self, bus: &Bus<P>) -> u64 {
        bus.shared.events.next_at().get().min(self.lines.next_at()).min(self.pico.expires)
    }

    fn rest(&mut self, bus: &mut Bus<P>, until: u64) -> Rest {
        if let Some(fault) = self.last_fault.filter(|_| self.pico.halted) {
            return Rest::Halted(Stop::Lockup(fault));
        }
        if !self.asleep {
            return Rest::Awake;
        }
        match (self.wakes(), self.now < until) {
            (true, true) => {
                self.wake(bus);
                Rest::Woken
            }
            (true, false) => Rest::Until(self.now),
            (false, _) => Rest::Until(u64::MAX),
        }
    }

    fn take_pending(&mut self, bus: &mut Bus<P>) -> Turn {
        if self.pipeline.is_some() {
            // It takes them itself.
            return Turn::Settled;
        }
        let taken = match self.config.timing.stage {
            Some(stage) => self.pass_stage(bus, stage),
            None => self.pending().inspect(|interrupt| self.interrupt(bus, *interrupt)).is_some(),
        };
        if taken { Turn::Again } else { Turn::Settled }
    }

    fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        match exit {
            Exit::Next => return None,
            Exit::Trap => return self.raise(bus, self.trap),
            Exit::Interrupt => self.interrupt(bus, Interrupt::Maskable(self.trap.cause as u8)),
            Exit::Sleep => {
                self.asleep = true;
                self.tell_sleep(bus, true);
            }
            Exit::Semihosting => {
                self.finish_stores(bus);
                let (pc, at) = (self.pc(), Cycles::new(self.now));
                match (SemihostingCall { number: self.get(10), argument: self.get(11), pc, at }).answer(bus) {
                    SemihostingAnswer::Result(result) => self.set(10, result),
                    SemihostingAnswer::Exit(code) => self.exit = Some(code),
                }
                self.pc = self.pc.wrapping_add(4);
            }
        }
        self.horizon = 0;
        None
    }

    fn refuse_fetch(&mut self, bus: &mut Bus<P>, address: u32, _: Refusal) -> Option<Stop> {
        self.raise(bus, Trap::new(Trap::INSTRUCTION_ACCESS, address))
    }

    /// As the calling convention has it: ra, sp.
    fn call_frame(&self, _: &Bus<P>) -> CallFrame {
        CallFrame { return_address: Address::new(self.get(1) & !1), stack_pointer: Address::new(self.get(2)) }
    }

    fn touches(&self, bus: &Bus<P>) -> Option<Touch> {
        self.touched(&bus.memory)
    }

    fn still(&self, bus: &Bus<P>, access: Access) -> Option<Still> {
        bus.peripherals.still(access)
    }
}

impl Cpu {
    fn wake<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        self.asleep = false;
        self.now += self.charge(self.config.timing.wake);
        // Ibex fetches in that cycle.
        self.after.empty = self.config.timing.stage.map_or(0, |_| 1);
        // waitirq ends before the interrupt that it waited for is served.
        self.pico.resumed = matches!(self.config.traps, Traps::Pico(_));
        self.tell_sleep(bus, false);
    }

    fn tell_sleep<P: Peripherals>(&self, bus: &mut Bus<P>, asleep: bool) {
        let now = Cycles::new(self.now);
        bus.shared.signals.record(now, if asleep { Signal::Sleep } else { Signal::Wake });
        let (peripherals, mut context) = bus.with_context(now, self.pc());
        peripherals.sleep(asleep, false, &mut context);
    }

    /// The instruction at the program counter raises `trap`.
    #[cold]
    fn raise<P: Peripherals>(&mut self, bus: &mut Bus<P>, trap: Trap) -> Option<Stop> {
        let pc = self.pc;
        self.horizon = 0;
        // ECALL's causes come last. PicoRV32 makes no difference between it and EBREAK.
        let asked = trap.cause >= Trap::USER_CALL && matches!(self.config.traps, Traps::Privileged(_));
        if self.halt_on_fault && !asked {
            let stop = if trap.cause == Trap::BREAKPOINT {
                Stop::Breakpoint(Address::new(pc), 0)
            } else {
                Stop::Fault(trap.report(pc))
            };
            return Some(stop);
        }
        if let Traps::Pico(_) = &self.config.traps {
            let bytes = if begins_wide(bus, pc) { 4 } else { 2 };
            self.pico_fault(bus, trap, pc.wrapping_add(bytes));
            return None;
        }
        let again = matches!(trap.cause, Trap::INSTRUCTION_ACCESS | Trap::ILLEGAL) && self.is_vector(pc);
        if again {
            // What is at the trap vector raises an exception that goes there again, for ever.
            return Some(Stop::Lockup(trap.report(pc)));
        }
        self.exception(bus, trap);
        None
    }
}
