//! The run loop: blocks while nothing can happen, single instructions near an event, traps and sleep between.

use cyclescope_machine::{
    Bus, CallFrame, Layout, Peripherals, Reported, Retire, RowSet, SemihostingAnswer, SemihostingCall, Signal, Silent,
    Sink, Stop, Stride, WithoutPeripherals,
};
use cyclescope_units::{Address, Cycles, Instructions};

use crate::code::{Block, Code};
use crate::config::{Config, Traps};
use crate::cpu::{Cpu, Trap};
use crate::exec::{Before, Exit};

/// A RISC-V core with its predecoded code. Plain data: clone it to fork a run.
#[derive(Clone, Debug)]
pub struct Core<P = WithoutPeripherals> {
    cpu: Cpu,
    code: Code<P>,
    reported: Reported,
    halt_on_fault: bool,
    /// What blocks must have been checked under to run unchecked.
    fetch_key: u32,
    /// The last run stopped at a watched instruction, and nobody has changed the core since.
    stopped_at_watch: bool,
}

impl<P: Peripherals> Core<P> {
    /// A core over the memory of `bus`, as after a reset at cycle 0.
    pub fn new(config: Config, bus: &Bus<P>) -> Self {
        let mut core = Self {
            cpu: Cpu::new(config),
            code: Code::new(&bus.memory),
            reported: Reported::default(),
            halt_on_fault: false,
            fetch_key: 0,
            stopped_at_watch: false,
        };
        core.set_stack();
        core
    }

    /// Goes to the reset vector with the core's registers at their initial values. The clock goes on. Interrupt lines are low
    /// until the bus says that they have risen.
    pub fn reset(&mut self) {
        self.reported.clear();
        self.stopped_at_watch = false;
        self.cpu.reset();
        self.set_stack();
    }

    /// PicoRV32's STACKADDR.
    fn set_stack(&mut self) {
        if let Traps::Pico(pico) = &self.cpu.config.traps
            && pico.stack != u32::MAX
        {
            self.cpu.set(2, pico.stack);
        }
    }

    /// Takes the state of `from`, a core of the same part, but for the addresses watched. Predecoded code is kept; what of
    /// it is stale, memory must say ([`Memory::restore_from`](cyclescope_machine::Memory::restore_from)). The rows used are
    /// those of both: code that is kept is not built again.
    pub fn restore(&mut self, from: &Self) {
        // What blocks were checked under counts the PMP's settings, and both may have counted different ones.
        if self.cpu.pmp != from.cpu.pmp || self.cpu.protection != from.cpu.protection {
            self.code.flush();
        }
        self.code.restore(&from.code);
        self.cpu.clone_from(&from.cpu);
        let code = &self.code;
        self.reported.restore(&from.reported, |address| code.watches(address));
        self.halt_on_fault = from.halt_on_fault;
        self.fetch_key = from.fetch_key;
        self.stopped_at_watch = false;
    }

    /// Makes the run stop ([`Stop::Watch`]) whenever the instruction at `address` is about to execute.
    pub fn watch(&mut self, address: Address) {
        self.code.watch(address);
    }

    /// The addresses watched.
    pub fn watched(&self) -> &[u32] {
        self.code.watched()
    }

    /// Watches the `addresses` and no others.
    pub fn watch_only(&mut self, addresses: &[u32]) {
        self.code.watch_only(addresses);
        let code = &self.code;
        self.reported.retain(|address| code.watches(address));
    }

    /// Makes the run stop at an exception ([`Stop::Fault`], at EBREAK [`Stop::Breakpoint`]) instead of running the guest's
    /// handler. An environment call is none: it asks for the handler.
    pub fn halt_on_fault(&mut self, halt: bool) {
        self.halt_on_fault = halt;
    }

    /// Cycles since the first reset.
    pub fn now(&self) -> Cycles {
        Cycles::new(self.cpu.now)
    }

    /// Instructions retired since the first reset.
    pub fn instructions(&self) -> Instructions {
        Instructions::new(self.cpu.instructions)
    }

    /// The architectural state.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// The architectural state, for a debugger or a test to change between runs.
    pub fn cpu_mut(&mut self) -> &mut Cpu {
        self.stopped_at_watch = false;
        &mut self.cpu
    }

    /// At the first instruction of a function: where it will return to, as the calling convention has it (ra, sp).
    pub fn call_frame(&self) -> CallFrame {
        CallFrame { return_address: Address::new(self.cpu.get(1) & !1), stack_pointer: Address::new(self.cpu.get(2)) }
    }

    /// The rows of the core's timing table that this run used.
    pub fn rows_used(&self) -> RowSet {
        let mut rows = self.code.rows();
        rows.union(self.cpu.rows);
        rows
    }

    /// Runs to the first instruction boundary at or after the cycle `until`, or until something stops the run.
    pub fn run(&mut self, bus: &mut Bus<P>, until: Cycles) -> Stop {
        self.run_into(bus, until, &mut Silent)
    }

    /// The same, with every retired instruction handed to `sink`. Takes exactly the same cycles.
    pub fn run_into<S: Sink>(&mut self, bus: &mut Bus<P>, until: Cycles, sink: &mut S) -> Stop {
        self.cpu.marks.exchange(sink.layout());
        let stop = self.run_on(bus, until, sink);
        self.cpu.marks.exchange(sink.layout());
        stop
    }

    fn run_on<S: Sink>(&mut self, bus: &mut Bus<P>, until: Cycles, sink: &mut S) -> Stop {
        let until = until.get();
        // After a watch everything is as it was, but for what the outside has done to the bus meanwhile.
        let resumed = std::mem::take(&mut self.stopped_at_watch)
            && self.cpu.horizon > 0
            && bus.shared.is_quiet()
            && !self.code.is_stale(&bus.memory);
        self.cpu.horizon = if resumed { self.cpu.horizon.min(self.cpu.next_event(bus)).min(until) } else { 0 };
        loop {
            if bus.memory.code_changed() {
                self.code.refresh(&mut bus.memory);
            }
            if S::BLOCKS {
                self.code.agree(sink.layout());
            }
            if !self.cpu.pico.holds() {
                let (exit, before) = self.run_linked(bus, sink);
                if exit != Exit::Next {
                    if let Some(stop) = self.finish_told(bus, exit, before, sink) {
                        return stop;
                    }
                    continue;
                }
                if bus.memory.code_changed() {
                    continue;
                }
            }
            if self.cpu.now >= self.cpu.horizon {
                if let Some(stop) = self.service(bus, until) {
                    return stop;
                }
            } else if let Some(stop) = self.run_carefully(bus, sink) {
                return stop;
            }
        }
    }

    /// Blocks as the sink wants them, one after the other, as long as nothing can happen by itself before each is done. How
    /// the last one ended, and for a sink of single instructions what was before it.
    fn run_linked<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> (Exit, Before) {
        let Some(mut id) = self.code.find(self.cpu.pc, S::STRIDE) else { return (Exit::Next, Before::default()) };
        loop {
            let block = self.code.block(id);
            if block.key != self.fetch_key || !self.fits(block) {
                return (Exit::Next, Before::default());
            }
            let (exit, before) = match S::STRIDE {
                Stride::Block => (self.cpu.execute(bus, block), Before::default()),
                Stride::Single => self.cpu.execute_single(bus, block, sink),
                Stride::Marked => (self.cpu.execute_marked(bus, block, sink), Before::default()),
            };
            if exit != Exit::Next || bus.memory.code_changed() {
                return (exit, before);
            }
            let pc = self.cpu.pc;
            id = match block.successors.at(pc) {
                Some(id) => id,
                None => match self.code.link(id, pc, S::STRIDE) {
                    Some(id) => id,
                    None => return (Exit::Next, before),
                },
            };
        }
    }

    /// What a block left to be done, and then to be told of.
    #[inline(always)]
    fn finish_told<S: Sink>(&mut self, bus: &mut Bus<P>, exit: Exit, before: Before, sink: &mut S) -> Option<Stop> {
        match S::STRIDE {
            Stride::Block => self.finish(bus, exit),
            Stride::Single => self.finish_single(bus, exit, before, sink),
            Stride::Marked => self.finish_marked(bus, exit, sink),
        }
    }

    /// What an instruction by itself left to be done.
    #[inline(always)]
    fn finish_single<S: Sink>(&mut self, bus: &mut Bus<P>, exit: Exit, before: Before, sink: &mut S) -> Option<Stop> {
        if exit == Exit::Next {
            return None;
        }
        // What PicoRV32 cannot do counts as done when it has raised its interrupt.
        let raised = if exit == Exit::Trap { self.finish(bus, exit) } else { None };
        let retired = S::OBSERVES && before.has_retired(&self.cpu);
        if retired {
            sink.retire(before.retire(&self.cpu));
        }
        let stop = if exit == Exit::Trap { raised } else { self.finish(bus, exit) };
        if retired {
            sink.state(self.cpu.state());
        }
        stop
    }

    /// What a marked block left to be done.
    #[inline(always)]
    fn finish_marked<S: Sink>(&mut self, bus: &mut Bus<P>, exit: Exit, sink: &mut S) -> Option<Stop> {
        if exit == Exit::Next {
            return None;
        }
        let (pc, ended, retired) = (self.cpu.pc, self.cpu.marks.ended(), self.cpu.instructions);
        let stop = self.finish(bus, exit);
        if let Some(at) = ended.filter(|_| exit == Exit::Trap && self.cpu.instructions != retired) {
            // What PicoRV32 cannot do counts as done when it has raised its interrupt.
            let cycles = Cycles::new(self.cpu.now - at);
            sink.retire(Retire { pc: Address::new(pc), at: Cycles::new(at), cycles });
            sink.state(self.cpu.state());
        } else if ended.is_none() {
            sink.state(self.cpu.state());
        }
        stop
    }

    /// One block where something is to be seen to: a new or watched one, one near an event, the instruction after retirq,
    /// or a single instruction for a sink.
    fn run_carefully<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> Option<Stop> {
        let pc = self.cpu.pc;
        let one = S::OBSERVES && !S::BLOCKS || self.cpu.pico.holds();
        let stride = if S::BLOCKS { Stride::Marked } else { Stride::Block };
        let whole = if one { None } else { self.block(bus, pc, stride, sink.layout()) };
        let id = match whole.filter(|id| self.fits(self.code.block(*id)) && self.may_run(*id).is_ok()) {
            Some(id) => id,
            None => match self.block(bus, pc, Stride::Single, None) {
                Some(id) => id,
                None => return self.trap(bus, Trap::new(Trap::INSTRUCTION_ACCESS, pc)),
            },
        };
        if let Err(address) = self.may_run(id) {
            return self.trap(bus, Trap::new(Trap::INSTRUCTION_ACCESS, address));
        }
        let watched = self.code.block(id).watched();
        if watched {
            let (at, stack_pointer) = (Address::new(pc), Address::new(self.cpu.get(2)));
            if self.reported.reports(at, stack_pointer) {
                self.stopped_at_watch = true;
                return Some(Stop::Watch(at));
            }
            self.reported.executes(at, stack_pointer);
        }
        self.cpu.pico.begin();
        let block = self.code.block(id);
        if S::BLOCKS && whole == Some(id) {
            let exit = self.cpu.execute_marked(bus, block, sink);
            self.cpu.pico.was_delayed = false;
            return self.finish_marked(bus, exit, sink);
        }
        let (exit, before) = self.cpu.execute_single(bus, block, sink);
        self.cpu.pico.was_delayed = false;
        self.finish_single(bus, exit, before, sink)
    }

    /// Whether the PMP lets the block at `id` run as things are, and if not, the first address that must not be fetched;
    /// remembers what it was checked under.
    fn may_run(&mut self, id: usize) -> Result<(), u32> {
        let key = self.fetch_key;
        let block = self.code.block_mut(id);
        if block.key == key || key == 0 {
            if !block.watched() {
                block.key = key;
            }
            return Ok(());
        }
        self.cpu.may_fetch(block.pc, block.next_pc)?;
        if !block.watched() {
            block.key = key;
        }
        Ok(())
    }

    /// Whether all of `block` is done before anything can happen by itself.
    #[inline(always)]
    fn fits(&self, block: &Block<P>) -> bool {
        self.cpu.now + u64::from(block.worst_cycles) <= self.cpu.horizon
    }

    fn block(&mut self, bus: &mut Bus<P>, pc: u32, stride: Stride, layout: Option<&mut dyn Layout>) -> Option<usize> {
        self.code.find_or_build(pc, stride, &self.cpu.config, &mut bus.memory, layout)
    }

    /// Everything that is due at `self.cpu.now`; sets the horizon up to which nothing more can happen.
    #[cold]
    fn service(&mut self, bus: &mut Bus<P>, until: u64) -> Option<Stop> {
        loop {
            self.cpu.run_events(bus, self.cpu.now);
            if bus.shared.interrupts.changed() {
                self.cpu.note_lines(bus, self.cpu.now);
                continue;
            }
            self.cpu.pico_latch(self.cpu.now);
            self.code.refresh(&mut bus.memory);
            self.fetch_key = self.cpu.fetch_key();
            if let Some(cause) = bus.shared.reset.take() {
                return Some(Stop::Reset(cause));
            }
            if let Some(code) = self.cpu.exit.take() {
                return Some(Stop::Exit(code));
            }
            if !bus.shared.signals.is_empty() {
                return Some(Stop::Signal);
            }
            if bus.shared.console.over_budget() {
                return Some(Stop::OutputBudget);
            }
            if self.cpu.pico.halted {
                return self.cpu.last_fault.map(Stop::Lockup);
            }
            if self.cpu.asleep {
                let wakes = self.cpu.wakes();
                if !wakes && self.cpu.next_event(bus) == u64::MAX {
                    return Some(Stop::Deadlock(self.cpu.pc()));
                }
                if self.cpu.now >= until {
                    return Some(Stop::Horizon);
                }
                if wakes {
                    self.wake(bus);
                    continue;
                }
                let next = self.cpu.next_event(bus);
                self.cpu.now = next.min(until).max(self.cpu.now);
                continue;
            }
            if self.cpu.now >= until {
                return Some(Stop::Horizon);
            }
            let taken = match self.cpu.config.timing.stage {
                Some(stage) => self.cpu.pass_stage(bus, stage),
                None => self.cpu.pending().inspect(|interrupt| self.cpu.interrupt(bus, *interrupt)).is_some(),
            };
            if taken {
                continue;
            }
            let horizon = self.cpu.next_event(bus).min(until);
            if horizon > self.cpu.now {
                // What is pending already is served after the one instruction that goes before it.
                self.cpu.horizon = if self.cpu.pico.holds() { self.cpu.now + 1 } else { horizon };
                return None;
            }
        }
    }

    fn wake(&mut self, bus: &mut Bus<P>) {
        self.cpu.asleep = false;
        self.cpu.now += self.cpu.charge(self.cpu.config.timing.wake);
        // Ibex fetches in that cycle.
        self.cpu.after.empty = self.cpu.config.timing.stage.map_or(0, |_| 1);
        // waitirq ends before the interrupt that it waited for is served.
        self.cpu.pico.resumed = matches!(self.cpu.config.traps, Traps::Pico(_));
        self.tell_sleep(bus, false);
    }

    fn tell_sleep(&mut self, bus: &mut Bus<P>, asleep: bool) {
        let now = self.now();
        bus.shared.signals.record(now, if asleep { Signal::Sleep } else { Signal::Wake });
        let (peripherals, mut context) = bus.with_context(now, self.cpu.pc());
        peripherals.sleep(asleep, false, &mut context);
    }

    /// What a block left to be done.
    fn finish(&mut self, bus: &mut Bus<P>, exit: Exit) -> Option<Stop> {
        match exit {
            Exit::Next => None,
            Exit::Trap => self.trap(bus, self.cpu.trap),
            Exit::Sleep => {
                self.cpu.asleep = true;
                self.cpu.horizon = 0;
                self.tell_sleep(bus, true);
                None
            }
            Exit::Semihosting => {
                let (pc, at) = (self.cpu.pc(), Cycles::new(self.cpu.now));
                match (SemihostingCall { number: self.cpu.get(10), argument: self.cpu.get(11), pc, at }).answer(bus) {
                    SemihostingAnswer::Result(result) => self.cpu.set(10, result),
                    SemihostingAnswer::Exit(code) => self.cpu.exit = Some(code),
                }
                self.cpu.pc = self.cpu.pc.wrapping_add(4);
                self.cpu.horizon = 0;
                None
            }
        }
    }

    /// The instruction at the program counter raises `trap`.
    #[cold]
    fn trap(&mut self, bus: &mut Bus<P>, trap: Trap) -> Option<Stop> {
        let pc = self.cpu.pc;
        self.cpu.horizon = 0;
        // ECALL's causes come last. PicoRV32 makes no difference between it and EBREAK.
        let asked = trap.cause >= Trap::USER_CALL && matches!(self.cpu.config.traps, Traps::Privileged(_));
        if self.halt_on_fault && !asked {
            let stop = if trap.cause == Trap::BREAKPOINT {
                Stop::Breakpoint(Address::new(pc), 0)
            } else {
                Stop::Fault(trap.report(pc))
            };
            return Some(stop);
        }
        if let Traps::Pico(_) = &self.cpu.config.traps {
            let bytes = if crate::exec::begins_wide(bus, pc) { 4 } else { 2 };
            self.cpu.pico_fault(bus, trap, pc.wrapping_add(bytes));
            return None;
        }
        let again = matches!(trap.cause, Trap::INSTRUCTION_ACCESS | Trap::ILLEGAL) && self.cpu.is_vector(pc);
        if again {
            // What is at the trap vector raises an exception that goes there again, for ever.
            return Some(Stop::Lockup(trap.report(pc)));
        }
        self.cpu.exception(bus, trap);
        None
    }
}
