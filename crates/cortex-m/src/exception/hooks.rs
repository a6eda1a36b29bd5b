//! The hooks of the engine: what is due between instructions, and what a block leaves to be done
//! (exceptions to return from or to take, sleep, breakpoints, faults).

use cyclescope_engine::{Hooks, InstructionSet as _, Outcome, Refusal, Rest, Turn};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, Bus, CallFrame, FaultReport, Peripherals, SemihostingAnswer, SemihostingCall, Signal, SimpleAccess, Still,
    Stop, Touch, Width,
};

use super::LockedUp;
use crate::address_map::is_private;
use crate::code::Block;
use crate::cpu::{Cpu, Entry, Fault, FaultKind, Halfway, Sleep};
use crate::decode::{Instruction, Reg};
use crate::exec::{self, Exit, Handler};

/// The immediate of BKPT that means a semihosting call (IHI 0100).
const SEMIHOSTING: u8 = 0xAB;

impl<P: Peripherals> Hooks<P> for Cpu {
    type Reset = Result<(), Fault>;

    /// Takes the reset exception: the vector table gives the initial stack pointer and the first address (TakeReset(), DDI 0419E
    /// §B1.5.5).
    fn reset(&mut self, bus: &mut Bus<P>) -> Result<(), Fault> {
        let fresh = Self::new(self.config);
        let (now, instructions, rows) = (self.now, self.instructions, self.rows);
        let (stacks, halt_on_fault) = (self.leave_stacks(), self.halt_on_fault);
        *self = Self { now, instructions, rows, stacks, halt_on_fault, ..fresh };
        let cause = "vector table cannot be read";
        let unreadable = |address| Fault { kind: FaultKind::VectorTable, cause, address: Some(address) };
        let table = self.scb.vector_table();
        let sp = bus.memory.read(table, Width::Word).ok_or(unreadable(table))?;
        let entry = bus.memory.read(table + 4, Width::Word).ok_or(unreadable(table + 4))?;
        self.set_stack_pointer(false, sp);
        // The table's stack pointer is the boot program's, where there is one.
        self.stacks.reset();
        self.r[Reg::Lr as usize] = u32::MAX;
        self.go_to(entry & !1);
        self.thumb = entry & 1 != 0;
        Ok(())
    }

    fn handler<R: Outcome<Self, P>>(&self, i: &Instruction) -> Handler<P, R> {
        exec::handler(i, self.mpu.is_on())
    }

    fn settle(&mut self, bus: &mut Bus<P>) {
        self.run_events(bus, self.now);
    }

    fn next_event(&self, bus: &Bus<P>) -> u64 {
        Cpu::next_event(self, bus)
    }

    fn pending_fault(&mut self, bus: &mut Bus<P>) -> Turn {
        if let Some(Halfway::Return(exc_return)) = self.halfway {
            self.halfway = None;
            let returned = self.begin_return(bus, exc_return);
            if self.sleep != Sleep::Awake {
                self.tell_sleep(bus, true);
            }
            return if returned.is_err() { Turn::Stop(self.lockup()) } else { Turn::Again };
        }
        let noted = std::mem::take(&mut self.noted) && self.halt_on_fault;
        if let Some(report) = self.last_fault.filter(|_| noted) {
            return Turn::Stop(Stop::Fault(report));
        }
        let Some((fault, pc)) = self.imprecise.take() else { return Turn::Settled };
        self.imprecise_fault(bus, fault, pc).map_or(Turn::Again, Turn::Stop)
    }

    fn rest(&mut self, bus: &mut Bus<P>, _: u64) -> Rest {
        if bus.shared.interrupts.stands() != self.dormant {
            self.turn_dormant(bus);
        }
        if self.dormant {
            return Rest::Until(u64::MAX);
        }
        if self.sleep == Sleep::Awake || self.wake(bus) {
            return Rest::Awake;
        }
        if !self.rests {
            self.begin_rest(bus);
        }
        Rest::Until(u64::MAX)
    }

    fn sleep_until(&mut self, to: u64) {
        if !self.stands && !self.dormant {
            self.dwt.slept(to - self.now);
        }
        self.now = to;
    }

    fn take_pending(&mut self, bus: &mut Bus<P>) -> Turn {
        if let Some(halfway) = self.halfway.take() {
            let taken = self.go_on(bus, halfway);
            return if taken.is_err() { Turn::Stop(self.lockup()) } else { Turn::Again };
        }
        let exit = self.preempting().map(|number| (number, self.scb.take_exit()));
        let taken = match exit {
            Some((number, Some(exc_return))) => self.tail_chain(bus, number, exc_return),
            Some((number, None)) => self.enter(bus, number),
            None => match self.scb.take_exit() {
                Some(exc_return) => self.unstack(bus, exc_return),
                None if self.thumb => return Turn::Settled,
                None => {
                    let cause = "instruction in Arm state, which the core does not have";
                    let fault = Fault { kind: FaultKind::InvalidState, cause, address: None };
                    return self.raise(bus, fault).map_or(Turn::Again, Turn::Stop);
                }
            },
        };
        if taken.is_err() { Turn::Stop(self.lockup()) } else { Turn::Again }
    }

    fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        // What an access that waits for its turn has led to is dropped.
        if bus.shared.turns.is_refused() {
            return None;
        }
        let taken = match exit {
            Exit::Next => Ok(()),
            Exit::Fault => return self.raise(bus, self.fault),
            Exit::ExceptionReturn => {
                let returned = self.return_from_exception(bus, self.detail);
                if self.sleep != Sleep::Awake {
                    self.tell_sleep(bus, true);
                }
                returned
            }
            Exit::SupervisorCall => self.supervisor_call(bus),
            Exit::Breakpoint => return self.breakpoint(bus, self.detail as u8),
            Exit::WaitForEvent | Exit::WaitForInterrupt => {
                self.wait(bus, exit == Exit::WaitForEvent);
                Ok(())
            }
        };
        taken.err().map(|LockedUp| self.lockup())
    }

    /// The fault at an address without memory depends on whether it may hold code.
    fn refuse_fetch(&mut self, bus: &mut Bus<P>, address: u32, refusal: Refusal) -> Option<Stop> {
        let (kind, cause) = match refusal {
            Refusal::Forbidden => (FaultKind::FetchAccess, "execution that the MPU forbids"),
            Refusal::NoMemory if crate::address_map::executable(address) => {
                (FaultKind::FetchBus, "instruction fetch where no code memory is")
            }
            Refusal::NoMemory => (FaultKind::FetchAccess, "instruction fetch where no code memory is"),
        };
        self.raise(bus, Fault { kind, cause, address: Some(address) })
    }

    /// An interrupt that arrives inside a load or store of several registers, or a division, cuts it short: Armv6-M abandons
    /// and restarts it (DDI 0484C §3.6.1); Armv7-M abandons a division, and goes on with a load or store where it was,
    /// outside IT blocks (DDI 0403E §B1.5.10). Transfers abandoned have no effect but on device registers, which the
    /// manual says not to use so.
    fn abandons(&mut self, bus: &mut Bus<P>, block: &Block<P>) -> bool {
        if !block.detail.abandonable {
            // What begins in its middle comes behind it, and must find what it wants.
            let end = self.now + u64::from(block.cycles);
            if block.detail.accesses_late && !bus.memory.ram.is_closed() && !self.is_quiet(bus, end) {
                self.claim_ahead(bus, block, self.now..end + 1);
            }
            return false;
        }
        let longest = block.worst_cycles.max(block.cycles);
        let end = self.now
            + u64::from(if block.steps.iter().any(|step| step.i.is_division()) {
                self.division_ends(&block.steps).unwrap_or(longest)
            } else {
                block.cycles
            });
        let began = self.now;
        let mut claimed = began;
        loop {
            let due = Cpu::next_event(self, bus);
            if due <= self.now || due >= end {
                return false;
            }
            // Other masters must find what it wants meanwhile.
            self.claim_ahead(bus, block, claimed..due + 1);
            claimed = due + 1;
            if bus.shared.turns.are_taken() && !bus.shared.turns.reaches(due) {
                return true;
            }
            self.run_events(bus, due);
            self.horizon = 0;
            if self.preempting().is_some() {
                self.leave_off(bus, block, due - began);
                self.now = due;
                return true;
            }
            // Beside another core what has happened stays, and the instruction is attempted anew.
            if bus.shared.turns.are_taken() {
                return true;
            }
        }
    }

    /// The instruction has waited for the other core up to the cycle `at`: an interrupt that has come since cuts it short, as one of a
    /// device does.
    fn cut_short(&mut self, bus: &mut Bus<P>, block: &Block<P>, at: u64) -> bool {
        if !block.detail.abandonable || !bus.shared.interrupts.changed() || at <= self.now {
            return false;
        }
        self.latch_interrupts(bus, at);
        if self.preempting().is_none() {
            return false;
        }
        self.leave_off(bus, block, at - self.now);
        self.now = at;
        true
    }

    fn is_simple(&self, bus: &Bus<P>, block: &Block<P>, again: bool) -> Option<SimpleAccess> {
        let reach = block.detail.alone.as_ref()?.reach?;
        let (changed, next) = (bus.shared.interrupts.changed(), Cpu::next_event(self, bus));
        if !again && (changed || next <= self.now) || self.is_careful() || !self.only_executes() {
            return None;
        }
        if block.detail.abandonable {
            // Nothing may cut it short, nor need a handler's saves of a context be undone.
            let longest = u64::from(block.worst_cycles.max(block.cycles));
            return (!changed && next > self.now + longest && self.ipsr == 0).then_some(reach);
        }
        Some(reach)
    }

    fn keep(&mut self) {
        self.keep_simple();
    }

    fn give_back(&mut self) {
        self.give_simple_back();
    }

    fn plan_fetch(&mut self, bus: &Bus<P>, next: Option<&Block<P>>) {
        self.plan(bus, next);
    }

    fn planned_fetch(&self) -> Option<u64> {
        self.planned.map(|fetch| fetch.act())
    }

    fn fetches_beside(&self) -> bool {
        self.planned.is_some_and(|fetch| fetch.is_beside())
    }

    fn make_planned_fetch(&mut self, bus: &mut Bus<P>, next: Option<&Block<P>>) {
        self.make_planned(bus, next);
    }

    fn take_begun_fetches(&mut self, bus: &mut Bus<P>) {
        self.take_begun(bus);
    }

    fn leave_fetches(&mut self, bus: &Bus<P>, done: bool) {
        self.leave(bus, done);
    }

    fn call_frame(&self, _: &Bus<P>) -> CallFrame {
        let [stack_pointer, link] = [Reg::Sp, Reg::Lr].map(|register| self.get(register));
        CallFrame { return_address: Address::new(link & !1), stack_pointer: Address::new(stack_pointer) }
    }

    fn touches(&self, bus: &Bus<P>) -> Option<Touch> {
        self.touched(&bus.memory)
    }

    /// Unprivileged code that reads a private register does not come this far.
    fn still(&self, bus: &Bus<P>, access: Access) -> Option<Still> {
        let address = access.address.get();
        if is_private(address) {
            return self.still_private(address);
        }
        match self.bit_band(address, access.width) {
            Some((target, _)) => bus.peripherals.still(Access { address: Address::new(target), ..access }),
            None => bus.peripherals.still(access),
        }
    }
}

impl Cpu {
    /// Tells whether nothing that has happened to the core comes before its next instruction.
    fn only_executes(&self) -> bool {
        let settled = self.sleep == Sleep::Awake
            && !self.dormant
            && self.halfway.is_none()
            && self.imprecise.is_none()
            && !self.noted;
        settled && self.thumb && self.exit.is_none() && !self.scb.keeps_exit() && self.preempting().is_none()
    }

    /// The address that the vector table lies at after reset.
    pub fn vector_table(&self) -> Address {
        Address::new(self.scb.vector_table())
    }

    /// Moves the registers that were reached after `elapsed` cycles: an address, then one a cycle.
    fn leave_off<P: Peripherals>(&mut self, bus: &mut Bus<P>, block: &Block<P>, elapsed: u64) {
        let in_it = self.entry.it & 0xF != 0;
        let several = block.steps.iter().zip(&block.places).find(|(step, _)| step.i.is_multiple());
        let Some((i, detail)) = several.map(|(step, place)| (step.i, &place.detail)) else { return };
        let Some(list) = i.continuable().filter(|_| self.config.architecture.is_v7() && !in_it) else { return };
        let wait = exec::address_wait(detail, self.span(&i).1);
        let reached = elapsed.saturating_sub(1 + wait) as u32;
        let reached = reached.min(list.count_ones().saturating_sub(1));
        let mut rest = list;
        for _ in 0..reached {
            rest &= rest - 1;
        }
        if reached > 0 && self.move_some(bus, &i, list & !rest, wait).is_ok() {
            let register = rest.trailing_zeros() as u8;
            self.entry = Entry::with_it(register << 4);
        }
    }

    /// Wakes the core if what wakes it has come; returns whether it has.
    fn wake<P: Peripherals>(&mut self, bus: &mut Bus<P>) -> bool {
        let woken = match self.sleep {
            Sleep::Awake => true,
            Sleep::ForEvent => self.event || self.preempting().is_some(),
            Sleep::ForInterrupt => self.wakes(),
        };
        if woken {
            if self.sleep == Sleep::ForEvent {
                self.event = false;
            }
            self.sleep = Sleep::Awake;
            if std::mem::take(&mut self.rests) {
                let (peripherals, mut context) = bus.with_context(Cycles::new(self.now), self.pc());
                self.now = self.now.saturating_add(peripherals.wake(&mut context).get());
            }
            if std::mem::take(&mut self.stands) {
                self.systick.run_on(self.now);
                self.dwt.run_on(self.now);
            }
            self.now += self.charge(self.config.timing.wake);
            self.tell_sleep(bus, false);
        }
        woken
    }

    /// Tells the part that the core sleeps in earnest; in deep sleep its clock may stand, and what counts it.
    fn begin_rest<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        self.rests = true;
        let (peripherals, mut context) = bus.with_context(Cycles::new(self.now), self.pc());
        if peripherals.rest(self.scb.deep_sleep(), &mut context) {
            self.stands = true;
            self.systick.stand(self.now);
            self.dwt.stand(self.now);
        }
    }

    /// No oscillator runs any more, or one does again: the core stands where it is meanwhile, with all that counts its clock.
    fn turn_dormant<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        self.dormant = !self.dormant;
        if !self.stands {
            if self.dormant {
                self.systick.stand(self.now);
                self.dwt.stand(self.now);
            } else {
                self.systick.run_on(self.now);
                self.dwt.run_on(self.now);
            }
        }
        if self.sleep == Sleep::Awake {
            self.tell_sleep(bus, self.dormant);
        }
    }

    fn tell_sleep<P: Peripherals>(&self, bus: &mut Bus<P>, asleep: bool) {
        let now = Cycles::new(self.now);
        bus.shared.signals.record(now, if asleep { Signal::Sleep } else { Signal::Wake });
        let (peripherals, mut context) = bus.with_context_ahead(now, self.pc());
        peripherals.sleep(asleep, self.scb.deep_sleep(), &mut context);
    }

    fn wait<P: Peripherals>(&mut self, bus: &mut Bus<P>, for_event: bool) {
        self.horizon = 0;
        if for_event && std::mem::take(&mut self.event) {
            return;
        }
        self.sleep = if for_event { Sleep::ForEvent } else { Sleep::ForInterrupt };
        self.tell_sleep(bus, true);
    }

    fn breakpoint<P: Peripherals>(&mut self, bus: &mut Bus<P>, number: u8) -> Option<Stop> {
        if !self.config.semihosting || number != SEMIHOSTING {
            return Some(Stop::Breakpoint(self.pc(), number));
        }
        let (pc, at) = (self.pc(), Cycles::new(self.now));
        match (SemihostingCall { number: self.r[0], argument: self.r[1], pc, at }).answer(bus) {
            SemihostingAnswer::Result(result) => self.r[0] = result,
            SemihostingAnswer::Exit(code) => self.exit = Some(code),
        }
        self.r[Reg::Pc as usize] += 2;
        self.horizon = 0;
        None
    }

    /// Takes `fault` as an exception, or ends the run with it where faults do.
    fn raise<P: Peripherals>(&mut self, bus: &mut Bus<P>, fault: Fault) -> Option<Stop> {
        if self.halt_on_fault {
            self.note_fault(fault);
            self.noted = false;
            return self.last_fault.map(Stop::Fault);
        }
        self.take_fault(bus, fault).err().map(|LockedUp| self.lockup())
    }

    /// A store failed behind the write buffer: the fault stands between instructions, and is reported where the store was.
    fn imprecise_fault<P: Peripherals>(&mut self, bus: &mut Bus<P>, fault: Fault, pc: u32) -> Option<Stop> {
        let next = std::mem::replace(&mut self.r[Reg::Pc as usize], pc);
        self.note_fault(fault);
        let report = self.last_fault;
        self.r[Reg::Pc as usize] = next;
        self.noted = false;
        if self.halt_on_fault {
            return report.map(Stop::Fault);
        }
        self.pend_fault(bus, fault);
        self.last_fault = report;
        None
    }

    /// The stop where a fault can be no exception any more.
    fn lockup(&self) -> Stop {
        let unknown = FaultReport { pc: self.pc(), cause: "fault at HardFault's own priority", address: None };
        Stop::Lockup(self.last_fault.unwrap_or(unknown))
    }
}
