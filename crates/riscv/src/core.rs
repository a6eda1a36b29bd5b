//! The run loop: blocks while nothing can happen, single instructions near an event, traps and sleep between.

use cyclescope_machine::{
    Bus, CallFrame, Layout, Peripherals, Registers, Retire, RowSet, Run, Signal, Silent, Sink, State, Stop, Stride,
    WithoutPeripherals,
};
use cyclescope_units::{Address, Cycles, Instructions};

use crate::code::{Block, Code};
use crate::config::{Config, Traps};
use crate::cpu::{Cpu, Trap};
use crate::exec::Exit;
use crate::semihosting;

/// The most watched instructions that wait to execute after their report: one a nested handler or switched-out task.
const MOST_REPORTED: usize = 64;

/// A RISC-V core with its predecoded code. Plain data: clone it to fork a run.
#[derive(Clone, Debug)]
pub struct Core<P = WithoutPeripherals> {
    cpu: Cpu,
    code: Code<P>,
    /// Watched instructions that were reported and have not executed yet, with the stack pointer they were reported at:
    /// an interrupt may come between, and its handler or another task may meet watched instructions of its own.
    reported: Vec<(u32, u32)>,
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
            reported: Vec::new(),
            halt_on_fault: false,
            fetch_key: 0,
            stopped_at_watch: false,
        };
        core.set_stack();
        core
    }

    /// Goes to the reset vector with the core's registers at their initial values. The clock goes on.
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
        self.reported.clear();
        self.reported.extend(from.reported.iter().filter(|(address, _)| code.watches(*address)));
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
        self.reported.retain(|(address, _)| code.watches(*address));
    }

    /// Makes the run stop at an exception ([`Stop::Fault`]) instead of running the guest's handler. An environment call is
    /// none: it asks for the handler.
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
            if S::BLOCKS && !self.cpu.pico.holds() {
                let exit = self.run_marked(bus, sink);
                if exit != Exit::Next {
                    if let Some(stop) = self.finish_marked(bus, exit, sink) {
                        return stop;
                    }
                    continue;
                }
                if bus.memory.code_changed() {
                    continue;
                }
            } else if !S::OBSERVES && !self.cpu.pico.holds() {
                let exit = self.run_blocks(bus);
                if exit != Exit::Next {
                    if let Some(stop) = self.finish(bus, exit) {
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

    /// Whole blocks, one after the other, as long as nothing can happen by itself before each is done.
    fn run_blocks(&mut self, bus: &mut Bus<P>) -> Exit {
        let Some(mut id) = self.code.find(self.cpu.pc, Stride::Block) else { return Exit::Next };
        loop {
            let block = self.code.block(id);
            if block.key != self.fetch_key || !self.fits(block) {
                return Exit::Next;
            }
            let exit = self.cpu.execute(bus, block);
            if exit != Exit::Next || bus.memory.code_changed() {
                return exit;
            }
            let pc = self.cpu.pc;
            id = match block.successors.at(pc) {
                Some(id) => id,
                None => match self.code.link(id, pc, Stride::Block) {
                    Some(id) => id,
                    None => return Exit::Next,
                },
            };
        }
    }

    /// The same with marked blocks, whose runs `sink` is told of.
    fn run_marked<S: Sink>(&mut self, bus: &mut Bus<P>, sink: &mut S) -> Exit {
        let Some(mut id) = self.code.find(self.cpu.pc, Stride::Marked) else { return Exit::Next };
        loop {
            let block = self.code.block(id);
            if block.key != self.fetch_key || !self.fits(block) {
                return Exit::Next;
            }
            let exit = self.execute_marked(bus, id, sink);
            if exit != Exit::Next || bus.memory.code_changed() {
                return exit;
            }
            let pc = self.cpu.pc;
            id = match self.code.block(id).successors.at(pc) {
                Some(id) => id,
                None => match self.code.link(id, pc, Stride::Marked) {
                    Some(id) => id,
                    None => return Exit::Next,
                },
            };
        }
    }

    /// Runs the marked block at `id` and tells `sink` what retired; of the state after it where nothing is left to be
    /// done that belongs to the last instruction.
    #[inline(always)]
    fn execute_marked<S: Sink>(&mut self, bus: &mut Bus<P>, id: usize, sink: &mut S) -> Exit {
        let (began, retired) = (self.cpu.now, self.cpu.instructions);
        self.cpu.marks.begin(began);
        let block = self.code.block(id);
        let exit = self.cpu.execute(bus, block);
        let instructions = (self.cpu.instructions - retired) as u32;
        if instructions > 0 {
            let ended = self.cpu.marks.ended();
            sink.ran(Run {
                block: block.number,
                instructions,
                began: Cycles::new(began),
                marked: Cycles::new(self.cpu.marks.at()),
                end: Cycles::new(ended.unwrap_or(self.cpu.now)),
                // Calls do not move it.
                stack_pointer: Address::new(self.cpu.get(2)),
            });
            if exit == Exit::Next || ended.is_some() {
                sink.state(self.state());
            }
        }
        exit
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
            sink.state(self.state());
        } else if ended.is_none() {
            sink.state(self.state());
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
        let meeting = (pc, self.cpu.get(2));
        if watched {
            if !self.reported.contains(&meeting) {
                if self.reported.len() == MOST_REPORTED {
                    self.reported.remove(0);
                }
                self.reported.push(meeting);
                self.stopped_at_watch = true;
                return Some(Stop::Watch(Address::new(pc)));
            }
            self.reported.retain(|other| *other != meeting);
        }
        let (began, retired) = (self.cpu.now, self.cpu.instructions);
        self.cpu.pico.begin();
        if S::BLOCKS && whole == Some(id) {
            let exit = self.execute_marked(bus, id, sink);
            self.cpu.pico.was_delayed = false;
            return self.finish_marked(bus, exit, sink);
        }
        let exit = self.cpu.execute(bus, self.code.block(id));
        self.cpu.pico.was_delayed = false;
        // What PicoRV32 cannot do counts as done when it has raised its interrupt.
        let raised = if exit == Exit::Trap { self.finish(bus, exit) } else { None };
        let retired = self.cpu.instructions != retired;
        if S::OBSERVES && retired {
            let cycles = Cycles::new(self.cpu.now - began);
            sink.retire(Retire { pc: Address::new(pc), at: Cycles::new(began), cycles });
        }
        let stop = if matches!(exit, Exit::Next | Exit::Trap) { raised } else { self.finish(bus, exit) };
        if S::OBSERVES && retired {
            sink.state(self.state());
        }
        stop
    }

    /// What a sink is shown of it.
    #[inline(always)]
    fn state(&self) -> State<'_> {
        let visible = self.cpu.x.first_chunk().expect("the 32 registers that instructions name come first");
        State {
            next: Address::new(self.cpu.pc),
            stack_pointer: Address::new(self.cpu.get(2)),
            registers: Registers::RiscV(visible),
        }
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
                if self.wake(bus) {
                    continue;
                }
                let next = self.cpu.next_event(bus);
                if next == u64::MAX {
                    return Some(Stop::Deadlock(self.cpu.pc()));
                }
                if self.cpu.now >= until {
                    return Some(Stop::Horizon);
                }
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

    /// Whether what wakes the core has come; wakes it.
    fn wake(&mut self, bus: &mut Bus<P>) -> bool {
        if !self.cpu.wakes() {
            return false;
        }
        self.cpu.asleep = false;
        self.cpu.now += self.cpu.charge(self.cpu.config.timing.wake);
        // Ibex fetches in that cycle.
        self.cpu.after.empty = self.cpu.config.timing.stage.map_or(0, |_| 1);
        // waitirq ends before the interrupt that it waited for is served.
        self.cpu.pico.resumed = matches!(self.cpu.config.traps, Traps::Pico(_));
        self.tell_sleep(bus, false);
        true
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
                semihosting::call(&mut self.cpu, bus);
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
            return Some(Stop::Fault(trap.report(pc)));
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
